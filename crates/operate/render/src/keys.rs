//! The settings of TiKV, PD and MySQL as tables: what each key takes, by version, and where its traps are.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use catalog::{Release, ReleaseSet};
use textfile::did_you_mean;
use tikv_config::KeyRow;
use units::{Bytes, Nanos};

use crate::TikvVersion;

mod kind;
mod value;

pub use kind::SettingKind;
pub use value::SettingValue;

/// A key of a configuration.
#[derive(Debug, Clone, PartialEq)]
pub struct ConfigKey {
    /// The name with dots, as in the file.
    pub name: String,
    /// What it takes.
    pub kind: SettingKind,
    /// The least, if there is one.
    pub min: Option<SettingValue>,
    /// The greatest, if there is one.
    pub max: Option<SettingValue>,
    /// The greatest as a multiple of the hardware threads, though at least four.
    pub max_by_cpus: Option<u32>,
    /// What holds in each version when nothing is said; `None` where the version lacks the key.
    defaults: Vec<Since>,
    /// The releases in which it changes while the program runs; in others a restart is needed.
    pub online: Option<ReleaseSet>,
    /// What goes wrong with it, and in which releases.
    pub trap: Option<(ReleaseSet, String)>,
    /// Where all this is from.
    pub source: String,
}

/// What holds from a patch on until the next one of its line that is said; `None` where the key is not there.
#[derive(Debug, Clone, PartialEq)]
struct Since {
    release: Release,
    default: Option<KeyDefault>,
}

/// What a key is without being set.
#[derive(Debug, Clone, PartialEq)]
pub enum KeyDefault {
    /// This.
    Is(SettingValue),
    /// What the machine or other keys say.
    Computed,
    /// Nothing.
    Unset,
}

impl ConfigKey {
    /// What holds when nothing is said; `None` where the version lacks the key.
    pub fn default(&self, version: TikvVersion) -> Option<&KeyDefault> {
        let release = version.release();
        let of_line = self.defaults.iter().filter(|since| since.release.line() == release.line());
        let last = of_line.filter(|since| since.release <= release).max_by_key(|since| since.release)?;
        last.default.as_ref()
    }

    /// Whether it changes without a restart.
    pub fn is_online(&self, version: TikvVersion) -> bool {
        self.online.as_ref().is_some_and(|releases| version.is_of(releases))
    }

    /// What goes wrong with it in a version.
    pub fn trap(&self, version: TikvVersion) -> Option<&str> {
        self.trap.as_ref().filter(|(releases, _)| version.is_of(releases)).map(|(_, text)| text.as_str())
    }
}

/// Why a setting cannot be written.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SettingError {
    /// No such key.
    #[error("{program} has no setting `{key}`; {hint}")]
    Unknown {
        /// Whose settings.
        program: &'static str,
        /// The key.
        key: String,
        /// What was probably meant.
        hint: String,
    },
    /// The version lacks it.
    #[error("{program} {version} has no setting `{key}`; render for a newer version")]
    NotYet {
        /// Whose settings.
        program: &'static str,
        /// The key.
        key: String,
        /// The version.
        version: TikvVersion,
    },
    /// It takes something else.
    #[error("{program}'s `{key}` takes {expected}, not {given}")]
    Kind {
        /// Whose settings.
        program: &'static str,
        /// The key.
        key: String,
        /// What it takes.
        expected: String,
        /// The value.
        given: String,
    },
    /// Too little or too much.
    #[error("{program}'s `{key}` is {given}; expected {expected}")]
    Range {
        /// Whose settings.
        program: &'static str,
        /// The key.
        key: String,
        /// What it takes.
        expected: String,
        /// The value.
        given: String,
    },
}

/// All settings of a program.
#[derive(Debug)]
pub struct SettingsTable {
    /// Whose: `TiKV`.
    pub program: &'static str,
    keys: BTreeMap<String, ConfigKey>,
}

static TIKV: LazyLock<SettingsTable> = LazyLock::new(|| SettingsTable::new("TiKV", tikv_config::rows()));
static PD: LazyLock<SettingsTable> =
    LazyLock::new(|| SettingsTable::embedded("PD", include_str!("../tables/pd_keys.csv")));
static MYSQL: LazyLock<SettingsTable> =
    LazyLock::new(|| SettingsTable::embedded("MySQL", include_str!("../tables/mysql_keys.csv")));

impl SettingsTable {
    /// TiKV's.
    pub fn tikv() -> &'static Self {
        &TIKV
    }

    /// PD's.
    pub fn pd() -> &'static Self {
        &PD
    }

    /// Those of MySQL 8.0, whatever the version of TiKV.
    pub fn mysql() -> &'static Self {
        &MYSQL
    }

    fn embedded(program: &'static str, table: &str) -> Self {
        Self::new(program, &tikv_config::read(table).expect("tables that ship with the program are read by a test"))
    }

    fn new(program: &'static str, rows: &[KeyRow]) -> Self {
        let keys = rows.iter().map(|row| key(row).expect("tables that ship with the program are read by a test"));
        Self { program, keys: keys.map(|key| (key.name.clone(), key)).collect() }
    }

    /// All keys, by name.
    pub fn keys(&self) -> impl Iterator<Item = &ConfigKey> {
        self.keys.values()
    }

    /// A key of a version.
    ///
    /// # Errors
    /// When there is none, or not yet.
    pub fn key(&self, version: TikvVersion, name: &str) -> Result<&ConfigKey, SettingError> {
        let Some(key) = self.keys.get(name) else {
            let names: Vec<&str> = self.keys.keys().map(String::as_str).collect();
            let hint = textfile::suggest(name, names.iter().copied())
                .map_or_else(|| "look it up in its manual".to_owned(), |_| did_you_mean(name, &names));
            return Err(SettingError::Unknown { program: self.program, key: name.to_owned(), hint });
        };
        match key.default(version) {
            Some(_) => Ok(key),
            None => Err(SettingError::NotYet { program: self.program, key: name.to_owned(), version }),
        }
    }

    /// The key, if the version has it, takes the value, and the value is within its bounds on a machine of `vcpu` threads.
    ///
    /// # Errors
    /// When any of this is not so.
    pub fn admit(
        &self,
        version: TikvVersion,
        vcpu: u32,
        name: &str,
        value: &SettingValue,
    ) -> Result<&ConfigKey, SettingError> {
        let key = self.key(version, name)?;
        let (program, key_name, given) = (self.program, name.to_owned(), value.to_string());
        key.kind.admits(value).map_err(|expected| SettingError::Kind {
            program,
            key: key_name.clone(),
            expected,
            given: given.clone(),
        })?;
        let Some(magnitude) = value.magnitude() else { return Ok(key) };
        let range = |expected: String| Err(SettingError::Range { program, key: key_name, expected, given });
        if let Some(min) = key.min.as_ref().filter(|min| min.magnitude().is_some_and(|min| magnitude < min)) {
            return range(format!("at least {min}"));
        }
        let by_cpus = key.max_by_cpus.map(|factor| SettingValue::Int(i64::from(factor.saturating_mul(vcpu).max(4))));
        match by_cpus.as_ref().or(key.max.as_ref()) {
            Some(max) if max.magnitude().is_some_and(|max| magnitude > max) => range(format!("at most {max}")),
            _ => Ok(key),
        }
    }
}

/// The defaults of a line in a cell, each with the patch from which it holds: `0;8.5.7:2MB` has 0 before 8.5.7.
fn patches(line: TikvVersion, cell: &str) -> impl Iterator<Item = (Release, &str)> {
    let first = Release { patch: 0, ..line.release() };
    cell.split(';').map(move |text| match text.split_once(':') {
        Some((patch, text)) if patch.parse::<Release>().is_ok_and(|patch| patch.line() == first.line()) => {
            (patch.parse().unwrap_or(first), text)
        }
        _ => (first, text),
    })
}

fn key(row: &KeyRow) -> Result<ConfigKey, String> {
    let at = |what: &str, error: String| format!("{}: {what}: {error}", row.key);
    let kind = SettingKind::named(&row.kind).ok_or_else(|| at("kind", format!("`{}` is none", row.kind)))?;
    let bound = |text: &str| match text {
        "" => Ok(None),
        text if text.starts_with("cpus*") => Ok(None),
        text => kind.read(text).map(Some),
    };
    let default = |text: &str| match text {
        "-" => Ok(None),
        "auto" => Ok(Some(KeyDefault::Computed)),
        "unset" => Ok(Some(KeyDefault::Unset)),
        text => kind.read(text).map(|value| Some(KeyDefault::Is(value))),
    };
    let mut defaults = Vec::new();
    for (version, text) in TikvVersion::ALL.into_iter().zip([&row.default_7_5, &row.default_8_1, &row.default_8_5]) {
        for (release, text) in patches(version, text) {
            let default = default(text).map_err(|error| at("default", error))?;
            defaults.push(Since { release, default });
        }
    }
    let releases = |what: &str, text: &str| text.parse::<ReleaseSet>().map_err(|error| at(what, error.to_string()));
    let trap = match row.trap.split_once(": ") {
        None if row.trap.is_empty() => None,
        None => return Err(at("trap", "does not begin with its versions".to_owned())),
        Some((of, text)) => Some((releases("trap", of)?, text.to_owned())),
    };
    Ok(ConfigKey {
        min: bound(&row.min).map_err(|error| at("min", error))?,
        max: bound(&row.max).map_err(|error| at("max", error))?,
        max_by_cpus: row.max.strip_prefix("cpus*").and_then(|factor| factor.parse().ok()),
        defaults,
        online: if row.online == "no" { None } else { Some(releases("online", &row.online)?) },
        trap,
        source: row.source.clone(),
        name: row.key.clone(),
        kind,
    })
}

#[cfg(test)]
mod tests;
