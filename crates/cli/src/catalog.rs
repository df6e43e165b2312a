//! `diskwright catalog`: the facts, each with its source and day.

use catalog::{Date, DiskRow, InstanceRow, PriceRow, TransferRow};
use clap::ValueEnum;
use report::text::Table;
use report::verbs::catalog::{disks, instances, prices, transfer};
use serde::Serialize;
use serde_json::json;

use crate::failure::Failure;
use crate::inputs;
use crate::output::Output;

/// Arguments of `catalog`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  diskwright catalog disks
  diskwright catalog instances --filter m5.
  diskwright catalog prices --region us-west-2 --filter gp3 --as-of 2020-11
  diskwright catalog instances --region eastus --json

A fact observed only after the day asked for is marked with *. Sources are in --json.
Exits with 1 if nothing matches the filter.")]
pub(crate) struct Args {
    /// Table to show
    #[arg(value_enum)]
    what: What,
    /// Region, or the region whose cloud is meant
    #[arg(long, default_value = "us-west-2")]
    region: String,
    /// Day whose limits and prices apply: 2020-11-25, 2020-11 or 2020
    #[arg(long, value_name = "DATE", value_parser = inputs::day)]
    as_of: Option<Date>,
    /// Text that names must contain
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
}

/// The tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum What {
    /// Volume types and what a size buys
    Disks,
    /// Instance types and their limits towards volumes
    Instances,
    /// Prices of instances and volumes in a region
    Prices,
    /// Prices of traffic between zones, for each cloud
    Transfer,
}

pub(crate) fn run(args: &Args, json: bool) -> Result<Output, Failure> {
    let view = inputs::view(args.as_of);
    let cloud = view.region(&args.region)?;
    let matches = |name: &str| args.filter.as_deref().is_none_or(|filter| name.contains(filter));
    match args.what {
        What::Disks => {
            let rows: Vec<DiskRow> = view.disk_rows(cloud).filter(|row| matches(&row.name)).collect();
            Ok(output("disks", &rows, json, disks))
        }
        What::Instances => {
            let rows: Vec<InstanceRow> = view.instance_rows(cloud).filter(|row| matches(&row.name)).collect();
            Ok(output("instances", &rows, json, instances))
        }
        What::Prices => {
            let rows = view.price_rows(&args.region)?;
            let rows: Vec<PriceRow> = rows.into_iter().filter(|row| matches(&row.name)).collect();
            Ok(output("prices", &rows, json, prices))
        }
        What::Transfer => {
            let rows: Vec<TransferRow> =
                view.transfer_rows().filter(|row| matches(&row.cloud.to_string().to_lowercase())).collect();
            Ok(output("transfer", &rows, json, transfer))
        }
    }
}

fn output<T: Serialize>(key: &str, rows: &[T], json: bool, table: fn(&[T]) -> Table) -> Output {
    let output = match (json, rows) {
        (true, _) => Output::json(&json!({ key: rows })),
        (false, []) => Output::text("Nothing matches.\n"),
        (false, _) => Output::text(table(rows).to_string()),
    };
    output.negative(rows.is_empty())
}
