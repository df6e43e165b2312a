//! `diskwright check`: which limits a deployment is asked more of than they deliver.

use std::path::PathBuf;

use catalog::Date;
use deployment::{CheckReport, LimitLine};
use engine::{ClosedLoop, EngineCalibration};
use report::words;
use serde_json::json;
use workload::Task;

use crate::failure::Failure;
use crate::inputs;
use crate::output::{Output, bold, green, red, yellow};
use crate::table::{Table, WIDTH, wrap};

/// Arguments of `check`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  diskwright check examples/undeliverable.toml
  diskwright check examples/tpcc-5000-m5.2xlarge.toml examples/tpcc-5000.toml
  diskwright check examples/rds-gp2.toml examples/rds-inserts.toml --as-of 2020-11 --json

Without a workload the deployment's own [asks] table says what each node is asked for. A workload
is taken at its target with growth, its intervals at their middle. Storage nodes are held against
their limits; the price has the nodes of every role in it. Exits with 1 if a limit is exceeded in
the long run, or the workload's clients wait too long for their answers to send what is asked.")]
pub(crate) struct Args {
    /// The deployment, a TOML file; - reads standard input
    deployment: PathBuf,
    /// The workload, a TOML file
    workload: Option<PathBuf>,
    /// Use the limits and prices of a day: 2020-11-25, 2020-11 or 2020
    #[arg(long, value_name = "DATE", value_parser = inputs::day)]
    as_of: Option<Date>,
}

pub(crate) fn run(args: &Args, json: bool) -> Result<Output, Failure> {
    let read = inputs::deployment(&args.deployment)?;
    let deployment = &read.noun;
    let view = inputs::view(args.as_of.or(deployment.as_of));
    deployment.validate(&view).map_err(|error| error.locate(&read.text))?;
    let mut short = None;
    let asks = match (&args.workload, deployment.asks) {
        (Some(path), _) => {
            let workload = inputs::workload(path)?;
            if workload.noun.engine != deployment.engine {
                let engines = (words::engine(workload.noun.engine), words::engine(deployment.engine));
                let message = format!("the workload is for {}, but the deployment runs {}", engines.0, engines.1);
                return Err(workload.text.error_at_key("engine", message).into());
            }
            let task = workload.noun.middle()?;
            short = engine::closed_loop(EngineCalibration::embedded(), &task, deployment, &view)
                .map(|short| (short, task.clone()));
            engine::asks(EngineCalibration::embedded(), &task, deployment, &view)?
        }
        (None, Some(asks)) => asks,
        (None, None) => {
            let message = format!(
                "{}: nothing is asked of the deployment; name a workload after it, or add an [asks] table",
                args.deployment.display()
            );
            return Err(Failure::input(message));
        }
    };
    let report = deployment::check(deployment, &view, &asks).map_err(|error| error.locate(&read.text))?;
    let monthly = deployment.monthly(&view);
    let output = if json {
        let mut document = serde_json::to_value(&report).expect("reports have text keys only");
        document["monthly_usd"] = json!(monthly.ok().map(|costs| costs.total().0));
        document["closed_loop"] = json!(short.as_ref().map(|(short, _)| short));
        Output::json(&document)
    } else {
        let cost = match monthly {
            Ok(costs) => format!(
                "It costs {} a month without traffic: compute {:.0}, disks {:.0}.",
                costs.total(),
                costs.compute,
                costs.disks
            ),
            Err(error) => format!("Its price is not known: {error}."),
        };
        let few = short.as_ref().map(|(short, task)| red(&too_few(short, task)) + "\n").unwrap_or_default();
        Output::text(format!("{}\n{few}{}\n\n{}", headline(&report), wrap(&cost, WIDTH, 0), table(&report)))
    };
    Ok(output.negative(!report.deliverable || short.is_some()))
}

/// That the clients are too few for the target, and what would do.
fn too_few(short: &ClosedLoop, task: &Task) -> String {
    let ms = |seconds: f64| format!("{} ms", words::significant(seconds * 1e3));
    let faster = if short.latency_needed > 0.0 {
        format!(", or one takes {} at most", ms(short.latency_needed))
    } else {
        String::new()
    };
    let sentence = format!(
        "The {} clients send {} {} at most of the {} asked: an operation takes {} in the mean. The target is reached with {} clients{faster}.",
        words::count(short.clients),
        words::count(short.reached),
        task.profile.unit.name,
        words::count(task.targets.throughput),
        ms(short.latency),
        words::count(short.clients_needed)
    );
    wrap(&sentence, WIDTH, 0)
}

/// The answer in a sentence.
fn headline(report: &CheckReport) -> String {
    if report.deliverable {
        let fullest = report.lines.iter().max_by(|a, b| a.utilisation.total_cmp(&b.utilisation));
        let fullest =
            fullest.map(|line| format!("; the fullest is {} at {}", name(line), words::percent(line.utilisation)));
        return bold(&wrap(&format!("Deliverable: no limit is exceeded{}.", fullest.unwrap_or_default()), WIDTH, 0));
    }
    let over: Vec<String> = report.violations().map(name).collect();
    let carried = match report.carried_seconds() {
        Some(seconds) => format!("Bursts carry it for {}.", span(seconds)),
        None => "No burst carries it.".to_owned(),
    };
    bold(&wrap(&format!("Not deliverable: {} exceeded. {carried}", list(&over)), WIDTH, 0))
}

fn table(report: &CheckReport) -> Table {
    let head = ["limit", "of", "asked", "delivered", "unit", "used", ""];
    let mut table = Table::new(&head, &[2, 3, 5]);
    for line in &report.lines {
        let verdict = match (line.violated(), line.burst_seconds) {
            (true, Some(seconds)) => red(&format!("over; a burst carries it for {}", span(seconds))),
            (true, None) => red("over"),
            (false, _) if line.tight() => yellow("tight"),
            (false, _) => green("fine"),
        };
        table.row([
            name(line),
            line.instance.clone(),
            words::count(line.asked),
            words::count(line.delivered),
            line.unit.to_owned(),
            words::percent(line.utilisation),
            verdict,
        ]);
    }
    table
}

fn name(line: &LimitLine) -> String {
    line.limit.name().replace('-', " ").replace("iops", "IOPS").replace("cpu", "CPU")
}

/// `a`, `a and b are`, with the verb.
fn list(names: &[String]) -> String {
    match names {
        [] => "nothing is".to_owned(),
        [one] => format!("{one} is"),
        [rest @ .., last] => format!("{} and {last} are", rest.join(", ")),
    }
}

/// Seconds in the unit that people would choose.
fn span(seconds: f64) -> String {
    match seconds {
        s if s < 120.0 => format!("{s:.0} s"),
        s if s < 7200.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_and_lists_read_like_sentences() {
        assert_eq!([span(59.6), span(1800.0), span(8000.0)], ["60 s", "30 min", "2.2 h"]);
        let names = ["a", "b", "c"].map(str::to_owned);
        assert_eq!([list(&names[..1]), list(&names)], ["a is", "a, b and c are"]);
    }
}
