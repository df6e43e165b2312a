//! A SQL database as a database under test.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bench::{
    BenchError, BenchRun, DatabaseSource, DatabaseUnderTest, DriverCrew, EarlyEnd, MeasuredRun, RunProgress, RunReport,
    RunSamples, RunStage, StageListener,
};
use cluster::{NodeActivity, NodeHost, ServerWatcher, StatusPort};
use tokio::runtime::Builder;
use tpcc::SqlDialect;
use units::Bytes;

use crate::clients::Clients;
use crate::connection::Connection;
use crate::mariadb::MariadbPrograms;
use crate::prepare::{Ready, clear, done, prepare};
use crate::settings::{self, settings};
use crate::spec::{PATIENCE, connections};
use crate::sysbench::Sysbench;
use crate::watch::Watch;
use crate::work::JobKind;
use crate::{
    ConsistencyCheck, ErrorClass, LaunchedMariaDb, MariaDb, RetryBudget, ServerMachine, ServerMemory, SqlCounters,
    SqlError, SqlFindings, SqlLoad, SqlRun, SqlSettings, SqlSpec, SqlTarget, SqlWorkSource, load, tidb,
};

/// A SQL database that speaks MySQL's protocol. Dropped, a server that was launched for it is taken down.
#[derive(Debug)]
pub struct SqlDatabase {
    target: SqlTarget,
    ready: Ready,
    kinds: Vec<String>,
    /// Rows that the runs have added until now.
    added: Arc<AtomicU64>,
    /// Rows that a load leaves.
    rows: u64,
    is_tpcc: bool,
    server: Option<Arc<MariaDb>>,
    /// The buffer pool of the runs, where that of the load was larger.
    pool: Option<Bytes>,
    /// The servers behind a TiDB.
    ports: Vec<StatusPort>,
    notes: Vec<String>,
}

/// Sampling of a run under way.
#[derive(Debug)]
pub struct SqlWatch {
    server: Watch,
    /// Servers behind a TiDB.
    behind: ServerWatcher,
    retries: Arc<RetryBudget>,
    /// How often the server had been started again before the run.
    restarts: u32,
}

/// Threads that load: two make rows while the server stores those of the others.
const LOADERS: u32 = 4;

/// How often a piece of the load is sent.
const TRIES: u32 = 8;

/// Hears of the stages of a run.
type Tell<'t> = StageListener<'t, NodeActivity>;

impl DatabaseUnderTest for SqlDatabase {
    type Settings = SqlSettings;
    type Machine = ServerMachine;
    type Counters = SqlCounters;
    type Findings = SqlFindings;
    type Activity = NodeActivity;
    type Watch = SqlWatch;
    type Error = SqlError;

    fn launch(machine: Option<&ServerMachine>, spec: &SqlSpec, tell: &mut Tell<'_>) -> Result<Self, SqlError> {
        let job = &spec.settings.job;
        if matches!(job.kind, JobKind::Sysbench(_)) {
            // Before anything is created.
            Sysbench::find()?;
        }
        let (mut notes, mut pool, mut server) = (Vec::new(), None, None);
        let target = match &spec.settings.source {
            DatabaseSource::Existing(target) => target.clone(),
            DatabaseSource::Launched(launched) => {
                let machine = machine.ok_or(BenchError::NoMachine { what: "a server" })?;
                let started = start(machine, launched, spec, &mut notes, tell)?;
                pool = pools(launched).map(|(_, run)| run);
                let target = started.target().clone();
                server = Some(Arc::new(started));
                target
            }
        };
        tell(RunStage::Starting("looking at the tables"));
        let create = spec.settings.create || server.is_some();
        let ready = block_on(prepare(&target, job, (spec.rows, create), spec.plan.seed))??;
        let mut ports = Vec::new();
        if server.is_none() {
            let (there, missing) = block_on(tidb::status_ports(&target))??;
            ports = there;
            notes.extend(missing);
        }
        let (kinds, rows, is_tpcc) = (job.kinds(), job.loaded(), matches!(job.kind, JobKind::Tpcc(_)));
        Ok(Self { target, ready, kinds, added: Arc::default(), rows, is_tpcc, server, pool, ports, notes })
    }

    fn load(&mut self, spec: &SqlSpec, tell: &mut Tell<'_>) -> Result<(), SqlError> {
        let how = SqlLoad { threads: LOADERS, tries: TRIES, seed: self.ready.seed };
        let (job, stop) = (&spec.settings.job, &spec.stop);
        if let JobKind::Sysbench(test) = job.kind {
            let filled = Sysbench::new(&self.target, test)
                .and_then(|sysbench| sysbench.prepare(stop, &mut |line| tell(RunStage::Starting(line))));
            return match filled {
                Ok(()) => block_on(done(&self.target))?.map_err(|error| SqlError::said("noting the load", &error)),
                Err(error) => Err(error.with(&block_on(clear(&self.target, job))?)),
            };
        }
        let loading = &mut |loading: &bench::LoadProgress| tell(RunStage::Loading(loading));
        load(&self.target, job, &how, &self.ready.loaded, loading, stop).map_err(|error| match self.server {
            // What was loaded goes with it.
            Some(_) => error,
            None => error.with("what is loaded is kept: the same command goes on with it, --drop begins anew"),
        })?;
        spec.check_stop()?;
        match self.check(spec, tell)? {
            Some(ConsistencyCheck { broken, .. }) => match broken.into_iter().next() {
                Some(tpcc::BrokenCondition { condition, rows }) => {
                    Err(SqlError::Inconsistent { clause: condition.clause, says: condition.says, rows })
                }
                None => Ok(()),
            },
            None => Ok(()),
        }
    }

    // The server's buffer pool gets the size that the deployment says.
    fn after_load(&mut self, _: &SqlSpec, tell: &mut Tell<'_>) -> Result<(), SqlError> {
        let Some(pool) = self.pool else { return Ok(()) };
        tell(RunStage::Starting("giving the buffer pool its size"));
        let said = |error: mysql_async::Error| SqlError::said("the buffer pool's size", &error);
        block_on(async {
            let mut connection = Connection::open(&self.target, true).await.map_err(said)?;
            connection.run(&format!("SET GLOBAL {} = {}", settings::POOL, pool.0)).await.map_err(said)?;
            connection.close().await;
            Ok(())
        })?
    }

    fn watch(&self, spec: &SqlSpec, tell: &mut Tell<'_>) -> Result<SqlWatch, SqlError> {
        let retries = Arc::new(RetryBudget::new(spec.stop.clone()));
        let restarts = self.restarts();
        if let (Some(launched), Some(server)) = (spec.settings.source.launched(), &self.server)
            && let Some(share) = launched.options.credits
        {
            server.host().set_credits(share)?;
        }
        tell(RunStage::Starting("connecting the clients"));
        let server = Watch::start(&self.target, self.server.as_ref(), &retries, spec.settings.crash)?;
        Ok(SqlWatch { server, behind: ServerWatcher::start(&self.ports)?, retries, restarts })
    }

    fn latest(watch: &SqlWatch) -> Vec<NodeActivity> {
        [watch.server.latest(), watch.behind.latest()].concat()
    }

    fn drive(
        &self,
        spec: &SqlSpec,
        number: u32,
        watch: &SqlWatch,
        progress: &mut dyn FnMut(&RunProgress),
    ) -> Result<BenchRun, SqlError> {
        if let JobKind::Sysbench(test) = spec.settings.job.kind {
            return Sysbench::new(&self.target, test)?.drive(&spec.plan, number, progress, &spec.stop);
        }
        let (target, retries) = (Arc::new(self.target.clone()), watch.retries.clone());
        let mut crew = ClientCrew { database: self, spec, target, retries };
        Ok(bench::drive(&mut crew, &spec.plan, number, &mut |_, _| Ok(()), progress, &spec.stop)?)
    }

    fn finish(&self, watch: SqlWatch, report: &RunReport) -> Result<RunSamples<SqlFindings>, SqlError> {
        let gone = watch.server.gone();
        let (seen, servers_lost) = watch.server.finish()?;
        let timeline = seen.merge(&watch.behind.finish()?)?;
        let early = |(class, reason)| EarlyEnd { reason, is_full: class == ErrorClass::Full };
        let ended = watch.retries.ended().map(early).or(gone.map(|reason| EarlyEnd { reason, is_full: false }));
        let findings = SqlFindings {
            tpmc: report.kinds.first().filter(|_| self.is_tpcc).map(|orders| 60.0 * orders.per_s),
            retries: watch.retries.counts(),
            restarts: self.restarts() - watch.restarts,
            ..SqlFindings::default()
        };
        Ok(RunSamples { timeline, ended, servers_lost, findings })
    }

    fn counters(&self, _: &SqlSpec, measured: &MeasuredRun<(), SqlFindings>) -> SqlCounters {
        SqlCounters::of(&measured.timeline, measured.from, measured.until)
    }

    // A server that does not answer takes nothing from what was measured: then it is noted why.
    fn conclude(&self, spec: &SqlSpec, run: &mut SqlRun, tell: &mut Tell<'_>) -> Result<(), SqlError> {
        if !matches!(spec.settings.job.kind, JobKind::Tpcc(_)) {
            return Ok(());
        }
        if run.ended.is_some() {
            // A database that is full or gone answers no long questions.
            run.findings.unchecked = Some("the run had ended before its time".to_owned());
            return Ok(());
        }
        match self.check(spec, tell) {
            Ok(checked) => run.findings.checked = checked,
            Err(SqlError::Interrupted) => return Err(SqlError::Interrupted),
            Err(error) => run.findings.unchecked = Some(error.to_string()),
        }
        Ok(())
    }

    fn notes(&self) -> &[String] {
        &self.notes
    }

    fn rows_loaded(&self) -> u64 {
        self.rows
    }

    fn stop(self) -> Result<Vec<String>, SqlError> {
        // While somebody still looks at it, the last one who does takes it down.
        if let Some(Ok(server)) = self.server.map(Arc::try_unwrap) {
            server.end()?;
        }
        Ok(Vec::new())
    }
}

impl SqlDatabase {
    /// Whether the data are consistent; `None` for workloads that have no conditions.
    ///
    /// # Errors
    /// When the database does not answer.
    pub fn check(&self, spec: &SqlSpec, tell: &mut Tell<'_>) -> Result<Option<ConsistencyCheck>, SqlError> {
        if !matches!(spec.settings.job.kind, JobKind::Tpcc(_)) {
            return Ok(None);
        }
        let dialect = SqlDialect::mysql();
        let said = |error: mysql_async::Error| SqlError::said("checking the data", &error);
        let broken = block_on(async {
            let mut connection = Connection::open(&self.target, true).await.map_err(said)?;
            let mut each = |condition: &tpcc::ConsistencyCondition| {
                tell(RunStage::Starting(&format!("checking condition 3.3.2.{}: {}", condition.clause, condition.says)));
                !spec.stop.load(Ordering::Relaxed)
            };
            let broken = tpcc::check(&mut connection, dialect, &mut each).await.map_err(said)?;
            connection.close().await;
            Ok::<_, SqlError>(broken)
        })??;
        spec.check_stop()?;
        Ok(Some(ConsistencyCheck { conditions: dialect.conditions().len(), broken }))
    }

    fn restarts(&self) -> u32 {
        self.server.as_ref().map_or(0, |server| server.restarts())
    }

    /// The server that was launched for it.
    pub fn server(&self) -> Option<&MariaDb> {
        self.server.as_deref()
    }
}

/// The buffer pool of the load and that of the runs, where they differ.
fn pools(launched: &LaunchedMariaDb) -> Option<(Bytes, Bytes)> {
    let memory = ServerMemory::here(launched.options.memory);
    settings::pools(&launched.deployment, memory, &launched.variables)
}

/// Launches a MariaDB on the disks of the deployment's first node.
fn start(
    machine: &ServerMachine,
    launched: &LaunchedMariaDb,
    spec: &SqlSpec,
    notes: &mut Vec<String>,
    tell: &mut Tell<'_>,
) -> Result<MariaDb, SqlError> {
    let LaunchedMariaDb { deployment, options, variables } = launched;
    tell(RunStage::Starting("mounting the disks"));
    let programs = MariadbPrograms::find()?;
    // Credits are for the runs: the load need not wait.
    let options = cluster::ClusterOptions { interrupted: spec.stop.clone(), credits: None, ..options.clone() };
    let host = NodeHost::mount(&machine.home, &machine.scratch, deployment, &options)?;
    let (data, redo, folder) = (host.disk("data"), host.disk("redo"), MariaDb::folder(&host)?);
    let data = data.ok_or(SqlError::NoDataDisk)?;
    let places: (&Path, Option<&Path>, &Path) = (&data, redo.as_deref(), &folder);
    let memory = ServerMemory::here(options.memory);
    let text = settings(deployment, memory, places, connections(&spec.plan), variables)?;
    notes.extend(host.notes().iter().cloned());
    tell(RunStage::Starting("creating and starting MariaDB"));
    let first: Vec<_> = pools(launched).iter().map(|(load, _)| (settings::POOL, load.0.to_string())).collect();
    MariaDb::start((host, &folder), &programs, &text, &first, PATIENCE, &spec.stop)
}

/// The clients of a run.
struct ClientCrew<'d> {
    database: &'d SqlDatabase,
    spec: &'d SqlSpec,
    target: Arc<SqlTarget>,
    retries: Arc<RetryBudget>,
}

impl DriverCrew for ClientCrew<'_> {
    type Source = SqlWorkSource;
    type Driver = Clients;

    fn kinds(&self) -> &[String] {
        &self.database.kinds
    }

    fn hire(&mut self, seed: u64, thread: u32) -> Result<(SqlWorkSource, Clients), BenchError> {
        let (database, spec) = (self.database, self.spec);
        let works = spec.settings.job.works(database.ready.seed, seed, thread, &database.added);
        let (threads, all) = (spec.plan.threads() as usize, connections(&spec.plan));
        let count = all / threads + usize::from((thread as usize) < all % threads);
        let clients = Clients::connect(count.max(1), &self.target, &self.retries, PATIENCE)?;
        Ok((works, clients))
    }
}

fn block_on<T>(future: impl Future<Output = T>) -> Result<T, SqlError> {
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(SqlError::system("a runtime"))?;
    let done = runtime.block_on(future);
    // A look-up of a name that was given up is not waited for.
    runtime.shutdown_background();
    Ok(done)
}
