//! Azure's scheduled events: one document for all machines of an availability set or scale set, with a number that rises
//! when it changes. An event can be approved, and then begins at once for all its machines.

use std::collections::BTreeSet;
use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;
use serde::Deserialize;
use serde_json::Value;

use crate::watch::{HeardNotices, NoticeSource};
use crate::{
    EventCertainty, MachineCloud, MaintenanceError, MaintenanceKind, MaintenanceNotice, MetadataAnswer, MetadataQuery,
    MetadataService, NoticeState, table,
};

/// Where it is, in the version whose format is read here.
pub(crate) const EVENTS: &str = "/metadata/scheduledevents?api-version=2020-07-01";
/// Where the machine's name is.
pub(crate) const NAME: &str = "/metadata/instance/compute/name?api-version=2021-02-01&format=text";
/// The header without which nothing is told.
pub(crate) const HEADER: (&str, &str) = ("metadata", "true");
/// The first call turns the service on, which takes up to two minutes.
const FIRST: Duration = Duration::from_secs(130);
/// Later calls are answered at once.
const LATER: Duration = Duration::from_secs(5);
/// More events than that are of no set of machines.
const MOST_EVENTS: usize = 1000;

/// What is planned for a set of machines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScheduledEventsDocument {
    /// Rises with every change.
    pub incarnation: i64,
    /// The events.
    pub events: Vec<CloudEvent>,
    /// What was said and cannot be read.
    pub complaints: Vec<String>,
}

/// An event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CloudEvent {
    /// By which it is approved.
    pub id: String,
    /// `Freeze` ….
    pub word: String,
    /// The machines.
    pub machines: Vec<String>,
    /// How far it is.
    pub state: NoticeState,
    /// Not before that; nothing once it has begun.
    pub not_before: Option<Timestamp>,
    /// How long it takes, if that is known.
    pub takes: Option<Duration>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Raw {
    document_incarnation: i64,
    events: Vec<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct RawEvent {
    event_id: String,
    event_type: String,
    resources: Vec<String>,
    event_status: String,
    #[serde(default)]
    not_before: String,
    #[serde(default)]
    duration_in_seconds: i64,
}

/// Reads the document.
///
/// # Errors
/// When it is not one.
pub fn parse(text: &str) -> Result<ScheduledEventsDocument, MaintenanceError> {
    let wrong = |what: String| MaintenanceError::Answer { cloud: MachineCloud::Azure, what };
    let raw: Raw = serde_json::from_str(text)
        .map_err(|error| wrong(format!("the events are {}: {error}", MaintenanceError::quoted(text))))?;
    if raw.events.len() > MOST_EVENTS {
        return Err(wrong(format!("there are {} events, expected at most {MOST_EVENTS}", raw.events.len())));
    }
    let mut document =
        ScheduledEventsDocument { incarnation: raw.document_incarnation, events: Vec::new(), complaints: Vec::new() };
    for value in &raw.events {
        match RawEvent::deserialize(value).map_err(|error| error.to_string()).and_then(event) {
            Ok(event) => document.events.push(event),
            Err(what) => document.complaints.push(format!("a scheduled event of Azure cannot be read: {what}")),
        }
    }
    Ok(document)
}

fn event(raw: RawEvent) -> Result<CloudEvent, String> {
    let state = match raw.event_status.as_str() {
        "Scheduled" => NoticeState::Scheduled,
        "Started" => NoticeState::Started,
        other => return Err(format!("the status {} is not known", MaintenanceError::quoted(other))),
    };
    let not_before = match raw.not_before.as_str() {
        "" => None,
        text => Some(DateTimeParser::new().parse_timestamp(text).map_err(|_| {
            format!("{} is no time such as `Mon, 19 Sep 2016 18:29:47 GMT`", MaintenanceError::quoted(text))
        })?),
    };
    Ok(CloudEvent {
        id: raw.event_id,
        word: raw.event_type,
        machines: raw.resources,
        state,
        not_before,
        takes: u64::try_from(raw.duration_in_seconds).ok().filter(|&secs| secs > 0).map(Duration::from_secs),
    })
}

impl CloudEvent {
    /// Whether it is about that machine. Azure's names do not tell capitals apart.
    pub fn is_of(&self, machine: &str) -> bool {
        self.machines.iter().any(|one| one.eq_ignore_ascii_case(machine))
    }

    fn notice(self, machine: &str) -> MaintenanceNotice {
        let known = table::event(MachineCloud::Azure, "EventType", &self.word);
        let until = self.not_before.zip(self.takes).and_then(|(from, takes)| from.checked_add(takes).ok());
        let kind = known.map_or(MaintenanceKind::Unknown, |event| event.kind);
        MaintenanceNotice {
            id: self.id,
            cloud: MachineCloud::Azure,
            subject: machine.to_owned(),
            kind,
            word: self.word,
            not_before: self.not_before,
            deadline: self.not_before,
            until,
            certainty: if kind == MaintenanceKind::Preempt {
                EventCertainty::BestEffort
            } else {
                EventCertainty::Announced
            },
            state: self.state,
            returns: known.is_some_and(|event| event.returns),
            machines: self.machines,
        }
    }
}

/// Whether this machine is the one that approves an event: the approval is for all its machines, so that all must be
/// `ready`, and one of them is to give it, the first by name.
pub fn approves(notice: &MaintenanceNotice, ready: &BTreeSet<String>) -> bool {
    let name = |machine: &String| machine.to_ascii_lowercase();
    let ready: BTreeSet<String> = ready.iter().map(name).collect();
    let all_ready = notice.machines.iter().all(|machine| ready.contains(&name(machine)));
    let first = notice.machines.iter().map(name).min();
    notice.cloud == MachineCloud::Azure
        && notice.state == NoticeState::Scheduled
        && all_ready
        && first == Some(notice.subject.to_ascii_lowercase())
}

/// Lets an event begin before its time. Ask [`approves`] first.
///
/// # Errors
/// When the server refuses, or does not answer.
pub fn approve(web: &dyn MetadataService, event: &str) -> Result<(), MaintenanceError> {
    let body = serde_json::json!({ "StartRequests": [{ "EventId": event }] }).to_string();
    let ask = MetadataQuery { method: "POST", body, ..MetadataQuery::get(EVENTS, LATER).header(HEADER.0, HEADER.1) };
    told(web.ask(&ask)?).map(drop)
}

/// Azure's scheduled events.
#[derive(Debug, Default)]
pub struct ScheduledEvents {
    is_on: bool,
    incarnation: Option<i64>,
}

impl ScheduledEvents {
    /// Not asked yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of the document that was read last.
    pub fn incarnation(&self) -> Option<i64> {
        self.incarnation
    }
}

fn told(answer: MetadataAnswer) -> Result<MetadataAnswer, MaintenanceError> {
    let cloud = MachineCloud::Azure;
    let status = answer.status;
    match status {
        200 => Ok(answer),
        // 410 while the machine is moved to another host.
        410 | 429 | 500..=599 => Err(MaintenanceError::Busy { cloud, what: format!("answered {status}") }),
        _ => Err(MaintenanceError::Stranger {
            cloud,
            what: format!("/metadata answered {status} {}", MaintenanceError::quoted(&answer.body)),
        }),
    }
}

impl NoticeSource for ScheduledEvents {
    fn name(&self, machine: &str) -> String {
        format!("Azure events of {}", machine.escape_debug())
    }

    fn identify(&mut self, web: &dyn MetadataService) -> Result<String, MaintenanceError> {
        Ok(told(web.ask(&MetadataQuery::get(NAME, LATER).header(HEADER.0, HEADER.1))?)?.body.trim().to_owned())
    }

    fn look(&mut self, web: &dyn MetadataService, machine: &str) -> Result<HeardNotices, MaintenanceError> {
        let patience = if self.is_on { LATER } else { FIRST };
        let answer = told(web.ask(&MetadataQuery::get(EVENTS, patience).header(HEADER.0, HEADER.1))?)?;
        let document = parse(&answer.body)?;
        (self.is_on, self.incarnation) = (true, Some(document.incarnation));
        let own = document.events.into_iter().filter(|event| event.is_of(machine));
        let notices = own.map(|event| event.notice(machine)).collect();
        Ok(HeardNotices { at: answer.at, notices, complaints: document.complaints })
    }

    /// As often as Azure recommends.
    fn rest(&self) -> Duration {
        Duration::from_secs(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: &str = r#"{"DocumentIncarnation": 3, "Events": [
        {"EventId": "A", "EventType": "Freeze", "ResourceType": "VirtualMachine", "Resources": ["tikv-0", "tikv-1"],
         "EventStatus": "Scheduled", "NotBefore": "Mon, 19 Sep 2016 18:29:47 GMT", "Description": "", "EventSource":
         "Platform", "DurationInSeconds": 5},
        {"EventId": "B", "EventType": "Reboot", "ResourceType": "VirtualMachine", "Resources": ["tikv-0"],
         "EventStatus": "Started", "NotBefore": "", "Description": "", "EventSource": "Platform", "DurationInSeconds": -1},
        {"EventId": "C", "EventType": "Freeze", "Resources": ["tikv-0"], "EventStatus": "Postponed"}
    ]}"#;

    #[test]
    fn an_event_is_scheduled_with_its_time_or_started_without() {
        let document = parse(DOCUMENT).unwrap();
        assert_eq!(document.incarnation, 3);
        let notices: Vec<MaintenanceNotice> = document.events.into_iter().map(|event| event.notice("tikv-0")).collect();
        assert_eq!(notices[0].until, Some("2016-09-19T18:29:52Z".parse().unwrap()));
        assert_eq!((notices[1].state, notices[1].deadline, notices[1].until), (NoticeState::Started, None, None));
        assert!(document.complaints[0].contains("the status `Postponed` is not known"));
    }

    #[test]
    fn events_of_other_machines_are_not_ours() {
        let document = parse(DOCUMENT).unwrap();
        let of = |machine: &str| document.events.iter().filter(|event| event.is_of(machine)).count();
        assert_eq!([of("TiKV-0"), of("tikv-1"), of("tikv-2")], [2, 1, 0]);
    }

    #[test]
    fn one_machine_approves_and_only_when_all_are_ready() {
        let event = parse(DOCUMENT).unwrap().events.remove(0);
        let (zero, one) = (event.clone().notice("TIKV-0"), event.notice("tikv-1"));
        let both = BTreeSet::from(["tikv-0".to_owned(), "tikv-1".to_owned()]);
        assert!(approves(&zero, &both));
        assert!(!approves(&one, &both), "the other one does");
        assert!(!approves(&zero, &BTreeSet::from(["tikv-0".to_owned()])), "the other one would stop with leaders");
        assert!(!approves(&MaintenanceNotice { state: NoticeState::Started, ..zero }, &both), "it began already");
    }
}
