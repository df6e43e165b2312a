//! The lock of the whole cluster: held while something is changed or still to be undone, and no longer. It keeps out every other
//! maintenance of the cluster, not pilots alone.

use units::Nanos;

use crate::audit::PilotEvent;
use crate::lease::Lock;
use crate::{ClockReading, ClusterLock, Pilot, PilotLease, ProcedureRun, WorldError};

/// How long is waited until the lock is asked for again, or given back again.
const AGAIN: Nanos = Nanos::secs(1);

impl Pilot {
    /// The same, holding that lock while something is changed or to be undone; and whether it is held now.
    #[must_use]
    pub fn locked(mut self, peer: Box<dyn ClusterLock>, held: bool) -> Self {
        self.lock = Some(Lock { peer, held, rests: None });
        self
    }

    /// Whether the cluster's lock is held; `false` where there is none.
    pub fn holds_lock(&self) -> bool {
        self.lock.as_ref().is_some_and(|lock| lock.held)
    }

    /// Takes the lock, if it is not held; an error says in a sentence who has it instead.
    pub(crate) fn take_lock(&mut self, why: &str, now: ClockReading) -> Result<(), String> {
        let Some(lock) = self.lock.as_mut().filter(|lock| !lock.held) else { return Ok(()) };
        if let Some(why) = lock.rests(now) {
            return Err(why.to_owned());
        }
        let refused = match lock.peer.take(&format!("diskwright pilot: {why}")) {
            Ok(PilotLease::Held) => {
                lock.held = true;
                return Ok(());
            }
            Ok(PilotLease::NotOffered) => return Ok(()),
            Ok(PilotLease::Other(holder)) => format!("PD's maintenance lock is held by {holder}"),
            Err(error) => error.to_string(),
        };
        lock.rests = Some((now.mono + AGAIN, refused.clone()));
        Err(refused)
    }

    /// Gives the lock back as soon as nothing needs it.
    ///
    /// # Errors
    /// When it could not be given back, and nothing needs it.
    pub fn release_lock(&mut self, now: ClockReading) -> Result<(), WorldError> {
        let needed = self.runs().values().any(ProcedureRun::needs_lock);
        let Some(lock) = self.lock.as_mut().filter(|lock| lock.held && !needed) else { return Ok(()) };
        match lock.peer.release() {
            Ok(()) => {
                lock.held = false;
                Ok(())
            }
            Err(error) => {
                lock.rests = Some((now.mono + AGAIN, error.to_string()));
                Err(error)
            }
        }
    }

    /// The same between two turns: what fails is said once, and tried again.
    pub(crate) fn let_lock_go(&mut self, now: ClockReading) {
        if self.lock.as_ref().is_none_or(|lock| lock.rests(now).is_some()) {
            return;
        }
        if let Err(error) = self.release_lock(now) {
            let why = format!("PD's maintenance lock is not given back yet: {error}");
            self.say("lock", "release", &why, now, &PilotEvent::Says(&why));
        }
    }
}

impl Drop for Pilot {
    /// Whatever ends a pilot before its work began leaves no lock behind.
    fn drop(&mut self) {
        let needed = self.runs().values().any(ProcedureRun::needs_lock);
        if let Some(lock) = self.lock.as_mut().filter(|lock| lock.held && !needed) {
            // Nobody is left to be told; the next pilot of this folder takes it up by name, and gives it back.
            let _ = lock.peer.release();
        }
    }
}
