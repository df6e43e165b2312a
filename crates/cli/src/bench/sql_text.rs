//! What runs on a SQL database found, for people.

use std::path::PathBuf;

use bench::{Report, RunReport};
use sql::{Checked, Found};

use crate::bench::text::{how, remarks, table, unsteady};
use crate::output::{bold, yellow};
use crate::table::{WIDTH, wrap};

pub(super) fn text(report: &Report, found: &[Found], notes: &[String], written: &[PathBuf]) -> String {
    let mut out = bold(&wrap(&format!("{} on {}", report.workload, report.title), WIDTH, 0)) + "\n";
    out += &format!("{}; {} rows\n\n", how(&report.load, report.threads), report.rows_loaded);
    out += &table(report);
    for found in found {
        let run = &found.report;
        let marked = unsteady(run).into_iter().chain(remarks(run)).chain(trouble(found));
        for line in marked {
            out += &format!("{}\n", yellow(&wrap(&format!("run {}: {line}", run.run), WIDTH, 2)));
        }
        out += &format!("\n{}\n", wrap(&format!("run {}: {}", run.run, used(run, found).join("; ")), WIDTH, 2));
        if let Some(checked) = &found.checked {
            out += &format!("{}\n", wrap(&format!("run {}: {}", run.run, conditions(checked)), WIDTH, 2));
        }
    }
    for note in notes {
        out += &format!("{}\n", wrap(note, WIDTH, 2));
    }
    for file in written {
        out += &format!("written: {}\n", file.display());
    }
    out
}

/// What went wrong with the server.
fn trouble(found: &Found) -> Vec<String> {
    let mut trouble = Vec::new();
    if let Some(full) = &found.full {
        trouble.push(format!("the disk is full, and the run ended there: {full}"));
    }
    if found.restarts > 0 {
        trouble.push(format!("the server was started again {} time(s)", found.restarts));
    }
    trouble
}

fn conditions(checked: &Checked) -> String {
    if checked.broken.is_empty() {
        return format!("the data meet all {} consistency conditions of TPC-C (3.3.2)", checked.conditions);
    }
    let broken = checked
        .broken
        .iter()
        .map(|broken| format!("3.3.2.{} ({}) in {} rows", broken.condition.clause, broken.condition.says, broken.rows));
    format!("the data break condition {}", broken.collect::<Vec<_>>().join(", "))
}

fn used(run: &RunReport, found: &Found) -> Vec<String> {
    let (used, mb) = (&found.used, |bytes: f64| format!("{:.1} MB/s", bytes / 1e6));
    let mut parts = Vec::new();
    if let Some(tpmc) = found.tpmc {
        parts.push(format!("{tpmc:.0} tpmC"));
    } else if run.rows_added_per_s > 0.0 {
        let minute = 60.0 * run.rows_added_per_s;
        parts.push(format!("{minute:.0} rows a minute"));
    }
    let retries: Vec<_> =
        found.retries.iter().filter(|(_, count)| **count > 0).map(|(why, count)| format!("{count} × {why}")).collect();
    parts.push(match retries.is_empty() {
        true => "nothing was tried again".to_owned(),
        false => format!("tried again {}", retries.join(", ")),
    });
    parts.push(format!(
        "InnoDB read {:.0}, wrote {:.0} times a second ({}) and synced {:.0}",
        used.innodb_reads_per_s,
        used.innodb_writes_per_s,
        mb(used.innodb_write_bytes_per_s),
        used.innodb_fsyncs_per_s
    ));
    parts.push(format!("redo log {}", mb(used.redo_bytes_per_s)));
    if let Some(hits) = used.buffer_pool_hit_rate {
        parts.push(format!("buffer pool hits {:.1} %", 100.0 * hits));
    }
    if used.disk_iops > 0.0 {
        parts.push(format!("disks {:.0} IOPS, {}", used.disk_iops, mb(used.disk_bytes_per_s)));
    }
    if let Some(queue) = used.queue_depth {
        parts.push(format!("queue depth {queue:.1}"));
    }
    if let Some(balance) = used.burst_balance {
        parts.push(format!("burst balance {balance:.0} %"));
    }
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
