//! Speaking with the daemon of a node.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::Duration;

use disk::{Disk, DiskFault};
use metrics::{DiskLatencies, NodeSample};
use textfile::shell_word;
use units::Nanos;

use crate::home::State;
use crate::protocol::{Answer, Ask, Encoded};
use crate::{MountError, MountedNode};

/// Speaks with the daemon of a node; each call opens a connection of its own.
#[derive(Debug, Clone)]
pub struct DaemonClient {
    socket: PathBuf,
}

/// The counters of a node and the latencies of its disks, of one instant.
#[derive(Debug, Clone)]
pub struct CounterReading {
    /// The counters.
    pub sample: NodeSample,
    /// Since the start, in the order of the sample's disks.
    pub latencies: Vec<DiskLatencies>,
}

/// A modification that was accepted, in time since the daemon's start.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct AcceptedModification {
    /// The disk that it becomes.
    pub disk: String,
    /// When it was asked for.
    pub started: Nanos,
    /// From then on the size is the new one, and performance moves to the new one.
    pub optimizing: Nanos,
    /// From then on performance is the new one.
    pub completed: Nanos,
    /// The command that makes the filesystem as large as the grown device, to run once the new size is there.
    pub grow: Option<String>,
}

impl DaemonClient {
    /// A client of a node's daemon.
    ///
    /// # Errors
    /// When the daemon does not run, with what to do.
    pub fn of(node: &MountedNode) -> Result<Self, MountError> {
        if !node.is_alive() {
            let (dir, word) = (node.dir.display(), shell_word(&node.dir));
            return Err(MountError::Environment(format!(
                "the daemon of {dir} does not run any more: mount {dir} again, or clear it away with `diskwright disk down {word}`"
            )));
        }
        Ok(Self { socket: State { folder: node.state.clone() }.socket() })
    }

    /// The counters now.
    ///
    /// # Errors
    /// When the daemon does not answer.
    pub fn sample(&self) -> Result<NodeSample, MountError> {
        match self.ask(&Ask::Sample, BRIEF)? {
            Answer::Sample(sample) => Ok(sample),
            other => Err(unexpected(&other)),
        }
    }

    /// The counters and latencies now.
    ///
    /// # Errors
    /// When the daemon does not answer.
    pub fn reading(&self) -> Result<CounterReading, MountError> {
        match self.ask(&Ask::Reading, BRIEF)? {
            Answer::Reading { sample, latencies } => {
                let latencies = latencies.iter().map(Encoded::decoded).collect::<Result<_, _>>()?;
                Ok(CounterReading { sample, latencies })
            }
            other => Err(unexpected(&other)),
        }
    }

    /// The counters of the past after `since`, oldest first: each second of the last hour, each minute of the 14 days
    /// before.
    ///
    /// # Errors
    /// When the daemon does not answer.
    pub fn history(&self, since: Nanos) -> Result<Vec<NodeSample>, MountError> {
        match self.ask(&Ask::History { since }, BRIEF)? {
            Answer::History(samples) => Ok(samples),
            other => Err(unexpected(&other)),
        }
    }

    /// Changes a disk as its cloud allows; all that takes time is `fast_forward` times faster than there.
    ///
    /// # Errors
    /// When the cloud's rules, or the disk's, do not allow it; when the daemon does not answer.
    pub fn modify(&self, disk: &str, to: &Disk, fast_forward: f64) -> Result<AcceptedModification, MountError> {
        match self.ask(&Ask::Modify { disk: disk.to_owned(), to: to.clone(), fast_forward }, BRIEF)? {
            Answer::Modified(modified) => Ok(modified),
            other => Err(unexpected(&other)),
        }
    }

    /// Lets something go wrong with a disk from now on, for a while.
    ///
    /// # Errors
    /// When there is no such disk; when the daemon does not answer.
    pub fn fault(&self, disk: &str, fault: DiskFault, lasts: Nanos) -> Result<(), MountError> {
        self.done(&Ask::Fault { disk: disk.to_owned(), fault, lasts }, BRIEF)
    }

    /// Ends all faults of a disk. After a detach or a power cut use [`attach`](Self::attach): the filesystem met errors.
    ///
    /// # Errors
    /// When there is no such disk; when the daemon does not answer.
    pub fn heal(&self, disk: &str) -> Result<(), MountError> {
        self.done(&Ask::Heal { disk: disk.to_owned() }, BRIEF)
    }

    /// Ends all faults of a disk, unmounts what is left of its filesystem and mounts it again. Answers what people should
    /// know of how it went.
    ///
    /// # Errors
    /// When somebody uses the old mount; when the filesystem cannot be mounted or repaired.
    pub fn attach(&self, disk: &str) -> Result<Vec<String>, MountError> {
        match self.ask(&Ask::Attach { disk: disk.to_owned() }, UNBOUNDED)? {
            Answer::Notes(notes) => Ok(notes),
            other => Err(unexpected(&other)),
        }
    }

    /// Sets the burst credits of a disk, or without one those of the instance, to a share, 0 to 1, of the full bucket.
    ///
    /// # Errors
    /// When there is no such disk; when the daemon does not answer.
    pub fn set_credits(&self, disk: Option<&str>, share: f64) -> Result<(), MountError> {
        self.done(&Ask::SetCredits { disk: disk.map(str::to_owned), share }, BRIEF)
    }

    /// Unmounts the disks and ends the daemon. [`down`](crate::down()) also works if it is dead.
    ///
    /// # Errors
    /// When somebody uses a disk; nothing is unmounted then.
    pub fn stop(&self) -> Result<(), MountError> {
        self.done(&Ask::Stop, UNBOUNDED)
    }

    fn done(&self, ask: &Ask, patience: Option<Duration>) -> Result<(), MountError> {
        match self.ask(ask, patience)? {
            Answer::Done => Ok(()),
            other => Err(unexpected(&other)),
        }
    }

    fn ask(&self, ask: &Ask, patience: Option<Duration>) -> Result<Answer, MountError> {
        let failed = |error: std::io::Error| {
            MountError::system(format!("the daemon at {} does not answer", self.socket.display()), error)
        };
        let mut line = serde_json::to_string(ask).map_err(|error| failed(error.into()))?;
        line.push('\n');
        let mut stream = UnixStream::connect(&self.socket).map_err(failed)?;
        stream.set_read_timeout(patience).map_err(failed)?;
        stream.write_all(line.as_bytes()).map_err(failed)?;
        let mut answer = String::new();
        BufReader::new(stream).read_line(&mut answer).map_err(failed)?;
        if answer.is_empty() {
            return Err(failed(std::io::ErrorKind::UnexpectedEof.into()));
        }
        match serde_json::from_str(&answer).map_err(|error| failed(error.into()))? {
            Answer::Error(error) => Err(error),
            answer => Ok(answer),
        }
    }
}

/// For what the daemon knows at once.
const BRIEF: Option<Duration> = Some(Duration::from_secs(30));

/// For what writes to the disks first, which takes as long as they do.
const UNBOUNDED: Option<Duration> = None;

fn unexpected(answer: &Answer) -> MountError {
    let kind = serde_json::to_string(answer).unwrap_or_default().chars().take(40).collect::<String>();
    MountError::Environment(format!("the daemon answered something else ({kind}…): is it of another version?"))
}
