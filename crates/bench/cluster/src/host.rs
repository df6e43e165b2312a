//! One node of a deployment for a program that is not ours: its disks mounted, the program run on them, and all of it taken
//! down without a trace.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use deployment::Deployment;
use jiff::Timestamp;
use metrics::NodeSample;
use mount::{CounterReading, DaemonClient, MountHome};

use crate::base::ClusterBase;
use crate::cgroup::Group;
use crate::process::{self, Process};
use crate::record::sweep_in;
use crate::{ClusterError, ClusterOptions};

/// A node's mounted disks, and a private folder beside them. However it goes, nothing of it is left when it is dropped.
#[derive(Debug)]
pub struct NodeHost {
    folder: PathBuf,
    mounted: mount::MountedNode,
    disks: DaemonClient,
    group: Option<Group>,
    notes: Vec<String>,
    /// Last: what it clears away must not be in use.
    base: Arc<ClusterBase>,
}

impl NodeHost {
    /// Mounts the disks of the deployment's first storage node in a new folder of `scratch`, and clears away what processes
    /// left there that were killed.
    ///
    /// # Errors
    /// When the deployment has no such node, or the machine lacks something; then nothing is left of what was begun.
    pub fn mount(
        home: &MountHome,
        scratch: &Path,
        deployment: &Deployment,
        options: &ClusterOptions,
    ) -> Result<Self, ClusterError> {
        let base = Arc::new(ClusterBase::new(home, scratch, options)?);
        let mut notes = Vec::new();
        match sweep_in(home, &base.scratch) {
            Ok(0) => {}
            Ok(swept) => notes.push(format!("what {swept} killed process(es) left has been cleared away")),
            Err(error) => notes.push(format!("what a killed process left stays: {error}")),
        }
        options.go_on()?;
        let folder = base.folder.join("n1");
        let request = base.request(&folder, deployment, 1)?;
        let mounted = base.mount(&request)?;
        notes.extend(mounted.notes.iter().cloned());
        let group = options.memory.map(|limit| base.group("n1", limit)).transpose()?;
        let disks = DaemonClient::of(&mounted)?;
        Ok(Self { folder, mounted, disks, group, notes, base })
    }

    /// Makes a folder that its programs alone can enter, beside root: settings, sockets, temporary files.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn private_folder(&self, name: &str) -> Result<PathBuf, ClusterError> {
        let folder = self.base.folder.join(name);
        self.base.give(&folder)?;
        Ok(folder)
    }

    /// Makes a folder for its programs alone on a disk of this name.
    ///
    /// # Errors
    /// When there is no such disk, or the folder cannot be made.
    pub fn folder_on(&self, disk: &str, name: &str) -> Result<PathBuf, ClusterError> {
        let disk = self.disk(disk).ok_or_else(|| ClusterError::NoDisk { disk: disk.to_owned() })?;
        let folder = disk.join(name);
        self.base.give(&folder)?;
        Ok(folder)
    }

    /// Writes a file for its programs alone into a folder of theirs.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn private_file(&self, path: &Path, text: &str) -> Result<(), ClusterError> {
        self.base.give_file(path, text)
    }

    /// Where a disk is mounted: `data`, and `raft` or `redo` if the log has one of its own.
    pub fn disk(&self, name: &str) -> Option<PathBuf> {
        self.mounted.disks.iter().any(|disk| disk.name == name).then(|| self.folder.join(name))
    }

    /// Its zone.
    pub fn zone(&self) -> Option<&str> {
        self.mounted.zone.as_deref()
    }

    /// Its instance type; `None` where the disks have no limits that one could share.
    pub fn instance(&self) -> Option<&str> {
        self.mounted.instance.as_deref()
    }

    /// What people should know of how it started.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Starts a program that ends with this process, with the memory that the options give. Started by root it runs as a user of
    /// its own, which owns nothing but what this host made for its programs. It must take its signals as servers do: SIGTERM ends
    /// it in order.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn launch(&self, name: &str, program: &Path, arguments: &[String]) -> Result<HostProgram, ClusterError> {
        let door = self.group.as_ref().map(Group::door);
        let log = self.base.folder.join(name).with_extension("log");
        let process = self.base.launch(name, (program, arguments), door, &log)?;
        Ok(HostProgram { process: Mutex::new(process), log, _base: Arc::clone(&self.base) })
    }

    /// What its disks counted until now.
    ///
    /// # Errors
    /// When their daemon does not answer.
    pub fn sample(&self) -> Result<NodeSample, ClusterError> {
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
    pub fn since(&self) -> Timestamp {
        self.mounted.started
    }

    /// Sets the burst credits of all its disks and of its instance to a share, 0 to 1, of the full bucket.
    ///
    /// # Errors
    /// When their daemon does not answer.
    pub fn set_credits(&self, share: f64) -> Result<(), ClusterError> {
        let disks = self.mounted.disks.iter().map(|disk| Some(disk.name.as_str()));
        disks.chain([None]).try_for_each(|disk| Ok(self.disks.set_credits(disk, share)?))
    }

    /// The daemon of its disks: credits, faults, history.
    pub fn disks(&self) -> &DaemonClient {
        &self.disks
    }

    /// Ends what runs and clears all away, also the data.
    ///
    /// # Errors
    /// When something stays: a disk that somebody uses.
    pub fn clear(self) -> Result<(), ClusterError> {
        self.base.clear()
    }
}

/// A program that runs on a [`Host`]; killed when dropped. All its methods may be called from any thread.
#[derive(Debug)]
pub struct HostProgram {
    process: Mutex<Process>,
    log: PathBuf,
    /// What it runs on is not cleared away before it.
    _base: Arc<ClusterBase>,
}

impl HostProgram {
    fn process(&self) -> MutexGuard<'_, Process> {
        // What it holds is true at any instant.
        self.process.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Its number.
    pub fn pid(&self) -> i32 {
        self.process().pid()
    }

    /// Whether it has not ended.
    pub fn is_running(&self) -> bool {
        self.process().is_running()
    }

    /// How it ended; `None` while it runs.
    pub fn ended(&self) -> Option<std::process::ExitStatus> {
        self.process().ended()
    }

    /// Kills it at once, as a crash would.
    pub fn kill9(&self) {
        self.process().kill();
    }

    /// Asks it to end, and kills it if it does not within 10 s. Says how it ended, if not well.
    pub fn stop(&self) -> Option<String> {
        self.process().stop()
    }

    /// The last lines that it said.
    pub fn said(&self) -> String {
        process::tail(&self.log)
    }

    /// What it has said on its standard error.
    pub fn log(&self) -> &Path {
        &self.log
    }
}
