//! What to know before the files are used, from `tables/traps.toml`: each trap with the condition under which it is told.

use std::sync::LazyLock;

use deployment::NodeRole;
use serde::Deserialize;

#[cfg(test)]
use crate::TikvVersion;
use crate::advice;
use crate::site::Site;
use crate::{FileFormat, RenderError};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Traps {
    trap: Vec<Trap>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Trap {
    /// The fact of the deployment that calls for it.
    when: When,
    /// The formats whose files it is about.
    formats: Vec<String>,
    /// The versions that have it; all if none is named.
    #[serde(default)]
    versions: Vec<String>,
    text: String,
    #[cfg_attr(not(test), expect(dead_code, reason = "for who reads the table; a test sees that it is there"))]
    source: String,
}

/// A fact of a deployment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum When {
    Always,
    LogDisk,
    Stripe,
    Cache,
    LocalDisk,
    NoPlacementDriver,
    NoValueSeparation,
    FollowerRead,
    Tiflash,
    TooFewZones,
}

static TRAPS: LazyLock<Traps> =
    LazyLock::new(|| toml::from_str(include_str!("../tables/traps.toml")).expect("the embedded table is tested"));

fn holds(when: When, site: &Site<'_>) -> bool {
    let any = |test: fn(&crate::site::Group<'_>) -> bool| site.groups.iter().any(test);
    match when {
        When::Always => true,
        When::LogDisk => any(|group| group.log.is_some()),
        When::Stripe => {
            any(|group| group.data.1.stripe > 1 || group.log.as_ref().is_some_and(|(_, log)| log.stripe > 1))
        }
        When::Cache => any(|group| group.data.1.cache.is_some()),
        When::LocalDisk => any(|group| group.data.1.volume.is_local()),
        When::NoPlacementDriver => site.of(NodeRole::Pd).any(|host| host.group.is_none()),
        When::NoValueSeparation => site.is_tikv() && site.deployment.settings.value_separation.is_none(),
        When::FollowerRead => site.deployment.settings.follower_read == Some(true),
        When::Tiflash => site.of(NodeRole::Tiflash).next().is_some(),
        When::TooFewZones => site.deployment.zones > 1 && site.deployment.zones < site.deployment.replicas(),
    }
}

/// What is worth knowing of the formats chosen: their traps, and those of the keys that were set.
pub(crate) fn notes(site: &Site<'_>, formats: &[FileFormat]) -> Result<Vec<String>, RenderError> {
    let mut notes = Vec::new();
    for trap in &TRAPS.trap {
        let of_version = trap.versions.is_empty() || trap.versions.iter().any(|name| *name == site.version.line());
        let of_format = trap.formats.iter().any(|name| formats.iter().any(|format| format.name() == name));
        if of_version && of_format && holds(trap.when, site) {
            notes.push(trap.text.clone());
        }
    }
    let tells_keys = formats.iter().any(|format| {
        matches!(format, FileFormat::Tikv | FileFormat::Tiup | FileFormat::Operator | FileFormat::OperatorV2)
    });
    if tells_keys && site.is_tikv() {
        // A trap that several keys share is told once.
        let mut of_keys: Vec<(&str, Vec<String>)> = Vec::new();
        for group in site.storage() {
            for setting in advice::tikv(site, group, advice::RAFT_DIR)?.iter() {
                let Some(trap) = setting.key().trap(site.version) else { continue };
                let name = setting.name().to_owned();
                match of_keys.iter_mut().find(|(known, _)| *known == trap) {
                    Some((_, names)) if names.contains(&name) => {}
                    Some((_, names)) => names.push(name),
                    None => of_keys.push((trap, vec![name])),
                }
            }
        }
        notes.extend(of_keys.iter().map(|(trap, names)| format!("{}: {trap}.", names.join(", "))));
    }
    Ok(notes)
}

impl Trap {
    /// Whether every format and version that it names is one.
    #[cfg(test)]
    fn is_sound(&self) -> bool {
        self.formats.iter().all(|name| name.parse::<FileFormat>().is_ok())
            && self.versions.iter().all(|name| name.parse::<TikvVersion>().is_ok())
            && !self.formats.is_empty()
            && !self.source.trim().is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trap_of_several_keys_is_told_once_with_all_of_them() {
        let notes =
            crate::testing::of(&crate::testing::deployment("htap.toml"), TikvVersion::V8_5, &[FileFormat::Tikv]).notes;
        let of_compression: Vec<&String> = notes.iter().filter(|note| note.contains("compression-per-level")).collect();
        assert_eq!(of_compression.len(), 1, "{notes:?}");
        assert!(of_compression[0].contains("defaultcf") && of_compression[0].contains("writecf"));
        assert!(notes.iter().all(|note| !note.contains("TiUP neither makes the raft log's folder")), "no such file");
    }

    #[test]
    fn every_trap_names_formats_and_versions_that_there_are_and_its_source() {
        let unsound: Vec<_> = TRAPS.trap.iter().filter(|trap| !trap.is_sound()).collect();
        assert!(unsound.is_empty(), "{unsound:?}");
    }
}
