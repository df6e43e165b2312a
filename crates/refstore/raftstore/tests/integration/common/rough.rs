//! A network that loses, doubles, delays and reorders.

use std::collections::BinaryHeap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use crossbeam_channel::{RecvTimeoutError, Sender};
use parking_lot::Mutex;
use proto::raft_serverpb::RaftMessage;
use raftstore::RaftTransport;

/// Numbers that look random and are the same for the same seed.
pub(crate) struct Dice(Mutex<u64>);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Mutex::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1))
    }

    pub(crate) fn roll(&self, sides: u64) -> u64 {
        let mut state = self.0.lock();
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        (*state >> 11) % sides
    }
}

pub(crate) struct Late {
    at: Instant,
    to: u64,
    message: RaftMessage,
    through: Arc<dyn RaftTransport>,
}

impl PartialEq for Late {
    fn eq(&self, other: &Self) -> bool {
        self.at == other.at
    }
}

impl Eq for Late {}

impl PartialOrd for Late {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Late {
    /// The earliest is the greatest.
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        other.at.cmp(&self.at)
    }
}

/// A network that cannot be relied on while it is rough.
pub(crate) struct Rough {
    pub(crate) inner: Arc<dyn RaftTransport>,
    pub(crate) dice: Arc<Dice>,
    pub(crate) late: Sender<Late>,
    pub(crate) rough: Arc<AtomicBool>,
}

impl RaftTransport for Rough {
    fn send(&self, to: u64, messages: Vec<RaftMessage>) {
        if !self.rough.load(Ordering::Relaxed) {
            return self.inner.send(to, messages);
        }
        for message in messages {
            let delay = Duration::from_micros(self.dice.roll(30_000));
            let late = |message| Late { at: Instant::now() + delay, to, message, through: Arc::clone(&self.inner) };
            match self.dice.roll(100) {
                0..5 => {}
                5..10 => {
                    let _ = self.late.send(late(message.clone()));
                    self.inner.send(to, vec![message]);
                }
                10..25 => {
                    let _ = self.late.send(late(message));
                }
                _ => self.inner.send(to, vec![message]),
            }
        }
    }

    fn send_snapshot(&self, to: u64, message: RaftMessage, pieces: &mut dyn Iterator<Item = Bytes>) -> bool {
        let breaks = self.rough.load(Ordering::Relaxed) && self.dice.roll(4) == 0;
        let most = if breaks { 1 } else { usize::MAX };
        self.inner.send_snapshot(to, message, &mut pieces.take(most))
    }
}

pub(crate) fn deliver_late(late: &crossbeam_channel::Receiver<Late>) {
    let mut heap: BinaryHeap<Late> = BinaryHeap::new();
    loop {
        let wait = heap.peek().map_or(Duration::from_secs(1), |next| next.at.saturating_duration_since(Instant::now()));
        match late.recv_timeout(wait) {
            Ok(message) => heap.push(message),
            Err(RecvTimeoutError::Timeout) => {
                if let Some(next) = heap.pop() {
                    next.through.send(next.to, vec![next.message]);
                }
            }
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}
