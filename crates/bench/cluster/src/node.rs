//! A node of the cluster: a process on its own disks, which can be asked, changed, hurt and started again.

use std::fmt::Write;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use disk::DiskFault;
use jiff::Timestamp;
use metrics::NodeSample;
use mount::{CounterReading, MountError};
use nix::sys::signal::Signal;
use units::{Bytes, Nanos};

use crate::ClusterError;
use crate::base::ClusterBase;
use crate::cgroup::Group;
use crate::http::Http;
use crate::process::{self, Process, Ready};

/// A node of the cluster. All its methods may be called from any thread.
#[derive(Debug)]
pub struct ClusterNode {
    pub(crate) name: String,
    pub(crate) program: PathBuf,
    /// All but where to listen, which it keeps over restarts.
    pub(crate) arguments: Vec<String>,
    /// Its settings' file, and what it was given in it last.
    pub(crate) config: PathBuf,
    pub(crate) given: Mutex<String>,
    pub(crate) folder: PathBuf,
    pub(crate) data_dir: PathBuf,
    pub(crate) mounted: mount::MountedNode,
    pub(crate) disks: mount::DaemonClient,
    /// None while the node is down.
    pub(crate) process: Mutex<Option<Process>>,
    /// Where it serves, or served last.
    pub(crate) ready: Mutex<Ready>,
    pub(crate) group: Option<Group>,
    pub(crate) http: Http,
    pub(crate) base: std::sync::Arc<ClusterBase>,
}

/// How long a fault lasts that ends with [`Node::heal`]: longer than any run.
const UNTIL_HEALED: Nanos = Nanos::secs(7 * 24 * 3600);

impl ClusterNode {
    fn process(&self) -> MutexGuard<'_, Option<Process>> {
        // What it holds is true at any instant.
        self.process.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn served(&self) -> MutexGuard<'_, Ready> {
        self.ready.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// `n1`, `n2` ….
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its zone.
    pub fn zone(&self) -> Option<&str> {
        self.mounted.zone.as_deref()
    }

    /// Its process, while it runs.
    pub fn pid(&self) -> Option<i32> {
        self.process().as_mut().and_then(|process| process.is_running().then(|| process.pid()))
    }

    /// Where it serves gRPC, or did when it ran last.
    pub fn addr(&self) -> SocketAddr {
        self.served().addr
    }

    /// Where it serves `/config`, `/metrics` and `/status`, or did when it ran last.
    pub fn status_addr(&self) -> SocketAddr {
        self.served().status()
    }

    /// Where its data is.
    pub fn data_dir(&self) -> &Path {
        &self.data_dir
    }

    /// What it has said on its standard error.
    pub fn log(&self) -> PathBuf {
        self.folder.with_extension("log")
    }

    /// Its number at PD, once it has one.
    pub fn store_id(&self) -> Option<u64> {
        let text = std::fs::read_to_string(self.data_dir.join("store-id")).ok()?;
        // The number of the cluster follows.
        text.split_whitespace().next()?.parse().ok()
    }

    /// What its process takes of the memory now, page cache included; `None` without a limit.
    pub fn memory(&self) -> Option<Bytes> {
        self.group.as_ref().and_then(Group::used)
    }

    /// That its process has not ended by itself: one that was killed or stopped through this node has not.
    ///
    /// # Errors
    /// How it ended, with the end of its log.
    pub fn holds(&self) -> Result<(), ClusterError> {
        let Some(status) = self.process().as_mut().and_then(Process::ended) else { return Ok(()) };
        let what = match self.group.as_ref().and_then(Group::exceeded) {
            Some(limit) => format!(
                "was killed by the kernel, for it wanted more memory than the {limit} that it may take: give nodes more, or \
                 smaller caches and memtables"
            ),
            None => format!("ended by itself with {status}"),
        };
        Err(ClusterError::Program { name: self.name.clone(), what, said: process::tail(&self.log()) })
    }

    /// Starts its process without waiting for it.
    pub(crate) fn launch(&self) -> Result<(), ClusterError> {
        let mut process = self.process();
        if process.as_mut().is_some_and(Process::is_running) {
            return Err(ClusterError::Running { node: self.name.clone() });
        }
        let served = *self.served();
        let mut arguments = self.arguments.clone();
        arguments.extend(["--addr".to_owned(), served.addr.to_string()]);
        arguments.extend(["--status-addr".to_owned(), served.status().to_string()]);
        let door = self.group.as_ref().map(Group::door);
        let command = (self.program.as_path(), arguments.as_slice());
        *process = Some(self.base.launch(&self.name, command, door, &self.log())?);
        Ok(())
    }

    /// Waits until it serves; one that does not is killed.
    pub(crate) fn await_ready(&self) -> Result<(), ClusterError> {
        // Not under the lock: others may look at the node meanwhile, or kill it.
        let Some(mut starting) = self.process().as_mut().map(Process::starting) else {
            return Err(ClusterError::NotRunning { node: self.name.clone() });
        };
        match starting.ready(&self.base.options, &self.log()) {
            Ok(ready) => {
                *self.served() = ready;
                Ok(())
            }
            Err(error) => {
                self.kill9();
                Err(error)
            }
        }
    }

    /// Kills its process at once, as a crash would. Its disks, and what it had written to them, stay.
    pub fn kill9(&self) {
        // Not under the lock: a process that waits for a stalled disk ends only with the stall.
        let process = self.process().take();
        if let Some(mut process) = process {
            process.kill();
        }
    }

    /// Asks its process to end, and kills it if it does not within 10 s. Says how it ended, if not well, with the end of its
    /// log.
    pub fn stop(&self) -> Option<String> {
        let process = self.process().take();
        let said = process.and_then(|mut process| process.stop())?;
        Some(format!("{said}; its log ends with\n{}", process::tail(&self.log())))
    }

    /// Starts its process again and waits until it serves, where it did before if that port is still free.
    ///
    /// # Errors
    /// When it runs, or does not become ready; with the end of its log.
    pub fn restart(&self) -> Result<(), ClusterError> {
        let again = || self.launch().and_then(|()| self.await_ready());
        match again() {
            Err(ClusterError::Program { said, .. }) if said.contains("in use") => {
                *self.served() = Ready::ANY;
                again()
            }
            done => done,
        }
    }

    /// Tells it to end without waiting, so that several end at once.
    pub(crate) fn tell_to_stop(&self) {
        if let Some(process) = self.process().as_mut() {
            process.signal(Signal::SIGTERM);
        }
    }

    /// Stops its process in the midst of what it does, until [`resume`](Self::resume): a pause of the whole machine.
    pub fn pause(&self) {
        if let Some(process) = self.process().as_mut() {
            process.signal(Signal::SIGSTOP);
        }
    }

    /// Ends a [`pause`](Self::pause).
    pub fn resume(&self) {
        if let Some(process) = self.process().as_mut() {
            process.signal(Signal::SIGCONT);
        }
    }

    /// The names of its disks: `data`, and `raft` if the log has one of its own.
    pub fn disk_names(&self) -> impl Iterator<Item = &str> {
        self.mounted.disks.iter().map(|disk| disk.name.as_str())
    }

    /// The disk that its raft log is on.
    pub fn log_disk(&self) -> &str {
        self.disk_names().find(|name| *name == "raft").unwrap_or("data")
    }

    /// Lets something go wrong with a disk from now on, for a while.
    ///
    /// # Errors
    /// When it has no such disk.
    pub fn fault(&self, disk: &str, fault: DiskFault, lasts: Nanos) -> Result<(), ClusterError> {
        Ok(self.disks.fault(disk, fault, lasts)?)
    }

    /// Ends all faults of its disks.
    ///
    /// # Errors
    /// When their daemon does not answer.
    pub fn heal(&self) -> Result<(), ClusterError> {
        self.disk_names().try_for_each(|disk| Ok(self.disks.heal(disk)?))
    }

    /// Cuts its power and gives it back to the disks only: what was in flight is lost, the process is gone, the filesystems
    /// have replayed their journals. [`restart`](Self::restart) starts the process.
    ///
    /// # Errors
    /// When a disk cannot be attached again.
    pub fn power_cut(&self) -> Result<(), ClusterError> {
        // First the disks, so that the process sees it happen and nothing is written between the two.
        for disk in self.disk_names() {
            self.disks.fault(disk, DiskFault::PowerCut, UNTIL_HEALED)?;
        }
        self.kill9();
        self.disk_names().try_for_each(|disk| self.attach(disk))
    }

    /// Ends all faults of a disk and mounts it again, the process being down.
    fn attach(&self, disk: &str) -> Result<(), ClusterError> {
        /// A process that was killed leaves its files a moment later.
        const PATIENCE: Duration = Duration::from_secs(10);
        let from = Instant::now();
        loop {
            match self.disks.attach(disk) {
                Err(MountError::Busy { .. }) if from.elapsed() < PATIENCE => {
                    std::thread::sleep(Duration::from_millis(20));
                }
                done => return Ok(done.map(drop)?),
            }
        }
    }

    /// The daemon of its disks: credits, modifications, history.
    pub fn disk_client(&self) -> &mount::DaemonClient {
        &self.disks
    }

    /// What its disks counted until now.
    ///
    /// # Errors
    /// When their daemon does not answer.
    pub fn disks(&self) -> Result<NodeSample, ClusterError> {
        Ok(self.disks.sample()?)
    }

    /// The same with latencies.
    ///
    /// # Errors
    /// When their daemon does not answer.
    pub fn reading(&self) -> Result<CounterReading, ClusterError> {
        Ok(self.disks.reading()?)
    }

    /// The instant from which the times of its disks' samples count.
    pub fn disks_since(&self) -> Timestamp {
        self.mounted.started
    }

    /// The last lines of its log, for people.
    pub fn said(&self) -> String {
        let mut said = String::new();
        let _ = write!(said, "{}: {}", self.name, process::tail(&self.log()));
        said
    }
}
