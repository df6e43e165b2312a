//! What is to be run on a SQL database.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use bench::{LoadProgress, RunPlan, RunProgress};
use cluster::NodeActivity;
use deployment::Deployment;

use crate::{SqlJob, SqlTarget};

/// What is to be run, on what.
#[derive(Debug, Clone)]
pub struct SqlRunSpec {
    /// What is asked of the database.
    pub job: SqlJob,
    /// What it is asked of.
    pub database: SqlDatabase,
    /// Loop, length, seed.
    pub plan: RunPlan,
    /// What happens with tables that are there.
    pub table: ExistingTables,
    /// Whether a schema that is not there is made; one of a server that is started here always is.
    pub create: bool,
    /// A server that was started is killed so long after each run began, as a crash would, and started again.
    pub crash: Option<Duration>,
    /// Once true, what runs ends soon, and all that was started is taken down.
    pub stop: Arc<AtomicBool>,
}

/// What a job runs on.
#[derive(Debug, Clone)]
pub enum SqlDatabase {
    /// A MariaDB, started for it on mounted disks.
    MariaDb {
        /// Whose first storage node it is.
        deployment: Box<Deployment>,
        /// Memory, seed, and the burst credits that each run begins with.
        options: Box<cluster::ClusterOptions>,
        /// Variables of the server that win over all others.
        set: Vec<(String, String)>,
    },
    /// A server that is there.
    Existing(SqlTarget),
}

/// What happens with tables that are there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExistingTables {
    /// There must be none, or those of a load that was not ended, which goes on.
    Load,
    /// They are dropped and loaded anew.
    Drop,
    /// They are used as they are.
    Keep,
}

/// What is being done.
#[derive(Debug)]
pub enum SqlStage<'a> {
    /// Something short.
    Starting(&'a str),
    /// Rows are being loaded.
    Loading(&'a LoadProgress),
    /// A run warms up or is measured.
    Running {
        /// Which run.
        run: u32,
        /// How far it is.
        progress: &'a RunProgress,
        /// What the disks did in the last second, where they are ours.
        nodes: &'a [NodeActivity],
    },
}

impl SqlRunSpec {
    /// How long a lost server is waited for, and an operation at the end: longer than a crash's recovery.
    pub const PATIENCE: Duration = Duration::from_secs(60);

    /// Connections: one for each client, or for each operation that an open loop has in flight.
    pub fn connections(&self) -> usize {
        match self.plan.load {
            bench::LoopKind::Closed { clients, .. } => clients as usize,
            bench::LoopKind::Open { in_flight, .. } => in_flight as usize,
        }
    }
}
