//! `diskwright availability`: how likely a range loses its quorum, and what brings it back.

use availability::{
    AvailabilityAssessment, ClusterShape, FailureRate, FailureRates, NodeStorage, QuorumExposure, RateBasis,
    annual_failures, assess, facts,
};
use clap::ValueEnum;
use report::words;
use serde_json::json;
use units::{Bytes, BytesPerSec, Ratio};

use crate::failure::Failure;
use crate::output::{Output, bold};
use crate::table::{Table, WIDTH, wrap};

/// Arguments of `availability`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  diskwright availability
  diskwright availability --nodes 6 --data-per-node 2TiB --storage volumes
  diskwright availability --replicas 5 --zones 3 --nodes 9 --json
  diskwright availability --rates

By default the same cluster is assessed on local disks and on volumes that re-attach.")]
pub(crate) struct Args {
    /// Copies of each range
    #[arg(long, default_value_t = 3)]
    replicas: u32,
    /// Zones over which nodes and copies are spread
    #[arg(long, default_value_t = 3)]
    zones: u32,
    /// Nodes in all zones together
    #[arg(long, default_value_t = 3)]
    nodes: u32,
    /// What the data lies on; both if not given
    #[arg(long, value_enum)]
    storage: Option<On>,
    /// Volumes, or local devices, striped on each node
    #[arg(long, default_value_t = 1)]
    volumes: u32,
    /// Data on each node
    #[arg(long, value_name = "SIZE", default_value = "1000GiB")]
    data_per_node: Bytes,
    /// Rate at which a node's data is copied anew
    #[arg(long, value_name = "RATE")]
    rebuild: Option<BytesPerSec>,
    /// Share of volumes alive after a year, such as 99.8%
    #[arg(long, value_name = "SHARE")]
    durability: Option<Ratio>,
    /// Show the rates that this is computed from, with their sources
    #[arg(long)]
    rates: bool,
}

/// What data may lie on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum On {
    /// Flash on the host, lost with it
    Local,
    /// Network volumes, which re-attach to another node
    Volumes,
}

impl From<On> for NodeStorage {
    fn from(on: On) -> Self {
        match on {
            On::Local => Self::Local,
            On::Volumes => Self::Reattachable,
        }
    }
}

pub(crate) fn run(args: &Args, json: bool) -> Result<Output, Failure> {
    if args.rates {
        let all = facts();
        return Ok(if json { Output::json(&json!({ "rates": all })) } else { Output::text(rates(all)) });
    }
    let mut rates = FailureRates::default();
    if let Some(durability) = args.durability {
        if !(durability.0 > 0.0 && durability.0 <= 1.0) {
            let message = format!("the durability is {:.3}; expected more than 0% and at most 100%", durability);
            return Err(Failure::input(message));
        }
        rates.volume_failures = annual_failures(durability);
    }
    let storages = args.storage.map_or(vec![NodeStorage::Local, NodeStorage::Reattachable], |on| vec![on.into()]);
    let assessed = storages.into_iter().map(|storage| {
        let scenario = scenario(args, storage);
        Ok((scenario, assess(&scenario, &rates)?))
    });
    let assessed = assessed.collect::<Result<Vec<_>, Failure>>()?;
    Ok(if json {
        let cases = assessed.iter().map(|(scenario, found)| json!({ "scenario": scenario, "assessment": found }));
        Output::json(&json!({ "scenarios": cases.collect::<Vec<_>>() }))
    } else {
        Output::text(text(&assessed))
    })
}

fn scenario(args: &Args, storage: NodeStorage) -> ClusterShape {
    let default = ClusterShape::default();
    ClusterShape {
        replicas: args.replicas,
        zones: args.zones,
        nodes: args.nodes,
        storage,
        volumes: args.volumes,
        data_per_node: args.data_per_node,
        rebuild_bandwidth: args.rebuild.unwrap_or(default.rebuild_bandwidth),
    }
}

fn text(assessed: &[(ClusterShape, AvailabilityAssessment)]) -> String {
    let mut out = String::new();
    for (scenario, found) in assessed {
        let on = name(scenario.storage);
        let sentence = format!(
            "On {on}, some range of the cluster loses its quorum with a probability of {} a year{}.",
            chance(found.cluster.probability_per_year),
            recovery(&found.cluster)
        );
        out += &format!("{}\n", bold(&wrap(&sentence, WIDTH, 0)));
    }
    let mut head = vec![""];
    head.extend(assessed.iter().map(|(scenario, _)| name(scenario.storage)));
    let right: Vec<usize> = (1..head.len()).collect();
    let mut table = Table::new(&head, &right);
    let mut row = |label: &str, cell: &dyn Fn(&AvailabilityAssessment) -> String| {
        let cells = assessed.iter().map(|(_, found)| cell(found));
        table.row(std::iter::once(label.to_owned()).chain(cells));
    };
    row("any range loses its quorum, a year", &|a| chance(a.cluster.probability_per_year));
    row("  mean time until it is back", &|a| minutes(a.cluster.minutes_to_recover));
    row("a given range loses its quorum, a year", &|a| chance(a.range.probability_per_year));
    row("  mean time until it is back", &|a| minutes(a.range.minutes_to_recover));
    row("  brought back most often by", &|a| a.range.recovery.map_or_else(dash, |way| way.to_string()));
    row("  minutes a year without it", &|a| number(a.range.unavailable_minutes_per_year));
    row("with a zone and a node elsewhere away, a year", &|a| {
        a.zone_and_node.map_or_else(dash, |loss| chance(loss.losses_per_year))
    });
    row("  mean time until it is back", &|a| minutes(a.zone_and_node.map(|loss| loss.minutes_to_recover)));
    row("  brought back most often by", &|a| a.zone_and_node.map_or_else(dash, |loss| loss.recovery.to_string()));
    row("all copies of a given range lost, a year", &|a| chance(a.data_loss_per_year));
    format!("{out}\n{table}\nRates and their sources: diskwright availability --rates\n")
}

fn rates(all: &[FailureRate]) -> String {
    let mut table = Table::new(&["rate", "value", "", "meaning"], &[1]);
    for fact in all {
        let basis = if fact.basis == RateBasis::Published { "published" } else { "assumed" };
        let value = if fact.unit == "per year" { format!("{} a year", fact.value) } else { fact.value.clone() };
        table.row([fact.name.as_str(), &value, basis, &fact.meaning]);
        table.note(fact.source.clone());
    }
    table.to_string()
}

fn name(storage: NodeStorage) -> &'static str {
    match storage {
        NodeStorage::Local => "local disks",
        NodeStorage::Reattachable => "volumes",
    }
}

fn recovery(exposure: &QuorumExposure) -> String {
    match (exposure.minutes_to_recover, exposure.recovery) {
        (Some(_), Some(way)) => {
            format!(" and is back after {}, most often: {way}", minutes(exposure.minutes_to_recover))
        }
        _ => String::new(),
    }
}

/// A probability of any size.
fn chance(share: f64) -> String {
    if share >= 0.001 { format!("{} %", words::significant(share * 100.0)) } else { format!("{share:.1e}") }
}

fn number(value: f64) -> String {
    if value >= 0.01 { words::count(value) } else { format!("{value:.1e}") }
}

fn minutes(minutes: Option<f64>) -> String {
    let Some(minutes) = minutes else { return dash() };
    if minutes < 120.0 { format!("{minutes:.0} min") } else { format!("{:.1} h", minutes / 60.0) }
}

fn dash() -> String {
    "-".to_owned()
}
