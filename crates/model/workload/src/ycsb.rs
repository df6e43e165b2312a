//! YCSB: the six core workloads A to F.

use std::sync::LazyLock;

use units::{Bytes, Interval, Nanos, Ratio, Uncertain};

use crate::pick::{Bounds, Pick};
use crate::{OperationProfile, ThroughputUnit, WorkloadError, skew};

/// The core workloads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
pub enum CoreWorkload {
    /// Update heavy: half reads, half updates.
    A,
    /// Read mostly: 5 % updates.
    B,
    /// Read only.
    C,
    /// Read latest: 5 % inserts.
    D,
    /// Short ranges: 5 % inserts.
    E,
    /// Half reads, half read-modify-writes.
    F,
}

/// Which rows are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum YcsbDistribution {
    /// Every row equally often.
    Uniform,
    /// Zipf's law, scattered over the rows.
    Zipfian,
    /// Zipf's law from the newest row backwards.
    Latest,
}

/// How the database is spoken to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DatabaseApi {
    /// SQL statements, each a transaction.
    #[default]
    Sql,
    /// Raw keys and values, without transactions.
    Raw,
}

/// Order of the keys.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KeyOrder {
    /// Keys are hashes: new rows land anywhere. YCSB's default.
    #[default]
    Hashed,
    /// Keys ascend: new rows land at the end.
    Ordered,
}

/// The `[ycsb]` table.
#[derive(Debug, Clone, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct YcsbWorkload {
    /// Core workload.
    pub workload: CoreWorkload,
    /// Rows loaded.
    pub records: Uncertain,
    /// Fields of a row.
    pub fields: Option<Uncertain>,
    /// Size of a field.
    pub field_length: Option<Interval<Bytes>>,
    /// Distribution of the requests over the rows.
    pub distribution: Option<YcsbDistribution>,
    /// Exponent of Zipf's law.
    pub theta: Option<Uncertain>,
    /// Interface: SQL statements, each a transaction, or raw keys and values.
    #[serde(default)]
    pub api: DatabaseApi,
    /// Order of the keys: hashed keys land anywhere, ordered ones at the end.
    #[serde(default)]
    pub key_order: KeyOrder,
    /// Size under LZ4 over size uncompressed. YCSB's values are random: 1.
    pub compressed: Option<Interval<Ratio>>,
    /// Clients of a closed loop; an open loop if not given.
    pub clients: Option<Uncertain>,
}

#[derive(serde::Deserialize)]
struct Row {
    workload: String,
    reads: f64,
    scans: f64,
    inserts: f64,
    updates: f64,
    statements: f64,
    distribution: YcsbDistribution,
}

static CORE: LazyLock<Vec<Row>> = LazyLock::new(|| crate::tables::read(include_str!("../tables/ycsb.csv")));

/// `user` and up to 19 digits of a hash (YCSB `CoreWorkload.buildKeyName`).
const KEY: Bytes = Bytes(23);

/// Scans read 1 to 100 rows, evenly (YCSB workload E, `maxscanlength=100`).
const ROWS_PER_SCAN: f64 = 50.5;

/// YCSB's `ZipfianGenerator.ZIPFIAN_CONSTANT`.
const THETA: f64 = 0.99;

impl YcsbWorkload {
    fn row(&self) -> &'static Row {
        let name = format!("{:?}", self.workload).to_lowercase();
        CORE.iter().find(|row| row.workload == name).expect("a row for each core workload")
    }

    /// The distribution that YCSB gives the core workload.
    pub(crate) fn core_distribution(&self) -> YcsbDistribution {
        self.row().distribution
    }

    /// The profile and the number of clients.
    pub(crate) fn fix(&self, pick: &mut Pick<'_>) -> Result<(OperationProfile, Option<f64>), WorkloadError> {
        let core = self.row();
        let records = pick.number("records", self.records, Bounds::AtLeastOne)?;
        let fields = pick.maybe("fields", self.fields, Bounds::AtLeastOne)?.unwrap_or(10.0);
        let length =
            self.field_length.map(|length| pick.bytes("field-length", length, Bounds::Positive)).transpose()?;
        let theta = pick.maybe("theta", self.theta, Bounds::Fraction)?.unwrap_or(THETA);
        let compressed = self.compressed.map(|c| pick.share("compressed", c, Bounds::Share)).transpose()?;
        let clients = pick.maybe("clients", self.clients, Bounds::Clients)?;
        let row = fields * length.map_or(100.0, Bytes::as_f64) + KEY.as_f64();
        let ordered = self.key_order == KeyOrder::Ordered;
        let profile = OperationProfile {
            unit: ThroughputUnit { name: "ops/s", per_operation: 1.0 },
            statements: core.statements,
            lookups: 0.0,
            locking: 0.0,
            think: Nanos(0),
            spread: 0.0,
            transactional: self.api == DatabaseApi::Sql,
            // A change through SQL reads its row first; F has already read it.
            point_reads: match (self.api, self.workload) {
                (DatabaseApi::Sql, CoreWorkload::A | CoreWorkload::B) => core.reads + core.updates,
                _ => core.reads,
            },
            scans: core.scans,
            rows_per_scan: if core.scans > 0.0 { ROWS_PER_SCAN } else { 0.0 },
            inserts: core.inserts,
            updates: core.updates,
            row: pick.row(if self.field_length.is_some() { "field-length" } else { "fields" }, row)?,
            indexes: 0.0,
            index_entry: Bytes(0),
            random_indexes: 0.0,
            random_keys: true,
            data: pick.data("records", records * row)?,
            encoded: 1.0,
            compressed: compressed.unwrap_or(1.0),
            blocks: Vec::new(),
            popularity: match self.distribution.unwrap_or(core.distribution) {
                YcsbDistribution::Uniform => skew::uniform(),
                YcsbDistribution::Zipfian => skew::scrambled_zipf(records, theta),
                YcsbDistribution::Latest => skew::zipf(records, theta, ordered),
            },
            keys_apart: None,
        };
        Ok((profile, clients))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_of_each_core_workload_sum_to_one() {
        for row in CORE.iter() {
            let changes_of_read_rows = if row.workload == "f" { row.updates } else { 0.0 };
            let sum = row.reads + row.scans + row.inserts + row.updates - changes_of_read_rows;
            assert!((sum - 1.0).abs() < 1e-9, "{}", row.workload);
        }
    }
}
