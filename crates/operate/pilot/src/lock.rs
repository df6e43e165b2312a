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
        self.lock = Some(Lock { peer, held, unsure: false, rests: None });
        self
    }

    /// Whether the cluster's lock is held; `false` where there is none.
    pub fn holds_lock(&self) -> bool {
        self.lock.as_ref().is_some_and(|lock| lock.held)
    }

    /// Takes the lock when the pilot begins: so it is known whether another has it. A PD that offers none is not asked again.
    ///
    /// # Errors
    /// When PD does not answer.
    pub(crate) fn claim_lock(&mut self) -> Result<PilotLease, WorldError> {
        let lease = self.lock.as_mut().map_or(Ok(PilotLease::NotOffered), |lock| lock.take("begins"))?;
        self.lock.take_if(|_| lease == PilotLease::NotOffered);
        Ok(lease)
    }

    /// Takes the lock, if it is not held; an error says in a sentence who has it instead.
    pub(crate) fn take_lock(&mut self, why: &str, now: ClockReading) -> Result<(), String> {
        let Some(lock) = self.lock.as_mut().filter(|lock| !lock.held) else { return Ok(()) };
        if let Some(why) = lock.rests(now) {
            return Err(why.to_owned());
        }
        let refused = match lock.take(why) {
            Ok(PilotLease::Held | PilotLease::NotOffered) => return Ok(()),
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
        let Some(lock) = self.lock.as_mut().filter(|lock| lock.may_be_held() && !needed) else { return Ok(()) };
        lock.release().inspect_err(|error| lock.rests = Some((now.mono + AGAIN, error.to_string())))
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
    /// Whatever ends a pilot leaves no lock behind that nothing needs.
    fn drop(&mut self) {
        // What it is told to end by is no reason to give up this wait.
        if let Some(attention) = &self.attention {
            attention.heed();
        }
        let needed = self.runs().values().any(ProcedureRun::needs_lock);
        if let Some(lock) = self.lock.as_mut().filter(|lock| lock.may_be_held() && !needed) {
            // Nobody is left to be told; the next pilot of this folder takes it up by name, and gives it back.
            let _ = lock.release();
        }
    }
}
