//! How often things fail and how long they take to come back, read from `tables/rates.csv`.

use std::str::FromStr;
use std::sync::LazyLock;

use units::{Bytes, BytesPerSec, Nanos, Ratio};

/// A row of the table of rates.
#[derive(Debug, Clone, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
pub struct FailureRate {
    /// Its name.
    pub name: String,
    /// The value, with its unit where it is a time, a size or a throughput.
    pub value: String,
    /// `per year`, `time`, `share`, `throughput` or `size`.
    pub unit: String,
    /// Whether somebody published it.
    pub basis: RateBasis,
    /// What it means.
    pub meaning: String,
    /// Who published it, or why it was assumed.
    pub source: String,
}

/// Where a number comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RateBasis {
    /// Stated by its source.
    Published,
    /// Chosen by us; the source column says why.
    Assumption,
}

/// How often nodes, disks and zones fail, and how long each way back takes (means of exponential times).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FailureRates {
    /// Hosts that fail for good, per node and year.
    pub node_failures: f64,
    /// Local flash devices that fail, per device and year.
    pub device_failures: f64,
    /// Network volumes lost, per volume and year; [`annual_failures`] gives it for a published durability.
    pub volume_failures: f64,
    /// Outages of a whole zone, per zone and year.
    pub zone_outages: f64,
    /// How long a zone is away.
    pub zone_outage: Nanos,
    /// Share of zone outages that cost the zone's nodes their local data.
    pub zone_wipes_local: f64,
    /// How long a store is missed before its replicas are made anew.
    pub store_down: Nanos,
    /// From a node's failure until its volume hangs on another node.
    pub reattach: Nanos,
    /// From the loss of a quorum for good until people have rebuilt it.
    pub by_hand: Nanos,
}

static FACTS: LazyLock<Vec<FailureRate>> = LazyLock::new(|| {
    csv::Reader::from_reader(include_str!("../tables/rates.csv").as_bytes())
        .into_deserialize()
        .collect::<Result<_, _>>()
        .expect("tables/rates.csv, which ships with the program, is read by a test")
});

/// The table of rates, each with its meaning and source.
pub fn facts() -> &'static [FailureRate] {
    &FACTS
}

fn get<T: FromStr>(name: &str) -> T {
    let value = FACTS.iter().find(|fact| fact.name == name).and_then(|fact| fact.value.parse().ok());
    value.unwrap_or_else(|| panic!("tables/rates.csv has no readable `{name}`"))
}

impl Default for FailureRates {
    /// Those of the table.
    fn default() -> Self {
        Self {
            node_failures: get("node-failures"),
            device_failures: get("device-failures"),
            volume_failures: get("volume-failures"),
            zone_outages: get("zone-outages"),
            zone_outage: get("zone-outage"),
            zone_wipes_local: get("zone-wipes-local"),
            store_down: get("store-down"),
            reattach: get("reattach"),
            by_hand: get("by-hand"),
        }
    }
}

/// The rate at which one store's replicas are made anew, from the table.
pub(crate) fn rebuild_bandwidth() -> BytesPerSec {
    get("rebuild-bandwidth")
}

/// The data of one range, from the table.
pub(crate) fn range_size() -> Bytes {
    get("range-size")
}

/// Failures a year of a volume of which `durability` are alive after a year: `-ln durability`.
pub fn annual_failures(durability: Ratio) -> f64 {
    -durability.0.ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rate_is_in_the_table_and_readable() {
        let rates = FailureRates::default();
        assert!(rates.node_failures > rates.volume_failures && rates.by_hand > rates.reattach);
        assert!(rebuild_bandwidth().0 > 0.0 && range_size() > Bytes(0));
    }

    #[test]
    fn every_row_has_a_source_and_a_meaning() {
        for fact in facts() {
            assert!(!fact.source.trim().is_empty() && !fact.meaning.trim().is_empty(), "{}", fact.name);
        }
    }

    #[test]
    fn backblaze_failures_over_drive_days_give_the_rate() {
        let per_year: f64 = 25.0 / 934.4e3 * 365.25;
        assert!((per_year - FailureRates::default().device_failures).abs() < 1e-4, "{per_year}");
    }
}
