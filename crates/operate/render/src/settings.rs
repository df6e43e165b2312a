//! Settings with their reasons: there is no way to make one that its program would refuse.

use crate::TikvVersion;
use crate::document::{Map, Node, Why};
use crate::keys::{ConfigKey, SettingError, SettingValue, SettingsTable};

/// A setting that its program takes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Setting {
    key: &'static ConfigKey,
    value: SettingValue,
    why: Why,
}

impl Setting {
    pub(crate) fn name(&self) -> &str {
        &self.key.name
    }

    pub(crate) fn value(&self) -> &SettingValue {
        &self.value
    }

    pub(crate) fn key(&self) -> &'static ConfigKey {
        self.key
    }

    /// As a value of a document.
    pub(crate) fn node(&self) -> Node {
        match &self.value {
            SettingValue::Bool(value) => (*value).into(),
            SettingValue::Int(value) => (*value).into(),
            SettingValue::Float(value) => Node::Float(*value),
            SettingValue::Texts(values) => values.clone().into(),
            SettingValue::Labels(labels) => {
                labels.iter().fold(Map::new(), |map, (k, v)| map.with(k, v.as_str())).into()
            }
            // TiKV reads `GB` as 1024³ bytes.
            SettingValue::Size(size) => size.binary().to_string().into(),
            SettingValue::Duration(_) | SettingValue::Text(_) => self.value.to_string().into(),
        }
    }
}

/// Settings of one program on one kind of machine, in the order in which they were made.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    table: &'static SettingsTable,
    version: TikvVersion,
    vcpu: u32,
    settings: Vec<Setting>,
}

impl Settings {
    /// None yet, for machines of `vcpu` hardware threads.
    pub(crate) fn new(table: &'static SettingsTable, version: TikvVersion, vcpu: u32) -> Self {
        Self { table, version, vcpu, settings: Vec::new() }
    }

    /// Adds a setting.
    pub(crate) fn set(&mut self, key: &str, value: SettingValue, why: Why) -> Result<(), SettingError> {
        let key = self.table.admit(self.version, self.vcpu, key, &value)?;
        self.settings.push(Setting { key, value, why });
        Ok(())
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Setting> {
        self.settings.iter()
    }

    /// A setting by its name.
    pub(crate) fn get(&self, name: &str) -> Option<&Setting> {
        self.iter().find(|setting| setting.name() == name)
    }

    pub(crate) fn version(&self) -> TikvVersion {
        self.version
    }

    /// As a document of dotted keys; a trap of the version stands with its key.
    pub(crate) fn map(&self) -> Map {
        let mut map = Map::new();
        for setting in &self.settings {
            map.why(setting.name(), setting.node(), &setting.explained(self.version));
        }
        map
    }
}

impl Setting {
    /// The reason, and the trap of the key if the version has one.
    pub(crate) fn explained(&self, version: TikvVersion) -> Why {
        match self.key.trap(version) {
            Some(trap) => Why { text: format!("{}\nMind: {trap}.", self.why.text), ..self.why.clone() },
            None => self.why.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use units::Bytes;

    use super::*;

    #[test]
    fn sizes_are_written_in_the_units_that_tikv_reads_as_they_are_meant() {
        let mut settings = Settings::new(SettingsTable::tikv(), TikvVersion::V8_5, 8);
        let decimal = SettingValue::Size(Bytes(20_000_000_000));
        settings.set("storage.block-cache.capacity", decimal, Why::new("", "https://example.com")).unwrap();
        let text = settings.map().to_toml();
        assert!(text.contains("capacity = \"19531250KiB\""), "{text}");
    }
}
