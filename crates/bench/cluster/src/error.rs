//! Why a cluster cannot be started, changed or asked.

use std::error::Error;
use std::path::PathBuf;

use http_client::{ApiError, PeerError};
use mount::MountError;
use private_dir::FolderError;
use rawkv::ClientError;
use units::Bytes;

/// Why a cluster cannot be started, changed or asked.
#[derive(Debug, thiserror::Error)]
pub enum ClusterError {
    /// A deployment that cannot be started on this machine.
    #[error(transparent)]
    Unfit(#[from] UnfitDeployment),
    /// Addresses of placement drivers that cannot be read.
    #[error(transparent)]
    Address(#[from] ClientError),
    /// No placement driver is named.
    #[error("no placement driver is named: expected tikv://HOST:PORT")]
    NoPlacementDriver,
    /// A node has no disk of a name.
    #[error("the node has no {disk} disk")]
    NoDisk {
        /// The disk's name.
        disk: String,
    },
    /// A node that runs already.
    #[error("{node} runs already: stop or kill it first")]
    Running {
        /// The node's name.
        node: String,
    },
    /// A node that does not run.
    #[error("{node} does not run: restart it first")]
    NotRunning {
        /// The node's name.
        node: String,
    },
    /// A running part said no: a key that cannot be changed online.
    #[error("{url} answered {status}: {said}")]
    Refused {
        /// What was asked.
        url: String,
        /// The status of HTTP.
        status: u16,
        /// Its own words.
        said: String,
    },
    /// PD refuses, does not answer, or not as a PD does.
    #[error(transparent)]
    PlacementDriver(ApiError),
    /// An address of PD that cannot be asked.
    #[error(transparent)]
    PlacementDriverAddress(#[from] PeerError),
    /// A store that may lead already.
    #[error("no leaders are evicted from store {store}")]
    NotEvicted {
        /// PD's number of it.
        store: u64,
    },
    /// A call to the system, or an answer of a program, that failed.
    #[error("{doing}: {source}")]
    System {
        /// What was being done, or to what.
        doing: String,
        /// Why it failed.
        source: Box<dyn Error + Send + Sync>,
    },
    /// A program of the cluster that is not built or installed.
    #[error("{program} is not built: run `make store`, or name it in {variable}")]
    NotBuilt {
        /// The program.
        program: &'static str,
        /// The environment variable that can name it.
        variable: &'static str,
    },
    /// An environment variable that names no program.
    #[error("{variable} names {}, which is no file: name {program}, or leave it unset", .path.display())]
    NoProgram {
        /// The variable.
        variable: &'static str,
        /// Its value.
        path: PathBuf,
        /// The program that it should name.
        program: &'static str,
    },
    /// The memory of a node cannot be limited.
    #[error(
        "the memory of {group} cannot be limited to {limit}: {what}: {source}. Run as root on a machine with the control group of \
         memory (in a container: with its cgroup filesystem writable), or without a memory limit"
    )]
    MemoryLimit {
        /// The control group.
        group: String,
        /// The limit.
        limit: Bytes,
        /// What could not be had.
        what: &'static str,
        /// Why.
        source: Box<dyn Error + Send + Sync>,
    },
    /// A name of a control group that is none of diskwright's.
    #[error(
        "{group:?} is no control group of diskwright's: expected diskwright- with letters, digits, - and _ after it"
    )]
    ForeignGroup {
        /// The name.
        group: String,
    },
    /// A record of a cluster that names what is not that cluster's.
    #[error(
        "{} names {what}, which is not that cluster's: nothing of it was touched; remove {} if nobody needs it",
        .file.display(),
        .folder.display()
    )]
    ForeignRecord {
        /// The record.
        file: PathBuf,
        /// The cluster's folder.
        folder: PathBuf,
        /// What it names.
        what: String,
    },
    /// The thread that starts processes has ended.
    #[error("the thread that starts processes has ended; this is a fault of diskwright")]
    KeeperEnded,
    /// No number is without an account.
    #[error("programs cannot run as a user of their own: each number from {first} to {last} has an account; free one")]
    NoFreeAccount {
        /// The first number.
        first: u32,
        /// The last number.
        last: u32,
    },
    /// A scratch folder that the programs' account cannot reach.
    #[error(
        "the scratch folder {} cannot be used: what is started in it runs as {account}, which may not pass through {}: name \
         another with --scratch DIR, below folders that everybody may pass through, such as /dev/shm",
        .scratch.display(),
        .at.display()
    )]
    Impassable {
        /// The scratch folder.
        scratch: PathBuf,
        /// The account.
        account: String,
        /// The folder on the way that it may not pass through.
        at: PathBuf,
    },
    /// A program did not become ready; the end of what it said is told with it.
    #[error("{name} {what}{}", told(.said))]
    Program {
        /// Which: `pd`, `n1`.
        name: String,
        /// What happened to it.
        what: String,
        /// The last lines of its log.
        said: String,
    },
    /// The caller asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// The disks.
    #[error(transparent)]
    Mount(#[from] MountError),
    /// The scratch folder, which others could read or tamper with.
    #[error(transparent)]
    Folder(#[from] FolderError),
}

/// Why a deployment cannot be started on this machine.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnfitDeployment {
    /// It is for another engine.
    #[error("the reference store is shaped like TiKV: set `engine = \"tikv\"` in the deployment")]
    OtherEngine,
    /// It has no storage node.
    #[error("the deployment has no storage node: add a [[nodes]] table with role = \"storage\"")]
    NoStorageNode,
    /// It has more storage nodes than one machine runs.
    #[error("{nodes} storage nodes are more than one machine runs: give it at most {most}")]
    TooManyNodes {
        /// Its storage nodes.
        nodes: u32,
        /// The most.
        most: u32,
    },
    /// It has fewer storage nodes than replicas, or no replica.
    #[error("{replicas} replicas need as many storage nodes, not {nodes}: set `replicas` in [settings] {}", settable(*.nodes))]
    Replicas {
        /// Replicas of each range.
        replicas: u32,
        /// Its storage nodes.
        nodes: u32,
    },
}

fn settable(nodes: u32) -> String {
    if nodes == 1 { "to 1".to_owned() } else { format!("from 1 to {nodes}") }
}

impl ClusterError {
    /// The exit code of a program that ends with this error: 1 for a no, 2 for input, 3 for the environment.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::PlacementDriver(ApiError::Silent { .. }) => 3,
            Self::Refused { .. } | Self::PlacementDriver(_) | Self::NotEvicted { .. } => 1,
            Self::Unfit(_)
            | Self::Address(_)
            | Self::PlacementDriverAddress(_)
            | Self::NoPlacementDriver
            | Self::NoDisk { .. }
            | Self::Running { .. }
            | Self::NotRunning { .. } => 2,
            Self::System { .. }
            | Self::NotBuilt { .. }
            | Self::NoProgram { .. }
            | Self::MemoryLimit { .. }
            | Self::ForeignGroup { .. }
            | Self::ForeignRecord { .. }
            | Self::KeeperEnded
            | Self::NoFreeAccount { .. }
            | Self::Impassable { .. }
            | Self::Program { .. }
            | Self::Folder(_) => 3,
            // A shell's code of a program that Ctrl-C ended.
            Self::Interrupted => 130,
            Self::Mount(error) => error.exit_code(),
        }
    }

    /// Whether a running part said no.
    pub(crate) fn is_no(&self) -> bool {
        self.exit_code() == 1
    }

    /// A call to the system that failed.
    pub(crate) fn system(doing: impl std::fmt::Display, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::System { doing: doing.to_string(), source: source.into() }
    }
}

impl From<ApiError> for ClusterError {
    fn from(error: ApiError) -> Self {
        match error {
            ApiError::Stopped { .. } => Self::Interrupted,
            error => Self::PlacementDriver(error),
        }
    }
}

fn told(said: &str) -> String {
    if said.is_empty() { String::new() } else { format!(":\n{said}") }
}
