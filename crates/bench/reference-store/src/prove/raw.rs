//! A workload as the raw keys that the reference store serves: what TiKV sees of it, without the SQL layer.

use units::{Bytes, Interval, Ratio};
use workload::{
    DatabaseApi, InsertOrder, MixDistribution, MixWorkload, Operation, OperationProfile, SkewBand, Workload,
    WorkloadKind,
};

use crate::{LaunchedStore, ReferenceStoreError, UnprovablePlan};

/// A workload of raw keys.
#[derive(Debug, Clone, PartialEq)]
pub struct RawKeyWorkload {
    /// With `[ycsb]`, `[inserts]` or `[mix]`, none of them transactional.
    pub workload: Workload,
    /// What became different, for people.
    pub notes: Vec<String>,
}

/// What is left out of a transaction.
const NO_SQL: &str = "Transactions are run, and predicted here, as the raw keys that they read and write: one proposal for each \
                      row instead of a prewrite and a commit, and no SQL layer in front.";

impl RawKeyWorkload {
    /// The raw keys of a workload.
    ///
    /// # Errors
    /// When it is not for TiKV, or was measured at disks, of which no operations are known.
    pub fn new(workload: &Workload) -> Result<Self, ReferenceStoreError> {
        if workload.engine != LaunchedStore::ENGINE {
            return Err(UnprovablePlan::OtherEngine { engine: workload.engine.facts().name }.into());
        }
        let task = workload.middle()?;
        let mut notes = Vec::new();
        if task.profile.transactional {
            notes.push(NO_SQL.to_owned());
        }
        let kind = match &workload.kind {
            WorkloadKind::Ycsb(ycsb) => {
                WorkloadKind::Ycsb(workload::YcsbWorkload { api: DatabaseApi::Raw, ..ycsb.clone() })
            }
            WorkloadKind::Inserts(inserts) => WorkloadKind::Inserts(inserts.clone()),
            WorkloadKind::Mix(mix) => WorkloadKind::Mix(Box::new(without_transactions(mix))),
            WorkloadKind::Tpcc(_) | WorkloadKind::Sysbench(_) => {
                let (mix, note) = mix(&task.profile);
                notes.push(format!("[{}] is run as the mean of its operations. {note}", workload.kind.name()));
                WorkloadKind::Mix(Box::new(mix))
            }
            WorkloadKind::Measured(_) => {
                return Err(UnprovablePlan::Measured.into());
            }
        };
        Ok(Self { workload: Workload { kind, ..workload.clone() }, notes })
    }
}

/// Without `begin` and `commit` of those operations to which they were added.
fn without_transactions(mix: &MixWorkload) -> MixWorkload {
    let plain = |operation: &Operation| {
        let middle = |number: Option<units::Uncertain>| number.map_or(0.0, |number| number.middle());
        let steps = [operation.reads, operation.scans, operation.inserts, operation.updates].map(middle);
        let statements = operation.statements.or_else(|| Some(Interval::certain(steps.iter().sum())));
        Operation { statements, ..operation.clone() }
    };
    MixWorkload { transactional: Some(false), operations: mix.operations.iter().map(plain).collect(), ..mix.clone() }
}

/// The mean operation of a profile as a mix of one, and what that bends.
fn mix(profile: &OperationProfile) -> (MixWorkload, String) {
    let some = |number: f64| (number > 0.0).then(|| Interval::certain(number));
    let steps = profile.point_reads + profile.scans + profile.inserts + profile.updates;
    let operation = Operation {
        name: Some("mean operation".to_owned()),
        weight: Interval::certain(1.0),
        reads: some(profile.point_reads),
        scans: some(profile.scans),
        rows_per_scan: some(profile.rows_per_scan),
        inserts: some(profile.inserts),
        updates: some(profile.updates),
        statements: some(profile.statements.min(steps)),
    };
    let hot = hotspot(&profile.popularity);
    let share = |share: f64| Interval::certain(Ratio(share));
    // Raw rows are as large as TiKV keeps what a transaction wrote.
    let kept = |bytes: Bytes| Bytes((bytes.as_f64() * profile.encoded).round() as u64);
    let (row, index_entry) = (kept(profile.row), kept(profile.index_entry));
    let with_entries = row.as_f64() + profile.indexes * index_entry.as_f64();
    let mix = MixWorkload {
        rows: Interval::certain((kept(profile.data).as_f64() / with_entries).max(1.0)),
        row: Interval::certain(row),
        indexes: some(profile.indexes),
        index_entry: (index_entry.0 > 0).then(|| Interval::certain(index_entry)),
        order: if profile.random_keys { InsertOrder::Random } else { InsertOrder::Ordered },
        distribution: if hot.is_some() { MixDistribution::Hotspot } else { MixDistribution::Uniform },
        theta: None,
        hot_rows: hot.map(|(rows, _)| share(rows)),
        hot_accesses: hot.map(|(_, accesses)| share(accesses)),
        compressed: Some(share(profile.compressed)),
        transactional: Some(false),
        clients: None,
        think: None,
        operations: vec![operation],
    };
    let note = match hot {
        Some((rows, accesses)) => format!(
            "Its skew is that of one table in which {:.1} % of the rows, scattered, take {:.0} % of the accesses.",
            100.0 * rows,
            100.0 * accesses
        ),
        None => "Its rows are asked for equally often.".to_owned(),
    };
    (mix, note)
}

/// Below this no part of the rows is hot.
const EVEN: f64 = 0.02;

/// The cut of bands in two that keeps most of their skew: the share of the rows that are hot and that of their accesses,
/// where the second exceeds the first by most.
fn hotspot(bands: &[SkewBand]) -> Option<(f64, f64)> {
    let mut bands: Vec<&SkewBand> = bands.iter().filter(|band| band.data > 0.0).collect();
    bands.sort_by(|a, b| (b.accesses / b.data).total_cmp(&(a.accesses / a.data)));
    let sums = bands.iter().scan((0.0, 0.0), |(rows, accesses), band| {
        *rows += band.data;
        *accesses += band.accesses;
        Some((*rows, *accesses))
    });
    let gap = |(rows, accesses): &(f64, f64)| accesses - rows;
    let best = sums.max_by(|a, b| gap(a).total_cmp(&gap(b)))?;
    // A mix wants both between 0 and 1.
    (gap(&best) > EVEN && best.0 < 0.999).then(|| (best.0, best.1.min(0.999)))
}

#[cfg(test)]
#[path = "raw_tests.rs"]
mod tests;
