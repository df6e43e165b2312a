//! Changes while the node runs, with TiKV's rules, traps and words (tikv src/config/mod.rs, `ConfigController`).

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::Value as Json;

use super::{ConfigValue, ConfigValues, HostMachine, KEYS_BY_NAME, StoreConfig, persist};

/// Makes a change of the configuration real.
pub trait ConfigDispatch: Send + Sync {
    /// Applies what changed in one module (`storage`, `rocksdb`, …); `now` is the whole new configuration.
    ///
    /// # Errors
    /// What the module says; modules before it stay changed.
    fn dispatch(&self, module: &str, changed: &ConfigValues, now: &StoreConfig) -> Result<(), String>;
}

/// Why a change was not made, in the words of TiKV's status server.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigRefusal {
    /// The request is not understood.
    #[error("failed to decode, error: {0:?}")]
    Decode(String),
    /// The change is not possible.
    #[error("failed to update, error: {0:?}")]
    Update(String),
    /// The change holds, but the file does not have it.
    #[error("config changed, but failed to persist change due to err: {0}")]
    Persist(String),
}

/// The configuration of a node that runs, and the file behind it.
pub struct ConfigController {
    machine: HostMachine,
    file: Option<PathBuf>,
    dispatch: Arc<dyn ConfigDispatch>,
    current: Mutex<StoreConfig>,
}

impl ConfigController {
    /// Begins with what holds; changes are kept in `file`, if there is one.
    pub fn new(
        config: StoreConfig,
        machine: HostMachine,
        file: Option<PathBuf>,
        dispatch: Arc<dyn ConfigDispatch>,
    ) -> Self {
        Self { machine, file, dispatch, current: Mutex::new(config) }
    }

    /// What holds now.
    pub fn config(&self) -> StoreConfig {
        self.current.lock().clone()
    }

    /// Takes a flat JSON object of keys and new values.
    ///
    /// The whole resulting configuration is checked first; then modules change one by one, so a module that refuses leaves
    /// those before it changed. Values may be clamped: the file gets what was asked for, `GET /config` tells what holds.
    ///
    /// # Errors
    /// See [`Refused`].
    pub fn update(&self, body: &[u8], persist: bool) -> Result<(), ConfigRefusal> {
        let asked = decode(body).map_err(ConfigRefusal::Decode)?;
        let mut changes = ConfigValues::new();
        for (name, text) in &asked {
            changes.insert(name.clone(), parse(name, text).map_err(ConfigRefusal::Update)?);
        }
        let mut current = self.current.lock();
        let next = current.with(&changes, &self.machine).map_err(|error| ConfigRefusal::Update(error.to_string()))?;
        let mut done = ConfigValues::new();
        let mut failed = None;
        for (module, changed) in modules(&current, &next) {
            if let Err(error) = self.dispatch.dispatch(&module, &changed, &next) {
                failed = Some(error);
                break;
            }
            done.extend(changed);
        }
        if let Some(error) = failed {
            // What was applied before the failure holds; the rest of the request is as if never asked.
            let partial: ConfigValues = changes.into_iter().filter(|(name, _)| done.contains_key(name)).collect();
            if let Ok(partly) = current.with(&partial, &self.machine) {
                *current = partly;
            }
            return Err(ConfigRefusal::Update(error));
        }
        *current = next;
        match (&self.file, persist) {
            (Some(file), true) => {
                persist::write(file, &changes).map_err(|error| ConfigRefusal::Persist(error.to_string()))
            }
            _ => Ok(()),
        }
    }
}

/// Texts by key; TiKV turns every value into text before it reads it as the kind of its key.
fn decode(body: &[u8]) -> Result<BTreeMap<String, String>, String> {
    let Json::Object(fields) = serde_json::from_slice(body).map_err(|error| error.to_string())? else {
        return Err("wrong format".to_owned());
    };
    let text = |(name, value)| match value {
        Json::Bool(value) => Ok((name, value.to_string())),
        Json::Number(value) => Ok((name, value.to_string())),
        Json::String(value) => Ok((name, value)),
        Json::Array(_) => Err("array type are not supported".to_owned()),
        Json::Null | Json::Object(_) => Err("wrong format".to_owned()),
    };
    fields.into_iter().map(text).collect()
}

fn parse(name: &str, text: &str) -> Result<ConfigValue, String> {
    let Some(key) = KEYS_BY_NAME.get(name) else {
        return Err(format!("unexpect fields: {}", stranger(name)));
    };
    if !key.online {
        return Err(format!("config {name} can not be changed"));
    }
    key.kind.read_text(text).map_err(|_| format!("failed to parse: {text}"))
}

/// The first part of a name that is nowhere, spelt as TiKV does inside.
fn stranger(name: &str) -> String {
    let mut so_far = String::new();
    for part in name.split('.') {
        so_far.push_str(part);
        let within = format!("{so_far}.");
        if !KEYS_BY_NAME.keys().any(|known| *known == so_far || known.starts_with(&within)) {
            return part.replace('-', "_");
        }
        so_far.push('.');
    }
    name.rsplit('.').next().unwrap_or_default().replace('-', "_")
}

/// What differs, by the first part of the key.
fn modules(before: &StoreConfig, after: &StoreConfig) -> BTreeMap<String, ConfigValues> {
    let mut modules: BTreeMap<String, ConfigValues> = BTreeMap::new();
    for (name, value) in after.effective() {
        if before.effective().get(name) != Some(value) {
            let module = name.split('.').next().unwrap_or_default().to_owned();
            modules.entry(module).or_default().insert(name.clone(), value.clone());
        }
    }
    modules
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Recorder {
        seen: Mutex<Vec<(String, Vec<String>)>>,
        refuses: Option<&'static str>,
    }

    impl ConfigDispatch for Recorder {
        fn dispatch(&self, module: &str, changed: &ConfigValues, _: &StoreConfig) -> Result<(), String> {
            if self.refuses == Some(module) {
                return Err("no".to_owned());
            }
            self.seen.lock().push((module.to_owned(), changed.keys().cloned().collect()));
            Ok(())
        }
    }

    const MACHINE: HostMachine = HostMachine { cpus: 2, memory: 4 << 30 };

    fn controller(recorder: &Arc<Recorder>) -> ConfigController {
        ConfigController::new(
            StoreConfig::new(ConfigValues::new(), &MACHINE).unwrap(),
            MACHINE,
            None,
            Arc::clone(recorder) as _,
        )
    }

    fn refusal(body: &str) -> String {
        controller(&Arc::default()).update(body.as_bytes(), true).unwrap_err().to_string()
    }

    #[test]
    fn the_words_are_tikvs() {
        assert_eq!(refusal("[]"), r#"failed to decode, error: "wrong format""#);
        assert_eq!(refusal(r#"{"a": []}"#), r#"failed to decode, error: "array type are not supported""#);
        assert_eq!(refusal(r#"{"a": null}"#), r#"failed to decode, error: "wrong format""#);
        assert!(refusal("{").starts_with("failed to decode, error: "));
        let unknown = r#"{"rocksdb.defaultcf.no-such-key": 1}"#;
        assert_eq!(refusal(unknown), r#"failed to update, error: "unexpect fields: no_such_key""#);
        assert_eq!(refusal(r#"{"no-such.key": 1}"#), r#"failed to update, error: "unexpect fields: no_such""#);
        let fixed = r#"{"rocksdb.defaultcf.block-size": "4KB"}"#;
        let words = r#"failed to update, error: "config rocksdb.defaultcf.block-size can not be changed""#;
        assert_eq!(refusal(fixed), words);
        let bad = r#"{"rocksdb.defaultcf.write-buffer-size": "4kb"}"#;
        assert_eq!(refusal(bad), r#"failed to update, error: "failed to parse: 4kb""#);
    }

    #[test]
    fn a_change_is_dispatched_to_its_module_and_holds() {
        let recorder = Arc::new(Recorder::default());
        let controller = controller(&recorder);
        controller.update(br#"{"rocksdb.defaultcf.write-buffer-size": "64MB"}"#, true).unwrap();
        let key = "rocksdb.defaultcf.write-buffer-size";
        assert_eq!(*recorder.seen.lock(), [("rocksdb".to_owned(), vec![key.to_owned()])]);
        assert_eq!(controller.config().size(key), 64 << 20);
        // Digits, quoted or not, are bytes.
        controller.update(br#"{"rocksdb.defaultcf.write-buffer-size": "1048576"}"#, true).unwrap();
        controller.update(br#"{"rocksdb.defaultcf.write-buffer-size": 2097152}"#, true).unwrap();
        assert_eq!(controller.config().size(key), 2 << 20);
    }

    #[test]
    fn a_value_above_flow_control_is_clamped_and_answered_with_yes() {
        let recorder = Arc::new(Recorder::default());
        let controller = controller(&recorder);
        controller.update(br#"{"rocksdb.defaultcf.level0-slowdown-writes-trigger": 50}"#, true).unwrap();
        assert_eq!(controller.config().int("rocksdb.defaultcf.level0-slowdown-writes-trigger"), 20);
        assert!(recorder.seen.lock().is_empty(), "nothing differs after clamping");
    }

    #[test]
    fn a_fault_of_the_whole_changes_nothing() {
        let recorder = Arc::new(Recorder::default());
        let controller = controller(&recorder);
        let before = controller.config();
        let body = br#"{"storage.block-cache.capacity": "100GB", "rocksdb.defaultcf.write-buffer-size": "64MB"}"#;
        assert!(matches!(controller.update(body, true), Err(ConfigRefusal::Update(_))));
        assert_eq!(controller.config(), before);
        assert!(recorder.seen.lock().is_empty());
    }

    #[test]
    fn modules_before_one_that_refuses_stay_changed() {
        let recorder = Arc::new(Recorder { refuses: Some("storage"), ..Recorder::default() });
        let controller = controller(&recorder);
        let body = br#"{"storage.block-cache.capacity": "100MB", "rocksdb.defaultcf.write-buffer-size": "64MB"}"#;
        assert_eq!(controller.update(body, true), Err(ConfigRefusal::Update("no".to_owned())));
        let config = controller.config();
        assert_eq!(config.size("rocksdb.defaultcf.write-buffer-size"), 64 << 20);
        assert_ne!(config.size("storage.block-cache.capacity"), 100 << 20);
    }

    #[test]
    fn the_file_gets_what_was_asked_for_or_the_answer_says_that_it_did_not() {
        let dir = tempfile::tempdir().unwrap();
        let (file, gone) = (dir.path().join("tikv.toml"), dir.path().join("none/tikv.toml"));
        std::fs::write(&file, "# mine\n[rocksdb]\n").unwrap();
        let config = StoreConfig::new(ConfigValues::new(), &MACHINE).unwrap();
        let make = |file| ConfigController::new(config.clone(), MACHINE, Some(file), Arc::new(Recorder::default()));
        let body = br#"{"rocksdb.defaultcf.level0-slowdown-writes-trigger": 50}"#;
        make(file.clone()).update(body, false).unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "# mine\n[rocksdb]\n");
        make(file.clone()).update(body, true).unwrap();
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(
            text.starts_with("# mine\n[rocksdb]\n") && text.contains("level0-slowdown-writes-trigger = 50"),
            "{text}"
        );
        let error = make(gone).update(body, true).unwrap_err();
        assert!(error.to_string().starts_with("config changed, but failed to persist change due to err: "), "{error}");
    }
}
