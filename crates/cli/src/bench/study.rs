//! `diskwright bench study`: inserts on two deployments in turn, before and after burst credits run out.

use std::path::{Path, PathBuf};

use mysql::SqlRun;
use mysql::study::{Study, StudyPhases, phases, slots};
use report::{StudyPage, StudySide};
use serde_json::{Value, json};
use units::Nanos;

use crate::bench::live::Live;
use crate::bench::{sql as sql_verb, study_text};
use crate::failure::Failure;
use crate::output::Output;
use crate::{home, inputs, on_signal};

/// Arguments of `bench study`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  diskwright bench study examples/rds-study/study.toml
  diskwright bench study examples/rds-study/study.toml --pairs 1 --out rds-study.html

A study is a TOML file that names a workload with [inserts], two deployments, and how both are
run. Each run starts a MariaDB of its own on the deployment's disks, with burst credits as the
study says; sides take turns, A B B A ..., so that a machine whose speed wanders favours neither.
Intervals hold 95 of 100. It takes root and the package mariadb-server.")]
pub(crate) struct Args {
    /// The study, a TOML file
    study: PathBuf,
    /// Run each side so many times instead of as often as the study says
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    pairs: Option<u32>,
    /// Write what was found: .html for a page with charts of the last pair, .json for the numbers; may
    /// be repeated
    #[arg(long, value_name = "FILE")]
    out: Vec<PathBuf>,
    /// Keep the Timeline of every run in this folder, as Parquet
    #[arg(long, value_name = "DIR")]
    timelines: Option<PathBuf>,
    /// Where disks are kept while it runs, best in memory; all of it is removed
    #[arg(long, value_name = "DIR", default_value = "/dev/shm/diskwright-bench")]
    scratch: PathBuf,
}

/// Room that a side takes: pages, redo log and binary log of some hundred thousand rows.
const ROOM: f64 = 2e9;

pub(crate) fn run(args: &Args, json: bool) -> Result<Output, Failure> {
    for out in &args.out {
        let known = out.extension().is_some_and(|extension| extension == "html" || extension == "json");
        if !known {
            return Err(Failure::input(format!(
                "--out {}: expected a name that ends in .html or .json",
                out.display()
            )));
        }
    }
    let text = textfile::read_text(&args.study, textfile::LIMIT)?;
    let mut study = Study::from_text(&text, &mut |path| textfile::read_text(path, textfile::LIMIT))?;
    study.pairs = args.pairs.unwrap_or(study.pairs);
    mysql::MariadbPrograms::find()?;
    sql_verb::enough(&args.scratch, ROOM)?;
    let (home, stop) = (home::home()?, on_signal::catch()?);
    let mut live = Live::new();
    let pairs = study.run(&home, &args.scratch, &stop, &mut |second, pair, stage| {
        let side = &study.sides[usize::from(second)].name;
        live.side(format!("{side}, pair {pair} of {}: ", study.pairs));
        live.show(&stage);
    })?;
    live.end();
    let seen = phases(&pairs);
    if let Some(folder) = &args.timelines {
        keep(folder, &pairs)?;
    }
    for out in &args.out {
        let text = match out.extension().is_some_and(|extension| extension == "html") {
            true => page(&study, &pairs, &seen),
            false => format!("{:#}\n", document(&study, &pairs, &seen)),
        };
        inputs::write(out, &text)?;
    }
    Ok(match json {
        true => Output::json(&document(&study, &pairs, &seen)),
        false => Output::text(study_text::text(&study, &pairs, &seen, &args.out)),
    })
}

fn keep(folder: &Path, pairs: &[[SqlRun; 2]]) -> Result<(), Failure> {
    std::fs::create_dir_all(folder).map_err(|error| Failure::environment(format!("{}: {error}", folder.display())))?;
    for (number, pair) in (1..).zip(pairs) {
        for (side, found) in ["a", "b"].iter().zip(pair) {
            found.timeline.write(folder.join(format!("pair-{number}-{side}.parquet")))?;
        }
    }
    Ok(())
}

fn document(study: &Study, pairs: &[[SqlRun; 2]], seen: &StudyPhases) -> Value {
    let sides: Vec<_> = study
        .sides
        .iter()
        .map(|side| json!({ "name": side.name, "disk": side.disk, "disks_usd_a_month": side.disks_monthly.map(|price| price.0) }))
        .collect();
    let runs: Vec<_> = pairs
        .iter()
        .map(|pair| {
            let used = pair.each_ref().map(|found| &found.used);
            let cpu = pair.each_ref().map(|found| found.report.driver_cpu.of_machine);
            json!({ "slots": slots(pair, study.slot), "used": used, "driver_of_machine": cpu })
        })
        .collect();
    json!({ "study": study.name, "scaled": study.scaled, "sides": sides, "phases": seen, "pairs": runs })
}

fn page(study: &Study, pairs: &[[SqlRun; 2]], seen: &StudyPhases) -> String {
    let Some(last) = pairs.last() else { return String::new() };
    let names = study.sides.each_ref().map(|side| side.name.clone());
    let side = |at: usize| StudySide { name: names[at].clone(), timeline: &last[at].timeline, from: last[at].from };
    let gone = seen.exhausted_s.last().copied().flatten();
    let event = gone.map(|at| (Nanos::from_secs_f64(at), format!("the burst credits of {} are gone", names[0])));
    report::study_page(&StudyPage {
        title: study.name.clone(),
        answer: study_text::answer(study, seen),
        facts: study_text::facts(study, pairs),
        tables: vec![
            (
                "Before and after the burst credits ran out".to_owned(),
                study_text::phase_head(study).to_vec(),
                study_text::phase_rows(seen),
            ),
            (
                format!("The last pair, every {} s", study.slot.as_secs_f64()),
                study_text::slot_head(study).to_vec(),
                slots(last, study.slot).iter().map(study_text::slot_row).collect(),
            ),
        ],
        sides: [side(0), side(1)],
        span: study.measured(),
        events: event.into_iter().collect(),
        notes: vec![study.scaled.clone(), study_text::SAID.to_owned()],
    })
}
