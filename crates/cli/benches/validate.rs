//! The simulation held against the reference store over a grid of configurations: `cargo bench -p diskwright --bench validate`.
//! It writes what it found into the tables of `docs/results/validate.md` and ends with 1 if a promise is not kept.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use bench::RunStage;
use clap::Parser;
use cluster::NodeActivity;
use cluster::{ClusterPrograms, TestBed};
use mount::MountHome;
use rayon::prelude::*;
use reference_store::ReferenceStoreError;
use simulate::Constants;
use units::Nanos;
use validation::{
    CalibrationResult, GridHalf, GridRow, MeasuredRow, RowErrors, RowSetup, RunFigures, SEEDS, TARGETS, ValidateError,
    ValidationGrid, bounds, calibrate, markdown, mean_absolute, measure, predict, replace,
};

/// The simulation held against the reference store over a grid of configurations.
#[derive(Debug, Parser)]
#[command(
    name = "validate",
    after_help = "\
Examples:
  cargo bench -p diskwright --bench validate                        (half an hour, as root)
  cargo bench -p diskwright --bench validate -- --resume --calibrate
  cargo bench -p diskwright --bench validate -- --only 07 --only 08
  cargo bench -p diskwright --bench validate -- --simulate-only     (two minutes; no root)

What was measured is kept in lab/validation/measured, a file for each row, with what the machine did besides: so
--simulate-only needs nothing else. A row during which more than a tenth of the processors was lent to other machines is
measured again in the end. The tables of docs/results/validate.md are written when all rows are there; else they are printed."
)]
struct Args {
    /// Only the row of this name; may be repeated
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// Rows that were measured are not measured again
    #[arg(long)]
    resume: bool,
    /// Measure nothing: simulate, and compare with what was kept
    #[arg(long)]
    simulate_only: bool,
    /// Fit the constants to the calibrating half, and write them into crates/analyze/simulate/tables/store.toml
    #[arg(long)]
    calibrate: bool,
    /// Simulate the calibrating half no more often than this for it
    #[arg(long, value_name = "N", default_value_t = 300)]
    tries: usize,
    /// Simulate each row with so many seeds, and take the median of each number
    #[arg(long, value_name = "N", default_value_t = SEEDS)]
    seeds: u64,
    /// The same while constants are fitted
    #[arg(long, value_name = "N", default_value_t = 3)]
    fit_seeds: u64,
    /// Only to see that all works: a few seconds a row, kept elsewhere, written nowhere
    #[arg(long)]
    short: bool,
    /// Where disks and logs are kept while it runs, best in memory; all of it is removed
    #[arg(long, value_name = "DIR", default_value = "/dev/shm/diskwright-validate")]
    scratch: PathBuf,
    /// What cargo adds
    #[arg(long, hide = true)]
    bench: bool,
}

/// A row during which more than this share of the processors was lent to other machines is measured again.
const STOLEN: f64 = 0.1;
/// The processors that the grid is made for, where nothing was measured.
const PROCESSORS: f64 = 2.0;

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(kept) => ExitCode::from(u8::from(!kept)),
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(error.exit_code())
        }
    }
}

fn root() -> PathBuf {
    PathBuf::from("../..")
}

/// Where rows are kept: beside the grid, or where it was only to see that all works, in the target folder; this program lies in the
/// `deps` of a profile in it.
fn folder(short: bool) -> PathBuf {
    if !short {
        return root().join("lab/validation/measured");
    }
    let program = std::env::current_exe().unwrap_or_default();
    let target = program.ancestors().nth(3).map_or_else(|| root().join("target"), Path::to_owned);
    target.join("validate-short")
}

/// Whether all promises are kept.
fn run(args: &Args) -> Result<bool, ValidateError> {
    let grid = grid(args)?;
    let folder = folder(args.short);
    let known = |name: &String| grid.rows.iter().any(|row| row.name == *name);
    if let Some(name) = args.only.iter().find(|name| !known(name)) {
        let known = grid.rows.iter().map(|row| row.name.clone()).collect();
        return Err(ValidateError::NoRow { row: name.clone(), known });
    }
    let rows: Vec<&GridRow> =
        grid.rows.iter().filter(|row| args.only.is_empty() || args.only.contains(&row.name)).collect();
    if !args.simulate_only {
        measure_all(args, &grid, &rows, &folder)?;
    }
    let table = root().join("crates/analyze/simulate/tables/store.toml");
    let text = textfile::read_text(&table, textfile::LIMIT)?;
    let mut constants = Constants::embedded().over(text.content())?;
    let mut found = Vec::new();
    let mut lacking = Vec::new();
    for row in &rows {
        let setup = grid.setup(row)?;
        match MeasuredRow::read(&folder, &setup)? {
            Some(kept) => found.push((*row, setup, kept)),
            None => lacking.push(setup),
        }
    }
    let half = calibrating(&found);
    let processors = found.first().map_or(PROCESSORS, |(_, _, kept)| kept.busy.processors);
    let mut pace = None;
    if args.calibrate {
        constants = fit(args, (&half, processors), &constants, &table, text.content(), &folder)?;
    } else if !half.is_empty() {
        let mut tell = progress();
        let (times, paced) = validation::pace(&half, &constants, (processors, args.fit_seeds), &mut tell)?;
        println!("this machine's processors take {times:.2} times as long as by the constants");
        (pace, constants) = (Some(times), paced);
    }
    let began = Instant::now();
    let compare = |(row, setup, kept): &(&GridRow, RowSetup, MeasuredRow)| {
        RowErrors::new(setup, row.half, kept, &constants, args.seeds)
    };
    let errors: Vec<RowErrors> = found.par_iter().map(compare).collect::<Result<_, ValidateError>>()?;
    let predicted = |setup: &RowSetup| predict(setup, &constants, PROCESSORS, args.seeds);
    let only: Vec<RunFigures> = lacking.par_iter().map(predicted).collect::<Result<_, _>>()?;
    lacking.iter().zip(&only).for_each(|(setup, figures)| println!("{}, not measured: {}", setup.name, line(figures)));
    println!("simulated in {:.1} s", began.elapsed().as_secs_f64());
    let fitted = CalibrationResult::read(&folder.join("fit.json"))?;
    let machines: BTreeSet<&str> = found.iter().map(|(_, _, kept)| kept.machine.as_str()).collect();
    let machines: Vec<&str> = machines.into_iter().collect();
    let tables = markdown(&grid, &errors, &machines.join(", and on "), pace, fitted.as_ref());
    if errors.len() == grid.rows.len() && !args.short {
        replace(&root().join("docs/results/validate.md"), &tables)?;
        println!("written to docs/results/validate.md");
    } else if !errors.is_empty() {
        println!("\n{tables}");
    }
    Ok(TARGETS.iter().all(|target| {
        mean_absolute(RowErrors::of_half(&errors, GridHalf::Predict, target.metric))
            .is_none_or(|mean| mean <= target.most)
    }))
}

fn grid(args: &Args) -> Result<ValidationGrid, ValidateError> {
    let path = root().join("lab/validation/tables/grid.toml");
    let mut grid = ValidationGrid::from_text(&textfile::read_text(path, textfile::LIMIT)?)?;
    if args.short {
        (grid.common.warm_up, grid.common.measure) = (Nanos::secs(4), Nanos::secs(8));
    }
    Ok(grid)
}

fn line(figures: &RunFigures) -> String {
    let millis = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.2} ms"));
    format!(
        "{:.0}/s, p50 {}, p99 {}, compaction {:.1} MiB/s, flush {:.1} MiB/s, cache {:.0} %, busy nodes {:.2}",
        figures.throughput,
        millis(figures.p50_ms),
        millis(figures.p99_ms),
        figures.compaction_bytes / 1_048_576.0,
        figures.flush_bytes / 1_048_576.0,
        100.0 * figures.cache_hit_rate.unwrap_or_default(),
        figures.more.get("node_cpu").copied().unwrap_or_default(),
    )
}

/// Measures what is not kept, and again what the machine disturbed.
fn measure_all(args: &Args, grid: &ValidationGrid, rows: &[&GridRow], folder: &Path) -> Result<(), ValidateError> {
    let stop = signals::catch();
    let stop = stop.map_err(ValidateError::machine("interrupts cannot be caught"))?;
    let mut disturbed = Vec::new();
    for (number, row) in (1..).zip(rows) {
        let setup = grid.setup(row)?;
        if args.resume && MeasuredRow::read(folder, &setup)?.is_some() {
            continue;
        }
        println!("{number} of {}: row {}, {}", rows.len(), row.name, row.levels.join(", "));
        let kept = one(args, &setup, &stop)?;
        kept.write(folder)?;
        if kept.busy.stolen > STOLEN {
            disturbed.push((setup, kept));
        }
    }
    for (setup, before) in disturbed {
        println!("row {} again: {:.0} % of the processors were lent", setup.name, 100.0 * before.busy.stolen);
        let kept = one(args, &setup, &stop)?;
        if kept.busy.stolen < before.busy.stolen {
            kept.write(folder)?;
        }
    }
    Ok(())
}

fn one(args: &Args, setup: &RowSetup, stop: &Arc<AtomicBool>) -> Result<MeasuredRow, ValidateError> {
    let trouble = |error: mount::MountError| ValidateError::Trial(ReferenceStoreError::Cluster(error.into()));
    let run = std::env::var_os("DISKWRIGHT_RUN").map_or_else(|| PathBuf::from(MountHome::FOLDER), PathBuf::from);
    let lab = TestBed {
        home: MountHome::open(run, env!("CARGO_BIN_EXE_diskwright")).map_err(trouble)?,
        scratch: args.scratch.clone(),
        programs: ClusterPrograms::find().map_err(ReferenceStoreError::from)?,
    };
    let began = Instant::now();
    let mut stages = Vec::new();
    let mut tell = |stage: RunStage<'_, NodeActivity>| {
        let name = match stage {
            RunStage::Starting(_) => "start",
            RunStage::Loading(_) => "load",
            RunStage::Settling(_) => "settle",
            RunStage::Running { .. } => "run",
        };
        if stages.last().is_none_or(|(last, _)| *last != name) {
            stages.push((name, began.elapsed().as_secs_f64()));
        }
    };
    let (figures, busy) = measure(setup, &lab, stop, &mut tell)?;
    if stop.load(Ordering::Relaxed) {
        return Err(ReferenceStoreError::Interrupted.into());
    }
    println!("  {}", line(&figures));
    let stages: Vec<String> = stages.iter().map(|(name, at)| format!("{name} at {at:.0} s")).collect();
    let took = began.elapsed().as_secs_f64();
    println!(
        "  {}, over at {took:.0} s; processors {:.0} % busy, others {:.0} %, lent {:.0} %",
        stages.join(", "),
        100.0 * busy.all,
        100.0 * busy.others,
        100.0 * busy.stolen
    );
    Ok(MeasuredRow::new(setup, figures, busy, validation::machine()))
}

/// What was measured of the calibrating half.
fn calibrating(found: &[(&GridRow, RowSetup, MeasuredRow)]) -> Vec<(RowSetup, RunFigures)> {
    let half = found.iter().filter(|(row, ..)| row.half == GridHalf::Calibrate);
    half.map(|(_, setup, kept)| (setup.clone(), kept.measured.clone())).collect()
}

/// Tells of each simulation of the calibrating half that came nearer than all before.
fn progress() -> impl FnMut(usize, f64) {
    let mut least = f64::INFINITY;
    move |asked, cost| {
        if cost < least {
            least = cost;
            println!("  {asked} times simulated: error over target {cost:.3}");
        }
    }
}

/// Fits the constants and writes their table.
fn fit(
    args: &Args,
    (half, processors): (&[(RowSetup, RunFigures)], f64),
    base: &Constants,
    table: &Path,
    text: &str,
    folder: &Path,
) -> Result<Constants, ValidateError> {
    if half.is_empty() {
        return Err(ValidateError::NothingToFit);
    }
    let mut tell = progress();
    let (constants, fitted) = calibrate(half, base, &bounds(), (processors, args.fit_seeds), args.tries, &mut tell)?;
    for (bound, before, after) in &fitted.changed {
        let end = if bound.is_at_end(*after) { ", at its bound" } else { "" };
        println!("  {}: {before:.3e} -> {after:.3e}{end}", bound.name);
    }
    if !args.short {
        let source = format!(
            "make validate with --calibrate: fitted to {} rows of the grid, docs/results/validate.md",
            half.len()
        );
        textfile::write_atomically(table, fitted.table(text, &source)?.as_bytes())?;
        println!("written to {}", table.display());
    }
    fitted.write(&folder.join("fit.json"))?;
    Ok(constants)
}
