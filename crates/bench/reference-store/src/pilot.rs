//! The pilot's compaction limiter as a process beside runs, as people run it.

use std::fs::File;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use cluster::{ClusterNode, RunningCluster, TestBed};
use nix::sys::signal::Signal;
use nix::unistd::Pid;
use private_dir::FolderPurpose;

use crate::{PilotFault, ReferenceStoreError};

/// `diskwright pilot run --limit` on all nodes of a cluster. Dropped, or when the thread that started it ends, it is killed.
#[derive(Debug)]
pub struct PilotProcess {
    child: Child,
    folder: PathBuf,
}

/// The least rate that it sets on a whole disk, the default of `--floor`, in MiB/s.
const FLOOR: f64 = 4.0;

/// What it says goes to this file of its folder.
const SAID: &str = "said.log";

impl PilotProcess {
    /// Starts one that counts on `share` of the limits of the nodes' data disks, over 0 and up to 1. `folder` is made, and gets its
    /// journal and what it says.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start(
        lab: &TestBed,
        cluster: &RunningCluster,
        share: f64,
        folder: &Path,
    ) -> Result<Self, ReferenceStoreError> {
        let failed = |source| PilotFault::Process { doing: "not started", source };
        let folder = &private_dir::open(folder, FolderPurpose::SCRATCH).map_err(PilotFault::Folder)?;
        let said = File::create(folder.join(SAID)).map_err(failed)?;
        // It ends with the thread that starts it, as nodes end with their keeper; Ctrl-C is for who started us.
        let child = Command::new("setpriv")
            .args(["--pdeathsig", "KILL", "--"])
            .arg(&lab.home.program)
            .args(["pilot", "run", "--act", "--every", "1s", "--pd", &format!("http://{}", cluster.pd().addr())])
            .args(cluster.nodes().iter().map(|node| limit(node)).collect::<Result<Vec<_>, _>>()?)
            .arg(format!("--disk-share={}%", 100.0 * share))
            .arg(format!("--floor={}MiB/s", FLOOR * share))
            .arg("--journal")
            .arg(folder.join("journal"))
            .env("DISKWRIGHT_RUN", &lab.home.folder)
            .stdin(Stdio::null())
            .stdout(said.try_clone().map_err(failed)?)
            .stderr(said)
            .process_group(0)
            .spawn()
            .map_err(failed)?;
        Ok(Self { child, folder: folder.clone() })
    }

    /// What a pilot said that was started with this folder, in lines; nothing if none was.
    pub fn said(folder: &Path) -> Vec<String> {
        let text = std::fs::read_to_string(folder.join(SAID)).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// Whether it has ended by itself.
    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().is_ok_and(|ended| ended.is_some())
    }

    /// Lets it end in good order: it sets the rates back.
    ///
    /// # Errors
    /// When it ended by itself, or not well.
    pub fn end(mut self) -> Result<(), ReferenceStoreError> {
        let failed = |source| PilotFault::Process { doing: "not ended", source };
        let by_itself = self.child.try_wait().map_err(failed)?;
        if by_itself.is_none() {
            let pid = Pid::from_raw(self.child.id().cast_signed());
            nix::sys::signal::kill(pid, Signal::SIGINT).map_err(|errno| failed(errno.into()))?;
        }
        let ended = self.child.wait().map_err(failed)?;
        if ended.success() && by_itself.is_none() {
            return Ok(());
        }
        let last = Self::said(&self.folder).into_iter().rfind(|line| !line.trim().is_empty());
        let last_line = last.unwrap_or_else(|| "it said nothing".to_owned());
        Err(PilotFault::Ended { status: ended, last_line }.into())
    }
}

impl Drop for PilotProcess {
    /// A run that failed leaves none behind.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What tells it of a node: its store and where its disk is mounted.
fn limit(node: &ClusterNode) -> Result<String, PilotFault> {
    let unknown = |what| PilotFault::NodeWithout { node: node.name().to_owned(), what };
    let store = node.store_id().ok_or_else(|| unknown("store number"))?;
    let disk =
        node.data_dir().ancestors().find(|folder| folder.ends_with("data")).ok_or_else(|| unknown("data disk"))?;
    Ok(format!("--limit={store}={}", disk.display()))
}
