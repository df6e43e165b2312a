//! `diskwright availability`: how likely a range loses its quorum, and what brings it back.

use availability::{ClusterShape, FailureRates, NodeStorage, annual_failures, assess, facts};
use clap::ValueEnum;
use report::verbs::availability::{document, rates, text};
use serde_json::json;
use units::{Bytes, BytesPerSec, Ratio};

use crate::failure::Failure;
use crate::output::Output;

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
    /// Storage of the data [default: both]
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

/// Storage of the data.
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
    let mut failures = FailureRates::default();
    if let Some(durability) = args.durability {
        if !(durability.0 > 0.0 && durability.0 <= 1.0) {
            let message = format!("the durability is {:.3}; expected more than 0% and at most 100%", durability);
            return Err(Failure::input(message));
        }
        failures.volume_failures = annual_failures(durability);
    }
    let storages = args.storage.map_or(vec![NodeStorage::Local, NodeStorage::Reattachable], |on| vec![on.into()]);
    let assessed = storages.into_iter().map(|storage| {
        let scenario = scenario(args, storage);
        Ok((scenario, assess(&scenario, &failures)?))
    });
    let assessed = assessed.collect::<Result<Vec<_>, Failure>>()?;
    Ok(if json { Output::json(&document(&assessed)) } else { Output::text(text(&assessed)) })
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
