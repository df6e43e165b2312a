//! As GCP's: a header that must be there, tags, a long poll, and no notice for those who did not ask before.

use std::time::Duration;

use jiff::Timestamp;

use super::{EmulatorRequest, EmulatorResponse, LongPollReply, MetadataEmulator, PlannedEvent};
use crate::MachineCloud;
use crate::gcp::{FLAVOR, MetadataKey, ROOT};

/// What is under a key.
#[derive(Debug)]
struct Shown {
    word: String,
    /// Rises whenever the word changes.
    version: u64,
    /// Whether it was asked for since the last event ended.
    asked: bool,
}

/// Both keys.
#[derive(Debug)]
pub(super) struct Keys([Shown; 2]);

impl Default for Keys {
    fn default() -> Self {
        Self(MetadataKey::ALL.map(|key| Shown { word: key.quiet().to_owned(), version: 1, asked: false }))
    }
}

impl Keys {
    fn of(&mut self, key: MetadataKey) -> &mut Shown {
        let [maintenance, preempted] = &mut self.0;
        match key {
            MetadataKey::Maintenance => maintenance,
            MetadataKey::Preempted => preempted,
        }
    }

    /// Brings the words up to now. Without a question since the last event, the next begins without a notice.
    pub(super) fn advance(&mut self, happenings: &[PlannedEvent], now: Timestamp) {
        for key in MetadataKey::ALL {
            let shown = self.of(key);
            let told = happenings.iter().filter(|one| one.is_of(MachineCloud::Gcp, key.name()) && one.is_told(now));
            let is_quiet = shown.word == key.quiet();
            let word = told
                .filter(|one| !is_quiet || shown.asked || one.has_begun(now))
                .map(|one| one.planned.word.as_str())
                .next()
                .unwrap_or(key.quiet());
            if word != shown.word {
                shown.asked = shown.asked && word != key.quiet();
                shown.version += 1;
                shown.word = word.to_owned();
            }
        }
    }
}

pub(super) fn answer(emulator: &mut MetadataEmulator, now: Timestamp, request: &EmulatorRequest) -> LongPollReply {
    if request.heads(FLAVOR.0) != Some(FLAVOR.1) {
        return EmulatorResponse::new(403, "Missing Metadata-Flavor:Google header.").into();
    }
    let Some(name) = request.path.strip_prefix(ROOT).filter(|_| request.method == "GET") else {
        return EmulatorResponse::new(404, "Not Found").into();
    };
    let said = |body: String, etag: String| {
        EmulatorResponse::new(200, body).header("metadata-flavor", "Google").header("etag", etag).into()
    };
    if name == "name" {
        return said(emulator.machine.clone(), "1".to_owned());
    }
    let Some(key) = MetadataKey::ALL.into_iter().find(|key| key.name() == name) else {
        return EmulatorResponse::new(404, "Not Found").into();
    };
    let shown = emulator.gcp.of(key);
    shown.asked = true;
    let etag = format!("{:016x}", shown.version);
    let word = shown.word.clone();
    let waits = request.query("wait_for_change") == Some("true") && request.query("last_etag") == Some(etag.as_str());
    // Without `timeout_sec` it waits for ever; an hour is as good.
    let most = request.query("timeout_sec").and_then(|text| text.parse().ok()).unwrap_or(3600).min(3600);
    let until = request.arrived + Duration::from_secs(most);
    if waits && now < until {
        return LongPollReply::Wait(until);
    }
    if word != key.quiet() {
        emulator.told(MachineCloud::Gcp, key.name(), now);
    }
    said(word, etag)
}
