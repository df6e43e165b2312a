//! The settings that PD's clients read and change; their names, defaults and errors are PD's. Only those that a cluster
//! whose regions stay can obey, or that tools look at, are here.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// `GET /config`, without what the command line says.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct Settings {
    pub(crate) schedule: Schedule,
    pub(crate) replication: Replication,
    pub(crate) pd_server: PdServer,
}

/// How much is moved at once. Switches are texts, as PD prints them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct Schedule {
    pub(crate) max_snapshot_count: u64,
    pub(crate) max_pending_peer_count: u64,
    pub(crate) max_store_down_time: String,
    pub(crate) leader_schedule_limit: u64,
    pub(crate) leader_schedule_policy: String,
    pub(crate) region_schedule_limit: u64,
    pub(crate) replica_schedule_limit: u64,
    pub(crate) merge_schedule_limit: u64,
    pub(crate) hot_region_schedule_limit: u64,
    pub(crate) low_space_ratio: f64,
    pub(crate) high_space_ratio: f64,
    /// By how much stores may differ before anything is moved between them; 0 stands for PD's own choice.
    #[serde(default)]
    pub(crate) tolerant_size_ratio: f64,
    pub(crate) halt_scheduling: String,
}

/// How many copies, and where.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct Replication {
    pub(crate) max_replicas: u64,
    pub(crate) location_labels: String,
    pub(crate) strictly_match_label: String,
    pub(crate) enable_placement_rules: String,
    pub(crate) isolation_level: String,
}

/// How it serves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct PdServer {
    pub(crate) key_type: String,
    pub(crate) metric_storage: String,
    pub(crate) use_region_storage: String,
}

impl Default for Schedule {
    fn default() -> Self {
        Self {
            max_snapshot_count: 64,
            max_pending_peer_count: 64,
            max_store_down_time: "30m0s".to_owned(),
            leader_schedule_limit: 4,
            leader_schedule_policy: "count".to_owned(),
            region_schedule_limit: 2048,
            replica_schedule_limit: 64,
            merge_schedule_limit: 8,
            hot_region_schedule_limit: 4,
            low_space_ratio: 0.8,
            high_space_ratio: 0.7,
            tolerant_size_ratio: 0.0,
            halt_scheduling: "false".to_owned(),
        }
    }
}

impl Default for Replication {
    fn default() -> Self {
        Self {
            max_replicas: 3,
            location_labels: "zone".to_owned(),
            strictly_match_label: "false".to_owned(),
            enable_placement_rules: "false".to_owned(),
            isolation_level: String::new(),
        }
    }
}

impl Default for PdServer {
    fn default() -> Self {
        Self { key_type: "raw".to_owned(), metric_storage: String::new(), use_region_storage: "true".to_owned() }
    }
}

/// PD's own choice of the tolerance for leaders (utils.go, `leaderTolerantSizeRatio`).
const LEADER_TOLERANCE: i64 = 5;

/// The sections, in the order in which an undotted name is looked for.
const SECTIONS: [&str; 3] = ["schedule", "replication", "pd-server"];

impl Settings {
    /// Changes one item, by its name alone or with its section's before a dot. The text of an error is PD's.
    pub(crate) fn set(&mut self, item: &str, to: &Value) -> Result<(), String> {
        let mut whole = serde_json::to_value(&*self).map_err(|error| error.to_string())?;
        let (section, name) = match item.split_once('.') {
            Some((section, _)) if !SECTIONS.contains(&section) => {
                return Err(format!("config prefix {section} not found"));
            }
            Some((section, name)) => (Some(section), name),
            None => (None, item),
        };
        let found = SECTIONS
            .into_iter()
            .find(|&known| section.is_none_or(|section| section == known) && whole[known].get(name).is_some());
        let place = found.and_then(|section| whole[section].get_mut(name));
        let Some(place) = place else {
            return Err(format!("config item {name} not found"));
        };
        *place = match (&*place, to) {
            // Switches come as text or as what they are.
            (Value::String(_), Value::Bool(on)) => on.to_string().into(),
            (Value::String(now), Value::String(text)) if matches!(now.as_str(), "true" | "false") => {
                match text.as_str() {
                    "true" | "false" => to.clone(),
                    _ => return Err(format!("{item}: {text:?} is neither true nor false")),
                }
            }
            // So do numbers: `SET CONFIG` of TiDB sends them so.
            (Value::Number(_), Value::String(text)) => {
                text.parse::<serde_json::Number>().map_or(to.clone(), Value::Number)
            }
            _ => to.clone(),
        };
        let changed: Self = serde_json::from_value(whole).map_err(|error| format!("{item}: {error}"))?;
        if duration(&changed.schedule.max_store_down_time).is_none() {
            let text = &changed.schedule.max_store_down_time;
            return Err(format!("time: invalid duration {text:?}"));
        }
        if changed.schedule.tolerant_size_ratio < 0.0 {
            return Err("tolerant-size-ratio should be non-negative".to_owned());
        }
        *self = changed;
        Ok(())
    }

    /// How long a node may be silent before it counts as down.
    pub(crate) fn max_store_down_time(&self) -> Duration {
        duration(&self.schedule.max_store_down_time).unwrap_or(Duration::from_secs(1800))
    }

    /// Leader counts may differ by so many before one is moved: the tolerance is taken from the source and added to the target
    /// (PD 8.5, pkg/schedule/schedulers/utils.go, `getTolerantResource` and `shouldBalance`).
    pub(crate) fn tolerated_leaders(&self) -> i64 {
        let ratio = self.schedule.tolerant_size_ratio;
        2 * if ratio == 0.0 { LEADER_TOLERANCE } else { ratio as i64 }
    }

    /// Whether nothing shall be moved.
    pub(crate) fn halted(&self) -> bool {
        self.schedule.halt_scheduling == "true"
    }
}

/// Reads `1h30m0s`, as Go writes durations.
fn duration(text: &str) -> Option<Duration> {
    let mut rest = text;
    let mut sum = 0.0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let number: f64 = rest[..digits].parse().ok()?;
        rest = &rest[digits..];
        let units = [("ms", 0.001), ("h", 3600.0), ("m", 60.0), ("s", 1.0)];
        let (unit, seconds) = units.into_iter().find(|(unit, _)| rest.starts_with(unit))?;
        rest = &rest[unit.len()..];
        sum += number * seconds;
    }
    if text.is_empty() { None } else { Duration::try_from_secs_f64(sum).ok() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_item_is_found_with_and_without_its_section() {
        let mut settings = Settings::default();
        settings.set("leader-schedule-limit", &json!(64)).unwrap();
        settings.set("schedule.region-schedule-limit", &json!("12")).unwrap();
        settings.set("replication.max-replicas", &json!(5)).unwrap();
        let limits = (settings.schedule.leader_schedule_limit, settings.schedule.region_schedule_limit);
        assert_eq!((limits, settings.replication.max_replicas), ((64, 12), 5));
    }

    #[test]
    fn what_is_not_there_is_refused_in_pds_words() {
        let mut settings = Settings::default();
        let error = |settings: &mut Settings, item| settings.set(item, &json!(1)).unwrap_err();
        assert_eq!(error(&mut settings, "no-such-key"), "config item no-such-key not found");
        let item = "pd-server.tso-update-physical-interval";
        assert_eq!(error(&mut settings, item), "config item tso-update-physical-interval not found");
        assert_eq!(error(&mut settings, "log.level"), "config prefix log not found");
        assert_eq!(settings, Settings::default());
    }

    #[test]
    fn a_wrong_value_changes_nothing() {
        let mut settings = Settings::default();
        for (item, value) in [
            ("leader-schedule-limit", json!(-1)),
            ("leader-schedule-limit", json!({})),
            ("max-store-down-time", json!("soon")),
            ("max-store-down-time", json!("")),
            ("halt-scheduling", json!("perhaps")),
            ("tolerant-size-ratio", json!(-1)),
        ] {
            settings.set(item, &value).unwrap_err();
        }
        assert_eq!(settings, Settings::default());
        settings.set("halt-scheduling", &json!(true)).unwrap();
        assert!(settings.halted());
    }

    #[test]
    fn durations_are_gos() {
        let seconds = |text| duration(text).map(|duration| duration.as_secs_f64());
        assert_eq!([seconds("30m0s"), seconds("1h1.5s"), seconds("250ms")], [Some(1800.0), Some(3601.5), Some(0.25)]);
        assert_eq!([seconds("5"), seconds("x"), seconds("1d")], [None, None, None]);
    }
}
