//! The threads that write the log: everything that waits goes in one batch, with one sync.

use std::sync::Arc;
use std::time::Duration;

use crossbeam_channel::Receiver;
use raft_engine::LogBatch;

use crate::crew::Hand;
use crate::lanes::Lanes;
use crate::log::{self, Engine, Entries, failure};
use crate::messages::{ToShard, ToWriter, WriteTask, Written};
use crate::node::Node;
use crate::out::Mail;
use crate::{RaftTransport, clock, metrics};

/// A log without room is tried again after this long.
const RETRY: Duration = Duration::from_millis(100);

/// Writes the log.
pub(crate) struct Writer {
    node: Arc<Node>,
    engine: Arc<Engine>,
    transport: Arc<dyn RaftTransport>,
    batch: LogBatch,
    mail: Mail,
}

impl Writer {
    /// Of this log.
    pub(crate) fn new(node: Arc<Node>, engine: Arc<Engine>, transport: Arc<dyn RaftTransport>) -> Self {
        Self { node, engine, transport, batch: LogBatch::default(), mail: Mail::default() }
    }

    /// Writes tasks, then sends their messages, and says what was written. Of a broken node nothing leaves.
    pub(crate) fn write(&mut self, tasks: &mut Vec<WriteTask>) -> Vec<Written> {
        if let Some(oldest) = tasks.first() {
            metrics::WRITE_TASK_WAIT.observe(clock::seconds_since(oldest.at));
        }
        if !self.persist(tasks) {
            tasks.clear();
            return Vec::new();
        }
        let mut written = Vec::with_capacity(tasks.len());
        for task in tasks.drain(..) {
            for (store, message) in task.messages {
                self.mail.push(store, message);
            }
            written.push((task.place, task.number));
        }
        let begun = clock::now();
        self.mail.send(&*self.transport);
        metrics::WRITE_SEND.observe(clock::seconds_since(begun));
        written
    }

    fn persist(&mut self, tasks: &[WriteTask]) -> bool {
        let sync = tasks.iter().any(WriteTask::must_sync);
        let mut waited = false;
        loop {
            if self.node.broken.is() {
                return false;
            }
            if !sync {
                return true;
            }
            let begun = clock::now();
            // raft-engine ends with a panic what it cannot go on after; the node can still say why.
            let attempt = std::panic::AssertUnwindSafe(|| self.attempt(tasks));
            let outcome = std::panic::catch_unwind(attempt)
                .unwrap_or_else(|_| Err(raft_engine::Error::Corruption("it gave up, see above".to_owned())));
            metrics::APPEND_LOG.observe(clock::seconds_since(begun));
            if self.node.broken.is() {
                // A sync failed under the engine.
                let why = self.node.broken.why().unwrap_or_default();
                self.node.break_down(&why);
                return false;
            }
            match outcome {
                Ok(()) => {
                    if waited {
                        self.node.disks.accept();
                    }
                    return true;
                }
                Err(raft_engine::Error::Io(error)) if error.kind() == std::io::ErrorKind::StorageFull => {
                    waited = true;
                    self.node.disks.refuse(format!("raft disk full: {error}"));
                    if self.node.stopping() {
                        return false;
                    }
                    std::thread::sleep(RETRY);
                }
                Err(raft_engine::Error::Io(error)) => self.node.break_down(&failure(&error)),
                Err(error) => self.node.break_down(&format!("raft log: {error}")),
            }
        }
    }

    fn attempt(&mut self, tasks: &[WriteTask]) -> raft_engine::Result<()> {
        // A batch that failed cannot be written again.
        let mut batch = std::mem::take(&mut self.batch);
        for task in tasks {
            if let Some(restart) = &task.restart {
                log::put_restart(&mut batch, task.region_id, restart)?;
            }
            batch.add_entries::<Entries>(task.region_id, &task.entries)?;
            if let Some(hard) = &task.hard {
                log::put_hard_state(&mut batch, task.region_id, hard)?;
            }
        }
        let begun = clock::now();
        self.engine.write(&mut batch, true)?;
        metrics::WRITE_LOG.observe(clock::seconds_since(begun));
        self.batch = batch;
        Ok(())
    }
}

impl Hand for Writer {
    type Told = ToWriter;
    type Kept = ();
    const POOL: &'static str = "store-writer";

    fn run(mut self, work: &Receiver<ToWriter>) {
        let mut tasks = Vec::new();
        while let Ok(first) = work.recv() {
            let begun = clock::now();
            let mut size = 0;
            let mut next = Some(first);
            let mut stop = false;
            while let Some(told) = next.take() {
                match told {
                    ToWriter::Stop => stop = true,
                    ToWriter::Tasks(more) => {
                        size += more.iter().map(WriteTask::size).sum::<u64>();
                        tasks.extend(more);
                    }
                }
                if !stop && size < self.node.online.read().write_size_limit {
                    next = work.try_recv().ok();
                }
            }
            let written = self.write(&mut tasks);
            let told = clock::now();
            self.node.shards.deal(written, |(place, _)| *place, ToShard::Persisted);
            metrics::WRITE_CALLBACK.observe(clock::seconds_since(told));
            metrics::WRITE_LOOP.observe(clock::seconds_since(begun));
            if stop {
                return;
            }
        }
    }

    fn stop() -> ToWriter {
        ToWriter::Stop
    }

    fn lanes(node: &Node) -> &Lanes<ToWriter> {
        &node.writers
    }
}
