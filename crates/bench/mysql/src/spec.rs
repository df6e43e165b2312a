//! Settings of runs on a SQL database.

use std::path::PathBuf;
use std::time::Duration;

use bench::{DatabaseSource, LoopKind, RunPlan, RunSpec};
use deployment::Deployment;
use mount::MountHome;
use workload::Engine;

use crate::{SqlJob, SqlTarget};

/// A run on a SQL database.
pub type SqlSpec = RunSpec<SqlSettings>;

/// What is asked of a SQL database, and of which.
#[derive(Debug, Clone)]
pub struct SqlSettings {
    /// What is asked of the database.
    pub job: SqlJob,
    /// A MariaDB that is launched, or a server that is there.
    pub source: DatabaseSource<LaunchedMariaDb, SqlTarget>,
    /// Whether a schema that is not there is made; one of a server that is launched always is.
    pub create: bool,
    /// A server that was launched is killed so long after each run began, as a crash would, and started again.
    pub crash: Option<Duration>,
}

/// A MariaDB that is launched on mounted disks.
#[derive(Debug, Clone)]
pub struct LaunchedMariaDb {
    /// Whose first storage node it is.
    pub deployment: Deployment,
    /// Memory, seed, and the burst credits that each run begins with.
    pub options: cluster::ClusterOptions,
    /// Variables of the server that win over all others.
    pub variables: Vec<(String, String)>,
}

impl LaunchedMariaDb {
    /// The engine of the deployments that it is launched for.
    pub const ENGINE: Engine = Engine::InnoDb;
}

/// Folders of the machine on which a MariaDB is launched.
#[derive(Debug, Clone)]
pub struct ServerMachine {
    /// Where mounted disks are kept track of.
    pub home: MountHome,
    /// Where disks and logs lie while it runs.
    pub scratch: PathBuf,
}

/// How long a lost server is waited for, and an operation at the end: longer than a crash's recovery.
pub const PATIENCE: Duration = Duration::from_secs(60);

impl SqlSettings {
    /// A job on a database, whose schema is there.
    pub fn new(job: SqlJob, source: DatabaseSource<LaunchedMariaDb, SqlTarget>) -> Self {
        Self { job, source, create: false, crash: None }
    }

    /// A run of a job on a MariaDB that is launched for it.
    pub fn launched(job: SqlJob, launched: LaunchedMariaDb, plan: RunPlan) -> SqlSpec {
        RunSpec::new(Self::new(job, DatabaseSource::Launched(Box::new(launched))), plan)
    }
}

/// Connections: one for each client, or for each operation that an open loop has in flight.
pub(crate) fn connections(plan: &RunPlan) -> usize {
    match plan.load {
        LoopKind::Closed { clients, .. } => clients as usize,
        LoopKind::Open { in_flight, .. } => in_flight as usize,
    }
}
