//! As Azure's: a header and a version that must be there, a service that is switched on by the first call, a number that
//! rises with every change, and approval.

use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::{Value, json};

use super::{EmulatorRequest, EmulatorResponse, LongPollReply, MetadataEmulator, PlannedEvent};
use crate::MachineCloud;
use crate::azure::HEADER;

/// After so long without a call the service is off again.
const ON: Duration = Duration::from_secs(24 * 3600);

/// Whether the service is on, and the last document.
#[derive(Debug)]
pub(super) struct Switch {
    pub(super) first: Duration,
    on_until: Option<Timestamp>,
    incarnation: i64,
    last: Vec<Value>,
}

impl Default for Switch {
    fn default() -> Self {
        Self { first: Duration::from_secs(120), on_until: None, incarnation: 1, last: Vec::new() }
    }
}

pub(super) fn answer(emulator: &mut MetadataEmulator, now: Timestamp, request: &EmulatorRequest) -> LongPollReply {
    if request.heads(HEADER.0).is_none_or(|value| !value.eq_ignore_ascii_case(HEADER.1)) {
        return EmulatorResponse::new(
            400,
            json!({ "error": "Bad request. Required metadata header not specified" }).to_string(),
        )
        .into();
    }
    if request.query("api-version").is_none_or(str::is_empty) {
        return EmulatorResponse::new(
            400,
            json!({ "error": "Bad request. api-version was not specified" }).to_string(),
        )
        .into();
    }
    match (request.method.as_str(), request.path.as_str()) {
        ("GET", "/metadata/instance/compute/name") => EmulatorResponse::new(200, emulator.machine.clone()).into(),
        ("GET", "/metadata/scheduledevents") => events(emulator, now, request),
        ("POST", "/metadata/scheduledevents") => approve(emulator, now, request).into(),
        _ => EmulatorResponse::new(404, json!({ "error": "Not found" }).to_string()).into(),
    }
}

fn events(emulator: &mut MetadataEmulator, now: Timestamp, request: &EmulatorRequest) -> LongPollReply {
    let is_on = emulator.azure.on_until.is_some_and(|until| now < until);
    let ready = request.arrived + emulator.azure.first;
    if !is_on && now < ready {
        return LongPollReply::Wait(ready);
    }
    emulator.azure.on_until = Some(now + ON);
    let machine = emulator.machine.clone();
    let told = emulator.told(MachineCloud::Azure, "EventType", now);
    let list: Vec<Value> = told.iter().map(|one| event(one, &machine, now)).collect();
    if list != emulator.azure.last {
        emulator.azure.incarnation += 1;
        emulator.azure.last = list;
    }
    let Switch { incarnation, last, .. } = &emulator.azure;
    EmulatorResponse::new(200, json!({ "DocumentIncarnation": incarnation, "Events": last }).to_string()).into()
}

fn event(one: &PlannedEvent, machine: &str, now: Timestamp) -> Value {
    let begun = one.has_begun(now);
    let planned = &one.planned;
    let machines: Vec<&str> = [machine].into_iter().chain(planned.others.iter().map(String::as_str)).collect();
    let takes = planned.ends.duration_since(planned.starts).as_secs();
    json!({
        "EventId": one.id,
        "EventType": planned.word,
        "ResourceType": "VirtualMachine",
        "Resources": machines,
        "EventStatus": if begun { "Started" } else { "Scheduled" },
        "NotBefore": if begun { String::new() } else { stamp(planned.starts) },
        "Description": "",
        "EventSource": "Platform",
        "DurationInSeconds": takes,
    })
}

/// `Mon, 19 Sep 2016 18:29:47 GMT`.
fn stamp(at: Timestamp) -> String {
    at.to_zoned(TimeZone::UTC).strftime("%a, %d %b %Y %H:%M:%S GMT").to_string()
}

fn approve(emulator: &mut MetadataEmulator, now: Timestamp, request: &EmulatorRequest) -> EmulatorResponse {
    let body: Value = serde_json::from_str(&request.body).unwrap_or_default();
    let ids = body["StartRequests"].as_array().into_iter().flatten().map(|one| one["EventId"].as_str());
    let Some(ids) = ids.collect::<Option<Vec<&str>>>().filter(|ids| !ids.is_empty()) else {
        return EmulatorResponse::new(400, json!({ "error": "malformed StartRequests" }).to_string());
    };
    let told =
        |one: &&mut PlannedEvent| one.planned.cloud == MachineCloud::Azure && one.is_told(now) && !one.has_begun(now);
    for one in emulator.happenings.iter_mut().filter(told).filter(|one| ids.contains(&one.id.as_str())) {
        let takes = one.planned.ends.duration_since(one.planned.starts);
        one.approved = Some(now);
        one.planned.starts = now;
        one.planned.ends = now + takes;
    }
    EmulatorResponse::new(200, "")
}
