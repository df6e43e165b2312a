//! The threads of a pool, as many as are wanted: when their number changes, old ones finish what they were told and hand over
//! what they have, while what comes waits for the new ones.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, bounded, unbounded};

use crate::RaftstoreError;
use crate::lanes::Lanes;
use crate::node::{Node, spawn};

/// A thread that waits for a broken disk is left behind after this long.
const PATIENCE: Duration = Duration::from_secs(2);

/// What a thread of a crew does.
pub(crate) trait Hand: Send + Sized + 'static {
    /// What it is told.
    type Told: Send + 'static;
    /// What it hands over.
    type Kept: Send + 'static;
    /// The pool's name; a thread's has its number, too.
    const POOL: &'static str;

    /// Works until told to stop, and does all that it was told before.
    fn run(self, work: &Receiver<Self::Told>) -> Self::Kept;

    /// Tells it to stop.
    fn stop() -> Self::Told;

    /// Where a node has the queues of the pool.
    fn lanes(node: &Node) -> &Lanes<Self::Told>;
}

/// The threads of a pool.
pub(crate) struct Crew<H: Hand> {
    node: Arc<Node>,
    /// None within: a thread that was never given its work.
    threads: Vec<JoinHandle<Option<Option<H::Kept>>>>,
}

impl<H: Hand> Crew<H> {
    /// None yet.
    pub(crate) fn new(node: &Arc<Node>) -> Self {
        Self { node: Arc::clone(node), threads: Vec::new() }
    }

    /// Threads of it.
    pub(crate) fn size(&self) -> usize {
        self.threads.len()
    }

    /// From now on it has so many threads; `hands` makes them of what the old ones had. Waits for what those were told. Of a
    /// broken node some may be missing, and nothing is told to the others any more.
    ///
    /// # Errors
    /// When the system refuses a thread; then nothing is changed.
    pub(crate) fn resize(
        &mut self,
        threads: usize,
        hands: impl FnOnce(Vec<H::Kept>) -> Vec<H>,
    ) -> Result<(), RaftstoreError> {
        let mut lanes = Vec::new();
        let mut doors = Vec::new();
        let mut new = Vec::new();
        for number in 0..threads {
            let (lane, work) = unbounded();
            let (door, hand) = bounded::<H>(1);
            // It waits for what it begins with: once old threads have been told to stop, nothing may fail.
            let run = move || hand.recv().ok().map(|hand| hand.run(&work));
            new.push(spawn(&self.node, &format!("{}-{number}", H::POOL), run)?);
            lanes.push(lane);
            doors.push(door);
        }
        for lane in H::lanes(&self.node).replace(lanes) {
            let _ = lane.send(H::stop());
        }
        let old = std::mem::replace(&mut self.threads, new);
        let kept = join(&self.node, old).into_iter().flatten().collect();
        for (door, hand) in doors.into_iter().zip(hands(kept)) {
            let _ = door.send(hand);
        }
        Ok(())
    }
}

/// It ends once all that it was told is done.
impl<H: Hand> Drop for Crew<H> {
    fn drop(&mut self) {
        for lane in H::lanes(&self.node).replace(Vec::new()) {
            let _ = lane.send(H::stop());
        }
        join(&self.node, std::mem::take(&mut self.threads));
    }
}

/// What threads leave that were told to end. Those of a broken node may wait for its disk for ever, and are left.
pub(crate) fn join<K>(node: &Node, threads: Vec<JoinHandle<Option<K>>>) -> Vec<K> {
    let begun = Instant::now();
    let mut left = Vec::new();
    for thread in threads {
        while node.broken.is() && !thread.is_finished() && begun.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(1));
        }
        if !node.broken.is() || thread.is_finished() {
            left.extend(thread.join().ok().flatten());
        }
    }
    left
}
