//! The engine-neutral profile to which every kind of workload comes down.

use units::{Bytes, Nanos};

use crate::{AvailabilityTarget, Engine, Targets, skew};

/// A workload with every number fixed: one future of an uncertain one.
#[derive(Debug, Clone, PartialEq)]
pub struct Task {
    /// The database.
    pub engine: Engine,
    /// Profile of one operation.
    pub profile: OperationProfile,
    /// Closed loop: how many clients wait for their answers. `None` is an open loop at the target rate.
    pub clients: Option<f64>,
    /// Targets.
    pub targets: Targets,
    /// For `measured`: what was seen at the disks, instead of a profile's derivation.
    pub measured: Option<MeasuredWorkload>,
    /// For `inserts`: how the table grows. `None` where a workload says nothing of it.
    pub growth: Option<TableGrowth>,
}

impl Task {
    /// An open loop that sends so many of the profile's units and asks for nothing else; one node may fail.
    pub fn open_loop(engine: Engine, profile: OperationProfile, throughput: f64) -> Self {
        let targets = Targets {
            throughput,
            p99: None,
            growth: 0.0,
            availability: AvailabilityTarget::Node,
            durability: None,
            consistency: None,
            capacity: None,
        };
        Self { engine, profile, clients: None, targets, measured: None, growth: None }
    }
}

/// How a table grows from before a run to its end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TableGrowth {
    /// Rows before the run.
    pub before: f64,
    /// Rows that the run adds; then it has done what it was asked.
    pub added: f64,
    /// Period after which ordered keys begin anew; `None` if they never do.
    pub period: Option<Nanos>,
    /// Secondary indexes whose entries land in that order, from the start anew after each period.
    pub swept_indexes: f64,
}

/// The unit in which throughput is told.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ThroughputUnit {
    /// `tpmC`, `ops/s`, `inserts/s`, `queries/s`, `x measured`.
    pub name: &'static str,
    /// How many units one operation a second is: 27 for tpmC (60 s × 45 % New-Order).
    pub per_operation: f64,
}

/// The mean operation (for tpcc a transaction of the standard's mix).
#[derive(Debug, Clone, PartialEq)]
pub struct OperationProfile {
    /// The unit of throughput.
    pub unit: ThroughputUnit,
    /// Statements a client sends one after the other, the commit included.
    pub statements: f64,
    /// Statements that read an index entry and only then, in a request of its own, the rows that it names.
    pub lookups: f64,
    /// Statements, in the mean, that lock rows before the transaction commits. A statement that is a transaction by itself locks
    /// nothing: TiDB commits it optimistically.
    pub locking: f64,
    /// Time a client waits between operations.
    pub think: Nanos,
    /// How much operations differ in work: standard deviation of their statements over the mean.
    pub spread: f64,
    /// Whether writes need a two-phase commit (SQL on TiKV) or one Raft proposal (raw keys).
    pub transactional: bool,
    /// Rows read by key, those that an update must read first included.
    pub point_reads: f64,
    /// Range scans.
    pub scans: f64,
    /// Rows of each scan.
    pub rows_per_scan: f64,
    /// Rows added.
    pub inserts: f64,
    /// Rows changed or deleted in place.
    pub updates: f64,
    /// Mean size of a row, uncompressed, key included; where sizes differ, the mean of the rows written.
    pub row: Bytes,
    /// Secondary index entries written for each row added.
    pub indexes: f64,
    /// Mean size of a secondary index entry.
    pub index_entry: Bytes,
    /// Indexes whose entries land at random places; entries of the others land at the end.
    pub random_indexes: f64,
    /// Whether new rows land at random places or at the end.
    pub random_keys: bool,
    /// All rows and indexes, one copy, uncompressed; with `inserts` those that the run adds included.
    pub data: Bytes,
    /// Size as TiKV keeps it, not compressed, over the size in `data`: what encoded keys, timestamps and commit records add. 1 where
    /// rows are taken to be as they are kept.
    pub encoded: f64,
    /// Size under LZ4 over the size as it is kept: 1 for random bytes.
    pub compressed: f64,
    /// How accesses spread over the rows; shares of each column sum to 1.
    pub popularity: Vec<SkewBand>,
    /// How they spread over blocks, where that is known by more than how rows lie.
    pub blocks: Vec<BlockSpread>,
    /// The same operation where primary keys that are no single integer are unique indexes beside their rows. `None` where there
    /// are no such keys, or nothing is known of them.
    pub keys_apart: Option<Box<OperationProfile>>,
}

impl OperationProfile {
    /// Raw keys in random order over `data` bytes of rows of one size, all asked for equally often, one request an operation and
    /// none of them yet: the caller sets `point_reads`, `updates` and the like. `compressed` is as in [`Profile`].
    pub fn raw_keys(row: Bytes, data: Bytes, compressed: f64) -> Self {
        Self {
            unit: ThroughputUnit { name: "ops/s", per_operation: 1.0 },
            statements: 1.0,
            lookups: 0.0,
            locking: 0.0,
            think: Nanos(0),
            spread: 0.0,
            transactional: false,
            point_reads: 0.0,
            scans: 0.0,
            rows_per_scan: 0.0,
            inserts: 0.0,
            updates: 0.0,
            row,
            indexes: 0.0,
            index_entry: Bytes(0),
            random_indexes: 0.0,
            random_keys: true,
            data,
            encoded: 1.0,
            compressed,
            popularity: skew::uniform(),
            blocks: Vec::new(),
            keys_apart: None,
        }
    }

    /// Whether an operation with so many times the reads, scans and writes touches few enough rows.
    ///
    /// # Errors
    /// When it does not.
    pub fn touches(&self, [reads, scans, writes]: [f64; 3]) -> Result<(), crate::TouchedTooMuch> {
        let written = self.inserts * (1.0 + self.indexes) + self.updates;
        let rows = self.point_reads * reads + self.scans * self.rows_per_scan * scans + written * writes;
        crate::pick::touched(rows, self.row)
    }

    /// How accesses spread over blocks of a size, and how many rows of the bands lie in a block: one where the bands are of
    /// blocks themselves.
    pub fn in_blocks(&self, size: Bytes) -> (&[SkewBand], f64) {
        let far = |blocks: &&BlockSpread| (size.as_f64() / blocks.size.as_f64()).ln().abs();
        match self.blocks.iter().min_by(|a, b| far(a).total_cmp(&far(b))) {
            Some(blocks) => (&blocks.popularity, 1.0),
            None => (&self.popularity, size.as_f64() / self.row.as_f64()),
        }
    }
}

/// How accesses spread over blocks.
#[derive(Debug, Clone, PartialEq)]
pub struct BlockSpread {
    /// Bytes of a block, before compression.
    pub size: Bytes,
    /// Shares of the blocks and of the accesses; each column sums to 1.
    pub popularity: Vec<SkewBand>,
}

/// A part of the data whose rows are asked for equally often.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SkewBand {
    /// Share of the rows.
    pub data: f64,
    /// Share of the accesses that go to them.
    pub accesses: f64,
    /// Whether the rows lie together (true) or scattered among rows of other bands (false), which decides
    /// how well blocks hold them.
    pub clustered: bool,
}

/// Load measured at the disks of one node of a running cluster.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeasuredWorkload {
    /// Nodes over which the load was spread.
    pub nodes: f64,
    /// The data disk.
    pub data: IoRates,
    /// The log disk.
    pub log: IoRates,
    /// Busy cores of one node; `None` if unknown.
    pub cores: Option<f64>,
    /// Bytes stored on one node.
    pub stored: Bytes,
    /// Memory of the node it was measured on.
    pub memory: Option<Bytes>,
}

/// I/O a second, as iostat counts it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct IoRates {
    /// Reads.
    pub reads: f64,
    /// Bytes read.
    pub read_bytes: f64,
    /// Writes.
    pub writes: f64,
    /// Bytes written.
    pub write_bytes: f64,
    /// Flush requests.
    pub flushes: f64,
}
