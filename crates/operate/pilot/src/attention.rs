//! Signals and the switch in the pilot's folder, heeded while it waits for others.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use crate::{PilotFolder, StopMode};

/// An order to the pilot, the more urgent the greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PilotOrder {
    /// To go on.
    Nothing,
    /// To undo what is under way, and end.
    Undo,
    /// To touch nothing any more, and end.
    Freeze,
}

/// Signals and the switch, as the pilot's loop and all its waits look at them. A wait is given up when the pilot is told more than
/// its loop has heeded: what the loop does about that, undoing, is waited for again.
#[derive(Debug, Clone)]
pub struct Attention {
    signal: Arc<AtomicBool>,
    folder: Arc<PilotFolder>,
    /// The switch that is not heeded.
    stood: Option<StopMode>,
    heeded: Arc<AtomicU8>,
}

impl Attention {
    /// Looks at a flag that a signal sets, and at the switch of a folder, whenever that was thrown.
    pub fn new(signal: Arc<AtomicBool>, folder: PilotFolder) -> Self {
        Self { signal, folder: Arc::new(folder), stood: None, heeded: Arc::default() }
    }

    /// The same, stopped by no switch that is as the caller found it when it decided to begin: who undoes by hand what was stopped is
    /// not stopped by that.
    #[must_use]
    pub fn despite(self, stood: Option<StopMode>) -> Self {
        Self { stood, ..self }
    }

    /// The switch of the folder; nothing while it is one that is not heeded.
    pub(crate) fn switch(&self) -> Option<StopMode> {
        self.folder.stop().filter(|stop| Some(*stop) != self.stood)
    }

    /// The order that holds now.
    pub fn told(&self) -> PilotOrder {
        match self.switch() {
            Some(StopMode::Freeze) => PilotOrder::Freeze,
            Some(StopMode::Undo) => PilotOrder::Undo,
            None if self.signal.load(Ordering::Acquire) => PilotOrder::Undo,
            None => PilotOrder::Nothing,
        }
    }

    /// The order that holds now; waits that begin from here on are not given up for it.
    pub fn heed(&self) -> PilotOrder {
        let told = self.told();
        self.heeded.fetch_max(told as u8, Ordering::AcqRel);
        told
    }

    /// Gives up waits when the pilot is told more than its loop has heeded.
    pub fn stop(&self) -> signals::StopSignal {
        let attention = self.clone();
        signals::StopSignal::new(move || attention.told() as u8 > attention.heeded.load(Ordering::Acquire))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_given_up_for_what_is_not_heeded_yet() {
        let place = tempfile::tempdir().unwrap();
        let folder = PilotFolder::at(place.path()).unwrap();
        let signal = Arc::new(AtomicBool::new(false));
        let attention = Attention::new(Arc::clone(&signal), folder.reader());
        let stop = attention.stop();
        assert!(!stop.is_set());
        signal.store(true, Ordering::Release);
        assert!(stop.is_set());
        assert_eq!(attention.heed(), PilotOrder::Undo);
        assert!(!stop.is_set(), "undoing waits for answers");
        folder.set_stop(Some(StopMode::Freeze)).unwrap();
        assert!(stop.is_set() && attention.heed() == PilotOrder::Freeze && !stop.is_set());
    }

    #[test]
    fn a_freeze_that_is_thrown_after_the_switch_was_looked_at_stops_a_pilot_that_begins() {
        let place = tempfile::tempdir().unwrap();
        PilotFolder::check_not_stopped(place.path()).unwrap();
        let folder = PilotFolder::at(place.path()).unwrap();
        folder.set_stop(Some(StopMode::Freeze)).unwrap();
        let attention = Attention::new(Arc::default(), folder.reader());
        assert!(attention.stop().is_set(), "nothing is asked of the cluster any more");
        assert_eq!(attention.heed(), PilotOrder::Freeze);
    }

    #[test]
    fn a_freeze_that_is_thrown_while_one_who_undoes_begins_stops_that_one() {
        let place = tempfile::tempdir().unwrap();
        let folder = PilotFolder::at(place.path()).unwrap();
        folder.set_stop(Some(StopMode::Undo)).unwrap();
        let stood = folder.check_not_frozen().unwrap();
        folder.set_stop(Some(StopMode::Freeze)).unwrap();
        assert!(folder.check_not_frozen().is_err());
        let attention = Attention::new(Arc::default(), folder.reader()).despite(stood);
        assert_eq!(attention.told(), PilotOrder::Freeze);
    }

    #[test]
    fn a_switch_that_stood_before_stops_nobody_and_a_signal_still_does() {
        let place = tempfile::tempdir().unwrap();
        let folder = PilotFolder::at(place.path()).unwrap();
        folder.set_stop(Some(StopMode::Freeze)).unwrap();
        let signal = Arc::new(AtomicBool::new(false));
        let attention = Attention::new(Arc::clone(&signal), folder.reader()).despite(folder.stop());
        assert_eq!(attention.told(), PilotOrder::Nothing);
        signal.store(true, Ordering::Release);
        assert_eq!(attention.told(), PilotOrder::Undo);
    }
}
