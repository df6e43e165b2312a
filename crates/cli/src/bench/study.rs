//! `diskwright bench study`: inserts on two deployments in turn, before and after burst credits run out.

use std::path::{Path, PathBuf};

use mysql::SqlRun;
use mysql::study::{Study, phases};
use report::verbs::study::{document, text};
use report::verbs::study_page::page;

use crate::bench::live::Live;
use crate::bench::sql as sql_verb;
use crate::failure::Failure;
use crate::origin::origin;
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
    /// Study, a TOML file
    study: PathBuf,
    /// Runs of each side [default: the study's]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    pairs: Option<u32>,
    /// File of the results: .html for a page with charts of the last pair, .json for the numbers; may
    /// be repeated
    #[arg(long, value_name = "FILE")]
    out: Vec<PathBuf>,
    /// Write the Timeline of every run into this folder, as Parquet
    #[arg(long, value_name = "DIR")]
    timelines: Option<PathBuf>,
    /// Folder of the disks while it runs, best in memory; all of it is removed
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
    let file = textfile::read_text(&args.study, textfile::LIMIT)?;
    let mut study = Study::from_text(&file, &mut |path| textfile::read_text(path, textfile::LIMIT))?;
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
        let content = match out.extension().is_some_and(|extension| extension == "html") {
            true => page(&study, &pairs, &seen, origin()).html(),
            false => format!("{:#}\n", document(&study, &pairs, &seen)),
        };
        inputs::write(out, &content)?;
    }
    Ok(match json {
        true => Output::json(&document(&study, &pairs, &seen)),
        false => Output::text(text(&study, &pairs, &seen, &args.out)),
    })
}

fn keep(folder: &Path, pairs: &[[SqlRun; 2]]) -> Result<(), Failure> {
    inputs::make_folder(folder)?;
    for (number, pair) in (1..).zip(pairs) {
        for (side, found) in ["a", "b"].iter().zip(pair) {
            found.timeline.write(folder.join(format!("pair-{number}-{side}.parquet")))?;
        }
    }
    Ok(())
}
