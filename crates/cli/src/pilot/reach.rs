//! Where the cluster is, how the pilot is let in, and what it keeps of its doings.

use std::path::PathBuf;
use std::time::Duration;

use ::pilot::{
    Attention, ClusterLock, ClusterWorld, Journal, LockHolder, PdApi, PdHttp, PdLock, Pilot, PilotAccess, PilotFolder,
    PilotLease, PilotMeters, PilotNotes, ProcedureRun, StopMode, SystemClock, TikvHttp, WallClock,
};
use http_client::Secret;
use ingest::prometheus::PrometheusServer;
use jiff::Timestamp;
use mysql::{GlobalVariables, Password, SqlTarget};

use super::tidb::Tidb;
use crate::failure::Failure;
use crate::{inputs, on_signal};

/// Secrets never come from arguments, which others on the machine can read.
pub(super) const PD_TOKEN: &str = "DISKWRIGHT_PD_TOKEN";
const TIKV_TOKEN: &str = "DISKWRIGHT_TIKV_TOKEN";
const PROMETHEUS_TOKEN: &str = "DISKWRIGHT_PROMETHEUS_TOKEN";

/// How long the pilot waits for each answer of Prometheus, as for those of all others.
const PATIENCE: Duration = Duration::from_secs(5);

/// The folder of a pilot.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Place {
    /// The pilot's folder: journal, log, lock; one for each cluster. Else DISKWRIGHT_PILOT, or
    /// /var/lib/diskwright/pilot
    #[arg(long, value_name = "DIR")]
    journal: Option<PathBuf>,
}

impl Place {
    /// The folder's path.
    pub(crate) fn path(&self) -> PathBuf {
        let named = || std::env::var_os("DISKWRIGHT_PILOT").map(PathBuf::from);
        self.journal.clone().or_else(named).unwrap_or_else(|| PathBuf::from("/var/lib/diskwright/pilot"))
    }

    /// Catches signals from now on, and looks at them and the folder's switch.
    pub(crate) fn attention(&self) -> Result<Attention, Failure> {
        Ok(Attention::new(on_signal::catch()?, PilotFolder::at(self.path())?))
    }
}

/// Where the cluster is, and how the pilot is let in.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Reach {
    /// Any member of PD
    #[arg(long, value_name = "URL")]
    pub(crate) pd: String,
    /// A TiKV's status server; those on this machine are found by themselves; may be repeated
    #[arg(long, value_name = "[STORE=]URL")]
    pub(crate) tikv_status: Vec<String>,
    /// A TiDB, whose variables can be changed then: mysql://USER@HOST:4000; its password in DISKWRIGHT_DB_PASSWORD
    #[arg(long, value_name = "URL")]
    tidb: Option<String>,
    /// Trust only certificates that this one signs, a PEM file
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,
    /// The pilot's own certificate, a PEM file
    #[arg(long, value_name = "FILE", requires = "key")]
    cert: Option<PathBuf>,
    /// Its key, a PEM file
    #[arg(long, value_name = "FILE", requires = "cert")]
    key: Option<PathBuf>,
    /// Speak plain HTTP beyond this machine: anybody on the way can read and change it
    #[arg(long)]
    insecure: bool,
}

/// A PD that is only asked.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct AskedPd {
    /// Ask any member of PD who holds its maintenance lock
    #[arg(long, value_name = "URL")]
    pd: Option<String>,
    /// Trust only certificates that this one signs, a PEM file
    #[arg(long, value_name = "FILE", requires = "pd")]
    ca: Option<PathBuf>,
    /// The pilot's own certificate, a PEM file
    #[arg(long, value_name = "FILE", requires_all = ["pd", "key"])]
    cert: Option<PathBuf>,
    /// Its key, a PEM file
    #[arg(long, value_name = "FILE", requires = "cert")]
    key: Option<PathBuf>,
    /// Speak plain HTTP beyond this machine: anybody on the way can read and change it
    #[arg(long, requires = "pd")]
    insecure: bool,
}

impl AskedPd {
    /// How it is reached, if it is to be asked.
    pub(crate) fn reach(&self) -> Option<Reach> {
        let Self { pd, ca, cert, key, insecure } = self.clone();
        Some(Reach { pd: pd?, tikv_status: Vec::new(), tidb: None, ca, cert, key, insecure })
    }
}

/// A pilot that is about to begin, and what it stands on.
pub(crate) struct Opened {
    pub(crate) pilot: Pilot,
    pub(crate) folder: PilotFolder,
    pub(crate) meters: PilotMeters,
    pub(crate) clock: SystemClock,
    pub(crate) attention: Attention,
    pub(crate) cluster: String,
    /// How others are kept out, for people.
    pub(crate) lease: &'static str,
    pub(crate) tikv: TikvHttp,
}

impl Reach {
    /// How the pilot is let in, with the token of that variable.
    pub(crate) fn access(&self, token: &str, attention: &Attention) -> Result<PilotAccess, Failure> {
        let mut access = PilotAccess::default().insecure(self.insecure).stop(attention.stop());
        if let Some(path) = &self.ca {
            access = access.ca(&inputs::bytes("--ca", path)?)?;
        }
        if let Some((certificate, key)) = self.identity()? {
            access = access.identity(&certificate, &key)?;
        }
        Ok(match std::env::var(token) {
            Ok(token) => access.token(&token)?,
            Err(_) => access,
        })
    }

    /// The pilot's certificate and key.
    fn identity(&self) -> Result<Option<inputs::Identity>, Failure> {
        inputs::identity(("--cert", self.cert.as_deref()), ("--key", self.key.as_deref()))
    }

    /// Whether plain HTTP beyond this machine is wanted.
    #[cfg(feature = "cloud")]
    pub(crate) fn is_insecure(&self) -> bool {
        self.insecure
    }

    /// A Prometheus, trusted as the cluster is.
    pub(crate) fn prometheus(&self, url: &str, attention: &Attention) -> Result<PrometheusServer, Failure> {
        let input = |error: http_client::PeerError| Failure::input(error.to_string());
        let mut access = http_client::ClientAccess::default().insecure(self.insecure).stop(attention.stop());
        if let Some(path) = &self.ca {
            access = access.ca("CA", &inputs::bytes("--ca", path)?).map_err(input)?;
        }
        if let Some((certificate, key)) = self.identity()? {
            access = access.identity(&certificate, &key).map_err(input)?;
        }
        if let Ok(token) = std::env::var(PROMETHEUS_TOKEN) {
            access = access.secret(Secret::Bearer(token)).map_err(input)?;
        }
        let server = PrometheusServer::new(url, access)?.patience(PATIENCE)?;
        // What it answers decides what is done.
        if server.is_exposed() && !self.insecure {
            let message = "--prometheus: it is beyond this machine and not encrypted: use https with --ca, or --insecure if the \
                           network is trusted";
            return Err(Failure::input(message));
        }
        Ok(server)
    }

    /// The task that holds PD's lock, by PD's own word; `None` where none does.
    pub(crate) fn holder(&self, place: &Place, pilot: &str) -> Result<Option<LockHolder>, Failure> {
        let pd = PdHttp::new(&self.pd, &self.access(PD_TOKEN, &place.attention()?)?)?;
        Ok(PdLock::new(pd, pilot).holder()?)
    }

    fn tidb(&self, attention: &Attention) -> Result<Option<Box<dyn ::pilot::TidbApi>>, Failure> {
        let Some(url) = &self.tidb else { return Ok(None) };
        let mut target = SqlTarget::server("--tidb", url)?;
        if self.ca.is_none() && !self.insecure && !http_client::is_loopback(&target.host) {
            let message =
                "it is not encrypted, and anybody on the way could read and change it: give --ca, or --insecure";
            return Err(Failure::input(format!("--tidb {url}: {message}")));
        }
        (target.tls_ca, target.password) = (self.ca.clone(), Password::from_environment());
        target.tls_identity = self.cert.clone().zip(self.key.clone());
        Ok(Some(Box::new(Tidb(GlobalVariables::of(target)?.stop(attention.stop())))))
    }

    /// Opens the cluster and the folder. Who only looks takes no lock and leaves no trace.
    pub(crate) fn open(
        &self,
        place: &Place,
        act: bool,
        attention: Attention,
        tell: Box<dyn FnMut(&str)>,
    ) -> Result<Opened, Failure> {
        // Nothing is under way yet that would have to be undone.
        self.opened(place, act, attention, tell).map_err(on_signal::told)
    }

    fn opened(
        &self,
        place: &Place,
        act: bool,
        attention: Attention,
        tell: Box<dyn FnMut(&str)>,
    ) -> Result<Opened, Failure> {
        let clock = SystemClock::new();
        let folder = if act { PilotFolder::take(place.path())? } else { PilotFolder::at(place.path())? };
        let pd = PdHttp::new(&self.pd, &self.access(PD_TOKEN, &attention)?)?;
        let (cluster, health) = (pd.cluster_id()?, pd.health()?);
        let tikv = TikvHttp::find(&health, &self.tikv_status, &self.access(TIKV_TOKEN, &attention)?)?;
        let world = ClusterWorld {
            tikv: Some(Box::new(tikv.clone())),
            pd: Some(Box::new(pd.clone())),
            tidb: self.tidb(&attention)?,
            read_only: !act,
            ..ClusterWorld::default()
        };
        let (lines, replay) = if act { folder.lines()? } else { folder.glance()? };
        let name = match replay.pilot.as_str() {
            "" => format!("pilot-{}", Timestamp::now().as_nanosecond()),
            name => name.to_owned(),
        };
        // What is only watched needs no lock, and ends although another holds it.
        let watches = replay.open().next().is_some() && replay.open().all(ProcedureRun::only_watches);
        let journal = Journal::open(lines, replay, &cluster, &name, clock.now().wall)?.timed_by(Box::new(clock));
        let lock = if act { Some(lease(pd, &name, watches)?) } else { None };
        let meters = PilotMeters::default();
        let notes = PilotNotes::new(&folder, &meters, tell);
        let pilot = Pilot::new(world, journal, Box::new(notes), clock.now())?.attends(&attention);
        let (mut pilot, lease) = match lock {
            None => (pilot, "only looks: none taken"),
            Some(None) => (pilot, "the folder's lock alone: PD offers one from 8.5.7 on"),
            Some(Some((lock, held))) => {
                let lease = "the folder's lock, and PD's maintenance lock while something is changed or to be undone";
                (pilot.locked(Box::new(lock), held), lease)
            }
        };
        // It is taken again for what is changed, and says then what that is.
        pilot.release_lock(clock.now())?;
        Ok(Opened { pilot, folder, meters, clock, attention, cluster, lease, tikv })
    }
}

impl Opened {
    /// Gives PD's lock back, if nothing is still to be undone.
    pub(crate) fn close(mut self) -> Result<(), Failure> {
        Ok(self.pilot.release_lock(self.clock.now())?)
    }
}

/// Refuses to begin while the kill switch is set.
pub(crate) fn not_stopped(place: &Place) -> Result<(), Failure> {
    match PilotFolder::at(place.path())?.stop() {
        None => Ok(()),
        Some(stop) => Err(Failure {
            message: format!(
                "the kill switch is set in {}{}: take it away with `diskwright pilot stop --clear --journal {}`",
                place.path().display(),
                if stop == StopMode::Freeze { ", and nothing may be touched" } else { "" },
                textfile::shell_word(place.path())
            ),
            code: 1,
        }),
    }
}

/// Refuses to begin anything on a damaged journal: what it lacks may be under way.
pub(crate) fn not_damaged(place: &Place) -> Result<(), Failure> {
    match PilotFolder::at(place.path())?.replay()?.complaint() {
        None => Ok(()),
        Some(damaged) => Err(Failure::input(damaged)),
    }
}

/// Takes PD's lock, where it offers one; and whether it is held.
fn lease(pd: PdHttp, name: &str, watches: bool) -> Result<Option<(PdLock, bool)>, Failure> {
    let lock = PdLock::new(pd, name);
    match lock.take("diskwright pilot: begins")? {
        PilotLease::Held => Ok(Some((lock, true))),
        PilotLease::NotOffered => Ok(None),
        PilotLease::Other(_) if watches => Ok(Some((lock, false))),
        PilotLease::Other(holder) => Err(Failure {
            message: format!(
                "PD's maintenance lock is held by {holder}; one changes a cluster at a time: wait until that is over, or end it; if \
                 it is gone for good, take its lock away with DELETE /pd/api/v2/maintenance/TYPE/ID"
            ),
            code: 1,
        }),
    }
}
