//! The threads that carry out committed entries: one write of the state for many entries of many regions.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use bytes::Bytes;
use crossbeam_channel::Receiver;
use raft::eraftpb::Entry;

use crate::answer::Answer;
use crate::applied::{Position, Progress, Restart};
use crate::crew::Hand;
use crate::entry::{self, Order, Step};
use crate::lanes::Lanes;
use crate::messages::{Apply, Outcome, Owed, ToApply, ToShard, Work};
use crate::node::Node;
use crate::persist::persist;
use crate::replica::Replica;
use crate::{ApplyResult, ColumnFamily, StateChange, StateError, StateStore, clock, metrics, snapshot};

/// Bytes of entries that go in one write of the state, roughly.
const BATCH_BYTES: usize = 1 << 20;
/// An apply thread.
pub(crate) struct Applier {
    node: Arc<Node>,
    state: Arc<dyn StateStore>,
    progress: HashMap<u64, Progress>,
    changes: Vec<StateChange>,
    answers: Vec<(Answer<ApplyResult>, ApplyResult)>,
    /// Replicas that the changes are of, with whether their logs may begin later.
    touched: Vec<(Arc<Replica>, bool)>,
    bytes: usize,
}

impl Applier {
    /// Begins where its replicas are.
    pub(crate) fn new(node: Arc<Node>, state: Arc<dyn StateStore>, progress: HashMap<u64, Progress>) -> Self {
        let (changes, answers, touched) = Default::default();
        Self { node, state, progress, changes, answers, touched, bytes: 0 }
    }

    fn take(&mut self, task: Apply) {
        metrics::APPLY_WAIT.observe(clock::seconds_since(task.at));
        match task.work {
            Work::Entries(entries, owed) => self.take_entries(&task.replica, &entries, owed),
            Work::Install(restart) => {
                self.write();
                self.install(&task.replica, &restart);
            }
        }
    }

    fn take_entries(&mut self, replica: &Arc<Replica>, entries: &[Entry], owed: Vec<Owed>) {
        let region_id = replica.region.id;
        let mut progress = self.progress.get(&region_id).copied().unwrap_or(Progress::NEW);
        let mut owed = owed.into_iter().peekable();
        let (before, mut bytes, mut truncated) = (self.changes.len(), 0, false);
        for entry in entries {
            let owed = owed.next_if(|owed| owed.index == entry.index);
            let answers = owed.map(|owed| owed.answers).unwrap_or_default();
            bytes += entry.data.len();
            match entry::read(&entry.data) {
                Some(Order::Nothing) => {}
                Some(Order::Compact(index, term)) => {
                    let until = Position { index, term };
                    if until > progress.truncated && index <= entry.index {
                        progress.truncated = until;
                        truncated = true;
                    }
                }
                Some(Order::Commands(commands)) => self.take_commands(commands, answers, region_id, entry.index),
                None => self.damaged(region_id, entry.index),
            }
            if self.node.broken.is() {
                return;
            }
            progress.applied = Position { index: entry.index, term: entry.term };
        }
        self.bytes += bytes;
        replica.bytes_written.fetch_add(bytes as u64, Ordering::Relaxed);
        replica.keys_written.fetch_add((self.changes.len() - before) as u64, Ordering::Relaxed);
        self.progress.insert(region_id, progress);
        match self.touched.iter_mut().find(|(other, _)| Arc::ptr_eq(other, replica)) {
            Some((_, any)) => *any |= truncated,
            None => self.touched.push((Arc::clone(replica), truncated)),
        }
    }

    fn damaged(&self, region_id: u64, index: u64) {
        self.node.break_down(&format!("raft log: entry {index} of region {region_id} is damaged"));
    }

    fn take_commands(
        &mut self,
        mut commands: entry::Commands,
        answers: Vec<Answer<ApplyResult>>,
        region_id: u64,
        index: u64,
    ) {
        let mut answers = answers.into_iter();
        while !commands.is_done() {
            let outcome = match commands.next(&mut self.changes) {
                None => return self.damaged(region_id, index),
                Some(Step::Written) => ApplyResult::Done,
                Some(Step::CompareAndSwap { key, expected, value }) => match self.value(&key) {
                    Ok(previous) => {
                        let succeeded = previous == expected;
                        if succeeded {
                            self.changes.push(StateChange::Put(ColumnFamily::Default, key, value));
                        }
                        ApplyResult::Swapped { succeeded, previous }
                    }
                    Err(error) => return self.node.break_down(&error.to_string()),
                },
            };
            if let Some(answer) = answers.next() {
                self.answers.push((answer, outcome));
            }
        }
    }

    /// The value that a key has once the changes at hand are made.
    fn value(&self, key: &Bytes) -> Result<Option<Bytes>, StateError> {
        for change in self.changes.iter().rev() {
            match change {
                StateChange::Put(ColumnFamily::Default, put, value) if put == key => return Ok(Some(value.clone())),
                StateChange::Delete(ColumnFamily::Default, gone) if gone == key => return Ok(None),
                StateChange::DeleteRange(ColumnFamily::Default, from, until)
                    if from <= key && (until.is_empty() || key < until) =>
                {
                    return Ok(None);
                }
                _ => {}
            }
        }
        self.state.get(ColumnFamily::Default, key)
    }

    /// Makes the changes, then answers.
    fn write(&mut self) {
        self.bytes = 0;
        if self.touched.is_empty() {
            return;
        }
        for (replica, _) in &self.touched {
            let region_id = replica.region.id;
            self.changes.extend(self.progress.get(&region_id).map(|progress| progress.change(region_id)));
        }
        let begun = clock::now();
        let written = !self.node.broken.is() && persist(&self.node, || self.write_once());
        metrics::APPLY_LOG.observe(clock::seconds_since(begun));
        self.changes.clear();
        if !written {
            self.answers.clear();
            self.touched.clear();
            return;
        }
        let mut outcomes = Vec::new();
        for (replica, truncated) in self.touched.drain(..) {
            let Some(&progress) = self.progress.get(&replica.region.id) else { continue };
            replica.applied.store(progress.applied.index, Ordering::Release);
            outcomes.push(Outcome { place: replica.place, progress, installed: false, truncated });
        }
        for (answer, outcome) in self.answers.drain(..) {
            answer.give(Ok(outcome));
        }
        self.node.shards.deal(outcomes, |outcome| outcome.place, ToShard::Applied);
    }

    /// Tells how far reads may see before they can; a write for which there is no room shows nothing.
    fn write_once(&self) -> Result<(), StateError> {
        for (replica, _) in &self.touched {
            if let Some(progress) = self.progress.get(&replica.region.id) {
                replica.shown.store(progress.applied.index, Ordering::Release);
            }
        }
        let written = self.state.write(&self.changes);
        if matches!(written, Err(StateError::Full(_))) {
            for (replica, _) in &self.touched {
                replica.shown.store(replica.applied.load(Ordering::Relaxed), Ordering::Release);
            }
        }
        written
    }

    fn install(&mut self, replica: &Arc<Replica>, restart: &Restart) {
        let begun = clock::now();
        self.node.wipes.fetch_add(1, Ordering::SeqCst);
        let installed = snapshot::install(&self.node, &*self.state, replica, restart);
        metrics::snapshot("apply", installed.is_ok());
        metrics::SNAPSHOT_INSTALLED.observe(clock::seconds_since(begun));
        match installed {
            Ok(progress) => {
                self.progress.insert(replica.region.id, progress);
                replica.shown.store(progress.applied.index, Ordering::Release);
                replica.applied.store(progress.applied.index, Ordering::Release);
                let place = replica.place;
                let outcome = Outcome { place, progress, installed: true, truncated: false };
                self.node.shards.send(place, ToShard::Applied(vec![outcome]));
            }
            Err(_) if self.node.stopping() => {}
            Err(error) => self.node.break_down(&error.to_string()),
        }
    }
}

impl Hand for Applier {
    type Told = ToApply;
    /// How far its replicas are.
    type Kept = HashMap<u64, Progress>;
    const POOL: &'static str = "apply";

    fn run(mut self, work: &Receiver<ToApply>) -> Self::Kept {
        while let Ok(first) = work.recv() {
            let begun = clock::now();
            let mut next = Some(first);
            let mut stop = false;
            while let Some(told) = next.take() {
                match told {
                    ToApply::Stop => stop = true,
                    ToApply::Tasks(tasks) => {
                        for task in tasks {
                            // What is dropped answers that its fate is unknown.
                            if !self.node.broken.is() {
                                self.take(task);
                            }
                        }
                        if self.bytes >= BATCH_BYTES {
                            self.write();
                        }
                        next = work.try_recv().ok();
                    }
                }
            }
            self.write();
            metrics::APPLY_LOOP.observe(clock::seconds_since(begun));
            if stop {
                break;
            }
        }
        self.progress
    }

    fn stop() -> ToApply {
        ToApply::Stop
    }

    fn lanes(node: &Node) -> &Lanes<ToApply> {
        &node.appliers
    }
}
