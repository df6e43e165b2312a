//! Rows added one at a time to a table with secondary indexes.

use units::{Bytes, Interval, Nanos, Ratio, Uncertain};

use crate::pick::{Bounds, Pick};
use crate::{OperationProfile, TableGrowth, ThroughputUnit, WorkloadError, skew};

/// Where new rows and index entries land.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum InsertOrder {
    /// Anywhere, as with keys that are hashes or UUIDs.
    #[default]
    Random,
    /// At the end, as with keys that count up.
    Ordered,
}

/// The `[inserts]` table.
#[derive(Debug, Clone, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct InsertWorkload {
    /// Size of a row, key included.
    pub row: Interval<Bytes>,
    /// Secondary indexes.
    pub indexes: Option<Uncertain>,
    /// Mean size of a secondary index entry, with the primary key in it.
    pub index_entry: Option<Interval<Bytes>>,
    /// Place of new rows: anywhere, or at the end.
    #[serde(default)]
    pub order: InsertOrder,
    /// Secondary indexes whose entries land at random; as the rows if not given.
    pub random_indexes: Option<Uncertain>,
    /// Period after which ordered keys begin anew; never if not given. UUIDs of version 1 begin with the low 32 bits of a clock
    /// of 100 ns: 429.5 s.
    pub key_period: Option<Interval<Nanos>>,
    /// Secondary indexes whose entries follow the order of such keys.
    pub swept_indexes: Option<Uncertain>,
    /// Rows in the table before the run.
    pub rows_before: Option<Uncertain>,
    /// Rows that the run adds.
    pub rows_added: Uncertain,
    /// Rows of one statement, which is one transaction.
    pub rows_per_statement: Option<Uncertain>,
    /// Size under LZ4 over size uncompressed; random bytes have 1.
    pub compressed: Option<Interval<Ratio>>,
    /// Clients of a closed loop; an open loop if not given.
    pub clients: Option<Uncertain>,
}

impl InsertWorkload {
    /// The profile, the number of clients, and how the table grows. Data are those at the end of the run, which must fit.
    pub(crate) fn fix(
        &self,
        pick: &mut Pick<'_>,
    ) -> Result<(OperationProfile, Option<f64>, TableGrowth), WorkloadError> {
        let row = pick.bytes("row", self.row, Bounds::Row)?;
        let indexes = pick.maybe("indexes", self.indexes, Bounds::Indexes)?.unwrap_or(0.0);
        let index_entry = match self.index_entry {
            Some(size) => pick.bytes("index-entry", size, Bounds::Row)?,
            None if indexes > 0.0 => {
                let message = "is missing; expected the mean size of an entry of the indexes, such as \"64B\"";
                return Err(WorkloadError::new(pick.key("index-entry"), message));
            }
            None => Bytes(0),
        };
        let random_indexes = match pick.maybe("random-indexes", self.random_indexes, Bounds::Any)? {
            Some(random) if random > indexes => {
                let message = format!("is more than the {indexes} indexes there are");
                return Err(WorkloadError::new(pick.key("random-indexes"), message));
            }
            Some(random) => random,
            None if self.order == InsertOrder::Random => indexes,
            None => 0.0,
        };
        let period = self.key_period.map(|span| pick.span("key-period", span, Bounds::Positive)).transpose()?;
        let swept_indexes = pick.maybe("swept-indexes", self.swept_indexes, Bounds::Any)?.unwrap_or(0.0);
        if swept_indexes > indexes - random_indexes {
            let message = format!("is more than the {} indexes that are not random", indexes - random_indexes);
            return Err(WorkloadError::new(pick.key("swept-indexes"), message));
        }
        let before = pick.maybe("rows-before", self.rows_before, Bounds::Any)?.unwrap_or(0.0);
        let added = pick.number("rows-added", self.rows_added, Bounds::AtLeastOne)?;
        let per_statement = pick.maybe("rows-per-statement", self.rows_per_statement, Bounds::OfAStatement)?;
        let inserts = per_statement.unwrap_or(1.0);
        pick.touched("rows-per-statement", inserts * (1.0 + indexes), row)?;
        let compressed = self.compressed.map(|c| pick.share("compressed", c, Bounds::Share)).transpose()?;
        let clients = pick.maybe("clients", self.clients, Bounds::Clients)?;
        let profile = OperationProfile {
            unit: ThroughputUnit { name: "inserts/s", per_operation: inserts },
            statements: 1.0,
            lookups: 0.0,
            locking: 0.0,
            think: Nanos(0),
            spread: 0.0,
            transactional: true,
            point_reads: 0.0,
            scans: 0.0,
            rows_per_scan: 0.0,
            inserts,
            updates: 0.0,
            row,
            indexes,
            index_entry,
            random_indexes,
            random_keys: self.order == InsertOrder::Random,
            data: pick.data("rows-added", (before + added) * (row.as_f64() + indexes * index_entry.as_f64()))?,
            encoded: 1.0,
            compressed: compressed.unwrap_or(1.0),
            blocks: Vec::new(),
            popularity: match self.order {
                InsertOrder::Random => skew::uniform(),
                InsertOrder::Ordered => skew::end(),
            },
            keys_apart: None,
        };
        Ok((profile, clients, TableGrowth { before, added, period, swept_indexes }))
    }
}
