//! The file that people write: TiKV's TOML. Keys that mean nothing here are collected, not refused.

use serde_json::{Number, Value as Json};
use textfile::{InputError, Text};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{ConfigValues, HostMachine, KEYS_BY_NAME, StoreConfig};

/// A key that means nothing here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownKey {
    /// The key with its dots.
    pub key: String,
    /// Its line in the file, from 1.
    pub line: usize,
    /// The key that was probably meant.
    pub meant: Option<String>,
}

/// A file that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadedConfig {
    /// What holds.
    pub config: StoreConfig,
    /// Keys of the file that mean nothing here, in its order.
    pub unrecognised: Vec<UnknownKey>,
}

/// Reads a file; the values of `over` (the command line) win over it.
///
/// # Errors
/// When it is not TOML, or at the first key whose value is not what was expected, with its line.
pub fn load(text: &Text, over: ConfigValues, machine: &HostMachine) -> Result<LoadedConfig, InputError> {
    let document = DeTable::parse(text.content()).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start);
        text.error_at(offset, format!("is not TOML: {}", error.message()))
    })?;
    let mut reading = Reading { text, values: ConfigValues::new(), unrecognised: Vec::new() };
    reading.table(document.get_ref(), "")?;
    let mut values = reading.values;
    values.extend(over);
    let config = StoreConfig::new(values, machine)
        .map_err(|error| text.error_at_key(&error.key, format!("{} {}", error.key, error.message)).help(error.help))?;
    let mut unrecognised = reading.unrecognised;
    unrecognised.sort_by_key(|key| key.line);
    Ok(LoadedConfig { config, unrecognised })
}

struct Reading<'t> {
    text: &'t Text,
    values: ConfigValues,
    unrecognised: Vec<UnknownKey>,
}

impl Reading<'_> {
    fn table(&mut self, table: &DeTable<'_>, prefix: &str) -> Result<(), InputError> {
        for (key, value) in table {
            let name = format!("{prefix}{}", key.get_ref());
            if let Some(known) = KEYS_BY_NAME.get(&name) {
                let offset = value.span().start;
                let at = |error| self.text.error_at(offset, format!("{name}: {error}"));
                let read = json(value).and_then(|value| known.kind.read(&value)).map_err(at)?;
                self.values.insert(name, read);
            } else if let DeValue::Table(inner) = value.get_ref() {
                self.table(inner, &format!("{name}."))?;
            } else {
                let line = self.text.position(key.span().start).line;
                let meant = textfile::suggest(&name, KEYS_BY_NAME.keys().map(String::as_str)).map(str::to_owned);
                self.unrecognised.push(UnknownKey { key: name, line, meant });
            }
        }
        Ok(())
    }
}

fn json(value: &Spanned<DeValue<'_>>) -> Result<Json, String> {
    Ok(match value.get_ref() {
        DeValue::Boolean(value) => Json::from(*value),
        DeValue::String(text) => Json::from(text.as_ref()),
        DeValue::Integer(number) => {
            let digits = number.as_str().replace('_', "");
            let whole = i64::from_str_radix(&digits, number.radix());
            Json::from(whole.map_err(|_| format!("{digits} is beyond what a number holds"))?)
        }
        DeValue::Float(number) => {
            let digits = number.as_str().replace('_', "");
            let float = digits.parse().ok().and_then(Number::from_f64);
            Json::Number(float.ok_or_else(|| format!("{digits} is not a finite number"))?)
        }
        DeValue::Datetime(_) => return Err("is a date".to_owned()),
        DeValue::Array(items) => items.iter().map(json).collect::<Result<_, _>>()?,
        DeValue::Table(table) => {
            let pair = |(key, value): (&Spanned<_>, &_)| {
                Ok((String::clone(&String::from(AsRef::<str>::as_ref(key.get_ref()))), json(value)?))
            };
            Json::Object(table.iter().map(pair).collect::<Result<_, String>>()?)
        }
    })
}
