//! The lock of a whole cluster, as a pilot asks for it.

use units::Nanos;

use crate::{ClockReading, WorldError};

/// A lock of the whole cluster, under a pilot's name.
pub trait ClusterLock {
    /// Takes it, or finds it held under the same name. `why` is told to everybody else who wants it.
    ///
    /// # Errors
    /// When it does not answer.
    fn take(&self, why: &str) -> Result<PilotLease, WorldError>;

    /// Gives it back; nothing happens where it is not held.
    ///
    /// # Errors
    /// When it does not answer.
    fn release(&self) -> Result<(), WorldError>;
}

/// Whether this pilot is the only one that may change the cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PilotLease {
    /// It holds the lock.
    Held,
    /// There is no such lock: only the folder's keeps others out.
    NotOffered,
    /// Another has it: who, since when and why.
    Other(String),
}

/// The lock, and what a pilot knows of it.
pub(crate) struct Lock {
    pub(crate) peer: Box<dyn ClusterLock>,
    pub(crate) held: bool,
    /// Whether it was asked for and no answer came: it may be held all the same.
    pub(crate) unsure: bool,
    /// Nothing is asked of it before, for this reason.
    pub(crate) rests: Option<(Nanos, String)>,
}

impl Lock {
    /// Asks for it.
    pub(crate) fn take(&mut self, why: &str) -> Result<PilotLease, WorldError> {
        let lease = self.peer.take(&format!("diskwright pilot: {why}"));
        (self.held, self.unsure) = (lease == Ok(PilotLease::Held), lease.is_err());
        lease
    }

    /// Gives it back.
    pub(crate) fn release(&mut self) -> Result<(), WorldError> {
        self.peer.release()?;
        (self.held, self.unsure) = (false, false);
        Ok(())
    }

    /// Whether it is to be given back once nothing needs it.
    pub(crate) fn may_be_held(&self) -> bool {
        self.held || self.unsure
    }

    /// Why nothing is asked of it now.
    pub(crate) fn rests(&self, now: ClockReading) -> Option<&str> {
        self.rests.as_ref().filter(|(until, _)| *until > now.mono).map(|(_, why)| why.as_str())
    }
}
