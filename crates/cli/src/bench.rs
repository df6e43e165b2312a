//! `diskwright bench`: a workload on a real engine, on emulated or real disks.

mod compare;
pub(crate) mod live;
mod options;
mod sql;
mod study;

use std::path::{Path, PathBuf};

use bench::{PreparedDatabase, RunFiles};
use reference_store::{ReferenceStore, StoreRun, StoreSpec, with_events};
use report::page::Page;
use report::verbs::bench::{document, text};
use report::verbs::bench_page::page;

use crate::bench::live::Live;
use crate::bench::options::Options;
use crate::failure::Failure;
use crate::inputs;
use crate::on_signal;
use crate::origin::origin;
use crate::output::Output;

/// Arguments of `bench`.
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "\
Examples:
  diskwright bench examples/ycsb-a-uniform.toml --on examples/raft-dedicated.toml --records 200k
  diskwright bench examples/mix.toml --on mine.toml --rate 2k --runs 3 --out mine.json
  diskwright bench examples/ycsb-a-uniform.toml --on examples/raft-dedicated.toml --records 200k \\
    --rate 500 --events examples/events-bench.toml --warm-up 10s --most 50s
  diskwright bench examples/mix.toml --db tikv://10.0.0.5:2379 --records 10M --out ours.parquet
  diskwright bench tpcc.toml --launch mariadb --on examples/rds-gp2.toml --records 10 --clients 64
  diskwright bench tpcc.toml --db mysql://bench@db.example/tpcc --tls-ca rds.pem
  diskwright bench compare shared.json dedicated.json
  diskwright bench compare shared.toml dedicated.toml --workload examples/mix.toml --pairs 5
  diskwright bench study examples/rds-study/study.toml --out rds-study.html

With --on, the disks of the deployment's storage nodes are mounted on this machine, a placement
driver and the reference store are started on them, and all of it is taken down again; that takes
root and the programs of `make store`. The reference store is made of TiKV's parts to measure with;
it keeps no data of yours. Of instances only the disk limits apply: processors are this
machine's. With --db, an existing TiKV is driven; its raw keys `user...` are overwritten.

With --launch mariadb, a MariaDB of its own is started on the disks of the deployment's first node
instead; [tpcc], [inserts] and [sysbench] run on it. With --db mysql://USER@HOST/SCHEMA, a server
that exists is driven: MySQL, MariaDB, RDS, TiDB. Its password is read from
DISKWRIGHT_DB_PASSWORD, or asked for on a terminal. Existing tables are left alone without
--drop, and a missing schema is made only with --create.

Runs warm up until they are steady and end when the throughput is known closely enough. An open
loop (--rate) counts latency from when an operation was to start.

--events reads the TOML file that `diskwright simulate --events` reads, and does the same in real
time; instants count from the start of the warm-up. Then a run warms up for --warm-up and is
measured for --most, steady or not:
  [[events]]
  at = \"20s\"
  load = 2                                          # times the load at the start
  # or: mix = \"reads 1x, scans 2x, writes 0.5x\"       times what came at the start
  #     fault = \"n1/data slow 20x for 60s\"            in the words of `diskwright disk fault`
  #     setting = \"rocksdb.rate-bytes-per-sec = 20MiB\"
  #     node-down = \"n2 for 10s\" · zone-down = \"a for 10s\"    processes stand still"
)]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: Option<Verb>,
    /// Workload, a TOML file with [ycsb], [inserts], [mix] or, on SQL databases, [tpcc] or [sysbench];
    /// - reads standard input
    #[arg(required = true)]
    workload: Option<PathBuf>,
    /// Deployment to start on this machine
    #[arg(long, value_name = "DEPLOYMENT", required_unless_present = "db")]
    on: Option<PathBuf>,
    /// Database to start on the deployment's disks in place of the reference store
    #[arg(long, value_enum, value_name = "SERVER", requires = "on")]
    launch: Option<sql::Launch>,
    /// Existing database: tikv://HOST:PORT of a placement driver, or
    /// mysql://USER@HOST[:PORT]/SCHEMA
    #[arg(long, value_name = "URL", conflicts_with = "on")]
    db: Option<String>,
    /// Events during the run, a TOML file; on raw keys
    #[arg(long, value_name = "FILE", conflicts_with = "runs")]
    events: Option<PathBuf>,
    /// Runs, one after another on the same database
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    runs: u32,
    /// File of the results, written as each run ends: .json for the numbers, .parquet or .csv for the Timeline (of
    /// several runs x-1.parquet, x-2.parquet ...); .html for a page with charts, when all have
    /// ended; may be repeated
    #[arg(long, value_name = "FILE")]
    out: Vec<PathBuf>,
    #[command(flatten)]
    sql: sql::Extra,
    #[command(flatten)]
    options: Options,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    /// Tell whether B is faster than A, from files of runs or by running both in turn
    Compare(Box<compare::Args>),
    /// Run inserts on two deployments in turn: what the second gains before and after burst credits
    /// run out
    Study(study::Args),
}

pub(crate) fn run(args: &Args, json: bool) -> Result<Output, Failure> {
    match (&args.verb, &args.workload) {
        (Some(Verb::Compare(args)), _) => compare::run(args, json),
        (Some(Verb::Study(args)), _) => study::run(args, json),
        (None, Some(workload)) => measure(args, workload, json),
        (None, None) => Err(Failure::input("name a workload: `diskwright bench WORKLOAD --on DEPLOYMENT`")),
    }
}

/// The pages among the files that are asked for, and the others.
fn outs(all: &[PathBuf]) -> (Vec<PathBuf>, Vec<PathBuf>) {
    all.iter().cloned().partition(|out| out.extension().is_some_and(|extension| extension == "html"))
}

fn write_pages(files: &[PathBuf], page: &Page) -> Result<(), Failure> {
    let html = page.html();
    files.iter().try_for_each(|file| inputs::write(file, &html))
}

fn measure(args: &Args, workload: &Path, json: bool) -> Result<Output, Failure> {
    let (pages, files) = outs(&args.out);
    for out in &files {
        timeline::TimelineFormat::of(out).map_err(|error| error.help("name it .html for a page with charts"))?;
    }
    let workload = inputs::workload(workload)?.noun;
    if args.launch.is_some() || args.db.as_ref().is_some_and(|db| db.starts_with("mysql:")) {
        let given = [
            (args.events.is_some(), "--events"),
            (args.options.values.is_some(), "--values"),
            (args.options.gzip, "--gzip"),
            (args.options.zone.is_some(), "--zone"),
        ];
        if let Some((_, option)) = given.into_iter().find(|(given, _)| *given) {
            let words = format!("{option} is for raw keys: leave it out, or run the workload on a TiKV");
            return Err(Failure::input(words));
        }
        return sql::measure(args, (&pages, &files), &workload, json);
    }
    let script = inputs::script(args.events.as_deref())?;
    args.sql.check_unused()?;
    let order = match (&args.on, &args.db) {
        (Some(on), _) => args.options.on(workload, &inputs::deployment(on)?.noun)?,
        (None, Some(db)) => args.options.db(workload, db)?,
        (None, None) => return Err(Failure::input("say what to run on: --on DEPLOYMENT or --db URL")),
    };
    let order = if script.is_empty() { order } else { with_events(order, &script)? };
    let order = StoreSpec { stop: on_signal::catch()?, ..order };
    let lab = args.options.lab(&order)?;
    let mut live = Live::new();
    let prepared =
        PreparedDatabase::<ReferenceStore>::prepare(lab.as_ref(), order.clone(), &mut |stage| live.show(&stage))?;
    let report = order.settings.empty_report(&order.plan, prepared.database().recipe());
    let mut files = RunFiles::new(&files, args.runs, report);
    let mut keep = |run: &StoreRun| files.add(&run.report, &run.timeline).map_err(Failure::from);
    let series = prepared.measure(args.runs, &mut keep, &mut |stage| live.show(&stage))?;
    if let Some((_, error)) = series.cut {
        return Err(error.into());
    }
    let found = series.runs;
    let notes = prepared.notes().to_vec();
    let said = prepared.stop()?;
    live.end();
    let notes = [notes, said].concat();
    if let Some(last) = found.last() {
        let events: Vec<_> = script.marks().into_iter().map(|mark| (mark.at, mark.what)).collect();
        let page = page(files.report(), Some((&last.timeline, last.from)), &events, &notes, origin());
        write_pages(&pages, &page)?;
    }
    let written = [files.written(), &pages].concat();
    let failed = found.iter().any(|found| !found.report.rejected.is_empty());
    let output = match json {
        true => Output::json(&document(files.report(), &found)),
        false => Output::text(text(files.report(), &found, &order, &notes, &written)),
    };
    Ok(output.negative(failed))
}
