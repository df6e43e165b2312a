//! A state in memory that forgets, when told, what was not synced.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::time::Duration;

use bytes::Bytes;
use parking_lot::RwLock;

use crate::{ColumnFamily, KeyScan, StateChange, StateError, StateStore};

type Map = BTreeMap<Bytes, Bytes>;

#[derive(Default)]
struct Inner {
    now: [Map; 4],
    synced: [Map; 4],
    /// What happened since the last sync.
    unsynced: Vec<StateChange>,
    failure: Option<StateError>,
    linger: Duration,
}

/// A state in memory.
#[derive(Default)]
pub struct MemoryState {
    inner: RwLock<Inner>,
}

impl MemoryState {
    /// An empty one.
    pub fn new() -> Self {
        Self::default()
    }

    /// The power fails: what was written since the last sync is gone.
    pub fn power_cut(&self) {
        let inner = &mut *self.inner.write();
        inner.now = inner.synced.clone();
        inner.unsynced.clear();
    }

    /// Every write and sync fails with this from now on, until it is none.
    pub fn fail(&self, with: Option<StateError>) {
        self.inner.write().failure = with;
    }

    /// Every write takes so much longer to return, though reads show it: whoever wrote it is kept from its processor.
    pub fn linger(&self, after: Duration) {
        self.inner.write().linger = after;
    }
}

fn make(maps: &mut [Map; 4], change: &StateChange) {
    match change {
        StateChange::Put(cf, key, value) => {
            maps[*cf as usize].insert(key.clone(), value.clone());
        }
        StateChange::Delete(cf, key) => {
            maps[*cf as usize].remove(key);
        }
        StateChange::DeleteRange(cf, from, until) => {
            let map = &mut maps[*cf as usize];
            let gone: Vec<Bytes> = between(map, from, until).map(|(key, _)| key.clone()).collect();
            for key in gone {
                map.remove(&key);
            }
        }
    }
}

fn between<'a>(map: &'a Map, from: &Bytes, until: &Bytes) -> std::collections::btree_map::Range<'a, Bytes, Bytes> {
    // A range that ends before it begins is an empty one, not a mistake.
    let until = match until {
        until if until.is_empty() => Bound::Unbounded,
        until => Bound::Excluded(until.max(from)),
    };
    // An excluded end may not equal an excluded start, but may an included one.
    map.range::<Bytes, _>((Bound::Included(from), until))
}

impl StateStore for MemoryState {
    fn get(&self, cf: ColumnFamily, key: &[u8]) -> Result<Option<Bytes>, StateError> {
        Ok(self.inner.read().now[cf as usize].get(key).cloned())
    }

    fn scan(&self, scan: &KeyScan) -> Result<Vec<(Bytes, Bytes)>, StateError> {
        let inner = self.inner.read();
        let range = between(&inner.now[scan.cf as usize], &scan.from, &scan.until);
        let pair = |(key, value): (&Bytes, &Bytes)| {
            let value = if scan.keys_only { Bytes::new() } else { value.clone() };
            (key.clone(), value)
        };
        Ok(if scan.reverse {
            range.rev().take(scan.limit).map(pair).collect()
        } else {
            range.take(scan.limit).map(pair).collect()
        })
    }

    fn write(&self, changes: &[StateChange]) -> Result<(), StateError> {
        let mut guard = self.inner.write();
        let inner = &mut *guard;
        if let Some(failure) = &inner.failure {
            return Err(failure.clone());
        }
        for change in changes {
            make(&mut inner.now, change);
        }
        inner.unsynced.extend_from_slice(changes);
        let linger = inner.linger;
        drop(guard);
        if !linger.is_zero() {
            std::thread::sleep(linger);
        }
        Ok(())
    }

    fn sync(&self) -> Result<(), StateError> {
        let inner = &mut *self.inner.write();
        if let Some(failure) = &inner.failure {
            return Err(failure.clone());
        }
        for change in inner.unsynced.drain(..) {
            make(&mut inner.synced, &change);
        }
        Ok(())
    }

    fn export(
        &self,
        ranges: &[(ColumnFamily, Bytes, Bytes)],
        each: &mut dyn FnMut(ColumnFamily, Bytes, Bytes) -> Result<(), StateError>,
    ) -> Result<(), StateError> {
        // Copied under one lock, then handed out without it: whoever takes the pairs may write.
        let inner = self.inner.read();
        let mut pairs = Vec::new();
        for (cf, from, until) in ranges {
            pairs.extend(between(&inner.now[*cf as usize], from, until).map(|(k, v)| (*cf, k.clone(), v.clone())));
        }
        drop(inner);
        pairs.into_iter().try_for_each(|(cf, key, value)| each(cf, key, value))
    }
}
