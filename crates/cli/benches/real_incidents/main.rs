//! Incidents made on mounted disks, of fio, the reference store and MariaDB, each of known cause: recorded as our own counters, a
//! Prometheus and CloudWatch tell them, then diagnosed. `make incidents-real` makes what is not kept yet, and writes its section
//! of `docs/results/incidents.md`.

mod kept;
mod machine;
mod make;
mod page;
mod prometheus;
mod row;
#[path = "../../../analyze/diagnose/benches/incidents/section.rs"]
mod section;
mod watch;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use clap::Parser;
use cluster::{ClusterPrograms, TestBed};
use diagnose::{Finding, diagnose};
use mount::MountHome;

use crate::page::Outcome;
use crate::row::{On, Row};

/// Any of the many things that can go wrong in a laboratory.
pub(crate) type Trouble = Box<dyn std::error::Error + Send + Sync>;

/// Incidents made on mounted disks, and which cause is named first.
#[derive(Debug, Parser)]
struct Args {
    /// Only those whose name has this; nothing is written into the document; may be repeated
    #[arg(long, value_name = "WORD")]
    only: Vec<String>,
    /// Make nothing: diagnose what is kept
    #[arg(long)]
    kept_only: bool,
    /// Tell what is seen of incidents that are not named right, of those to look at
    #[arg(long)]
    look: bool,
    /// Make them anew
    #[arg(long)]
    anew: bool,
    /// Hold the lock of this file while an incident is made: for machines on which others measure, too
    #[arg(long, value_name = "FILE")]
    lock: Option<PathBuf>,
    /// Begin no incident after so many minutes; the next run goes on
    #[arg(long, value_name = "MINUTES")]
    until: Option<u64>,
    /// Where recordings are kept
    #[arg(long, default_value = concat!(env!("CARGO_TARGET_TMPDIR"), "/incidents-real"))]
    kept: PathBuf,
    /// Where disks and logs are while it runs, best in memory; all of it is removed
    #[arg(long, value_name = "DIR", default_value = "/dev/shm/diskwright-incidents")]
    scratch: PathBuf,
    /// The document
    #[arg(long, default_value = "../../docs/results/incidents.md")]
    out: PathBuf,
    /// What cargo adds
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(kept) => ExitCode::from(u8::from(!kept)),
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(3)
        }
    }
}

fn run(args: &Args) -> Result<bool, Trouble> {
    let all = Row::all();
    let wanted = |row: &&Row| args.only.is_empty() || args.only.iter().any(|word| row.name.contains(word.as_str()));
    if !args.kept_only {
        make_all(args, &all.iter().filter(wanted).collect::<Vec<_>>())?;
    }
    let mut outcomes = Vec::new();
    for (number, row) in all.iter().enumerate().filter(|(_, row)| wanted(row)) {
        let Some(told) = kept::read(&args.kept, row) else { continue };
        let held_out = number % 2 == 1;
        for (telling, timeline) in told {
            let verdicts = diagnose(&timeline, &row.known());
            let outcome = Outcome::new(row, held_out, (telling, tries(&timeline)), &verdicts);
            if args.look && !held_out && outcome.right == Some(false) {
                println!("{} ({}), {:?}:", row.name, telling.name(), row.truth);
                say(&timeline, row, &verdicts);
            }
            outcomes.push(outcome);
        }
    }
    let text = page::markdown(&outcomes, all.len());
    println!("{text}");
    if args.only.is_empty() && !outcomes.is_empty() {
        section::replace(&args.out, "make incidents-real", &text)?;
    }
    Ok(page::kept(&outcomes))
}

/// Makes what is not kept, one after the other. One that cannot be made is told, and the others are made.
fn make_all(args: &Args, rows: &[&Row]) -> Result<(), Trouble> {
    let new: Vec<&&Row> = rows.iter().filter(|row| args.anew || kept::read(&args.kept, row).is_none()).collect();
    if new.is_empty() {
        return Ok(());
    }
    let stop = signals::catch()?;
    let needs_store = new.iter().any(|row| row.on == On::Store);
    let none = || ClusterPrograms { store: PathBuf::new(), pd: PathBuf::new() };
    let programs = if needs_store { ClusterPrograms::find()? } else { none() };
    private_dir::open(&args.scratch, private_dir::FolderPurpose::SCRATCH)?;
    let home = MountHome::open(args.scratch.join("run"), env!("CARGO_BIN_EXE_diskwright"))?;
    let lab = TestBed { home, scratch: args.scratch.clone(), programs };
    let began = Instant::now();
    let is_over = || args.until.is_some_and(|minutes| began.elapsed().as_secs() > 60 * minutes);
    let mut held: Option<(Instant, File)> = None;
    for (number, row) in new.iter().enumerate() {
        if stop.load(Ordering::Relaxed) || is_over() {
            break;
        }
        if held.as_ref().is_some_and(|(since, _)| since.elapsed() > HELD) {
            held = None;
        }
        if let (Some(path), None) = (&args.lock, &held) {
            let file = lock(path)?;
            held = Some((Instant::now(), file));
        }
        let from = Instant::now();
        let made = make::undisturbed(row, &lab, &stop).and_then(|seen| {
            let how = format!("made at try {}, {}", seen.tries, seen.machine);
            kept::write(&args.kept, row, seen).map(|()| how)
        });
        let how = made.unwrap_or_else(|error| format!("not made: {error}"));
        println!("{} of {}: {} {how}, {:.0} s", number + 1, new.len(), row.name, from.elapsed().as_secs_f64());
    }
    std::fs::remove_dir_all(&args.scratch)?;
    Ok(())
}

/// How often an incident was made until the machine was its own; once, of what was kept before that was looked at.
fn tries(timeline: &timeline::Timeline) -> u32 {
    timeline.about.notes.get(kept::TRIES).and_then(|tries| tries.parse().ok()).unwrap_or(1)
}

/// So long the lock is held before others get their turn; an incident more may be begun until then.
const HELD: Duration = Duration::from_secs(30);

fn lock(path: &Path) -> Result<File, Trouble> {
    let file = File::options().create(true).append(true).open(path)?;
    file.lock()?;
    Ok(file)
}

/// Signals and verdicts, for those who look.
fn say(timeline: &timeline::Timeline, row: &Row, verdicts: &[Finding]) {
    for facts in diagnose::facts(timeline, &row.known()) {
        let told = |signal: &diagnose::DiagnosisSignal| {
            let of = |share| facts.quantile(*signal, share).unwrap_or(f64::NAN);
            let mean = facts.mean(*signal, 0..facts.grid.count)?;
            Some(format!("{} {mean:.3} ({:.3} {:.3})", signal.name(), of(0.5), of(0.95)))
        };
        let all: Vec<String> = facts.columns.keys().filter_map(told).collect();
        println!("  {} of {} s: {}", facts.subject, facts.span().as_secs_f64(), all.join(", "));
    }
    for verdict in verdicts.iter().take(4) {
        let (from, to) = (verdict.from.as_secs_f64(), verdict.to.as_secs_f64());
        println!(
            "    {} of {} {from:.0}-{to:.0} {:.2}: {}",
            verdict.kind.name(),
            verdict.subject,
            verdict.confidence,
            verdict.says
        );
    }
}
