//! The pilot's compaction limiter against the others on the reference store: the phases of the simulated bench in real time, on a
//! mounted disk of which the store gets a share. `make limiter-real` measures what is not kept yet, and writes its table into
//! `docs/results/limiter.md`.

mod arms;
#[path = "../../../analyze/simulate/benches/limiter/figures.rs"]
mod figures;
mod hand;
mod kept;
#[path = "../../../analyze/simulate/benches/limiter/phases.rs"]
mod phases;
mod run;
mod setup;
#[path = "../../../analyze/simulate/benches/limiter/table.rs"]
mod table;
#[path = "../../../analyze/simulate/src/limiter/tikv.rs"]
#[expect(dead_code, reason = "flushes that pass by the tokens are RocksDB's affair here")]
mod tikv;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::Instant;

use clap::Parser;
use cluster::{ClusterPrograms, TestBed};
use mount::MountHome;
use units::Ratio;

use crate::arms::Arm;
use crate::figures::Figures;
use crate::kept::Kept;
use crate::run::Place;
use crate::setup::Setup;

/// Any of the many things that can go wrong in a laboratory.
pub(crate) type Trouble = Box<dyn std::error::Error + Send + Sync>;

/// The pilot's compaction limiter against the others on the reference store.
#[derive(Debug, Parser)]
struct Args {
    /// So many random sequences of phases; an arm whose p99 is far over the best on the first one has no other
    #[arg(long, value_name = "N", default_value_t = 4)]
    sequences: u64,
    /// Seconds of a sequence; the document is written only of those of ten minutes
    #[arg(long, value_name = "S", default_value_t = WHOLE)]
    seconds: u64,
    /// Only arms whose name has this; nothing is written into the document; may be repeated
    #[arg(long, value_name = "WORD")]
    only: Vec<String>,
    /// The fixed rates to search among, in MiB/s as they are on the whole disk
    #[arg(long, value_name = "MIB,MIB", value_delimiter = ',', default_values_t = [10.0, 16.0, 25.0, 32.0])]
    fixed: Vec<f64>,
    /// The share of a gp3 of 125 MiB/s that the store gets; data, trees and rates shrink with it
    #[arg(long, value_name = "SHARE", default_value = "25%")]
    share: Ratio,
    /// Measure nothing: the table of what is kept
    #[arg(long)]
    kept_only: bool,
    /// Begin no run after so many minutes; the next time it goes on
    #[arg(long, value_name = "MINUTES")]
    until: Option<u64>,
    /// Where figures are kept; of sequences of ten minutes beside this bench, of others under the target folder's tmp
    #[arg(long, value_name = "DIR")]
    kept: Option<PathBuf>,
    /// Keep the series of each run, too, here: 5000.pilot.parquet and so on
    #[arg(long, value_name = "DIR")]
    timelines: Option<PathBuf>,
    /// Where disks and logs are while it runs, in memory, with 16 GiB of room; all of it is removed
    #[arg(long, value_name = "DIR", default_value = "/dev/shm/diskwright-limiter")]
    scratch: PathBuf,
    /// The document
    #[arg(long, default_value = "../../docs/results/limiter.md")]
    out: PathBuf,
    /// What cargo adds
    #[arg(long, hide = true)]
    bench: bool,
}

/// Seconds of a sequence.
const WHOLE: u64 = 600;
/// Seeds of the sequences: those by which the simulated limiter is judged, too.
const FIRST: u64 = 5000;
/// An arm whose p99 on the first sequence is so many times the least there is has no other: an interval is needed for those that
/// come near, and a run takes ten minutes.
const FAR: f64 = 4.0;
/// After this line of the document stands the table.
const BEGIN: &str = "<!-- measured: written by `make limiter-real` -->";

impl Args {
    fn kept(&self) -> PathBuf {
        let beside = "benches/limiter_real/measured";
        let short = concat!(env!("CARGO_TARGET_TMPDIR"), "/limiter-real");
        self.kept.clone().unwrap_or_else(|| if self.seconds == WHOLE { beside } else { short }.into())
    }
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
    let setup = Setup { share: args.share.0, seconds: args.seconds };
    if !(setup.share > 0.0 && setup.share <= 1.0) {
        return Err(format!("--share {}: expected more than 0 % and up to 100 %", args.share).into());
    }
    let all = Arm::all(&setup, &args.fixed);
    let wanted = |arm: &&Arm| args.only.is_empty() || args.only.iter().any(|word| arm.name.contains(word.as_str()));
    let arms: Vec<Arm> = all.iter().filter(wanted).cloned().collect();
    let seeds = FIRST..FIRST + args.sequences;
    let folder = args.kept();
    let kept = |arm: &Arm, seed: u64| kept::read(&folder, &setup.of(arm), arm, seed);
    // Those that have a sequence, as far as is known: the first one says who has others.
    let having = |seed: u64| -> Vec<Arm> {
        if seed == FIRST {
            return arms.clone();
        }
        let first = arms.iter().filter_map(|arm| Some((arm, kept(arm, FIRST)?.figures.p99)));
        let first: Vec<(&Arm, f64)> = first.collect();
        let least = first.iter().map(|(_, p99)| *p99).fold(f64::INFINITY, f64::min);
        first.into_iter().filter(|(_, p99)| *p99 < FAR * least).map(|(arm, _)| arm.clone()).collect()
    };
    let lacking = |seed: u64| -> Vec<Arm> {
        turns(&having(seed), seed).into_iter().filter(|arm| kept(arm, seed).is_none()).collect()
    };
    if !args.kept_only && seeds.clone().any(|seed| !lacking(seed).is_empty()) {
        measure(args, setup, &folder, seeds.clone().map(|seed| (seed, lacking(seed))))?;
    }
    // Pairs are of the sequences that the pilot has had, too.
    let whole: Vec<Vec<Kept>> =
        arms.iter().map(|arm| seeds.clone().map_while(|seed| kept(arm, seed)).collect()).collect();
    let figures: Vec<Vec<Figures>> = whole.iter().map(|of| of.iter().map(|kept| kept.figures).collect()).collect();
    let rows = || arms.iter().zip(&figures).map(|(arm, of)| (arm.name.as_str(), of.as_slice()));
    rows().filter(|(_, of)| !of.is_empty()).for_each(|(name, of)| println!("{}", table::line(name, of)));
    if figures.iter().any(Vec::is_empty) || arms.len() != all.len() {
        return Ok(true);
    }
    let (mut text, promised) = table::document(&rows().collect::<Vec<_>>(), setup.soft_pending().as_f64());
    text.push_str(&around(&whole.concat()));
    println!("{text}");
    if args.seconds == WHOLE {
        table::replace(&args.out, BEGIN, &text)?;
    }
    Ok(promised)
}

/// The arms of a sequence in their order, which begins with another each time: a machine whose speed wanders favours none.
fn turns(arms: &[Arm], seed: u64) -> Vec<Arm> {
    let mut turns = arms.to_vec();
    turns.rotate_left(((seed - FIRST) % arms.len().max(1) as u64) as usize);
    turns
}

/// Measures what is lacking, sequence by sequence, all on one node that is loaded once.
fn measure(
    args: &Args,
    setup: Setup,
    folder: &Path,
    lacking: impl Iterator<Item = (u64, Vec<Arm>)>,
) -> Result<(), Trouble> {
    let stop = signals::catch()?;
    private_dir::open(&args.scratch, private_dir::FolderPurpose::SCRATCH)?;
    let home = MountHome::open(args.scratch.join(run::HOME), env!("CARGO_BIN_EXE_diskwright"))?;
    let lab = TestBed { home, scratch: args.scratch.clone(), programs: ClusterPrograms::find()? };
    let began = Instant::now();
    let mut place = Place::prepare(setup, lab, FIRST, &stop)?;
    let mut failed = false;
    for (seed, arm) in lacking.flat_map(|(seed, arms)| arms.into_iter().map(move |arm| (seed, arm))) {
        if stop.load(Ordering::Relaxed) || args.until.is_some_and(|until| began.elapsed().as_secs() > 60 * until) {
            break;
        }
        let from = Instant::now();
        let (kept, timeline) = match place.run(&arm, seed) {
            Ok(kept) => kept,
            // What happened once may not happen again; the next time it is tried again.
            Err(error) if !failed => {
                println!("sequence {seed}: {} not measured: {error}", arm.name);
                failed = true;
                continue;
            }
            Err(error) => return Err(error),
        };
        failed = false;
        kept::write(folder, &arm, seed, &kept)?;
        if let Some(folder) = &args.timelines {
            std::fs::create_dir_all(folder)?;
            timeline.write(kept::path(folder, &arm, seed, "parquet"))?;
        }
        println!("sequence {seed}: {}", table::line(&arm.name, &[kept.figures]));
        println!("  {}; {:.0} s", beside(&kept), from.elapsed().as_secs_f64());
    }
    place.end()?;
    Ok(std::fs::remove_dir_all(&args.scratch)?)
}

/// What they were measured on, and what else that did.
fn around(kept: &[Kept]) -> String {
    let machines: BTreeSet<&str> = kept.iter().map(|kept| kept.machine.as_str()).collect();
    let most = |of: fn(&Kept) -> f64| 100.0 * kept.iter().map(of).fold(0.0, f64::max);
    format!(
        "\nMeasured on {}; processors at most {:.0} % busy, {:.0} % by other programs and {:.0} % lent; who woke up was at most \
         {} late in the mean of a run.\n",
        machines.into_iter().collect::<Vec<_>>().join(" and "),
        most(|kept| kept.busy.all),
        most(|kept| kept.busy.others),
        most(|kept| kept.busy.stolen),
        kept.iter().map(|kept| kept.busy.late).max().unwrap_or_default()
    )
}

fn beside(kept: &Kept) -> String {
    format!(
        "flushed {:.0} MB, compacted {:.0} MB, {} failed, {} given up; processors {:.0} % busy, others {:.0} %, lent {:.0} %, \
         {} late",
        kept.flushed / 1e6,
        kept.compacted / 1e6,
        kept.failures,
        kept.dropped,
        100.0 * kept.busy.all,
        100.0 * kept.busy.others,
        100.0 * kept.busy.stolen,
        kept.busy.late
    )
}
