//! The pilot's compaction limiter against the others over random phases, in the simulation: `make limiter`. It writes the table
//! of `docs/results/limiter.md` and ends with 1 if a promise is not kept.

mod arms;
mod figures;
mod phases;
mod table;

use std::path::Path;
use std::process::ExitCode;

use arms::{Arm, SPAN, flow_control, run};
use figures::Figures;
use rayon::prelude::*;
use units::Nanos;

/// Seeds of the sequences that it is judged by; those from 0 were looked at before its constants were fixed. Constants are tuned on
/// those from 1000. The best fixed rate is the best on the judged ones themselves, which favours it.
const JUDGED: std::ops::Range<u64> = 5000..5200;
const TUNED: std::ops::Range<u64> = 1000..1010;
/// The same of sequences of an hour, and how long they are.
const JUDGED_HOURS: std::ops::Range<u64> = 6000..6020;
const TUNED_HOURS: std::ops::Range<u64> = 2000..2006;
const HOUR: Nanos = Nanos::secs(3600);
/// After these lines of the document stand the tables.
const BEGIN: &str = "<!-- simulated: written by `make limiter` -->";
const BEGIN_HOURS: &str = "<!-- hours: written by `make limiter LIMITER=--hour` -->";
/// The table is written after so many sequences, and again.
const PART: u64 = 20;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let value = |name: &str| args.iter().position(|arg| arg == name).and_then(|at| args.get(at + 1)).cloned();
    // `--hour`: sequences that last one.
    let hour = args.iter().any(|arg| arg == "--hour");
    let (span, judged, tuned, begin) =
        if hour { (HOUR, JUDGED_HOURS, TUNED_HOURS, BEGIN_HOURS) } else { (SPAN, JUDGED, TUNED, BEGIN) };
    let count = value("--sequences").and_then(|text| text.parse().ok());

    // `--tune horizon=60,polite=0.8`: the tuning sequences only, with other constants. With `--sequences` some more of them.
    if let Some(tried) = value("--tune") {
        let tuned = count.map_or(tuned.clone(), |count| tuned.start..tuned.start + count);
        let all = value("--all").is_some();
        let mut arms = vec![Arm::pilot(&tried)];
        if all {
            arms.extend(Arm::others());
            arms.extend(Arm::fixed_rates());
        }
        for arm in &arms {
            let figures: Vec<Figures> = tuned.clone().into_par_iter().map(|seed| run(arm, seed, span)).collect();
            println!("{}", table::line(&arm.name, &figures));
        }
        return ExitCode::SUCCESS;
    }
    let judged = judged.start..judged.end.min(judged.start.saturating_add(count.unwrap_or(u64::MAX)));
    let mut arms = vec![Arm::pilot("")];
    arms.extend(value("--fixed").map_or_else(Arm::fixed_rates, |rates| Arm::fixed_at(&rates)));
    arms.extend(Arm::others());
    let mut rows: Vec<(Arm, Vec<Figures>)> = arms.into_iter().map(|arm| (arm, Vec::new())).collect();
    let path = Path::new("../../../docs/results/limiter.md");
    let mut kept = false;
    for from in judged.clone().step_by(PART as usize) {
        for (arm, figures) in &mut rows {
            let seeds = from..(from + PART).min(judged.end);
            figures.par_extend(seeds.into_par_iter().map(|seed| run(arm, seed, span)));
        }
        let text;
        let named: Vec<_> = rows.iter().map(|(arm, figures)| (arm.name.as_str(), figures.as_slice())).collect();
        (text, kept) = table::document(&named, flow_control());
        println!("{text}");
        if let Err(error) = table::replace(path, begin, &text) {
            eprintln!("{}: {error}", path.display());
            return ExitCode::from(3);
        }
    }
    ExitCode::from(u8::from(!kept))
}
