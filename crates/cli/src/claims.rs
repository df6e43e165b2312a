//! `diskwright claims`: published results, and ours beside them.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use catalog::Catalog;
use claims::{ClaimOutcome, ClaimTestBed, ErrorSummary, Ledger, Rung};
use serde_json::json;
use units::Nanos;

use crate::failure::Failure;
use crate::output::{Output, bold, green, red};
use crate::progress::{self, Steps};
use crate::table::{line_width, wrap};
use crate::{home, on_signal};

/// Arguments of `claims`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  diskwright claims
  diskwright claims --id A02 --id A14
  diskwright claims --rung plan --json
  diskwright claims --ledger examples/ledger
  diskwright claims --run simulate
  diskwright claims --run mount
  diskwright claims --run bench --id B06
  diskwright claims --run bench --id D01
  diskwright claims --run pilot

Ours is computed with the limits and prices of the source's day. Claims on whole deployments are
simulated by --run simulate, which takes some minutes. Claims on the figures of a mounted disk are
measured with fio by --run mount, which takes eight minutes, root and 4 GiB of room in --scratch.
Claims on the effect of a setting are measured on the reference store by --run bench, which takes
forty minutes, root, 12 GiB of room and the programs of `make store`. D01 is the study of
examples/rds-study on MariaDB, eight minutes. --run pilot measures A26 once more, with the pilot's
limiter in place of a limit that stays, in a quarter of an hour and 12 GiB of room.

A claim that a threshold decides has no error: its line says how far ours is from the threshold.
A ledger is a folder of tables and recipes, described in docs/reference/ledger.md; the embedded one
is crates/present/claims/ledger. Exits with 1 if a claim does not hold.")]
pub(crate) struct Args {
    /// Claim to answer; may be repeated
    #[arg(long, value_name = "ID")]
    id: Vec<String>,
    /// Rung of the claims to answer: model, plan, simulate, mount, bench, render, diagnose or pilot
    #[arg(long)]
    rung: Option<String>,
    /// Ledger in place of the embedded one
    #[arg(long, value_name = "DIR")]
    ledger: Option<PathBuf>,
    /// Simulate or measure the claims of a rung: simulate, mount, bench or pilot
    #[arg(long, value_name = "RUNG", conflicts_with = "rung")]
    run: Option<String>,
    /// Folder for measuring, best in memory; its files are removed
    #[arg(long, value_name = "DIR", default_value = "/dev/shm/diskwright-claims", requires = "run")]
    scratch: PathBuf,
    /// Length of each measurement
    #[arg(long, value_name = "SPAN", default_value = "10s", requires = "run")]
    span: Nanos,
}

pub(crate) fn run(args: &Args, json: bool) -> Result<Output, Failure> {
    let brought = args.ledger.as_ref().map(Ledger::from_folder).transpose()?;
    let ledger = brought.as_ref().unwrap_or_else(|| Ledger::embedded());
    let known: Vec<&str> = ledger.claims().iter().map(|claim| claim.id.as_str()).collect();
    if let Some(id) = args.id.iter().find(|id| !known.contains(&id.as_str())) {
        return Err(unknown("claim", id, &known));
    }
    let only = args.rung.as_ref().map(|rung| named("rung", rung, Rung::ALL.to_vec())).transpose()?;
    if let Some(rung) = &args.run {
        return run_measured(args, ledger, rung, json);
    }
    let mut outcomes = progress::during("computing claims", || claims::compute(ledger, Catalog::embedded()));
    outcomes.retain(|outcome| {
        (args.id.is_empty() || args.id.contains(&outcome.id)) && only.is_none_or(|rung| rung == outcome.rung)
    });
    Ok(report(&outcomes, json))
}

/// Simulates or measures the claims of a rung.
fn run_measured(args: &Args, ledger: &Ledger, rung: &str, json: bool) -> Result<Output, Failure> {
    let measured = Rung::ALL.into_iter().filter(|rung| !ledger.on_rung(*rung).is_empty());
    let rung = named("measured rung", rung, measured.collect())?;
    let mut wanted = ledger.on_rung(rung);
    wanted.retain(|claim| args.id.is_empty() || args.id.contains(&claim.id));
    // A simulation leaves nothing behind that a signal should wait for.
    let stop = if rung == Rung::Simulate { Arc::default() } else { on_signal::catch()? };
    let test_bed = ClaimTestBed { home: home::home()?, scratch: args.scratch.clone(), span: args.span, stop };
    let mut bar = Steps::new(wanted.len() as u64);
    let outcomes = claims::measure(ledger, Catalog::embedded(), &test_bed, rung, &wanted, &mut |claim| {
        bar.begin(&format!("{} {}", claim.id, claim.metric));
    });
    bar.end();
    let outcomes = outcomes.map_err(|error| Failure { code: error.exit_code(), message: error.to_string() })?;
    Ok(report(&outcomes, json))
}

/// The rung of `known` that is called so.
fn named(what: &str, name: &str, known: Vec<Rung>) -> Result<Rung, Failure> {
    let names: Vec<String> = known.iter().map(Rung::to_string).collect();
    let found = known.iter().zip(&names).find(|(_, known)| *known == name).map(|(rung, _)| *rung);
    found.ok_or_else(|| unknown(what, name, &names.iter().map(String::as_str).collect::<Vec<_>>()))
}

/// A no if any claim does not hold.
fn report(outcomes: &[ClaimOutcome], json: bool) -> Output {
    let fails = outcomes.iter().any(|outcome| outcome.holds == Some(false));
    let output = if json {
        let summary = ErrorSummary::of(outcomes);
        Output::json(&json!({
            "median_error": summary.as_ref().map(|summary| summary.median),
            "p90_error": summary.as_ref().map(|summary| summary.p90),
            "worst_error": summary.as_ref().map(|summary| summary.worst),
            "claims_with_error": summary.as_ref().map_or(0, |summary| summary.claims),
            "claims": outcomes,
        }))
    } else {
        Output::text(text(outcomes))
    };
    output.negative(fails)
}

fn unknown(what: &str, name: &str, known: &[&str]) -> Failure {
    Failure::input(format!("no {what} is called `{name}`: {}", textfile::did_you_mean(name, known)))
}

fn text(outcomes: &[ClaimOutcome]) -> String {
    let mut out = bold(&wrap(&headline(outcomes), line_width(), 0)) + "\n\n";
    for outcome in outcomes.iter().filter(|outcome| outcome.holds.is_some()) {
        out += &entry(outcome);
    }
    let mut open: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for outcome in outcomes.iter().filter(|outcome| outcome.holds.is_none()) {
        open.entry(outcome.rung.to_string()).or_default().push(&outcome.id);
    }
    if !open.is_empty() {
        out += &format!("\n{}\n", bold("Not answered here; `diskwright claims --run RUNG` measures or simulates them"));
    }
    for (rung, ids) in open {
        out += &format!("{rung:<10}{}\n", wrap(&ids.join(" "), line_width() - 10, 10));
    }
    out
}

/// The errors first: all else is read by them.
fn headline(outcomes: &[ClaimOutcome]) -> String {
    let errors = ErrorSummary::of(outcomes).map(|summary| format!("{summary} "));
    let answered = outcomes.iter().filter(|outcome| outcome.holds.is_some()).count();
    let failing: Vec<&str> =
        outcomes.iter().filter(|outcome| outcome.holds == Some(false)).map(|outcome| outcome.id.as_str()).collect();
    let open = outcomes.len() - answered;
    let not = if failing.is_empty() { String::new() } else { format!(" Not: {}.", failing.join(", ")) };
    let open = if open == 0 { String::new() } else { format!(" {open} more take a run.") };
    format!("{}{} of {answered} claims hold.{not}{open}", errors.unwrap_or_default(), answered - failing.len())
}

fn entry(outcome: &ClaimOutcome) -> String {
    const INDENT: usize = 12;
    let line = |text: &str| format!("{}{}\n", " ".repeat(INDENT), wrap(text, line_width() - INDENT, INDENT));
    let verdict = if outcome.holds == Some(true) { green("holds") } else { red("not  ") };
    let error = outcome.relative_error.map(|error| match error * 100.0 {
        percent if percent.abs() < 0.05 => " · error 0 %".to_owned(),
        percent => format!(" · error {percent:+.1} %"),
    });
    let distance = outcome.distance.map(|distance| format!(" · {distance}"));
    let numbers = format!(
        "published {} · ours {} {}{}",
        outcome.published,
        outcome.ours,
        outcome.unit,
        error.or(distance).unwrap_or_default()
    );
    let why = outcome.why.as_ref().map(|why| line(why));
    format!(
        "{:<5}{verdict}  {}\n{}{}",
        outcome.id,
        wrap(&outcome.metric, line_width() - INDENT, INDENT),
        line(&numbers),
        why.unwrap_or_default()
    )
}
