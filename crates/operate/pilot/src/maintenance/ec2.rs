//! What EC2 plans for the machines of an account, where the metadata server tells of its own machine only.

use std::time::Duration;

use aws::{AwsSession, InstanceEvent};
use jiff::Timestamp;
use maintenance::aws::ScheduledEvent;
use maintenance::{HeardNotices, MaintenanceError, MaintenanceNotice, MetadataService, NoticeSource};

/// Events are planned hours to weeks ahead, and calls of an account are counted.
const EVERY: Duration = Duration::from_secs(60);

/// EC2's API as something to listen to.
pub struct Ec2Events {
    session: AwsSession,
    machines: Vec<String>,
}

impl Ec2Events {
    /// For those instances; of others nothing is said.
    pub fn new(session: AwsSession, machines: Vec<String>) -> Self {
        Self { session, machines }
    }
}

impl NoticeSource for Ec2Events {
    fn name(&self, _: &str) -> String {
        "EC2's API".to_owned()
    }

    fn identify(&mut self, _: &dyn MetadataService) -> Result<String, MaintenanceError> {
        Err(MaintenanceError::Input("EC2's API tells of all machines, and of none that it is this one".to_owned()))
    }

    fn look(&mut self, _: &dyn MetadataService, _: &str) -> Result<HeardNotices, MaintenanceError> {
        let events = self.session.events().map_err(|error| MaintenanceError::Account(error.to_string()))?;
        Ok(HeardNotices { at: Timestamp::now(), notices: notices(events, &self.machines), complaints: Vec::new() })
    }

    fn rest(&self) -> Duration {
        EVERY
    }
}

fn notices(events: Vec<InstanceEvent>, machines: &[String]) -> Vec<MaintenanceNotice> {
    let known = |event: &InstanceEvent| machines.iter().any(|name| name.eq_ignore_ascii_case(&event.instance));
    let notice = |event: InstanceEvent| {
        let InstanceEvent { instance, id, code, description, not_before, not_after } = event;
        ScheduledEvent { id, code, description, not_before, not_after }.notice(&instance)
    };
    events.into_iter().filter(known).filter_map(notice).collect()
}

#[cfg(test)]
mod tests {
    use maintenance::MaintenanceKind;

    use super::*;

    #[test]
    fn only_what_is_still_planned_for_machines_that_are_known_is_a_notice() {
        let event = |instance: &str, description: &str| InstanceEvent {
            instance: instance.to_owned(),
            id: format!("instance-event-{instance}"),
            code: "system-reboot".to_owned(),
            description: description.to_owned(),
            not_before: Some("2026-12-01T03:00:00Z".parse().unwrap()),
            not_after: None,
        };
        let events = vec![event("i-1", "reboot"), event("i-2", "[Completed] reboot"), event("i-3", "reboot")];
        let notices = notices(events, &["i-1".to_owned(), "i-2".to_owned()]);
        assert_eq!(notices.len(), 1, "{notices:?}");
        assert_eq!((notices[0].subject.as_str(), notices[0].kind), ("i-1", MaintenanceKind::Reboot));
        assert_eq!(notices[0].deadline, Some("2026-12-01T03:00:00Z".parse().unwrap()));
    }
}
