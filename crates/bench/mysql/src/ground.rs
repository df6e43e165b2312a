//! A SQL database that is ready for runs.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bench::{BenchError, DriverCrew, RunProgress};
use cluster::{NodeHost, ServerWatcher, StatusPort};
use timeline::Timeline;
use tokio::runtime::Builder;
use tpcc::SqlDialect;
use units::{Bytes, Nanos};

use crate::clients::Clients;
use crate::connection::Connection;
use crate::found::{ConsistencyCheck, SqlRunResult};
use crate::mariadb::MariadbPrograms;
use crate::prepare::{Ready, clear, done, prepare};
use crate::settings::{self, settings};
use crate::sysbench::Sysbench;
use crate::used::SqlResourceUse;
use crate::watch::Watch;
use crate::work::JobKind;
use crate::{
    ErrorClass, ExistingTables, MariaDb, RetryBudget, ServerMemory, SqlDatabase, SqlError, SqlLoad, SqlRunSpec,
    SqlStage, SqlTarget, SqlWorkSource, load, tidb,
};

/// A SQL database with its rows, ready for runs. Dropped, a server that was started for it is taken down.
#[derive(Debug)]
pub struct SqlTestBed {
    pub(crate) order: SqlRunSpec,
    target: SqlTarget,
    ready: Ready,
    kinds: Vec<String>,
    added: Arc<AtomicU64>,
    server: Option<Arc<MariaDb>>,
    /// The servers behind a TiDB.
    ports: Vec<StatusPort>,
    notes: Vec<String>,
}

/// Threads that load: two make rows while the server stores those of the others.
const LOADERS: u32 = 4;

/// How often a piece of the load is sent.
const TRIES: u32 = 8;

impl SqlTestBed {
    /// Starts the server if the order wants one, on disks in `scratch`; connects, and loads the rows.
    ///
    /// # Errors
    /// When the server cannot be started or reached, tables are there that nobody said to drop, the load fails, or what was
    /// loaded is not consistent; then nothing is left of what was started.
    pub fn prepare(
        (home, scratch): (Option<&mount::MountHome>, &Path),
        order: SqlRunSpec,
        tell: &mut dyn FnMut(SqlStage<'_>),
    ) -> Result<Self, SqlError> {
        order.plan.check()?;
        if matches!(order.job.kind, JobKind::Sysbench(_)) {
            // Before anything is created.
            Sysbench::find()?;
        }
        let (mut notes, mut pools) = (Vec::new(), None);
        let server = match (&order.database, home) {
            (SqlDatabase::Existing(_), _) => None,
            (SqlDatabase::MariaDb { deployment, options, set }, Some(home)) => {
                tell(SqlStage::Starting("mounting the disks"));
                let programs = MariadbPrograms::find()?;
                // Credits are for the runs: the load need not wait.
                let options = cluster::ClusterOptions {
                    interrupted: order.stop.clone(),
                    credits: None,
                    ..cluster::ClusterOptions::clone(options)
                };
                let host = NodeHost::mount(home, scratch, deployment, &options)?;
                let (data, redo, folder) = (host.disk("data"), host.disk("redo"), MariaDb::folder(&host)?);
                let data = data.ok_or_else(|| SqlError::Input("the node has no data disk".to_owned()))?;
                let places = (data.as_path(), redo.as_deref(), folder.as_path());
                let text = settings(deployment, ServerMemory::here(options.memory), places, order.connections(), set)?;
                notes.extend(host.notes().iter().cloned());
                tell(SqlStage::Starting("creating and starting MariaDB"));
                pools = settings::pools(deployment, ServerMemory::here(options.memory), set);
                let first: Vec<_> = pools.iter().map(|(load, _)| (settings::POOL, load.0.to_string())).collect();
                Some(Arc::new(MariaDb::start(
                    (host, &folder),
                    &programs,
                    &text,
                    &first,
                    SqlRunSpec::PATIENCE,
                    &order.stop,
                )?))
            }
            (SqlDatabase::MariaDb { .. }, None) => {
                return Err(SqlError::Environment("there is no place to start a server".to_owned()));
            }
        };
        let target = match (&order.database, &server) {
            (_, Some(server)) => server.target().clone(),
            (SqlDatabase::Existing(target), None) => target.clone(),
            (SqlDatabase::MariaDb { .. }, None) => unreachable!("a server was started above"),
        };
        tell(SqlStage::Starting("looking at the tables"));
        let create = order.create || server.is_some();
        let ready = block_on(prepare(&target, &order.job, (order.table, create), order.plan.seed))??;
        let mut ports = Vec::new();
        if server.is_none() {
            let (there, missing) = block_on(tidb::status_ports(&target))??;
            ports = there;
            notes.extend(missing);
        }
        let kinds = order.job.kinds();
        let ground = Self { order, target, ready, kinds, added: Arc::default(), server, ports, notes };
        if ground.order.table != ExistingTables::Keep {
            ground.load(tell)?;
        }
        if let Some((_, run)) = pools {
            tell(SqlStage::Starting("giving the buffer pool its size"));
            ground.resize(run)?;
        }
        Ok(ground)
    }

    /// Gives the server's buffer pool the size that the deployment says.
    fn resize(&self, pool: Bytes) -> Result<(), SqlError> {
        let said = |error: mysql_async::Error| SqlError::said("the buffer pool's size", &error);
        block_on(async {
            let mut connection = Connection::open(&self.target, true).await.map_err(said)?;
            connection.run(&format!("SET GLOBAL {} = {}", settings::POOL, pool.0)).await.map_err(said)?;
            connection.close().await;
            Ok(())
        })?
    }

    fn load(&self, tell: &mut dyn FnMut(SqlStage<'_>)) -> Result<(), SqlError> {
        let how = SqlLoad { threads: LOADERS, tries: TRIES, seed: self.ready.seed };
        let (job, stop) = (&self.order.job, &self.order.stop);
        if let JobKind::Sysbench(oltp) = job.kind {
            let filled = Sysbench::new(&self.target, oltp)
                .and_then(|sysbench| sysbench.prepare(stop, &mut |line| tell(SqlStage::Starting(line))));
            return match filled {
                Ok(()) => block_on(done(&self.target))?.map_err(|error| SqlError::said("noting the load", &error)),
                Err(error) => Err(error.with(&block_on(clear(&self.target, job))?)),
            };
        }
        let loading = &mut |loading: &bench::LoadProgress| tell(SqlStage::Loading(loading));
        load(&self.target, job, &how, &self.ready.loaded, loading, stop).map_err(|error| match self.server {
            // What was loaded goes with it.
            Some(_) => error,
            None => error.with("what is loaded is kept: the same command goes on with it, --drop begins anew"),
        })?;
        self.go_on()?;
        match self.check(tell)? {
            Some(ConsistencyCheck { broken, .. }) if !broken.is_empty() => Err(SqlError::Refused(format!(
                "what was loaded breaks condition 3.3.2.{} of TPC-C ({}) in {} rows; load it anew with --drop",
                broken[0].condition.clause, broken[0].condition.says, broken[0].rows
            ))),
            _ => Ok(()),
        }
    }

    /// Whether the data are consistent; `None` for workloads that have no conditions.
    ///
    /// # Errors
    /// When the database does not answer.
    pub fn check(&self, tell: &mut dyn FnMut(SqlStage<'_>)) -> Result<Option<ConsistencyCheck>, SqlError> {
        if !matches!(self.order.job.kind, JobKind::Tpcc(_)) {
            return Ok(None);
        }
        let dialect = SqlDialect::mysql();
        let said = |error: mysql_async::Error| SqlError::said("checking the data", &error);
        let broken = block_on(async {
            let mut connection = Connection::open(&self.target, true).await.map_err(said)?;
            let mut each = |condition: &tpcc::ConsistencyCondition| {
                tell(SqlStage::Starting(&format!("checking condition 3.3.2.{}: {}", condition.clause, condition.says)));
                !self.order.stop.load(Ordering::Relaxed)
            };
            let broken = tpcc::check(&mut connection, dialect, &mut each).await.map_err(said)?;
            connection.close().await;
            Ok::<_, SqlError>(broken)
        })??;
        self.go_on()?;
        Ok(Some(ConsistencyCheck { conditions: dialect.conditions().len(), broken }))
    }

    /// One run. Runs are numbered from 1. Nothing more is asked of the server than what the run itself asks: what was measured is
    /// there to be written before [`conclude`](Self::conclude) asks for the rest.
    ///
    /// # Errors
    /// When the driver or the watching fails.
    pub fn run(&self, number: u32, tell: &mut dyn FnMut(SqlStage<'_>)) -> Result<SqlRunResult, SqlError> {
        let plan = &self.order.plan;
        let retries = Arc::new(RetryBudget::new(self.order.stop.clone()));
        let before = self.restarts();
        if let (SqlDatabase::MariaDb { options, .. }, Some(server)) = (&self.order.database, &self.server)
            && let Some(share) = options.credits
        {
            server.host().set_credits(share)?;
        }
        tell(SqlStage::Starting("connecting the clients"));
        let watch = Watch::start(&self.target, self.server.as_ref(), &retries, self.order.crash)?;
        let behind = ServerWatcher::start(&self.ports)?;
        let mut progress = |progress: &RunProgress| {
            tell(SqlStage::Running { run: number, progress, nodes: &[watch.latest(), behind.latest()].concat() })
        };
        let run = if let JobKind::Sysbench(oltp) = self.order.job.kind {
            Sysbench::new(&self.target, oltp)?.drive(plan, number, &mut progress, &self.order.stop)?
        } else {
            let mut team = Team { ground: self, target: Arc::new(self.target.clone()), retries: retries.clone() };
            bench::drive(&mut team, plan, number, &mut |_, _| Ok(()), &mut progress, &self.order.stop)?
        };
        let gone = watch.gone();
        let (seen, lost) = watch.finish()?;
        let seen = seen.merge(&behind.finish()?)?;
        let began = run.timeline.about.start;
        let mut timeline = if seen.series.is_empty() { run.timeline } else { run.timeline.merge(&seen)? };
        let mut report = run.report;
        let from = Nanos((report.warm_up_s * 1e9) as u64) + later(&timeline, began);
        let until = from + Nanos((report.measured_s * 1e9) as u64);
        let ended = retries.ended();
        if ended.is_none() && gone.is_none() {
            self.go_on()?;
        }
        let full = ended.clone().filter(|(class, _)| *class == ErrorClass::Full).map(|(_, reason)| reason);
        // A server whose disk is full was ended for that.
        if full.is_none() && lost > 0 {
            report.lose_server(lost.into(), "ended by itself, or could not be reached any more, while the run went on");
            report.note_rejected(&mut timeline.about.notes);
        }
        let tpcc = matches!(self.order.job.kind, JobKind::Tpcc(_));
        Ok(SqlRunResult {
            tpmc: report.kinds.first().filter(|_| tpcc).map(|orders| 60.0 * orders.per_s),
            used: SqlResourceUse::of(&timeline, from, until),
            report,
            timeline,
            from,
            until,
            retries: retries.counts(),
            restarts: self.restarts() - before,
            checked: None,
            unchecked: None,
            full,
            ended: ended.map(|(_, reason)| reason).or(gone),
        })
    }

    fn restarts(&self) -> u32 {
        self.server.as_ref().map_or(0, |server| server.restarts())
    }

    /// Rows that were loaded.
    pub fn rows(&self) -> u64 {
        self.order.job.loaded()
    }

    /// The server that was started for it.
    pub fn server(&self) -> Option<&MariaDb> {
        self.server.as_deref()
    }

    /// What people should know of how it started.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    fn go_on(&self) -> Result<(), SqlError> {
        if self.order.stop.load(Ordering::Relaxed) { Err(SqlError::Interrupted) } else { Ok(()) }
    }

    /// Takes down what was started.
    ///
    /// # Errors
    /// When something stays.
    pub fn end(self) -> Result<(), SqlError> {
        match self.server.map(Arc::try_unwrap) {
            Some(Ok(server)) => server.end(),
            // Somebody still looks at it; the last one who does takes it down.
            Some(Err(_)) | None => Ok(()),
        }
    }
}

/// The clients of a run.
struct Team<'g> {
    ground: &'g SqlTestBed,
    target: Arc<SqlTarget>,
    retries: Arc<RetryBudget>,
}

impl DriverCrew for Team<'_> {
    type Source = SqlWorkSource;
    type Driver = Clients;

    fn kinds(&self) -> &[String] {
        &self.ground.kinds
    }

    fn hire(&mut self, seed: u64, thread: u32) -> Result<(SqlWorkSource, Clients), BenchError> {
        let order = &self.ground.order;
        let works = order.job.works(self.ground.ready.seed, seed, thread, &self.ground.added);
        let threads = order.plan.threads() as usize;
        let count = order.connections() / threads + usize::from((thread as usize) < order.connections() % threads);
        let clients = Clients::connect(count.max(1), &self.target, &self.retries, PATIENCE)?;
        Ok((works, clients))
    }
}

/// How long clients wait for a lost server.
const PATIENCE: Duration = SqlRunSpec::PATIENCE;

/// How much later than the Timeline's start an instant is.
fn later(timeline: &Timeline, began: Option<jiff::Timestamp>) -> Nanos {
    match (timeline.about.start, began) {
        (Some(start), Some(began)) => Nanos(u64::try_from(began.as_nanosecond() - start.as_nanosecond()).unwrap_or(0)),
        _ => Nanos(0),
    }
}

fn block_on<T>(future: impl Future<Output = T>) -> Result<T, SqlError> {
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| SqlError::Environment(error.to_string()))?;
    let done = runtime.block_on(future);
    // A look-up of a name that was given up is not waited for.
    runtime.shutdown_background();
    Ok(done)
}
