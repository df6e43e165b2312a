//! A mix of the user's own operations.

use units::{Bytes, Interval, Nanos, Ratio, Uncertain};

use crate::pick::{Bounds, Pick};
use crate::{InsertOrder, OperationProfile, ThroughputUnit, WorkloadError, skew};

/// Which rows are asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MixDistribution {
    /// Every row equally often.
    #[default]
    Uniform,
    /// Zipf's law, popular rows scattered among the others.
    Zipfian,
    /// Zipf's law from the newest row backwards, newest rows together.
    Latest,
    /// `hot-accesses` of the accesses go to `hot-rows` of the rows.
    Hotspot,
}

/// One kind of operation; counts are means.
#[derive(Debug, Clone, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Operation {
    /// Name of the operation.
    pub name: Option<String>,
    /// Frequency relative to the other operations.
    pub weight: Uncertain,
    /// Rows read by key, with those that an update reads first.
    pub reads: Option<Uncertain>,
    /// Range scans.
    pub scans: Option<Uncertain>,
    /// Rows of each scan.
    pub rows_per_scan: Option<Uncertain>,
    /// Rows added.
    pub inserts: Option<Uncertain>,
    /// Rows changed or deleted.
    pub updates: Option<Uncertain>,
    /// Statements sent one after another, with begin and commit. By default one for each row or scan, and begin and commit
    /// around several that write.
    pub statements: Option<Uncertain>,
}

/// The `[mix]` table.
#[derive(Debug, Clone, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct MixWorkload {
    /// Rows loaded.
    pub rows: Uncertain,
    /// Mean size of a row, key included.
    pub row: Interval<Bytes>,
    /// Secondary indexes.
    pub indexes: Option<Uncertain>,
    /// Mean size of a secondary index entry.
    pub index_entry: Option<Interval<Bytes>>,
    /// Place of new index entries: anywhere, or at the end.
    #[serde(default)]
    pub order: InsertOrder,
    /// Distribution of the requests over the rows; `hotspot` needs `hot-rows` and `hot-accesses`.
    #[serde(default)]
    pub distribution: MixDistribution,
    /// Exponent of Zipf's law.
    pub theta: Option<Uncertain>,
    /// Share of the rows that are hot.
    pub hot_rows: Option<Interval<Ratio>>,
    /// Share of the accesses that go to hot rows.
    pub hot_accesses: Option<Interval<Ratio>>,
    /// Size under LZ4 over size uncompressed; 0.5 is common for text and numbers.
    pub compressed: Option<Interval<Ratio>>,
    /// Whether writes are transactions.
    pub transactional: Option<bool>,
    /// Clients of a closed loop; an open loop if not given.
    pub clients: Option<Uncertain>,
    /// Mean think time of a client between operations.
    pub think: Option<Interval<Nanos>>,
    /// The operations.
    pub operations: Vec<Operation>,
}

/// The mean of the operations.
#[derive(Default)]
struct Mean {
    weight: f64,
    reads: f64,
    scans: f64,
    scanned_rows: f64,
    inserts: f64,
    updates: f64,
    statements: f64,
    locking: f64,
    squared_statements: f64,
}

impl Operation {
    /// Adds its share to the mean.
    fn add(&self, index: usize, pick: &mut Pick<'_>, mean: &mut Mean) -> Result<(), WorkloadError> {
        let mut number = |name: &str, value: Option<Uncertain>, bounds: Bounds| {
            pick.maybe(&format!("operations.{index}.{name}"), value, bounds).map(|n| n.unwrap_or(0.0))
        };
        let weight = number("weight", Some(self.weight), Bounds::Any)?;
        let reads = number("reads", self.reads, Bounds::OfAnOperation)?;
        let scans = number("scans", self.scans, Bounds::OfAnOperation)?;
        let rows_per_scan = number("rows-per-scan", self.rows_per_scan, Bounds::OfAnOperation)?;
        let inserts = number("inserts", self.inserts, Bounds::OfAnOperation)?;
        let updates = number("updates", self.updates, Bounds::OfAnOperation)?;
        let statements = number("statements", self.statements, Bounds::OfAnOperation)?;
        if reads + scans + inserts + updates == 0.0 {
            let message = "does nothing; give it reads, scans, inserts or updates";
            return Err(WorkloadError::new(pick.key(&format!("operations.{index}")), message));
        }
        if scans > 0.0 && rows_per_scan < 1.0 {
            let message = "is missing or less than one; expected the rows of a scan, such as 50";
            return Err(WorkloadError::new(pick.key(&format!("operations.{index}.rows-per-scan")), message));
        }
        let single = reads + scans + inserts + updates;
        let transaction = if single > 1.0 && inserts + updates > 0.0 { 2.0 } else { 0.0 };
        // Whoever gives the number of statements may lock many rows with one of them.
        let locking = if transaction == 0.0 { 0.0 } else { inserts + updates };
        mean.weight += weight;
        mean.reads += weight * reads;
        mean.scans += weight * scans;
        mean.scanned_rows += weight * scans * rows_per_scan;
        mean.inserts += weight * inserts;
        mean.updates += weight * updates;
        let statements = if self.statements.is_some() { statements } else { single + transaction };
        mean.statements += weight * statements;
        mean.locking += weight * if self.statements.is_some() { locking.min(statements) } else { locking };
        mean.squared_statements += weight * statements * statements;
        Ok(())
    }
}

impl MixWorkload {
    /// The profile and the number of clients.
    pub(crate) fn fix(&self, pick: &mut Pick<'_>) -> Result<(OperationProfile, Option<f64>), WorkloadError> {
        let rows = pick.number("rows", self.rows, Bounds::AtLeastOne)?;
        let row = pick.bytes("row", self.row, Bounds::Row)?;
        let indexes = pick.maybe("indexes", self.indexes, Bounds::Indexes)?.unwrap_or(0.0);
        let index_entry = self.index_entry.map(|size| pick.bytes("index-entry", size, Bounds::Row)).transpose()?;
        let index_entry = index_entry.unwrap_or_default();
        let compressed = self.compressed.map(|c| pick.share("compressed", c, Bounds::Share)).transpose()?;
        let clients = pick.maybe("clients", self.clients, Bounds::Clients)?;
        let think = self.think.map(|think| pick.span("think", think, Bounds::Any)).transpose()?;
        let popularity = self.popularity(rows, pick)?;
        let mut mean = Mean::default();
        for (i, operation) in self.operations.iter().enumerate() {
            operation.add(i, pick, &mut mean)?;
        }
        if mean.weight == 0.0 {
            let message = "have no weight; expected at least one operation with a weight above zero";
            return Err(WorkloadError::new(pick.key("operations"), message));
        }
        let written = (mean.inserts + mean.updates) * (1.0 + indexes);
        pick.touched("operations", (mean.reads + mean.scanned_rows + written) / mean.weight, row)?;
        let mean_square = mean.squared_statements / mean.weight;
        let square_mean = (mean.statements / mean.weight).powi(2);
        let profile = OperationProfile {
            spread: if square_mean > 0.0 { (mean_square / square_mean - 1.0).max(0.0).sqrt() } else { 0.0 },
            unit: ThroughputUnit { name: "ops/s", per_operation: 1.0 },
            statements: mean.statements / mean.weight,
            lookups: 0.0,
            locking: if self.transactional == Some(false) { 0.0 } else { mean.locking / mean.weight },
            think: think.unwrap_or_default(),
            transactional: self.transactional.unwrap_or(true),
            point_reads: mean.reads / mean.weight,
            scans: mean.scans / mean.weight,
            rows_per_scan: if mean.scans > 0.0 { mean.scanned_rows / mean.scans } else { 0.0 },
            inserts: mean.inserts / mean.weight,
            updates: mean.updates / mean.weight,
            row,
            indexes,
            index_entry,
            random_indexes: if self.order == InsertOrder::Random { indexes } else { 0.0 },
            random_keys: self.order == InsertOrder::Random,
            data: pick.data("rows", rows * (row.as_f64() + indexes * index_entry.as_f64()))?,
            encoded: 1.0,
            compressed: compressed.unwrap_or(COMPRESSED),
            popularity,
            blocks: Vec::new(),
            keys_apart: None,
        };
        Ok((profile, clients))
    }

    fn popularity(&self, rows: f64, pick: &mut Pick<'_>) -> Result<Vec<crate::SkewBand>, WorkloadError> {
        let theta = pick.maybe("theta", self.theta, Bounds::Fraction)?.unwrap_or(THETA);
        let mut share = |name: &str, value: Option<Interval<Ratio>>| match value {
            Some(value) => pick.share(name, value, Bounds::Fraction),
            None => Err(WorkloadError::new(pick.key(name), "is missing; a hotspot needs it, such as \"10%\"")),
        };
        Ok(match self.distribution {
            MixDistribution::Uniform => skew::uniform(),
            MixDistribution::Zipfian => skew::zipf(rows, theta, false),
            MixDistribution::Latest => skew::zipf(rows, theta, true),
            MixDistribution::Hotspot => {
                skew::hotspot(share("hot-rows", self.hot_rows)?, share("hot-accesses", self.hot_accesses)?)
            }
        })
    }
}

/// Zipf's exponent most used, YCSB's.
const THETA: f64 = 0.99;

/// A guess for rows of text and numbers, to be replaced by the user's own.
const COMPRESSED: f64 = 0.5;
