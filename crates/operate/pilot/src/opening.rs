//! Opens a cluster and the folder of its pilot, and puts the pilot together.

use std::path::Path;

use jiff::Timestamp;
use mysql::{GlobalVariables, SqlTarget};

use crate::tidb::{TidbVariables, unopened};
use crate::{
    Attention, ClusterWorld, Journal, PdApi, PdHttp, PdLock, Pilot, PilotAccess, PilotError, PilotFolder, PilotLease,
    PilotMeters, PilotNotes, ProcedureRun, StopMode, SystemClock, TidbApi, TikvHttp, WallClock,
};

/// Addresses of a cluster, and how the pilot is let in.
#[derive(Debug)]
pub struct ClusterConnections {
    /// Any member of PD, and how it lets the pilot in.
    pub pd: (String, PilotAccess),
    /// Status servers of TiKVs that are not on this machine, each `[STORE=]URL`.
    pub tikv_status: Vec<String>,
    /// How TiKVs let the pilot in.
    pub tikv: PilotAccess,
    /// A TiDB, whose variables can be changed then.
    pub tidb: Option<SqlTarget>,
}

/// A pilot that is about to begin, and what it stands on.
pub struct OpenedPilot {
    /// The pilot.
    pub pilot: Pilot,
    /// Its folder.
    pub folder: PilotFolder,
    /// Its own metrics.
    pub meters: PilotMeters,
    /// Its clock.
    pub clock: SystemClock,
    /// Signals and the kill switch.
    pub attention: Attention,
    /// The cluster's identity, as PD tells it.
    pub cluster: String,
    /// How other pilots are kept out, for people.
    pub lease: &'static str,
    /// The cluster's TiKVs.
    pub tikv: TikvHttp,
}

impl OpenedPilot {
    /// Opens the cluster and the folder. With `act` the folder is taken, and PD's lock where PD offers one; without, no lock is taken
    /// and nothing is written.
    ///
    /// # Errors
    /// When the cluster does not answer, or another pilot works on it or in the folder.
    pub fn open(
        connections: ClusterConnections,
        folder: &Path,
        act: bool,
        attention: Attention,
        tell: Box<dyn FnMut(&str)>,
    ) -> Result<Self, PilotError> {
        let switch = attention.clone();
        // Whoever threw the switch meanwhile is told of that, not of the request that was given up for it.
        Self::reach(connections, folder, act, attention, tell).map_err(|error| match switch.switch() {
            Some(stop) => PilotError::Stopped { folder: folder.to_owned(), stop },
            None => error,
        })
    }

    fn reach(
        connections: ClusterConnections,
        folder: &Path,
        act: bool,
        attention: Attention,
        tell: Box<dyn FnMut(&str)>,
    ) -> Result<Self, PilotError> {
        let clock = SystemClock::new();
        let folder = if act { PilotFolder::take(folder)? } else { PilotFolder::at(folder)? };
        let pd = PdHttp::new(&connections.pd.0, &connections.pd.1)?;
        let (cluster, health) = (pd.cluster_id()?, pd.health()?);
        let tikv = TikvHttp::find(&health, &connections.tikv_status, &connections.tikv)?;
        let world = ClusterWorld {
            tikv: Some(Box::new(tikv.clone())),
            pd: Some(Box::new(pd.clone())),
            tidb: connections.tidb.map(|target| tidb(target, &attention)).transpose()?,
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
        let meters = PilotMeters::default();
        let notes = PilotNotes::new(&folder, &meters, tell);
        let mut pilot = Pilot::at_rest(world, journal, Box::new(notes), clock.now()).attends(&attention);
        let mut lease = "only looks: none taken";
        if act {
            // From here on the pilot gives the lock back, whatever it ends by.
            pilot = pilot.locked(Box::new(PdLock::new(pd, &name)), false);
            lease = match pilot.claim_lock()? {
                PilotLease::Other(holder) if !watches => return Err(PilotError::LockHeld { holder }),
                PilotLease::NotOffered => "the folder's lock alone: PD offers one from 8.5.7 on",
                PilotLease::Held | PilotLease::Other(_) => {
                    "the folder's lock, and PD's maintenance lock while something is changed or to be undone"
                }
            };
        }
        pilot.take_up(clock.now())?;
        // It is taken again for what is changed, and says then what that is.
        pilot.release_lock(clock.now())?;
        Ok(Self { pilot, folder, meters, clock, attention, cluster, lease, tikv })
    }

    /// Gives PD's lock back, if nothing is still to be undone.
    ///
    /// # Errors
    /// When PD does not take it.
    pub fn close(mut self) -> Result<(), PilotError> {
        // What it was told is done by now, and no reason to give up this wait.
        self.attention.heed();
        Ok(self.pilot.release_lock(self.clock.now())?)
    }
}

fn tidb(target: SqlTarget, attention: &Attention) -> Result<Box<dyn TidbApi>, PilotError> {
    let variables = GlobalVariables::of(target).map_err(unopened)?;
    Ok(Box::new(TidbVariables(variables.stop(attention.stop()))))
}

impl PilotFolder {
    /// Refuses to begin in a folder while its kill switch is set.
    ///
    /// # Errors
    /// When it is set.
    pub fn check_not_stopped(folder: &Path) -> Result<(), PilotError> {
        match Self::at(folder)?.stop() {
            None => Ok(()),
            Some(stop) => Err(PilotError::Stopped { folder: folder.to_owned(), stop }),
        }
    }

    /// Refuses to undo in a folder while its kill switch freezes. Returns the switch that stands, which wants just this.
    ///
    /// # Errors
    /// When it freezes.
    pub fn check_not_frozen(&self) -> Result<Option<StopMode>, PilotError> {
        match self.stop() {
            Some(stop @ StopMode::Freeze) => Err(PilotError::Stopped { folder: self.path().to_owned(), stop }),
            stood => Ok(stood),
        }
    }

    /// Refuses to begin anything on a damaged journal: the lines that it lacks may tell of something under way.
    ///
    /// # Errors
    /// When it is damaged.
    pub fn check_undamaged(folder: &Path) -> Result<(), PilotError> {
        Self::at(folder)?.replay()?.complaint().map_or(Ok(()), |damage| Err(PilotError::Input(damage)))
    }
}
