//! What is looked after each second: room on the disks, threads' counters, a disk that failed.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use proto::raft_serverpb::DiskUsage;
use raftstore::RaftRouter;

use super::NodeError;
use crate::metrics::Metrics;
use crate::space::NodeSpace;

const EVERY: Duration = Duration::from_secs(1);

/// The thread that looks; it ends when this is dropped.
pub(super) struct Watch {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Watch {
    pub(super) fn start(router: RaftRouter, space: Arc<NodeSpace>, metrics: Arc<Metrics>) -> Result<Self, NodeError> {
        let (stop, stopped) = channel();
        let look = move || {
            let mut full = None;
            loop {
                let now = space.full();
                if now != full {
                    announce(&router, now.as_ref(), full.is_some());
                    full = now;
                }
                metrics.tick();
                if stopped.recv_timeout(EVERY) != Err(RecvTimeoutError::Timeout) {
                    return;
                }
            }
        };
        let thread = thread::Builder::new().name("watch".to_owned()).spawn(look);
        let thread = thread.map_err(NodeError::system("start a thread"))?;
        Ok(Self { stop: Some(stop), thread: Some(thread) })
    }
}

/// Tells raft, and people when it begins and ends; in between the reason changes with every byte.
fn announce(router: &RaftRouter, full: Option<&String>, was_full: bool) {
    match full {
        Some(reason) => {
            if !was_full {
                textfile::log_line(format_args!("diskwright-store: {reason}: refusing writes"));
            }
            router.set_disk_usage(DiskUsage::AlreadyFull, reason.clone());
        }
        None => {
            textfile::log_line("diskwright-store: there is room again: taking writes");
            router.set_disk_usage(DiskUsage::Normal, String::new());
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
