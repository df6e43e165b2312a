//! A workload with every number fixed, ready to draw operations from.

use std::sync::Arc;

use bytes::Bytes;
use units::Nanos;

use super::chooser::{AccessSkew, RowChooser};
use super::generator::OperationGenerator;
use super::keys::KeyEncoder;
use super::loader::RowLoader;
use super::rows::RowCounter;
use super::values::{ValueGenerator, ValueSizes};
use crate::pick::Pick;
use crate::{Workload, WorkloadError, WorkloadKind};

/// How a workload is made to fit the machine on which it runs.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct WorkloadScale {
    /// Rows loaded; the workload's own if not given.
    pub rows: Option<u64>,
    /// Rows that the run may add; no bound if not given, for `[inserts]` the workload's own.
    pub adds: Option<u64>,
    /// Sizes of values; all as the workload's mean if not given.
    pub values: Option<ValueSizes>,
}

/// Operations with their frequency and rows. Made once and shared by all who draw from it.
#[derive(Debug)]
pub struct OperationRecipe {
    pub(crate) kinds: Vec<Step>,
    names: Vec<String>,
    pub(crate) keys: KeyEncoder,
    pub(crate) values: ValueGenerator,
    pub(crate) indexes: Vec<Index>,
    pub(crate) rows: RowCounter,
    pub(crate) chooser: RowChooser,
    loaded: u64,
    expected: u64,
    clients: Option<f64>,
    think: Nanos,
}

/// One kind of operation. Counts are means; their parts are drawn.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Step {
    pub(crate) name: String,
    pub(crate) weight: f64,
    pub(crate) reads: f64,
    pub(crate) scans: f64,
    pub(crate) rows_per_scan: f64,
    pub(crate) inserts: f64,
    pub(crate) updates: f64,
    /// Sent one after the other; as many as there are rows and scans if `None`.
    pub(crate) statements: Option<f64>,
    /// One row is read and then updated.
    pub(crate) same_row: bool,
}

/// A secondary index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Index {
    pub(crate) ordered: bool,
    /// Bytes after the key that fill the entry up to its size.
    pub(crate) padding: usize,
}

/// Parts of a recipe that depend on the kind of workload.
pub(crate) struct Plan {
    pub(crate) kinds: Vec<Step>,
    pub(crate) keys: KeyEncoder,
    pub(crate) skew: AccessSkew,
    /// Mean size of a value.
    pub(crate) value: f64,
    pub(crate) compressed: f64,
    pub(crate) indexes: Vec<Index>,
    pub(crate) rows: f64,
    /// Rows that the run adds at most; `None` if only time bounds it.
    pub(crate) adds: Option<f64>,
    pub(crate) clients: Option<f64>,
    pub(crate) think: Nanos,
}

/// Rows loaded or added are numbered below this, which `f64` counts exactly and keys hold.
const MOST_ROWS: u64 = 1 << 50;

/// Keys that are looked at to cut the key space: thirty-two in each of 128 regions.
const SAMPLES: u64 = 4096;

impl OperationRecipe {
    /// Fixes the workload at the middle of its intervals.
    ///
    /// # Errors
    /// When it is not of raw keys (`[ycsb]`, `[inserts]`, `[mix]`), or a number is out of bounds.
    pub fn new(workload: &Workload, scale: WorkloadScale) -> Result<Self, WorkloadError> {
        let mut middle = |_: &str, interval: units::Uncertain| interval.middle();
        let mut pick = Pick::new(workload.kind.name(), &mut middle);
        let plan = match &workload.kind {
            WorkloadKind::Ycsb(ycsb) => ycsb.plan(&mut pick)?,
            WorkloadKind::Inserts(inserts) => inserts.plan(&mut pick)?,
            WorkloadKind::Mix(mix) => mix.plan(&mut pick)?,
            other => {
                let message = "cannot be sent as raw keys; expected [ycsb], [inserts] or [mix]";
                return Err(WorkloadError::new(other.name(), message));
            }
        };
        plan.recipe(scale)
    }

    /// The names of the kinds of operation; [`super::Planned::kind`] counts along them.
    pub fn kinds(&self) -> &[String] {
        &self.names
    }

    /// Rows that are loaded before the run.
    pub fn loaded(&self) -> u64 {
        self.loaded
    }

    /// The rows there are, and those being added.
    pub fn rows(&self) -> &RowCounter {
        &self.rows
    }

    /// Bytes of keys and values that are loaded, in the mean, secondary indexes included.
    pub fn loaded_bytes(&self) -> f64 {
        let entries: usize = self.indexes.iter().map(|index| KeyEncoder::INDEX + index.padding).sum();
        self.loaded as f64 * (self.values.mean() + KeyEncoder::LONGEST as f64 + entries as f64)
    }

    /// How many clients the workload asks for; `None` for an open loop.
    pub fn clients(&self) -> Option<f64> {
        self.clients
    }

    /// How long a client waits between operations.
    pub fn think(&self) -> Nanos {
        self.think
    }

    /// Draws operations; each thread takes a `stream` of its own.
    pub fn generator(self: &Arc<Self>, seed: u64, stream: u32) -> OperationGenerator {
        OperationGenerator::new(self.clone(), seed, stream)
    }

    /// Makes all that is loaded, cut into `parts` of which it gives `part`.
    pub fn loader(self: &Arc<Self>, seed: u64, part: u64, parts: u64) -> RowLoader {
        let cut = |at: u64| (u128::from(self.loaded) * u128::from(at) / u128::from(parts.max(1))) as u64;
        RowLoader::new(self.clone(), seed, cut(part)..cut(part + 1))
    }

    /// Keys that cut the key space into `regions` of about as many keys each, in order; fewer where there are too few.
    pub fn split_keys(&self, regions: usize) -> Vec<Bytes> {
        let rows = self.expected.max(1);
        let samples = rows.min(SAMPLES.max(32 * regions as u64));
        let mut keys: Vec<_> = (0..samples)
            .map(|sample| (u128::from(rows) * u128::from(sample) / u128::from(samples)) as u64)
            .flat_map(|row| self.keys_of(row))
            .collect();
        keys.sort_unstable();
        let mut cuts: Vec<_> = (1..regions).map(|cut| keys[cut * keys.len() / regions].clone()).collect();
        cuts.dedup();
        cuts
    }

    /// The key of a row, and those of its index entries.
    fn keys_of(&self, row: u64) -> impl Iterator<Item = Bytes> {
        let entries = (0..).zip(&self.indexes).map(move |(at, index)| self.keys.index_key(at, index.ordered, row));
        std::iter::once(self.keys.key(row)).chain(entries)
    }
}

impl Plan {
    fn recipe(self, scale: WorkloadScale) -> Result<OperationRecipe, WorkloadError> {
        let whole = |key: &str, number: f64| {
            if number <= MOST_ROWS as f64 {
                return Ok(number.round() as u64);
            }
            Err(WorkloadError::new(key, format!("is {number:.1e}; expected at most {MOST_ROWS}")))
        };
        let loaded = whole("rows", scale.rows.map_or(self.rows, |rows| rows as f64))?;
        let adds = scale.adds.map(|adds| adds as f64).or(self.adds);
        let adds = adds.map(|adds| whole("adds", adds)).transpose()?;
        if loaded == 0 && self.kinds.iter().any(|kind| kind.reads + kind.scans + kind.updates > 0.0) {
            return Err(WorkloadError::new("rows", "is 0, yet rows are read; expected one or more"));
        }
        // YCSB expects twice the inserts. Where none were announced, none are expected: new rows are drawn by `latest`
        // and `uniform`, and nothing else draws them.
        let expected = loaded + 2 * adds.unwrap_or(0);
        let values = ValueGenerator::new(
            scale.values.unwrap_or(ValueSizes::Constant(self.value.round() as u32)),
            self.compressed,
        )?;
        Ok(OperationRecipe {
            names: self.kinds.iter().map(|kind| kind.name.clone()).collect(),
            kinds: self.kinds,
            keys: self.keys,
            values,
            indexes: self.indexes,
            rows: RowCounter::new(loaded, loaded + adds.unwrap_or(MOST_ROWS)),
            chooser: RowChooser::new(self.skew, expected)?,
            loaded,
            expected,
            clients: self.clients,
            think: self.think,
        })
    }
}
