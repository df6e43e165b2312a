//! What EC2 says, as notices.

use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;
use serde::Deserialize;
use serde_json::Value;

use crate::table;
use crate::{EventCertainty, MachineCloud, MaintenanceError, MaintenanceKind, MaintenanceNotice, NoticeState};

/// More events than that are of no machine.
const MOST_EVENTS: usize = 100;

/// A scheduled event as facts, from the metadata server or from `ec2:DescribeInstanceStatus`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ScheduledEvent {
    /// `instance-event-0d59937288b749b32`.
    pub id: String,
    /// `system-reboot` ….
    pub code: String,
    /// In words; begins with `[Completed]` or `[Canceled]` when it is over.
    pub description: String,
    /// The start of its window.
    pub not_before: Option<Timestamp>,
    /// The end of its window.
    pub not_after: Option<Timestamp>,
}

impl ScheduledEvent {
    /// As a notice for a machine; none when it is over.
    pub fn notice(self, machine: &str) -> Option<MaintenanceNotice> {
        // The API keeps ended events for a week, told apart by this alone.
        if self.description.starts_with("[Completed]") || self.description.starts_with("[Canceled]") {
            return None;
        }
        let known = table::event(MachineCloud::Aws, "scheduled", &self.code);
        Some(MaintenanceNotice {
            id: self.id,
            cloud: MachineCloud::Aws,
            subject: machine.to_owned(),
            kind: known.map_or(MaintenanceKind::Unknown, |event| event.kind),
            word: self.code,
            not_before: self.not_before,
            deadline: self.not_before,
            until: self.not_after,
            certainty: EventCertainty::Announced,
            state: NoticeState::Scheduled,
            returns: known.is_some_and(|event| event.returns),
            machines: vec![machine.to_owned()],
        })
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Event {
    event_id: String,
    code: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    state: String,
    not_before: Option<String>,
    not_after: Option<String>,
}

fn wrong(what: String) -> MaintenanceError {
    MaintenanceError::Answer { cloud: MachineCloud::Aws, what }
}

/// Reads `events/maintenance/scheduled`: notices, and complaints about single events that cannot be read.
///
/// # Errors
/// When it is no list in JSON.
pub fn scheduled(text: &str, machine: &str) -> Result<(Vec<MaintenanceNotice>, Vec<String>), MaintenanceError> {
    let list: Vec<Value> = serde_json::from_str(text)
        .map_err(|error| wrong(format!("{} is {}: {error}", super::SCHEDULED, MaintenanceError::quoted(text))))?;
    if list.len() > MOST_EVENTS {
        return Err(wrong(format!("{} has {} events, expected at most {MOST_EVENTS}", super::SCHEDULED, list.len())));
    }
    let (mut notices, mut complaints) = (Vec::new(), Vec::new());
    for value in list {
        match event(&value) {
            Ok(event) => notices.extend(event.and_then(|event| event.notice(machine))),
            Err(what) => complaints.push(format!("a scheduled event of AWS cannot be read: {what}")),
        }
    }
    Ok((notices, complaints))
}

fn event(value: &Value) -> Result<Option<ScheduledEvent>, String> {
    let event = Event::deserialize(value).map_err(|error| error.to_string())?;
    if matches!(event.state.as_str(), "completed" | "canceled") {
        return Ok(None);
    }
    let time = |text: Option<String>| text.map(|text| stamp(&text)).transpose();
    Ok(Some(ScheduledEvent {
        id: event.event_id,
        code: event.code,
        description: event.description,
        not_before: time(event.not_before)?,
        not_after: time(event.not_after)?,
    }))
}

/// `21 Jan 2019 09:00:43 GMT`, which is RFC 2822 without the day of the week.
fn stamp(text: &str) -> Result<Timestamp, String> {
    let stamp = DateTimeParser::new().parse_timestamp(text);
    stamp.map_err(|_| format!("{} is no time such as `21 Jan 2019 09:00:43 GMT`", MaintenanceError::quoted(text)))
}

#[derive(Deserialize)]
struct Action {
    action: String,
    time: Option<Timestamp>,
}

/// Reads `spot/instance-action`.
///
/// # Errors
/// When it is not in the format.
pub fn instance_action(text: &str, machine: &str) -> Result<MaintenanceNotice, MaintenanceError> {
    let Action { action, time } = serde_json::from_str(text)
        .map_err(|error| wrong(format!("{} is {}: {error}", super::ACTION, MaintenanceError::quoted(text))))?;
    let known = table::event(MachineCloud::Aws, "instance-action", &action);
    Ok(MaintenanceNotice {
        id: format!("instance-action@{}", time.map_or_else(|| action.clone(), |time| time.to_string())),
        cloud: MachineCloud::Aws,
        subject: machine.to_owned(),
        kind: known.map_or(MaintenanceKind::Unknown, |event| event.kind),
        not_before: time,
        deadline: time,
        until: None,
        // The notice comes as a rule, not always; hibernation begins at once.
        certainty: EventCertainty::BestEffort,
        state: if action == "hibernate" { NoticeState::Started } else { NoticeState::Scheduled },
        word: action,
        returns: known.is_some_and(|event| event.returns),
        machines: vec![machine.to_owned()],
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Rebalance {
    notice_time: Timestamp,
}

/// Reads `events/recommendations/rebalance`.
///
/// # Errors
/// When it is not in the format.
pub fn rebalance(text: &str, machine: &str) -> Result<MaintenanceNotice, MaintenanceError> {
    let Rebalance { notice_time } = serde_json::from_str(text)
        .map_err(|error| wrong(format!("{} is {}: {error}", super::REBALANCE, MaintenanceError::quoted(text))))?;
    Ok(MaintenanceNotice {
        id: format!("rebalance@{notice_time}"),
        cloud: MachineCloud::Aws,
        subject: machine.to_owned(),
        kind: MaintenanceKind::Advice,
        word: "rebalance".to_owned(),
        not_before: None,
        deadline: None,
        until: None,
        certainty: EventCertainty::Possible,
        state: NoticeState::Scheduled,
        returns: true,
        machines: vec![machine.to_owned()],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = r#"[
        {"NotBefore": "21 Jan 2019 09:00:43 GMT", "NotAfter": "21 Jan 2019 09:17:23 GMT", "Code": "system-reboot",
         "Description": "scheduled reboot", "EventId": "instance-event-1", "State": "active"},
        {"NotBefore": "soon", "Code": "instance-stop", "Description": "", "EventId": "instance-event-2", "State": "active"},
        {"NotBefore": "21 Jan 2019 09:00:43 GMT", "Code": "system-reboot", "Description": "[Canceled] scheduled reboot",
         "EventId": "instance-event-3", "State": "canceled"}
    ]"#;

    #[test]
    fn a_scheduled_event_is_a_notice_and_one_that_cannot_be_read_hides_no_other() {
        let (notices, complaints) = scheduled(LIST, "i-1").unwrap();
        assert_eq!(notices.len(), 1);
        assert_eq!(notices[0].to_string(), "AWS reboot of i-1 (system-reboot) not before 2019-01-21T09:00:43Z");
        assert_eq!(notices[0].until, Some("2019-01-21T09:17:23Z".parse().unwrap()));
        assert!(complaints[0].contains("`soon` is no time such as"), "{complaints:?}");
    }

    #[test]
    fn ended_events_of_the_api_are_told_by_their_description() {
        let event = |description: &str| ScheduledEvent { description: description.to_owned(), ..Default::default() };
        assert!(event("[Completed] scheduled reboot").notice("i-1").is_none());
        assert!(event("scheduled reboot").notice("i-1").is_some());
    }

    #[test]
    fn hibernation_comes_without_notice_and_termination_with_one() {
        let read = |action: &str| {
            instance_action(&format!(r#"{{"action":"{action}","time":"2017-09-18T08:22:00Z"}}"#), "i-1").unwrap()
        };
        assert_eq!(read("terminate").state, NoticeState::Scheduled);
        assert_eq!(read("terminate").deadline, Some("2017-09-18T08:22:00Z".parse().unwrap()));
        assert_eq!(read("hibernate").state, NoticeState::Started);
        assert_eq!(read("dissolve").kind, MaintenanceKind::Unknown);
    }

    #[test]
    fn a_recommendation_is_no_decision() {
        let notice = rebalance(r#"{"noticeTime":"2020-11-05T08:22:00Z"}"#, "i-1").unwrap();
        assert_eq!((notice.certainty, notice.kind), (EventCertainty::Possible, MaintenanceKind::Advice));
    }
}
