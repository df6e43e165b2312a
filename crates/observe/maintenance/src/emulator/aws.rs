//! As EC2's, version 2 only: tokens that expire, and 404 for what is absent.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::json;

use super::{EmulatorRequest, EmulatorResponse, MetadataEmulator};
use crate::MachineCloud;
use crate::aws::{ACTION, DATA, REBALANCE, SCHEDULED, TOKEN, TOKEN_HEADER, TTL_HEADER};

/// Tokens that were given out, and until when they hold.
#[derive(Debug, Default)]
pub(super) struct Tokens {
    given: u64,
    valid: BTreeMap<String, Timestamp>,
}

impl Tokens {
    pub(super) fn expire(&mut self) {
        self.valid.clear();
    }

    #[cfg(test)]
    pub(super) fn given(&self) -> u64 {
        self.given
    }

    fn give(&mut self, ttl: Option<&str>, now: Timestamp) -> EmulatorResponse {
        let ttl = ttl.and_then(|text| text.parse().ok()).filter(|secs| (1..=21_600).contains(secs));
        let Some(ttl) = ttl else {
            return EmulatorResponse::new(400, "Bad Request");
        };
        self.given += 1;
        let token = format!("AQAAA{:051}==", self.given);
        self.valid.insert(token.clone(), now + Duration::from_secs(ttl));
        EmulatorResponse::new(200, token).header(TTL_HEADER, ttl.to_string())
    }

    fn takes(&self, token: Option<&str>, now: Timestamp) -> bool {
        token.and_then(|token| self.valid.get(token)).is_some_and(|until| now < *until)
    }
}

pub(super) fn answer(emulator: &mut MetadataEmulator, now: Timestamp, request: &EmulatorRequest) -> EmulatorResponse {
    let absent = || EmulatorResponse::new(404, "Not Found");
    match (request.method.as_str(), request.path.as_str()) {
        ("PUT", TOKEN) => return emulator.aws.give(request.heads(TTL_HEADER), now),
        ("GET", _) => {}
        _ => return EmulatorResponse::new(405, "Method Not Allowed"),
    }
    if !emulator.aws.takes(request.heads(TOKEN_HEADER), now) {
        return EmulatorResponse::new(401, "Unauthorized");
    }
    match request.path.strip_prefix(DATA).unwrap_or_default() {
        "instance-id" => EmulatorResponse::new(200, emulator.machine.clone()),
        SCHEDULED => scheduled(emulator, now),
        ACTION => match emulator.told(MachineCloud::Aws, "instance-action", now).first() {
            Some(one) => {
                let time = whole(one.planned.starts);
                EmulatorResponse::new(200, json!({ "action": one.planned.word, "time": time }).to_string())
            }
            None => absent(),
        },
        REBALANCE => match emulator.told(MachineCloud::Aws, "rebalance", now).first() {
            Some(one) => EmulatorResponse::new(200, json!({ "noticeTime": whole(one.planned.announced) }).to_string()),
            None => absent(),
        },
        _ => absent(),
    }
}

fn scheduled(emulator: &mut MetadataEmulator, now: Timestamp) -> EmulatorResponse {
    let event = |one: &super::PlannedEvent| {
        json!({
            "NotBefore": stamp(one.planned.starts),
            "NotAfter": stamp(one.planned.ends),
            "Code": one.planned.word,
            "Description": format!("The instance has a scheduled {}", one.planned.word),
            "EventId": one.id,
            "State": "active",
        })
    };
    let events: Vec<_> = emulator.told(MachineCloud::Aws, "scheduled", now).iter().map(event).collect();
    EmulatorResponse::new(200, serde_json::Value::from(events).to_string())
}

/// `21 Jan 2019 09:00:43 GMT`.
fn stamp(at: Timestamp) -> String {
    at.to_zoned(TimeZone::UTC).strftime("%d %b %Y %H:%M:%S GMT").to_string()
}

/// To the second, as AWS prints it.
fn whole(at: Timestamp) -> String {
    at.to_zoned(TimeZone::UTC).strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}
