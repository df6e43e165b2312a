//! What all that listen have heard, for those who act on it.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::{
    HeardNotices, MaintenanceError, MaintenanceNotice, MetadataService, NoticeChange, NoticeSource, NoticeState,
    NoticeWatch,
};

/// How often a listener looks whether it is to end.
const STEP: Duration = Duration::from_millis(50);

/// What one listener knows.
#[derive(Debug, Default)]
struct Place {
    watch: NoticeWatch,
    /// Whether the last look heard something; `None` before the first.
    heard: Option<Result<(), String>>,
    complaints: Vec<String>,
}

/// What all that listen have heard. Clones are of the same board.
#[derive(Debug, Clone, Default)]
pub struct NoticeBoard(Arc<Mutex<BTreeMap<String, Place>>>);

impl NoticeBoard {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Place>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes room for a listener by its name; until it has heard something, no event is known to be over.
    pub fn expect(&self, listener: &str) {
        self.lock().entry(listener.to_owned()).or_default();
    }

    /// Takes in what a listener heard, or why it heard nothing; says what is new.
    pub fn hear(&self, listener: &str, heard: Result<HeardNotices, MaintenanceError>) -> Vec<NoticeChange> {
        let mut places = self.lock();
        let place = places.entry(listener.to_owned()).or_default();
        match heard {
            Ok(heard) => {
                place.heard = Some(Ok(()));
                place.complaints = heard.complaints;
                place.watch.hear(heard.notices)
            }
            Err(error) => {
                place.heard = Some(Err(error.to_string()));
                Vec::new()
            }
        }
    }

    /// All that is planned or under way.
    pub fn notices(&self) -> Vec<MaintenanceNotice> {
        self.lock().values().flat_map(|place| place.watch.known().values().cloned()).collect()
    }

    /// What the listeners cannot hear or cannot read, each in a sentence.
    pub fn complaints(&self) -> Vec<String> {
        let of = |(name, place): (&String, &Place)| {
            let silent = match &place.heard {
                Some(Err(why)) => Some(format!("{name}: {why}")),
                _ => None,
            };
            let unread = place.complaints.iter().map(|complaint| format!("{name}: {complaint}"));
            silent.into_iter().chain(unread).collect::<Vec<_>>()
        };
        self.lock().iter().flat_map(of).collect()
    }

    /// How far an event is; nothing if it is over. While a listener hears nothing, has not heard anything yet, or heard something that
    /// cannot be read, an event that is not known may be its: silence is no answer.
    ///
    /// # Errors
    /// When that is not known, with who is silent.
    pub fn state(&self, event: &str) -> Result<Option<NoticeState>, String> {
        let places = self.lock();
        if let Some(notice) = places.values().find_map(|place| place.watch.known().get(event)) {
            return Ok(Some(notice.state));
        }
        for (name, place) in places.iter() {
            match &place.heard {
                None => return Err(format!("{name} has not answered yet")),
                Some(Err(why)) => return Err(format!("{name}: {why}")),
                // It may be the one that could not be read.
                Some(Ok(())) => {
                    if let Some(complaint) = place.complaints.first() {
                        return Err(format!("{name}: {complaint}"));
                    }
                }
            }
        }
        if places.is_empty() { Err("nobody listens".to_owned()) } else { Ok(None) }
    }

    /// Whether an event is over.
    ///
    /// # Errors
    /// As [`Board::state`].
    pub fn over(&self, event: &str) -> Result<bool, String> {
        self.state(event).map(|state| state.is_none())
    }
}

/// A listener on a thread of its own; it ends when this is dropped.
#[derive(Debug)]
pub struct ListenerThread {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl ListenerThread {
    /// Listens for a machine and writes to a board what is heard.
    pub fn start(
        mut source: Box<dyn NoticeSource + Send>,
        web: Box<dyn MetadataService + Send>,
        machine: &str,
        board: &NoticeBoard,
    ) -> std::io::Result<Self> {
        let stop = Arc::new(AtomicBool::new(false));
        let name = source.name(machine);
        board.expect(&name);
        let (stopped, board, machine) = (Arc::clone(&stop), board.clone(), machine.to_owned());
        let listen = move || {
            while !stopped.load(Ordering::Relaxed) {
                board.hear(&name, source.look(web.as_ref(), &machine));
                let mut left = source.rest();
                while !left.is_zero() && !stopped.load(Ordering::Relaxed) {
                    let step = left.min(STEP);
                    std::thread::sleep(step);
                    left -= step;
                }
            }
        };
        let thread = std::thread::Builder::new().name("maintenance".to_owned()).spawn(listen)?;
        Ok(Self { stop, thread: Some(thread) })
    }
}

impl Drop for ListenerThread {
    /// A long poll that waits is left to end by itself: nothing hangs on its answer.
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        drop(self.thread.take());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EventCertainty, MachineCloud, MaintenanceKind};
    use jiff::Timestamp;

    fn heard(ids: &[&str]) -> Result<HeardNotices, MaintenanceError> {
        let notice = |id: &&str| MaintenanceNotice {
            id: (*id).to_owned(),
            cloud: MachineCloud::Gcp,
            subject: "vm".to_owned(),
            kind: MaintenanceKind::Migrate,
            word: "MIGRATE_ON_HOST_MAINTENANCE".to_owned(),
            not_before: None,
            deadline: None,
            until: None,
            certainty: EventCertainty::Announced,
            state: NoticeState::Scheduled,
            returns: true,
            machines: Vec::new(),
        };
        let notices = ids.iter().map(notice).collect();
        Ok(HeardNotices { at: Timestamp::UNIX_EPOCH, notices, complaints: Vec::new() })
    }

    #[test]
    fn an_event_is_over_only_when_all_were_heard_and_none_knows_it() {
        let board = NoticeBoard::default();
        assert!(board.over("e").is_err(), "nobody listens");
        board.expect("a");
        assert!(board.over("e").is_err(), "not heard yet");
        board.hear("a", heard(&["e"]));
        assert_eq!(board.over("e"), Ok(false));
        let busy = || Err(MaintenanceError::Busy { cloud: MachineCloud::Gcp, what: "answered 503".to_owned() });
        board.hear("a", busy());
        assert_eq!(board.over("e"), Ok(false), "silence ends nothing");
        board.hear("a", heard(&[]));
        assert_eq!(board.over("e"), Ok(true));
        board.hear("a", busy());
        assert!(board.over("e").unwrap_err().contains("503"));
        assert_eq!(board.complaints().len(), 1);
    }

    #[test]
    fn an_event_that_can_no_longer_be_read_is_not_over() {
        let board = NoticeBoard::default();
        board.hear("a", heard(&["e"]));
        let unread =
            HeardNotices { complaints: vec!["the status `Postponed` is not known".to_owned()], ..heard(&[]).unwrap() };
        board.hear("a", Ok(unread));
        assert!(board.over("e").unwrap_err().contains("`Postponed`"));
        board.hear("a", heard(&[]));
        assert_eq!(board.over("e"), Ok(true));
    }
}
