//! Makes an incident: disks mounted, a load on them, watched, all of it taken down.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bench::{ArrivalSpacing, LoopKind, PreparedDatabase, RunLimits, RunPlan};
use cluster::{NodeHost, TestBed};
use mysql::{JobKind, LaunchedMariaDb, ServerMachine, SqlDatabase, SqlJob, SqlSettings, SqlSpec};
use reference_store::ReferenceStore;
use units::{Bytes, Nanos, Ratio};
use validation::{GridCommon, RowSetup};

use super::Trouble;
use super::machine::Rule;
use super::row::{On, Row};
use super::watch::{self, Seen, Watch};

/// Not looked at: connections, the first answers.
const WARM_UP: Nanos = Nanos::secs(3);
/// The same seed gives the same operations.
const SEED: u64 = 1;
/// Operations of an open loop that the store may have at a time, as `bench` has them.
const IN_FLIGHT: u32 = 4096;

/// Makes an incident until the machine is its own, as often as the rule allows; gives the last.
pub(crate) fn undisturbed(row: &Row, lab: &TestBed, stop: &Arc<AtomicBool>) -> Result<Seen, Trouble> {
    let rule = Rule::embedded();
    let mut tries = 1;
    loop {
        let seen = make(row, lab, stop)?;
        if tries >= rule.tries || rule.allows(&seen.machine) || stop.load(Ordering::Relaxed) {
            return Ok(Seen { tries, ..seen });
        }
        println!("  {} is made anew, {}", row.name, seen.machine);
        tries += 1;
    }
}

fn make(row: &Row, lab: &TestBed, stop: &Arc<AtomicBool>) -> Result<Seen, Trouble> {
    match row.on {
        On::Fio => fio(row, lab, stop),
        On::Store => store(row, lab, stop),
        On::Mariadb => mariadb(row, lab, stop),
    }
}

fn fio(row: &Row, lab: &TestBed, stop: &Arc<AtomicBool>) -> Result<Seen, Trouble> {
    let options =
        cluster::ClusterOptions { seed: SEED, interrupted: stop.clone(), ..cluster::ClusterOptions::default() };
    let host = NodeHost::mount(&lab.home, &lab.scratch, &row.deployment(), &options)?;
    let mut jobs = Vec::new();
    for line in &row.fio {
        let words: Vec<&str> = line.split(' ').collect();
        let [disk, pattern, size, depth, more @ ..] = &words[..] else {
            return Err(format!("{line}: expected DISK PATTERN SIZE DEPTH").into());
        };
        let name = if *disk == "log" { row.log_name() } else { disk };
        let folder = host.disk(name).ok_or_else(|| format!("{line}: there is no disk {name}"))?;
        // Blocks that were never written are not read from the disk.
        finished(command(&folder, "write", "1M", "16").spawn()?)?;
        let mut command = command(&folder, pattern, size, depth);
        command.args(["--time_based", &format!("--runtime={}", row.seconds)]);
        command.args(more.iter().map(|option| format!("--{option}")));
        jobs.push(command);
    }
    let watch = Watch::start(&lab.home, &lab.scratch, row, None)?;
    let running = jobs.iter_mut().map(Command::spawn).collect::<Result<Vec<Child>, _>>()?;
    running.into_iter().try_for_each(finished)?;
    let seen = watch.finish(row, None)?;
    host.disks().heal("data")?;
    host.clear()?;
    Ok(seen)
}

fn command(folder: &Path, pattern: &str, size: &str, depth: &str) -> Command {
    let mut command = Command::new("fio");
    command.args(["--name=x", "--size=256M", "--direct=1", "--ioengine=libaio"]);
    command.arg(format!("--filename={}", folder.join("file").display()));
    command.args([format!("--rw={pattern}"), format!("--bs={size}"), format!("--iodepth={depth}")]);
    command.stdin(Stdio::null()).stdout(Stdio::null());
    command
}

fn finished(mut child: Child) -> Result<(), Trouble> {
    let status = child.wait()?;
    if status.success() { Ok(()) } else { Err(format!("fio ended with {status}").into()) }
}

fn limits(row: &Row) -> RunLimits {
    let measured = Nanos::secs(row.seconds);
    RunLimits {
        warm_least: WARM_UP,
        warm_most: WARM_UP,
        measure_least: measured,
        measure_most: measured,
        ..RunLimits::default()
    }
}

fn store(row: &Row, lab: &TestBed, stop: &Arc<AtomicBool>) -> Result<Seen, Trouble> {
    let setup = RowSetup {
        common: GridCommon {
            nodes: 1,
            instance: row.instance.clone(),
            region: "us-west-2".to_owned(),
            regions: 4,
            clients: row.clients,
            think: Nanos::millis(1),
            compressed: Ratio(0.6),
            warm_up: WARM_UP,
            measure: Nanos::secs(row.seconds),
            seed: SEED,
            // A sixty-fourth of TiKV's, as the grid of `make validate` has them.
            memtable: Bytes::mib(2),
            level_base: Bytes::mib(8),
            file: Bytes::mib(1),
        },
        name: row.name.clone(),
        data: (row.data.clone(), row.share),
        log: row.log.clone().map(|log| (log, 1.0)),
        block_size: row.block_size.unwrap_or(Bytes::kib(16)),
        row: row.row,
        rows: row.rows,
        reads: row.reads,
        value_separation: None,
        rate_limit: row.rate_limit,
        block_cache: row.block_cache,
        memory: row.memory,
        rate: row.rate,
    };
    let mut spec = setup.spec(stop)?;
    spec.plan.threads = row.threads;
    if let Some(launched) = spec.settings.source.launched_mut() {
        launched.options.keys.extend(row.keys.clone());
        launched.options.credits = None;
    }
    let prepared = PreparedDatabase::<ReferenceStore>::prepare(Some(lab), spec, &mut |_| {})?;
    let status = prepared.database().cluster().map(|cluster| cluster.node(0).status_addr());
    let watch = Watch::start(&lab.home, &lab.scratch, row, status)?;
    let found = prepared.run(1, &mut |_| {})?;
    let seen = watch.finish(row, Some(found.timeline))?;
    prepared.stop()?;
    Ok(seen)
}

fn mariadb(row: &Row, lab: &TestBed, stop: &Arc<AtomicBool>) -> Result<Seen, Trouble> {
    /// More than any run adds.
    const ADDS: u64 = 100_000_000;
    let load = match row.rate {
        Some(rate) => {
            LoopKind::Open { rate, arrivals: ArrivalSpacing::Poisson, in_flight: row.clients, backlog: 16 * IN_FLIGHT }
        }
        None => LoopKind::Closed { clients: row.clients, think: Nanos(0) },
    };
    let kind = JobKind::Inserts { before: row.rows as u64, adds: ADDS, rows: 1, row: row.row };
    let options =
        cluster::ClusterOptions { memory: Some(row.memory), seed: SEED, ..cluster::ClusterOptions::default() };
    let job = SqlJob { kind, clients: Some(row.clients), think: Nanos(0) };
    let launched = LaunchedMariaDb { deployment: row.deployment(), options, variables: Vec::new() };
    let plan = RunPlan {
        limits: limits(row),
        seed: SEED,
        drain: Nanos::secs(20),
        ..RunPlan::new(&row.name, "inserts", load, mysql::PATIENCE)
    };
    let spec = SqlSpec { stop: stop.clone(), ..SqlSettings::launched(job, launched, plan) };
    let machine = ServerMachine { home: lab.home.clone(), scratch: lab.scratch.clone() };
    let prepared = PreparedDatabase::<SqlDatabase>::prepare(Some(&machine), spec, &mut |_| {})?;
    let watch = Watch::start(&lab.home, &lab.scratch, row, None)?;
    let found = prepared.run(1, &mut |_| {})?;
    let seen = watch.finish(row, Some(found.timeline))?;
    // A disk that is slow for good would keep the server from ending.
    watch::node(&lab.home)?.1.heal("data")?;
    prepared.stop()?;
    Ok(seen)
}
