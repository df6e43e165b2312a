//! Pieces that come in go to a file, for raft decides only when all are there whether it wants them.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use raft::eraftpb::Message;

use super::format::{self, Piece};
use crate::messages::ToShard;
use crate::node::Node;
use crate::replica::Replica;
use crate::{Refusal, metrics, refusals};

static COUNT: AtomicU64 = AtomicU64::new(0);

/// Takes the pieces of a snapshot, as they were sent; dropped before [`SnapshotSink::finish`], it leaves nothing behind.
pub struct SnapshotSink {
    node: Arc<Node>,
    replica: Arc<Replica>,
    message: Message,
    name: String,
    part: PathBuf,
    file: File,
    pairs: u64,
    complete: bool,
    finished: bool,
}

impl SnapshotSink {
    pub(crate) fn new(node: Arc<Node>, replica: Arc<Replica>, message: Message) -> Result<Self, Refusal> {
        if node.disks.full() {
            return Err(refusals::disk_full(vec![node.store_id], "no room for a snapshot"));
        }
        let about = message.get_snapshot().get_metadata();
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("{}-{}-{}-{number}.snap", replica.region.id, about.term, about.index);
        let part = node.snapshot_dir.join(format!("{name}.part"));
        let file = File::create(&part).map_err(|error| failed(&error))?;
        Ok(Self { node, replica, message, name, part, file, pairs: 0, complete: false, finished: false })
    }

    /// The next piece. Writes to a file: it may block.
    ///
    /// # Errors
    /// When the piece is damaged, or the disk fails or is full.
    pub fn write(&mut self, piece: Bytes) -> Result<(), Refusal> {
        match format::read(&piece) {
            Some(Piece::Pairs(pairs)) if !self.complete => self.pairs += pairs.len() as u64,
            Some(Piece::End(count)) if count == self.pairs => self.complete = true,
            _ => return Err(refusals::busy("a piece of the snapshot is missing or damaged")),
        }
        self.file.write_all(&piece).map_err(|error| failed(&error))
    }

    /// All pieces are there: the replica may use them. Syncs a file: it blocks.
    ///
    /// # Errors
    /// When pieces are missing, or the disk fails.
    pub fn finish(mut self) -> Result<(), Refusal> {
        let kept = if self.complete {
            self.keep().map_err(|error| failed(&error))
        } else {
            Err(refusals::busy("the end of the snapshot is missing"))
        };
        metrics::snapshot("receive", kept.is_ok());
        kept?;
        self.finished = true;
        let mut message = std::mem::take(&mut self.message);
        message.mut_snapshot().data = Bytes::from(std::mem::take(&mut self.name));
        let place = self.replica.place;
        let told = self.node.shards.send(place, ToShard::Step(vec![(place, message)]));
        told.then_some(()).ok_or_else(|| refusals::busy("the node is stopping"))
    }

    /// From here on the file survives a power cut: raft acknowledges what is in it.
    fn keep(&mut self) -> io::Result<()> {
        self.file.sync_all()?;
        fs::rename(&self.part, self.node.snapshot_dir.join(&self.name))?;
        File::open(&self.node.snapshot_dir)?.sync_all()
    }
}

impl Drop for SnapshotSink {
    fn drop(&mut self) {
        if !self.finished {
            let _ = fs::remove_file(&self.part);
        }
    }
}

fn failed(error: &io::Error) -> Refusal {
    refusals::busy(&format!("the snapshot cannot be stored: {error}"))
}
