//! Looks at the disks and the server each second, and starts the server again if it has ended.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use catalog::Catalog;
use cluster::{NodeActivity, NodeHost, SampleRound, SampleRounds};
use disk_space::DiskSpace;
use jiff::Timestamp;
use metrics::{CloudWatch, DiskLatencies, NodeSample};
use signals::StopSignal;
use timeline::{Timeline, TimelineInfo};
use tokio::runtime::{Builder, Runtime};
use tpcc::SqlSession;
use units::Bytes;

use crate::connection::Connection;
use crate::{ErrorClass, MariaDb, RetryBudget, SqlError, SqlTarget};
use ingest::mysql::{ServerStatus, server_status};

/// Latencies are fetched with every so many samples: a histogram is some kilobytes.
const LATENCIES_EVERY: usize = 5;

/// Binary logs are purged with every so many, as RDS does: they are not part of what is kept.
const PURGE_EVERY: usize = 60;

/// With less room than an extent of InnoDB no table grows.
const LEAST_ROOM: Bytes = Bytes::mib(1);

/// A server that does not answer so long is not seen this time.
const PATIENCE: Duration = Duration::from_secs(5);

/// Looks at the disks and the server each second, in a thread of its own.
#[derive(Debug)]
pub(crate) struct Watch {
    seen: Arc<Mutex<Seen>>,
    ours: Option<Arc<MariaDb>>,
    /// How often ours had been started again before.
    restarts: u32,
    rounds: SampleRounds,
}

/// What was seen.
#[derive(Debug, Default)]
struct Seen {
    disks: Vec<NodeSample>,
    latencies: Vec<Vec<DiskLatencies>>,
    server: Vec<ServerStatus>,
    /// Why the server could not be started again.
    gone: Option<String>,
    /// How often the server was killed on purpose.
    crashes: u32,
    /// Whether it could not be reached in the last look.
    out_of_reach: bool,
}

impl Seen {
    /// How often the server ended though nobody meant it to: ours as its process shows, another as its uptime and its silence do.
    fn lost(&self, ours: Option<(&MariaDb, u32)>) -> u32 {
        match ours {
            Some((ours, before)) => {
                (ours.restarts() - before + u32::from(!ours.is_running())).saturating_sub(self.crashes)
            }
            None => server_status::restarts(&self.server) + u32::from(self.out_of_reach),
        }
    }
}

/// How the one node is called, as those of clusters are.
const NODE: &str = "n1";

impl Watch {
    /// Begins; `ours` is the server that is started again if it ends, on the disks that are looked at, and
    /// that is killed after `crash`. `retries` hears when a disk is full.
    pub(crate) fn start(
        target: &SqlTarget,
        ours: Option<&Arc<MariaDb>>,
        retries: &Arc<RetryBudget>,
        crash: Option<Duration>,
    ) -> Result<Self, SqlError> {
        let seen = Arc::<Mutex<Seen>>::default();
        let failed = || SqlError::system("no thread can be started");
        let runtime = Builder::new_current_thread().enable_all().build().map_err(failed())?;
        let mut looker = Looker {
            runtime,
            target: target.clone(),
            ours: ours.cloned(),
            retries: retries.clone(),
            connection: None,
            crash: crash.map(|after| Instant::now() + after),
            seen: seen.clone(),
        };
        let rounds = SampleRounds::start("watch".to_owned(), move |round| looker.look(round)).map_err(failed())?;
        Ok(Self { seen, ours: ours.cloned(), restarts: ours.map_or(0, |ours| ours.restarts()), rounds })
    }

    /// What the disks did in the last interval.
    pub(crate) fn latest(&self) -> Vec<NodeActivity> {
        let seen = locked(&self.seen);
        match seen.disks.as_slice() {
            [.., before, after] => {
                vec![NodeActivity { node: NODE.to_owned(), disks: Some(metrics::rates(before, after)), engine: None }]
            }
            _ => Vec::new(),
        }
    }

    /// Why the server could not be started again, if so.
    pub(crate) fn gone(&self) -> Option<String> {
        locked(&self.seen).gone.clone()
    }

    /// Looks once more and ends: all that was seen, and how often the server was lost.
    pub(crate) fn finish(mut self) -> Result<(Timeline, u32), SqlError> {
        self.rounds.end();
        let seen = locked(&self.seen);
        let lost = seen.lost(self.ours.as_deref().map(|ours| (ours, self.restarts)));
        let server = server_status::timeline(&seen.server);
        let Some(ours) = &self.ours else { return Ok((server, lost)) };
        let disks = of_disks(ours.host(), &seen)?;
        if server.series.is_empty() {
            return Ok((disks, lost));
        }
        Ok((disks.merge(&server)?, lost))
    }
}

/// The disks' own series, and CloudWatch's beside them.
fn of_disks(host: &NodeHost, seen: &Seen) -> Result<Timeline, SqlError> {
    let about = TimelineInfo { start: Some(host.since()), ..TimelineInfo::default() };
    let mut own = metrics::timeline(&seen.disks, &seen.latencies, about);
    for series in &mut own.series {
        series.labels.insert("node".to_owned(), NODE.to_owned());
        if let Some(zone) = host.zone() {
            series.labels.insert("zone".to_owned(), zone.to_owned());
        }
    }
    let facts = Catalog::embedded().at(None);
    let instance = host.instance().and_then(|name| facts.instance(name).ok());
    let options = CloudWatch {
        start: host.since(),
        instance_id: format!("i-{}", host.instance().unwrap_or("unlimited")),
        // What hangs on no particular instance is shown with all that CloudWatch has.
        nitro: instance.is_none_or(|instance| instance.nitro),
        detailed: true,
    };
    let cloud = metrics::cloudwatch(&seen.disks, &options);
    Ok(if cloud.series.is_empty() { own } else { own.merge(&cloud)? })
}

fn locked(seen: &Mutex<Seen>) -> MutexGuard<'_, Seen> {
    // Every sample is whole: one that panicked has added none.
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The thread's own.
struct Looker {
    runtime: Runtime,
    target: SqlTarget,
    ours: Option<Arc<MariaDb>>,
    retries: Arc<RetryBudget>,
    connection: Option<Connection>,
    /// When the server is still to be killed.
    crash: Option<Instant>,
    seen: Arc<Mutex<Seen>>,
}

impl Looker {
    fn look(&mut self, SampleRound { number, is_last: last }: SampleRound) {
        if let Some(ours) = self.ours.clone() {
            self.disks(&ours, last || number.is_multiple_of(LATENCIES_EVERY));
            self.room(&ours);
            if self.crash.take_if(|at| *at <= Instant::now()).is_some() {
                locked(&self.seen).crashes += 1;
                ours.kill9();
            }
            if !ours.is_running() && !last && !self.retries.stopped() && locked(&self.seen).gone.is_none() {
                self.connection = None;
                if let Err(error) = ours.restart() {
                    locked(&self.seen).gone = Some(error.to_string());
                }
            }
        }
        let purge = number % PURGE_EVERY == PURGE_EVERY - 1 && self.ours.is_some();
        // One that does not answer in time is asked anew, on another connection.
        let mut connection = self.connection.take();
        let target = &self.target;
        let asking = async {
            let mut known = match connection.take() {
                Some(known) => known,
                None => Connection::open(target, true).await?,
            };
            if purge {
                known.run("PURGE BINARY LOGS BEFORE NOW()").await?;
            }
            let rows = known.text("SHOW GLOBAL STATUS").await?;
            Ok::<_, mysql_async::Error>((
                ServerStatus::of(
                    Timestamp::now(),
                    rows.iter().filter_map(|row| Some((row.first()?.text(), row.get(1)?.digits()))),
                ),
                known,
            ))
        };
        let asked = self.runtime.block_on(StopSignal::default().within(PATIENCE, asking));
        match asked {
            Ok(Ok((status, known))) => {
                locked(&self.seen).server.push(status);
                self.connection = Some(known);
            }
            // One that is slow to answer is there.
            Ok(Err(error)) => locked(&self.seen).out_of_reach = last && ErrorClass::of(&error) == ErrorClass::Lost,
            Err(_) => {}
        }
        if let Some(connection) = self.connection.take_if(|_| last) {
            self.runtime.block_on(connection.close());
        }
    }

    /// A server whose disk is full does not say so: it waits for room, and its clients with it (`MY_WAIT_IF_FULL`).
    fn room(&self, ours: &MariaDb) {
        for name in ["data", "redo"] {
            let Some(disk) = ours.host().disk(name) else { continue };
            let Ok(there) = DiskSpace::of(&disk) else { continue };
            if there.available < LEAST_ROOM && !self.retries.stopped() {
                self.retries.end(ErrorClass::Full, format!("nothing is left of the {name} disk's {}", there.capacity));
                ours.kill9();
            }
        }
    }

    fn disks(&self, ours: &MariaDb, with_latencies: bool) {
        let looked = if with_latencies {
            ours.host().reading().map(|reading| (reading.sample, reading.latencies))
        } else {
            ours.host().sample().map(|sample| (sample, Vec::new()))
        };
        if let Ok((sample, latencies)) = looked {
            let mut seen = locked(&self.seen);
            seen.disks.push(sample);
            seen.latencies.push(latencies);
        }
    }
}
