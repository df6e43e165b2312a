//! The answer of `bench` on a SQL database.

use std::path::PathBuf;

use bench::{BenchReport, RunReport};
use mysql::{ConsistencyCheck, SqlCounters, SqlRun};
use serde_json::{Value, json};

use crate::text::{bold, line_width, wrap, yellow};
use crate::verbs::bench::{headline, how, remarks, table, unsteady};

/// The runs as text; `written` are the files that hold them.
pub fn text(report: &BenchReport, found: &[SqlRun], notes: &[String], written: &[PathBuf]) -> String {
    let mut out =
        headline(report) + &bold(&wrap(&format!("{} on {}", report.workload, report.title), line_width(), 0)) + "\n";
    out += &format!("{}; {} rows\n\n", how(&report.load, report.threads), report.rows_loaded);
    out += &table(report);
    for found in found {
        let run = &found.report;
        let marked = unsteady(run).into_iter().chain(remarks(run)).chain(trouble(found));
        for line in marked {
            out += &format!("{}\n", yellow(&wrap(&format!("run {}: {line}", run.run), line_width(), 2)));
        }
        out += &format!("\n{}\n", wrap(&format!("run {}: {}", run.run, used(run, found).join("; ")), line_width(), 2));
        if let Some(checked) = &found.findings.checked {
            out += &format!("{}\n", wrap(&format!("run {}: {}", run.run, conditions(checked)), line_width(), 2));
        }
    }
    for note in notes {
        out += &format!("{}\n", wrap(note, line_width(), 2));
    }
    for file in written {
        out += &format!("written: {}\n", file.display());
    }
    out
}

/// The runs as JSON.
pub fn document(report: &BenchReport, found: &[SqlRun], notes: &[String]) -> Value {
    let runs: Vec<_> = found.iter().map(of_run).collect();
    json!({ "report": report, "sql": runs, "notes": notes })
}

fn of_run(found: &SqlRun) -> Value {
    let checked = found.findings.checked.as_ref().map(|checked| {
        let broken: Vec<_> = checked
            .broken
            .iter()
            .map(|broken| {
                json!({ "clause": broken.condition.clause, "says": broken.condition.says, "rows": broken.rows })
            })
            .collect();
        json!({ "conditions": checked.conditions, "broken": broken })
    });
    json!({
        "tpmc": found.findings.tpmc,
        "used": found.used,
        "retries": found.findings.retries,
        "restarts": found.findings.restarts,
        "checked": checked,
        "unchecked": found.findings.unchecked,
        "full": found.full(),
        "ended": found.ended.as_ref().map(|ended| &ended.reason),
    })
}

/// What went wrong with the server.
fn trouble(found: &SqlRun) -> Vec<String> {
    let mut trouble = Vec::new();
    if let Some(full) = found.full() {
        trouble.push(format!("the disk is full, and the run ended there: {full}"));
    } else if let Some(ended) = &found.ended {
        let why = &ended.reason;
        trouble.push(format!("the run ended there, for every transaction would have met the same: {why}"));
    }
    if let Some(why) = &found.findings.unchecked {
        trouble.push(format!("the data could not be checked: {why}"));
    }
    if found.findings.restarts > 0 {
        trouble.push(format!("the server was started again {} time(s)", found.findings.restarts));
    }
    trouble
}

fn conditions(checked: &ConsistencyCheck) -> String {
    if checked.broken.is_empty() {
        return format!("the data meet all {} consistency conditions of TPC-C (3.3.2)", checked.conditions);
    }
    let broken = checked
        .broken
        .iter()
        .map(|broken| format!("3.3.2.{} ({}) in {} rows", broken.condition.clause, broken.condition.says, broken.rows));
    format!("the data break condition {}", broken.collect::<Vec<_>>().join(", "))
}

/// What each server counts of itself, and what our disks were asked for; nothing that is not told.
fn servers(used: &SqlCounters) -> Vec<String> {
    let mb = |bytes: f64| format!("{:.1} MB/s", bytes / 1e6);
    let whole = |value: f64| format!("{value:.0}");
    let percent = |share: f64| format!("{:.1} %", 100.0 * share);
    let a_second = |seconds: f64| format!("{seconds:.2} s a second");
    let told = |said: &str, value: Option<f64>, unit: &dyn Fn(f64) -> String| {
        value.map(|value| said.replace("{}", &unit(value)))
    };
    let (tidb, tikv) = (&used.tidb, &used.tikv);
    let parts = [
        told("InnoDB read {} times a second", used.innodb_reads_per_s, &whole),
        told("InnoDB wrote {} times a second", used.innodb_writes_per_s, &whole),
        told("InnoDB wrote {}", used.innodb_write_bytes_per_s, &mb),
        told("InnoDB synced {} times a second", used.innodb_fsyncs_per_s, &whole),
        told("redo log {}", used.redo_bytes_per_s, &mb),
        told("buffer pool hits {}", used.buffer_pool_hit_rate, &percent),
        told("TiDB answered {} statements a second", tidb.statements_per_s, &whole),
        told("TiDB waited {} for a timestamp in the mean", tidb.timestamp_wait_ms, &|ms| format!("{ms:.2} ms")),
        told("TiDB backed off {} for busy TiKVs", tidb.busy_backoff, &a_second),
        told("TiDB kept {} processors busy", tidb.processors, &|count| format!("{count:.1}")),
        told("TiKV wrote {} of Raft log", tikv.raft_log_bytes_per_s, &mb),
        told("TiKV synced its Raft log {} times a second", tikv.raft_log_syncs_per_s, &whole),
        told("TiKV flushed {}", tikv.flush_bytes_per_s, &mb),
        told("TiKV compacted {}", tikv.compaction_bytes_per_s, &mb),
        told("TiKV's block cache hits {}", tikv.block_cache_hit_rate, &percent),
        told("TiKV held writers up {}", tikv.stalled, &a_second),
        told("disks {} IOPS", used.disk_iops, &whole),
        told("disks {}", used.disk_bytes_per_s, &mb),
        told("queue depth {}", used.queue_depth, &|depth| format!("{depth:.1}")),
        told("burst balance {}", used.burst_balance, &|percent| format!("{percent:.0} %")),
    ];
    parts.into_iter().flatten().collect()
}

fn used(run: &RunReport, found: &SqlRun) -> Vec<String> {
    let used = &found.used;
    let mut parts = Vec::new();
    if let Some(tpmc) = found.findings.tpmc {
        parts.push(format!("{tpmc:.0} tpmC"));
    } else if run.rows_added_per_s > 0.0 {
        let minute = 60.0 * run.rows_added_per_s;
        parts.push(format!("{minute:.0} rows a minute"));
    }
    let retries = &found.findings.retries;
    let retries: Vec<_> =
        retries.iter().filter(|(_, count)| **count > 0).map(|(why, count)| format!("{count} × {why}")).collect();
    parts.push(match retries.is_empty() {
        true => "nothing was tried again".to_owned(),
        false => format!("tried again {}", retries.join(", ")),
    });
    parts.extend(servers(used));
    let cpu = &run.driver_cpu;
    parts.push(format!(
        "the driver took {:.1} % of the machine, {:.0} µs an operation",
        100.0 * cpu.of_machine,
        cpu.us_per_operation
    ));
    if let Some(price) = run.usd_per_million {
        parts.push(format!("a million operations cost ${price:.3} at the deployment's price and this rate"));
    }
    parts
}

#[cfg(test)]
mod tests {
    use mysql::{TiDbUse, TiKvUse};

    use super::*;

    #[test]
    fn each_server_is_told_in_its_own_words_and_in_no_others() {
        let tidb = SqlCounters {
            tidb: TiDbUse { statements_per_s: Some(1234.4), timestamp_wait_ms: Some(0.517), ..TiDbUse::default() },
            tikv: TiKvUse { raft_log_syncs_per_s: Some(80.0), ..TiKvUse::default() },
            ..SqlCounters::default()
        };
        assert_eq!(
            servers(&tidb),
            [
                "TiDB answered 1234 statements a second",
                "TiDB waited 0.52 ms for a timestamp in the mean",
                "TiKV synced its Raft log 80 times a second"
            ]
        );
        let innodb =
            SqlCounters { innodb_reads_per_s: Some(0.0), redo_bytes_per_s: Some(2.5e6), ..SqlCounters::default() };
        assert_eq!(servers(&innodb), ["InnoDB read 0 times a second", "redo log 2.5 MB/s"]);
        assert!(servers(&SqlCounters::default()).is_empty(), "nothing is told of a server that tells nothing");
    }
}
