//! TiKV's configuration, as far as it means something here: typed keys from one table, TiKV's defaults, notation and checks.

mod computed;
mod file;
mod key;
mod kind;
mod machine;
mod online;
mod period;
mod persist;
mod size;
mod validate;

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Map, Value as Json};

pub use file::{LoadedConfig, UnknownKey, load};
pub(crate) use key::section;
pub use key::{ConfigDefault, KEYS_BY_NAME, StoreKey};
pub use kind::{ConfigValue, StoreKeyKind};
pub use machine::HostMachine;
pub use online::{ConfigController, ConfigDispatch, ConfigRefusal};
pub use period::ConfigDuration;
pub use size::ConfigSize;

/// Values by key.
pub type ConfigValues = BTreeMap<String, ConfigValue>;

/// What is wrong with the value of a key, and what to try.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{key} {message}; {help}")]
pub struct ConfigError {
    /// The key.
    pub key: String,
    /// What is wrong, as a sentence that goes on from the key.
    pub message: String,
    /// What to try.
    pub help: String,
}

/// A whole configuration that holds together.
#[derive(Debug, Clone, PartialEq)]
pub struct StoreConfig {
    given: ConfigValues,
    effective: ConfigValues,
}

impl StoreConfig {
    /// The given values over the defaults of a machine.
    ///
    /// # Errors
    /// At the first value that is out of its bounds or does not fit the others.
    pub fn new(given: ConfigValues, machine: &HostMachine) -> Result<Self, ConfigError> {
        let mut effective = given.clone();
        for (name, value) in &mut effective {
            if let (ConfigValue::Percent(percent), true) = (&*value, takes_percent(name)) {
                *value = ConfigValue::Size((machine.memory as f64 * percent / 100.0) as u64);
            }
        }
        let mut config = Self { given, effective };
        for key in KEYS_BY_NAME.values() {
            if let (ConfigDefault::Is(value), false) = (&key.default, config.effective.contains_key(&key.name)) {
                config.put(&key.name, value.clone());
            }
        }
        let of_cfs = KEYS_BY_NAME.values().map(|key| key.name.as_str()).filter(|name| name.contains("cf."));
        for name in computed::ORDER.into_iter().chain(of_cfs) {
            if !config.effective.contains_key(name)
                && let Some(value) = computed::default(name, &config, machine)
            {
                config.put(name, value);
            }
        }
        computed::clamp(&mut config);
        validate::validate(&config, machine)?;
        Ok(config)
    }

    /// The same with some values given anew, checked as a whole.
    ///
    /// # Errors
    /// As [`Config::new`].
    pub fn with(&self, changes: &ConfigValues, machine: &HostMachine) -> Result<Self, ConfigError> {
        let mut given = self.given.clone();
        given.extend(changes.clone());
        Self::new(given, machine)
    }

    /// Every value that holds.
    pub fn effective(&self) -> &ConfigValues {
        &self.effective
    }

    /// The value of a key; none if it is unset.
    pub fn get(&self, key: &str) -> Option<&ConfigValue> {
        debug_assert!(KEYS_BY_NAME.contains_key(key), "{key} is not in the tables");
        self.effective.get(key)
    }

    fn put(&mut self, key: &str, value: ConfigValue) {
        self.effective.insert(key.to_owned(), value);
    }

    /// The truth of a key.
    pub fn bool(&self, key: &str) -> bool {
        matches!(self.get(key), Some(ConfigValue::Bool(true)))
    }

    /// The whole number of a key.
    pub fn int(&self, key: &str) -> i64 {
        if let Some(ConfigValue::Int(value)) = self.get(key) { *value } else { 0 }
    }

    /// The whole number of a key that counts things.
    pub fn count(&self, key: &str) -> usize {
        usize::try_from(self.int(key)).unwrap_or(0)
    }

    /// The number of a key.
    pub fn float(&self, key: &str) -> f64 {
        if let Some(ConfigValue::Float(value)) = self.get(key) { *value } else { 0.0 }
    }

    /// The bytes of a key.
    pub fn size(&self, key: &str) -> u64 {
        self.optional_size(key).unwrap_or(0)
    }

    /// The bytes of a key that may be unset.
    pub fn optional_size(&self, key: &str) -> Option<u64> {
        if let Some(ConfigValue::Size(bytes)) = self.get(key) { Some(*bytes) } else { None }
    }

    /// The duration of a key.
    pub fn duration(&self, key: &str) -> Duration {
        if let Some(ConfigValue::Duration(time)) = self.get(key) { *time } else { Duration::ZERO }
    }

    /// The text of a key.
    pub fn text(&self, key: &str) -> &str {
        if let Some(ConfigValue::Text(text)) = self.get(key) { text } else { "" }
    }

    /// The texts of a key.
    pub fn texts(&self, key: &str) -> &[String] {
        if let Some(ConfigValue::Texts(texts)) = self.get(key) { texts } else { &[] }
    }

    /// `server.labels`.
    pub fn labels(&self) -> impl Iterator<Item = (&String, &String)> {
        let labels =
            if let Some(ConfigValue::Labels(labels)) = self.get("server.labels") { Some(labels) } else { None };
        labels.into_iter().flatten()
    }

    /// Threads for compactions: what flushes leave of the background jobs, at least one.
    pub fn compactions(&self) -> i64 {
        (self.int("rocksdb.max-background-jobs") - self.int("rocksdb.max-background-flushes")).max(1)
    }

    /// As `GET /config` shows it: nested by the dots of the keys, unset ones null.
    pub fn json(&self) -> Json {
        let mut root = Map::new();
        for name in KEYS_BY_NAME.keys() {
            let value = self.effective.get(name).map_or(Json::Null, ConfigValue::json);
            let mut path: Vec<&str> = name.split('.').collect();
            let leaf = path.pop().unwrap_or_default();
            let mut table = Some(&mut root);
            for part in path {
                table = table
                    .and_then(|table| table.entry(part).or_insert_with(|| Json::Object(Map::new())).as_object_mut());
            }
            if let Some(table) = table {
                table.insert(leaf.to_owned(), value);
            }
        }
        Json::Object(root)
    }
}

fn takes_percent(name: &str) -> bool {
    KEYS_BY_NAME.get(name).is_some_and(|key| key.kind.takes_percent())
}

#[cfg(test)]
mod tests;
