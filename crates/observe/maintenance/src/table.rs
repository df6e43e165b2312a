//! The clouds' words for what they do, `tables/events.csv`.

use std::sync::LazyLock;
use std::time::Duration;

use serde::Deserialize;

use crate::{MachineCloud, MaintenanceKind};

/// One word of one cloud.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Event {
    pub(crate) cloud: MachineCloud,
    /// The key under which the word stands.
    pub(crate) key: String,
    pub(crate) word: String,
    pub(crate) kind: MaintenanceKind,
    /// The least time between the notice and the event, where it is told.
    #[serde(deserialize_with = "seconds")]
    pub(crate) notice: Option<Duration>,
    #[serde(deserialize_with = "yes")]
    pub(crate) returns: bool,
    #[cfg(test)]
    pub(crate) source: String,
}

fn seconds<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Duration>, D::Error> {
    let text = String::deserialize(from)?;
    if text.is_empty() {
        return Ok(None);
    }
    let number = text.strip_suffix('s').and_then(|number| number.parse().ok());
    let wrong = || serde::de::Error::custom(format!("`{text}` is no number of seconds such as `60s`"));
    number.map(|number| Some(Duration::from_secs(number))).ok_or_else(wrong)
}

fn yes<'de, D: serde::Deserializer<'de>>(from: D) -> Result<bool, D::Error> {
    match String::deserialize(from)?.as_str() {
        "yes" => Ok(true),
        "no" => Ok(false),
        other => Err(serde::de::Error::custom(format!("`{other}` is neither yes nor no"))),
    }
}

static EVENTS: LazyLock<Vec<Event>> = LazyLock::new(|| {
    let mut reader = csv::Reader::from_reader(include_str!("../tables/events.csv").as_bytes());
    reader.deserialize().map(|row| row.expect("tables/events.csv is read by a test")).collect()
});

/// What a cloud's word means; none if it is not known.
pub(crate) fn event(cloud: MachineCloud, key: &str, word: &str) -> Option<&'static Event> {
    EVENTS.iter().find(|event| event.cloud == cloud && event.key == key && event.word == word)
}

/// What a word means under whichever of the cloud's keys it stands.
pub(crate) fn meaning(cloud: MachineCloud, word: &str) -> Option<&'static Event> {
    EVENTS.iter().find(|event| event.cloud == cloud && event.word == word)
}

/// All words of a cloud.
pub(crate) fn words(cloud: MachineCloud) -> impl Iterator<Item = &'static str> {
    EVENTS.iter().filter(move |event| event.cloud == cloud).map(|event| event.word.as_str())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_word_stands_once_and_has_a_source() {
        let words: BTreeSet<_> = EVENTS.iter().map(|event| (event.cloud, &event.key, &event.word)).collect();
        assert_eq!(words.len(), EVENTS.len());
        assert!(EVENTS.iter().all(|event| event.source.contains('/')));
    }

    #[test]
    fn every_cloud_has_words_and_none_means_unknown() {
        for cloud in MachineCloud::ALL {
            assert!(EVENTS.iter().any(|event| event.cloud == cloud), "{cloud}");
        }
        assert!(EVENTS.iter().all(|event| event.kind != MaintenanceKind::Unknown));
    }
}
