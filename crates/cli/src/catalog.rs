//! `diskwright catalog`: the facts, each with its source and day.

use catalog::{Cloud, Date, DiskRow, InstanceRow, PriceRow, TransferRow};
use clap::ValueEnum;
use report::words;
use serde::Serialize;
use serde_json::json;

use crate::failure::Failure;
use crate::inputs;
use crate::output::Output;
use crate::table::Table;

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
    /// What to show
    #[arg(value_enum)]
    what: What,
    /// Show the region's facts, or its cloud's
    #[arg(long, default_value = "us-west-2")]
    region: String,
    /// Show the limits and prices of a day: 2020-11-25, 2020-11 or 2020
    #[arg(long, value_name = "DATE", value_parser = inputs::day)]
    as_of: Option<Date>,
    /// Show only names that contain this text
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
}

/// The tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum What {
    /// Volume types and what a size buys
    Disks,
    /// Instance types and what they let through to volumes
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

fn disks(rows: &[DiskRow]) -> Table {
    let mut table = Table::new(&["disk", "GiB", "durability", "I/Os a second"], &[1, 2]);
    for row in rows {
        let sizes = row.min_gib.zip(row.max_gib);
        let sizes = sizes.map(|(min, max)| format!("{} to {}", words::count(min), words::count(max)));
        let durability = row.durability.map(|share| format!("{} %", words::significant(share * 100.0)));
        table.row([
            row.name.clone(),
            sizes.unwrap_or_else(|| "as built in".to_owned()),
            durability.unwrap_or_else(|| "-".to_owned()),
            row.iops.clone(),
        ]);
        let burst = row.burst.as_ref().map(|burst| format!("; in burst {burst}"));
        table.note(format!("{}{}", row.throughput, burst.unwrap_or_default()));
    }
    table
}

fn instances(rows: &[InstanceRow]) -> Table {
    let head = ["instance", "vCPU", "GiB", "IOPS", "in burst", "MB/s", "in burst", "for min", "local GB"];
    let mut table = Table::new(&head, &[1, 2, 3, 4, 5, 6, 7, 8]);
    let or_dash = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), words::significant);
    for row in rows {
        // Where the burst is the sustained rate there is none.
        let bursts = row.burst_minutes.is_some_and(|minutes| minutes > 0.0);
        table.row([
            marked(&row.name, row.observed_later),
            row.vcpu.to_string(),
            words::count(row.memory_gib),
            or_dash(row.iops),
            or_dash(row.burst_iops.filter(|_| bursts)),
            or_dash(row.mb_s),
            or_dash(row.burst_mb_s.filter(|_| bursts)),
            or_dash(row.burst_minutes.filter(|_| bursts)),
            or_dash(row.local_gb),
        ]);
    }
    table
}

fn prices(rows: &[PriceRow]) -> Table {
    let mut table = Table::new(&["kind", "name", "$", "for each", "as of"], &[2]);
    for row in rows {
        table.row([
            row.kind.to_owned(),
            row.name.clone(),
            row.usd.to_string(),
            row.unit.clone(),
            marked(&row.as_of.to_string(), row.observed_later),
        ]);
    }
    table
}

fn transfer(rows: &[TransferRow]) -> Table {
    let mut table = Table::new(&["cloud", "$ for each GB between zones", "as of"], &[1]);
    for row in rows {
        let cloud: Cloud = row.cloud;
        table.row([
            cloud.to_string(),
            words::significant(row.usd_per_gb),
            marked(&row.as_of.to_string(), row.observed_later),
        ]);
    }
    table
}

fn marked(text: &str, observed_later: bool) -> String {
    if observed_later { format!("{text} *") } else { text.to_owned() }
}
