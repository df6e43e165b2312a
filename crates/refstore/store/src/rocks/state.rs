//! [`RocksState`]: the state of a node's ranges in RocksDB.

use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use parking_lot::Mutex;
use raftstore::{ColumnFamily, KeyScan, StateChange, StateError, StateStore};
use rocksdb::properties::PropName;
use rocksdb::{
    Cache, ColumnFamilyDescriptor, DB, DBRawIterator, Env, LruCacheOptions, Options, Range, ReadOptions, WriteBatch,
    WriteBufferManager, WriteOptions,
};
use rocksdb_ext::{OptionError, RateLimiter};

use super::database::Told;
use super::error::sort;
use super::options;
use crate::config::StoreConfig;

/// A part of the block cache is no smaller (tikv src/storage/config.rs, `adjust_shard_bits`).
const LEAST_SHARD: u64 = 128 << 20;
/// Greater than every key: longer than any can be (TiKV refuses keys over 8 KiB) and of the greatest bytes.
static END: [u8; 16 << 10] = [0xFF; 16 << 10];

/// Why a change of settings does not reach RocksDB. TiKV's words, where it has some.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReconfigureError {
    /// No limiter was made at the start.
    #[error("rate limiter not found")]
    NoRateLimiter,
    /// The limiter takes no rate.
    #[error("{}: {why}", options::RATE)]
    Rate {
        /// Its words.
        why: &'static str,
    },
    /// No bound of memtables was set at the start.
    #[error("write buffer manager not found")]
    NoWriteBufferManager,
    /// RocksDB refuses an option of a column family.
    #[error("{words}")]
    Refused {
        /// Its words.
        words: String,
    },
    /// RocksDB refuses an option of the whole database.
    #[error(transparent)]
    Options(#[from] OptionError),
    /// The state is at fault.
    #[error(transparent)]
    State(#[from] StateError),
}

/// TiKV's column families in a RocksDB.
pub struct RocksState {
    db: DB,
    options: Options,
    env: Env,
    /// None if it was not set at the start: then it stays so, as in TiKV.
    limiter: Option<RateLimiter>,
    /// Likewise.
    memtables: Option<WriteBufferManager>,
    told: Told,
    cache: Mutex<Cache>,
    read: ReadOptions,
    write: WriteOptions,
}

impl RocksState {
    /// Opens or creates the database of a folder.
    ///
    /// # Errors
    /// When the folder cannot be written, is in use, or holds something else.
    pub fn open(dir: &Path, config: &StoreConfig) -> Result<Arc<Self>, StateError> {
        let env = Env::new().map_err(sort)?;
        let limiter = options::limiter(config);
        let memtables = options::memtables(config);
        let options = options::database(config, &env, limiter.as_ref(), memtables.as_ref()).map_err(sort)?;
        let cache = cache(config);
        let families = ColumnFamily::ALL.into_iter().map(|cf| {
            let options = options::family(config, cf, &cache).map_err(sort)?;
            Ok(ColumnFamilyDescriptor::new(cf.name(), options))
        });
        let families = families.collect::<Result<Vec<_>, StateError>>()?;
        let db = DB::open_cf_descriptors(&options, dir, families).map_err(sort)?;
        // Opening has raised the pools to their ceilings.
        options::threads(config, &env);
        let (read, write) = (ReadOptions::default(), WriteOptions::default());
        let told = Told::at_open(config);
        Ok(Arc::new(Self { db, options, env, limiter, memtables, told, cache: Mutex::new(cache), read, write }))
    }

    /// Makes changes of `rocksdb.*` real; those of one column family together, and then those of the whole database.
    ///
    /// # Errors
    /// When a limiter or a bound is missing, or RocksDB refuses.
    pub fn reconfigure(&self, now: &StoreConfig) -> Result<(), ReconfigureError> {
        options::threads(now, &self.env);
        self.set_rate(now.size(options::RATE))?;
        self.bound_memtables(now.optional_size(options::MEMTABLES_LIMIT))?;
        for cf in ColumnFamily::ALL {
            let pairs = options::changeable(now, cf);
            let pairs: Vec<(&str, &str)> = pairs.iter().map(|(option, value)| (*option, value.as_str())).collect();
            let refused = |error: rocksdb::Error| ReconfigureError::Refused { words: error.into_string() };
            self.db.set_options_cf(self.family(cf)?, &pairs).map_err(refused)?;
        }
        Ok(self.told.tell(&self.db, now)?)
    }

    /// Refuses what TiKV does (components/engine_rocks/src/db_options.rs), a limiter that was not made at the start, and what
    /// stock RocksDB cannot.
    fn set_rate(&self, rate: u64) -> Result<(), ReconfigureError> {
        match &self.limiter {
            None if rate == 0 => Ok(()),
            None => Err(ReconfigureError::NoRateLimiter),
            Some(limiter) => limiter.set(rate).map_err(|why| ReconfigureError::Rate { why }),
        }
    }

    /// Refuses what TiKV does: a bound where none was at the start.
    fn bound_memtables(&self, bytes: Option<u64>) -> Result<(), ReconfigureError> {
        match (&self.memtables, bytes) {
            (Some(memtables), Some(bytes)) => memtables.set_buffer_size(usize::try_from(bytes).unwrap_or(usize::MAX)),
            (None, Some(_)) => return Err(ReconfigureError::NoWriteBufferManager),
            (_, None) => {}
        }
        Ok(())
    }

    /// Makes the block cache larger or smaller.
    pub fn resize_cache(&self, bytes: u64) {
        self.cache.lock().set_capacity(usize::try_from(bytes).unwrap_or(usize::MAX));
    }

    /// Bytes in the block cache.
    pub fn cache_usage(&self) -> u64 {
        self.cache.lock().get_usage() as u64
    }

    /// A number that RocksDB tells of a column family; 0 if it tells none.
    pub(crate) fn number(&self, cf: ColumnFamily, property: &PropName) -> u64 {
        let number = self.family(cf).map(|family| self.db.property_int_value_cf(family, property));
        number.ok().and_then(Result::ok).flatten().unwrap_or(0)
    }

    /// A text that RocksDB tells of a column family; empty if it tells none.
    pub(crate) fn text(&self, cf: ColumnFamily, property: &str) -> String {
        let text = self.family(cf).map(|family| self.db.property_value_cf(family, property));
        text.ok().and_then(Result::ok).flatten().unwrap_or_default()
    }

    /// Bytes of the clients' keys in a range, about.
    pub fn approximate_size(&self, from: &[u8], until: &[u8]) -> u64 {
        let sizes = self
            .family(ColumnFamily::Default)
            .map(|family| self.db.get_approximate_sizes_cf(family, &[Range::new(from, until)]));
        sizes.into_iter().flatten().sum()
    }

    /// Options with the statistics of the whole database.
    pub(crate) fn statistics(&self) -> &Options {
        &self.options
    }

    /// Ends background work; the database is not used afterwards.
    pub fn stop(&self) {
        self.db.cancel_all_background_work(true);
    }

    fn family(&self, cf: ColumnFamily) -> Result<&rocksdb::ColumnFamily, StateError> {
        let missing = || StateError::Disk(format!("column family {cf} is missing"));
        self.db.cf_handle(cf.name()).ok_or_else(missing)
    }

    fn walk(&self, cf: ColumnFamily, options: ReadOptions) -> Result<DBRawIterator<'_>, StateError> {
        Ok(self.db.raw_iterator_cf_opt(self.family(cf)?, options))
    }
}

/// The block cache, in as many parts as its settings say unless they would be too small.
fn cache(config: &StoreConfig) -> Cache {
    let capacity = config.size("storage.block-cache.capacity");
    let mut bits = config.int("storage.block-cache.num-shard-bits").clamp(0, 19) as i32;
    while bits > 0 && capacity >> bits < LEAST_SHARD {
        bits -= 1;
    }
    let mut options = LruCacheOptions::default();
    options.set_capacity(usize::try_from(capacity).unwrap_or(usize::MAX));
    options.set_num_shard_bits(bits);
    Cache::new_lru_cache_opts(&options)
}

fn bounded(from: &[u8], until: &[u8]) -> ReadOptions {
    let mut options = ReadOptions::default();
    options.set_iterate_lower_bound(from);
    if !until.is_empty() {
        options.set_iterate_upper_bound(until);
    }
    options
}

impl StateStore for RocksState {
    fn get(&self, cf: ColumnFamily, key: &[u8]) -> Result<Option<Bytes>, StateError> {
        let found = self.db.get_pinned_cf_opt(self.family(cf)?, key, &self.read).map_err(sort)?;
        Ok(found.map(|value| Bytes::copy_from_slice(&value)))
    }

    fn scan(&self, scan: &KeyScan) -> Result<Vec<(Bytes, Bytes)>, StateError> {
        if !scan.until.is_empty() && scan.from >= scan.until {
            return Ok(Vec::new());
        }
        let mut walk = self.walk(scan.cf, bounded(&scan.from, &scan.until))?;
        if scan.reverse {
            walk.seek_to_last()
        } else {
            walk.seek_to_first()
        }
        // One buffer for the whole answer: pairs are slices of it.
        let (mut buffer, mut lengths) = (Vec::new(), Vec::new());
        while lengths.len() < scan.limit
            && let Some((key, value)) = walk.item()
        {
            let value = if scan.keys_only { &[] } else { value };
            buffer.extend_from_slice(key);
            buffer.extend_from_slice(value);
            lengths.push((key.len(), value.len()));
            if scan.reverse { walk.prev() } else { walk.next() }
        }
        walk.status().map_err(sort)?;
        let mut rest = Bytes::from(buffer);
        Ok(lengths.into_iter().map(|(key, value)| (rest.split_to(key), rest.split_to(value))).collect())
    }

    fn write(&self, changes: &[StateChange]) -> Result<(), StateError> {
        let families = [
            self.family(ColumnFamily::Default)?,
            self.family(ColumnFamily::Lock)?,
            self.family(ColumnFamily::Write)?,
            self.family(ColumnFamily::Raft)?,
        ];
        let family = |cf: ColumnFamily| match cf {
            ColumnFamily::Default => families[0],
            ColumnFamily::Lock => families[1],
            ColumnFamily::Write => families[2],
            ColumnFamily::Raft => families[3],
        };
        let bytes = changes.iter().map(|change| match change {
            StateChange::Put(_, key, value) => key.len() + value.len() + 16,
            StateChange::Delete(_, key) => key.len() + 16,
            StateChange::DeleteRange(_, from, until) => from.len() + until.len() + 16,
        });
        let mut batch = WriteBatch::with_capacity_bytes(bytes.sum());
        for change in changes {
            match change {
                StateChange::Put(cf, key, value) => batch.put_cf(family(*cf), key, value),
                StateChange::Delete(cf, key) => batch.delete_cf(family(*cf), key),
                StateChange::DeleteRange(cf, from, until) if until.is_empty() => {
                    batch.delete_range_cf(family(*cf), &from[..], &END[..]);
                }
                // RocksDB takes an empty range for a fault.
                StateChange::DeleteRange(_, from, until) if from >= until => {}
                StateChange::DeleteRange(cf, from, until) => batch.delete_range_cf(family(*cf), from, until),
            }
        }
        self.db.write_opt(batch, &self.write).map_err(sort)
    }

    fn sync(&self) -> Result<(), StateError> {
        self.db.flush_wal(true).map_err(sort)
    }

    fn export(
        &self,
        ranges: &[(ColumnFamily, Bytes, Bytes)],
        each: &mut dyn FnMut(ColumnFamily, Bytes, Bytes) -> Result<(), StateError>,
    ) -> Result<(), StateError> {
        let view = self.db.snapshot();
        for (cf, from, until) in ranges {
            if !until.is_empty() && from >= until {
                continue;
            }
            let mut options = bounded(from, until);
            options.set_snapshot(&view);
            options.fill_cache(false);
            let mut walk = self.walk(*cf, options)?;
            walk.seek_to_first();
            while let Some((key, value)) = walk.item() {
                each(*cf, Bytes::copy_from_slice(key), Bytes::copy_from_slice(value))?;
                walk.next();
            }
            walk.status().map_err(sort)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
