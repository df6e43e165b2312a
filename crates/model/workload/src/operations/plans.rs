//! How each kind of workload comes down to raw keys.

use units::{Bytes, Nanos};

use super::chooser::AccessSkew;
use super::keys::KeyEncoder;
use super::recipe::{Index, Plan, Step};
use crate::pick::{Bounds, Pick};
use crate::{
    InsertOrder, InsertWorkload, KeyOrder, MixDistribution, MixWorkload, WorkloadError, YcsbDistribution, YcsbWorkload,
};

impl YcsbWorkload {
    /// A row is one value: what the fields hold, side by side. An update writes the whole row.
    pub(crate) fn plan(&self, pick: &mut Pick<'_>) -> Result<Plan, WorkloadError> {
        let (profile, clients) = self.fix(pick)?;
        let theta = self.theta.map(|theta| pick.number("theta", theta, Bounds::Fraction)).transpose()?;
        let theta = theta.unwrap_or(THETA);
        let rows = pick.number("records", self.records, Bounds::AtLeastOne)?;
        let kind = |name: &str, weight: f64| Step { name: name.to_owned(), weight, ..Step::default() };
        let rmw = profile.point_reads + profile.scans + profile.inserts + profile.updates - 1.0;
        let same_row = self.workload == crate::CoreWorkload::F;
        let (reads, updates) = if same_row {
            (profile.point_reads - rmw, 0.0)
        } else if self.api == crate::DatabaseApi::Sql && profile.point_reads + profile.updates > 1.0 {
            // Through SQL the profile's updates read their rows first; raw keys are written blindly.
            (profile.point_reads - profile.updates, profile.updates)
        } else {
            (profile.point_reads, profile.updates)
        };
        let kinds = [
            Step { reads: 1.0, ..kind("read", reads) },
            Step { updates: 1.0, ..kind("update", updates) },
            Step { inserts: 1.0, ..kind("insert", profile.inserts) },
            Step { scans: 1.0, rows_per_scan: profile.rows_per_scan, ..kind("scan", profile.scans) },
            Step { same_row, reads: 1.0, updates: 1.0, ..kind("read-modify-write", if same_row { rmw } else { 0.0 }) },
        ];
        let distribution = self.distribution.unwrap_or_else(|| self.core_distribution());
        Ok(Plan {
            kinds: kinds.into_iter().filter(|kind| kind.weight > 1e-9).collect(),
            keys: KeyEncoder { order: self.key_order },
            skew: match distribution {
                YcsbDistribution::Uniform => AccessSkew::Uniform,
                YcsbDistribution::Zipfian => AccessSkew::ScrambledZipfian(theta),
                YcsbDistribution::Latest => AccessSkew::YcsbLatest(theta),
            },
            value: without_key(profile.row),
            compressed: profile.compressed,
            indexes: Vec::new(),
            rows,
            adds: None,
            clients,
            think: profile.think,
        })
    }
}

impl InsertWorkload {
    /// Each statement writes its rows and their index entries at once.
    pub(crate) fn plan(&self, pick: &mut Pick<'_>) -> Result<Plan, WorkloadError> {
        let (profile, clients, _) = self.fix(pick)?;
        let before = pick.maybe("rows-before", self.rows_before, Bounds::Any)?.unwrap_or(0.0);
        let added = pick.number("rows-added", self.rows_added, Bounds::AtLeastOne)?;
        let kind = Step {
            name: "insert".to_owned(),
            weight: 1.0,
            inserts: profile.inserts,
            statements: Some(1.0),
            ..Step::default()
        };
        Ok(Plan {
            kinds: vec![kind],
            keys: keys(self.order),
            skew: AccessSkew::Uniform,
            value: without_key(profile.row),
            compressed: profile.compressed,
            indexes: indexes(profile.indexes, profile.random_indexes, profile.index_entry),
            rows: before,
            adds: Some(added),
            clients,
            think: Nanos(0),
        })
    }
}

impl MixWorkload {
    /// Rows of an operation are drawn one by one; a statement takes its share of them.
    pub(crate) fn plan(&self, pick: &mut Pick<'_>) -> Result<Plan, WorkloadError> {
        let (profile, clients) = self.fix(pick)?;
        let theta = pick.maybe("theta", self.theta, Bounds::Fraction)?.unwrap_or(THETA);
        let rows = pick.number("rows", self.rows, Bounds::AtLeastOne)?;
        let mut kinds = Vec::new();
        for (at, operation) in self.operations.iter().enumerate() {
            let mut number = |name: &str, value| pick.maybe(&format!("operations.{at}.{name}"), value, Bounds::Any);
            kinds.push(Step {
                name: operation.name.clone().unwrap_or_else(|| format!("operation {}", at + 1)),
                weight: number("weight", Some(operation.weight))?.unwrap_or(0.0),
                reads: number("reads", operation.reads)?.unwrap_or(0.0),
                scans: number("scans", operation.scans)?.unwrap_or(0.0),
                rows_per_scan: number("rows-per-scan", operation.rows_per_scan)?.unwrap_or(0.0),
                inserts: number("inserts", operation.inserts)?.unwrap_or(0.0),
                updates: number("updates", operation.updates)?.unwrap_or(0.0),
                statements: number("statements", operation.statements)?,
                same_row: false,
            });
        }
        let mut share = |name: &str, value: Option<units::Interval<units::Ratio>>| {
            let share = value.map(|value| pick.share(name, value, Bounds::Fraction)).transpose()?;
            share.ok_or_else(|| WorkloadError::new(name, "is missing; a hotspot needs it, such as \"10%\""))
        };
        let skew = match self.distribution {
            MixDistribution::Uniform => AccessSkew::Uniform,
            MixDistribution::Zipfian => AccessSkew::Zipfian(theta),
            MixDistribution::Latest => AccessSkew::Latest(theta),
            MixDistribution::Hotspot => AccessSkew::Hotspot {
                rows: share("hot-rows", self.hot_rows)?,
                accesses: share("hot-accesses", self.hot_accesses)?,
            },
        };
        kinds.retain(|kind| kind.weight > 0.0);
        Ok(Plan {
            kinds,
            keys: keys(self.order),
            skew,
            value: without_key(profile.row),
            compressed: profile.compressed,
            indexes: indexes(profile.indexes, profile.random_indexes, profile.index_entry),
            rows,
            adds: None,
            clients,
            think: profile.think,
        })
    }
}

/// YCSB's `ZipfianGenerator.ZIPFIAN_CONSTANT`.
const THETA: f64 = 0.99;

fn keys(order: InsertOrder) -> KeyEncoder {
    let order = match order {
        InsertOrder::Random => KeyOrder::Hashed,
        InsertOrder::Ordered => KeyOrder::Ordered,
    };
    KeyEncoder { order }
}

/// Part of a row that is its value.
fn without_key(row: Bytes) -> f64 {
    (row.as_f64() - KeyEncoder::LONGEST as f64).max(1.0)
}

/// `random` of `all` indexes are random; numbers with a part are rounded.
fn indexes(all: f64, random: f64, entry: Bytes) -> Vec<Index> {
    // TiKV refuses empty values.
    let padding = (entry.0 as usize).saturating_sub(KeyEncoder::INDEX).max(1);
    let (all, random) = (all.round() as u32, random.round() as u32);
    (0..all).map(|at| Index { ordered: at >= random, padding }).collect()
}
