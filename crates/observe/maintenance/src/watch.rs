//! From what a server says again and again to what is new.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;

use crate::{MaintenanceError, MaintenanceNotice, MetadataService};

/// What one look found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeardNotices {
    /// When the answer came.
    pub at: Timestamp,
    /// All that is planned or under way.
    pub notices: Vec<MaintenanceNotice>,
    /// What was said and not understood: single events that do not hide the others.
    pub complaints: Vec<String>,
}

/// A place where a cloud says what it plans. It keeps tokens and tags between looks.
pub trait NoticeSource {
    /// What is listened to, for messages and as the listener's name: `GCP maintenance-event of vm-1`.
    fn name(&self, machine: &str) -> String;

    /// The name of the machine that is told about.
    ///
    /// # Errors
    /// When the server does not tell it.
    fn identify(&mut self, web: &dyn MetadataService) -> Result<String, MaintenanceError>;

    /// What is planned for the machine of that name; may wait for news.
    ///
    /// # Errors
    /// When nothing could be heard, which says nothing about what is planned.
    fn look(&mut self, web: &dyn MetadataService, machine: &str) -> Result<HeardNotices, MaintenanceError>;

    /// How long to rest between two looks.
    fn rest(&self) -> Duration;
}

/// What is new.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoticeChange {
    /// It was not there before.
    Announced(MaintenanceNotice),
    /// It is still there, and something about it is another: it began, its time moved.
    Altered {
        /// As it was.
        before: MaintenanceNotice,
        /// As it is.
        now: MaintenanceNotice,
    },
    /// It is there no more: done, or called off. Clouds do not say which.
    Over(MaintenanceNotice),
}

/// What is known to be planned.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NoticeWatch {
    known: BTreeMap<String, MaintenanceNotice>,
}

impl NoticeWatch {
    /// What is planned or under way, by identifier.
    pub fn known(&self) -> &BTreeMap<String, MaintenanceNotice> {
        &self.known
    }

    /// Takes in all that is planned, and says what is new, the ends first. A look that failed must not come here: silence
    /// is not the end of an event.
    pub fn hear(&mut self, notices: Vec<MaintenanceNotice>) -> Vec<NoticeChange> {
        let heard: BTreeMap<String, MaintenanceNotice> =
            notices.into_iter().map(|notice| (notice.id.clone(), notice)).collect();
        let before = std::mem::replace(&mut self.known, heard);
        let over = before.values().filter(|notice| !self.known.contains_key(&notice.id));
        let mut changes: Vec<NoticeChange> = over.cloned().map(NoticeChange::Over).collect();
        changes.extend(self.known.values().filter_map(|now| match before.get(&now.id) {
            None => Some(NoticeChange::Announced(now.clone())),
            Some(same) if same == now => None,
            Some(before) => Some(NoticeChange::Altered { before: before.clone(), now: now.clone() }),
        }));
        changes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EventCertainty, MachineCloud, MaintenanceKind, NoticeState};

    fn notice(id: &str, state: NoticeState) -> MaintenanceNotice {
        MaintenanceNotice {
            id: id.to_owned(),
            cloud: MachineCloud::Azure,
            subject: "vm".to_owned(),
            kind: MaintenanceKind::Freeze,
            word: "Freeze".to_owned(),
            not_before: None,
            deadline: None,
            until: None,
            certainty: EventCertainty::Announced,
            state,
            returns: true,
            machines: vec!["vm".to_owned()],
        }
    }

    #[test]
    fn an_event_is_announced_altered_and_over_once_each() {
        let mut watch = NoticeWatch::default();
        let (planned, begun) = (notice("1", NoticeState::Scheduled), notice("1", NoticeState::Started));
        assert_eq!(watch.hear(vec![planned.clone()]), [NoticeChange::Announced(planned.clone())]);
        assert_eq!(watch.hear(vec![planned.clone()]), []);
        assert_eq!(watch.hear(vec![begun.clone()]), [NoticeChange::Altered { before: planned, now: begun.clone() }]);
        assert_eq!(watch.hear(vec![]), [NoticeChange::Over(begun)]);
        assert_eq!(watch.hear(vec![]), []);
    }

    #[test]
    fn the_end_of_one_event_comes_before_the_next() {
        let mut watch = NoticeWatch::default();
        let [one, two] = ["2", "1"].map(|id| notice(id, NoticeState::Scheduled));
        watch.hear(vec![one.clone()]);
        assert_eq!(watch.hear(vec![two.clone()]), [NoticeChange::Over(one), NoticeChange::Announced(two)]);
    }
}
