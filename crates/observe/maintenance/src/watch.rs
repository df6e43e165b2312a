//! From what a server says again and again to what is new.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;

use crate::{MaintenanceError, Notice, Web};

/// What one look found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heard {
    /// When the answer came.
    pub at: Timestamp,
    /// All that is planned or under way.
    pub notices: Vec<Notice>,
    /// What was said and not understood: single events that do not hide the others.
    pub complaints: Vec<String>,
}

/// A place where a cloud says what it plans. It keeps tokens and tags between looks.
pub trait Source {
    /// What is listened to, for messages and as the listener's name: `GCP maintenance-event of vm-1`.
    fn name(&self, machine: &str) -> String;

    /// The name of the machine that is told about.
    ///
    /// # Errors
    /// When the server does not tell it.
    fn identify(&mut self, web: &dyn Web) -> Result<String, MaintenanceError>;

    /// What is planned for the machine of that name; may wait for news.
    ///
    /// # Errors
    /// When nothing could be heard, which says nothing about what is planned.
    fn look(&mut self, web: &dyn Web, machine: &str) -> Result<Heard, MaintenanceError>;

    /// How long to rest between two looks.
    fn rest(&self) -> Duration;
}

/// What is new.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// It was not there before.
    Announced(Notice),
    /// It is still there, and something about it is another: it began, its time moved.
    Altered {
        /// As it was.
        before: Notice,
        /// As it is.
        now: Notice,
    },
    /// It is there no more: done, or called off. Clouds do not say which.
    Over(Notice),
}

/// What is known to be planned.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Watch {
    known: BTreeMap<String, Notice>,
}

impl Watch {
    /// What is planned or under way, by identifier.
    pub fn known(&self) -> &BTreeMap<String, Notice> {
        &self.known
    }

    /// Takes in all that is planned, and says what is new, the ends first. A look that failed must not come here: silence
    /// is not the end of an event.
    pub fn hear(&mut self, notices: Vec<Notice>) -> Vec<Change> {
        let heard: BTreeMap<String, Notice> = notices.into_iter().map(|notice| (notice.id.clone(), notice)).collect();
        let before = std::mem::replace(&mut self.known, heard);
        let over = before.values().filter(|notice| !self.known.contains_key(&notice.id));
        let mut changes: Vec<Change> = over.cloned().map(Change::Over).collect();
        changes.extend(self.known.values().filter_map(|now| match before.get(&now.id) {
            None => Some(Change::Announced(now.clone())),
            Some(same) if same == now => None,
            Some(before) => Some(Change::Altered { before: before.clone(), now: now.clone() }),
        }));
        changes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Certainty, Cloud, Kind, State};

    fn notice(id: &str, state: State) -> Notice {
        Notice {
            id: id.to_owned(),
            cloud: Cloud::Azure,
            subject: "vm".to_owned(),
            kind: Kind::Freeze,
            word: "Freeze".to_owned(),
            not_before: None,
            deadline: None,
            until: None,
            certainty: Certainty::Announced,
            state,
            returns: true,
            machines: vec!["vm".to_owned()],
        }
    }

    #[test]
    fn an_event_is_announced_altered_and_over_once_each() {
        let mut watch = Watch::default();
        let (planned, begun) = (notice("1", State::Scheduled), notice("1", State::Started));
        assert_eq!(watch.hear(vec![planned.clone()]), [Change::Announced(planned.clone())]);
        assert_eq!(watch.hear(vec![planned.clone()]), []);
        assert_eq!(watch.hear(vec![begun.clone()]), [Change::Altered { before: planned, now: begun.clone() }]);
        assert_eq!(watch.hear(vec![]), [Change::Over(begun)]);
        assert_eq!(watch.hear(vec![]), []);
    }

    #[test]
    fn the_end_of_one_event_comes_before_the_next() {
        let mut watch = Watch::default();
        let [one, two] = ["2", "1"].map(|id| notice(id, State::Scheduled));
        watch.hear(vec![one.clone()]);
        assert_eq!(watch.hear(vec![two.clone()]), [Change::Over(one), Change::Announced(two)]);
    }
}
