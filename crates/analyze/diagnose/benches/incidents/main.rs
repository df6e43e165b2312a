//! Incidents of known cause, and which cause `diagnose` names first: `make incidents`. Half of them are for looking at, the
//! other half is held out; the confusion matrix goes into its section of `docs/results/incidents.md`. Those of mounted disks have a section
//! of their own: `make incidents-real`.

mod kept;
mod make;
mod matrix;
mod parts;
mod section;
mod truth;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use catalog::{Catalog, CatalogView};
use clap::Parser;
use diagnose::{Finding, FindingKind, KnownFacts, diagnose};
use rayon::prelude::*;
use simulate::simulate;
use timeline::Timeline;

use crate::kept::Kept;
use crate::make::{CAUSES, draft};
use crate::matrix::{Outcome, Telling, markdown};

/// Drafts that are not of their cause are drawn anew this often.
const TRIES: u64 = 12;

/// Incidents of known cause, and which cause is named first.
#[derive(Debug, Parser)]
struct Args {
    /// How many, both halves together
    #[arg(long, default_value_t = 456)]
    count: u64,
    /// Only those to look at, told one by one; nothing is written
    #[arg(long)]
    look: bool,
    /// Only of this cause
    #[arg(long)]
    only: Option<String>,
    /// Where the matrix goes
    #[arg(long, default_value = "../../../docs/results/incidents.md")]
    out: PathBuf,
    /// Where outcomes are kept as they come
    #[arg(long, default_value = concat!(env!("CARGO_TARGET_TMPDIR"), "/incidents.txt"))]
    kept: PathBuf,
    /// Incidents that were told are not told again
    #[arg(long)]
    resume: bool,
    /// Given by cargo
    #[arg(long, hide = true)]
    bench: bool,
}

/// Something that went wrong in a simulation, or did not, and is known.
pub(crate) struct Incident {
    pub(crate) number: u64,
    pub(crate) truth: FindingKind,
    pub(crate) held_out: bool,
    pub(crate) timeline: Timeline,
    pub(crate) known: KnownFacts,
    /// Drafts that were thrown away before this one.
    pub(crate) redrawn: u64,
}

fn main() -> ExitCode {
    let args = Args::parse();
    let view = Catalog::embedded().at(None);
    let start = Instant::now();
    let wanted = |number: &u64| {
        let (truth, held_out) = place(*number);
        (!args.look || !held_out) && args.only.as_ref().is_none_or(|only| truth.name() == only)
    };
    let kept = match Kept::open(&args.kept, args.resume) {
        Ok(kept) => kept,
        Err(error) => {
            eprintln!("{}: {error}", args.kept.display());
            return ExitCode::from(3);
        }
    };
    let is_new = |number: &u64| !kept.before.iter().any(|(had, _)| had == number);
    let mut numbers: Vec<u64> = (0..args.count).filter(wanted).filter(is_new).collect();
    // A run that is cut short knows most of the half that counts.
    numbers.sort_by_key(|number| !place(*number).1);
    let new = numbers.into_iter().par_bridge().flat_map_iter(|number| match simulated(number, &view, args.look) {
        Some(incident) => {
            let outcomes = tell(&incident, args.look);
            kept.add(number, &outcomes);
            outcomes
        }
        None => {
            let truth = place(number).0;
            eprintln!("incident {number}: none of {TRIES} drafts was of {}", truth.name());
            Vec::new()
        }
    });
    let mut outcomes: Vec<Outcome> = new.collect();
    outcomes.extend(kept.before.iter().map(|(_, outcome)| *outcome));
    let text = markdown(&outcomes);
    println!("{text}\n{:.0} s", start.elapsed().as_secs_f64());
    if !args.look
        && args.only.is_none()
        && let Err(error) = section::replace(&args.out, "make incidents", &text)
    {
        eprintln!("{error}");
        return ExitCode::from(3);
    }
    ExitCode::from(u8::from(!matrix::kept(&outcomes)))
}

/// Which cause an incident has, and whether it is held out: every other round of all causes.
fn place(number: u64) -> (FindingKind, bool) {
    let causes = CAUSES.len() as u64;
    (CAUSES[(number % causes) as usize], (number / causes) % 2 == 1)
}

/// Draws until a draft is of its cause.
fn simulated(number: u64, view: &CatalogView, look: bool) -> Option<Incident> {
    let (truth, held_out) = place(number);
    (0..TRIES).find_map(|redrawn| {
        let draft = draft(truth, number * TRIES + redrawn, view);
        let run = simulate(&draft.deployment, &draft.task, view, &draft.options).ok()?;
        if !truth::is_true(&draft, &run, view) {
            if look {
                let bound: Vec<String> =
                    run.summary.bound.iter().map(|bound| format!("{} {:.2}", bound.what, bound.share)).collect();
                println!("{number} {} thrown away: {}", truth.name(), bound.join(", "));
            }
            return None;
        }
        let mut timeline = run.timeline;
        // What held operations up is what is asked, and no database tells it.
        timeline.series.retain(|series| series.name != "held_up_time");
        let known = KnownFacts::deployment(view.clone(), draft.deployment);
        Some(Incident { number, truth, held_out, timeline, known, redrawn })
    })
}

/// What is named first, with all that our own disks count and with what any disk tells.
fn tell(incident: &Incident, aloud: bool) -> Vec<Outcome> {
    let outcome = |telling: Telling| {
        let verdicts = diagnose(&telling.of(&incident.timeline), &incident.known);
        if aloud && verdicts[0].kind != incident.truth {
            say(incident, telling, &verdicts);
        }
        let named = verdicts.iter().position(|verdict| verdict.kind == incident.truth);
        Outcome {
            truth: incident.truth,
            held_out: incident.held_out,
            telling,
            first: verdicts[0].kind,
            among: named.is_some(),
            redrawn: incident.redrawn,
        }
    };
    Telling::ALL.map(outcome).to_vec()
}

fn say(incident: &Incident, telling: Telling, verdicts: &[Finding]) {
    let nodes = &incident.known.deployment.as_ref().map(|deployment| deployment.nodes.clone());
    println!("{} {} ({telling:?}) {nodes:?}", incident.number, incident.truth.name());
    for facts in diagnose::facts(&telling.of(&incident.timeline), &incident.known) {
        let whole = 0..facts.grid.count;
        let told = |signal: &diagnose::DiagnosisSignal| {
            let of = |share| facts.quantile(*signal, share).unwrap_or(f64::NAN);
            facts
                .mean(*signal, whole.clone())
                .map(|mean| format!("{} {mean:.3} ({:.3} {:.3})", signal.name(), of(0.5), of(0.95)))
        };
        let all: Vec<String> = facts.columns.keys().filter_map(told).collect();
        println!("  {}: {}", facts.subject, all.join(", "));
    }
    for verdict in verdicts.iter().take(4) {
        let facts: Vec<String> =
            verdict.evidence.says_so.iter().map(|fact| format!("{} {:.3}", fact.signal.name(), fact.value)).collect();
        let (from, to) = (verdict.from.as_secs_f64(), verdict.to.as_secs_f64());
        println!(
            "    {} of {} {from:.0}-{to:.0} {:.2}: {}",
            verdict.kind.name(),
            verdict.subject,
            verdict.confidence,
            facts.join(", ")
        );
    }
}
