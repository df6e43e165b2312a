//! The tables of `catalog`.

use catalog::{Cloud, DiskRow, InstanceRow, PriceRow, RegionRow, TableRow, TransferRow};

use crate::text::Table;
use crate::words;

/// Volume types and what a size buys.
pub fn disks(rows: &[DiskRow]) -> Table {
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

/// Instance types and their limits towards volumes.
pub fn instances(rows: &[InstanceRow]) -> Table {
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

/// Prices of a region.
pub fn prices(rows: &[PriceRow]) -> Table {
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

/// Prices of traffic between zones.
pub fn transfer(rows: &[TransferRow]) -> Table {
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

/// What is known of each region.
pub fn regions(rows: &[RegionRow]) -> Table {
    let head = ["region", "cloud", "families", "priced", "limits", "speed", "disks", "classes", "as of"];
    let mut table = Table::new(&head, &[2, 3, 4, 5, 6, 7]);
    for row in rows {
        table.row([
            row.region.clone(),
            row.cloud.to_string(),
            row.families.to_string(),
            row.priced.to_string(),
            row.with_caps.to_string(),
            row.with_speed.to_string(),
            row.disks.to_string(),
            row.classes.to_string(),
            row.as_of.map_or_else(|| "-".to_owned(), |day| day.to_string()),
        ]);
    }
    table
}

/// How old each table is.
pub fn tables(rows: &[TableRow]) -> Table {
    let mut table = Table::new(&["table", "rows", "oldest", "newest"], &[1]);
    for row in rows {
        table.row([row.table.clone(), row.rows.to_string(), row.oldest.to_string(), row.newest.to_string()]);
    }
    table
}

fn marked(text: &str, observed_later: bool) -> String {
    if observed_later { format!("{text} *") } else { text.to_owned() }
}
