//! What the threads of a node know of its disks: that one failed, how full they are.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicUsize, Ordering};

use parking_lot::{Mutex, RwLock};
use proto::metapb::Region;
use proto::raft_serverpb::DiskUsage;

/// Why the node has stepped down for good, once it has.
#[derive(Default)]
pub(crate) struct Broken {
    is: AtomicBool,
    why: Mutex<Option<String>>,
}

impl Broken {
    /// From now on. The first reason stays, and goes to stderr.
    pub(crate) fn set(&self, why: &str) {
        let mut stored = self.why.lock();
        if stored.is_none() {
            textfile::log_line(format_args!("{why}: stepping down"));
            *stored = Some(why.to_owned());
        }
        drop(stored);
        self.is.store(true, Ordering::SeqCst);
    }

    /// Whether it has.
    pub(crate) fn is(&self) -> bool {
        self.is.load(Ordering::SeqCst)
    }

    /// Why it has.
    pub(crate) fn why(&self) -> Option<String> {
        self.why.lock().clone()
    }
}

/// How full the disks of this node are, and those of other nodes as they say.
pub(crate) struct Disks {
    told: AtomicI32,
    /// A write failed for lack of room, and has not been done yet.
    refused: AtomicBool,
    /// Threads with a write of the state for which there is no room.
    waiting: AtomicUsize,
    pub(crate) reason: RwLock<String>,
    pub(crate) others: HashMap<u64, AtomicI32>,
}

impl Disks {
    /// All have room, as far as is known.
    pub(crate) fn new<'a>(regions: impl Iterator<Item = &'a Region>) -> Self {
        let stores = regions.flat_map(|region| region.peers.iter().map(|peer| peer.store_id));
        Self {
            told: AtomicI32::new(0),
            refused: AtomicBool::new(false),
            waiting: AtomicUsize::new(0),
            reason: RwLock::default(),
            others: stores.map(|store| (store, AtomicI32::new(0))).collect(),
        }
    }

    /// What whoever watches the disks says.
    pub(crate) fn set(&self, usage: DiskUsage, reason: String) {
        *self.reason.write() = reason;
        self.told.store(usage as i32, Ordering::Relaxed);
    }

    /// A write failed for lack of room; it is tried again.
    pub(crate) fn refuse(&self, reason: String) {
        if !self.refused.swap(true, Ordering::Relaxed) {
            textfile::log_line(format_args!("{reason}: writes are refused until there is room"));
            *self.reason.write() = reason;
        }
    }

    /// The write that failed is done.
    pub(crate) fn accept(&self) {
        self.refused.store(false, Ordering::Relaxed);
    }

    /// A thread waits for room for a write of the state, until what it gets is dropped.
    pub(crate) fn wait_for_room(&self) -> Waiting<'_> {
        self.waiting.fetch_add(1, Ordering::SeqCst);
        Waiting(&self.waiting)
    }

    /// Whether the state has no room for what is to be written to it.
    pub(crate) fn state_waits(&self) -> bool {
        self.waiting.load(Ordering::SeqCst) > 0
    }

    /// What other nodes are told.
    pub(crate) fn usage(&self) -> i32 {
        match self.refused.load(Ordering::Relaxed) {
            true => DiskUsage::AlreadyFull as i32,
            false => self.told.load(Ordering::Relaxed),
        }
    }

    /// Whether this node has no room for writes.
    pub(crate) fn full(&self) -> bool {
        self.usage() == DiskUsage::AlreadyFull as i32
    }

    /// What another node says.
    pub(crate) fn hear(&self, store: u64, usage: i32) {
        if let Some(known) = self.others.get(&store) {
            known.store(usage, Ordering::Relaxed);
        }
    }
}

/// A thread that waits for room.
pub(crate) struct Waiting<'a>(&'a AtomicUsize);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}
