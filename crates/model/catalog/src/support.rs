//! Which volume types a machine takes.

use crate::{CatalogError, Cloud, InstanceType, VolumeType};

/// A row of `support.csv`: the first that fits a machine and a volume type decides; without one the machine takes it.
#[derive(Debug, Clone)]
pub(crate) struct SupportRow {
    pub(crate) cloud: Cloud,
    /// A family, or `*`.
    pub(crate) family: String,
    /// A volume type; all that begin so where it ends in `*`.
    pub(crate) kind: String,
    pub(crate) takes: Support,
    pub(crate) source: &'static str,
}

/// Whether a machine takes a volume type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Support {
    No,
    /// It may, and what it lets through to it is not known.
    Unknown,
}

pub(crate) fn covers(pattern: &str, name: &str) -> bool {
    pattern.strip_suffix('*').map_or(pattern == name, |head| name.starts_with(head))
}

/// Whether an instance takes a type.
///
/// # Errors
/// When it does not, or what it lets through to the type is not known.
pub(crate) fn takes(rows: &[SupportRow], instance: &InstanceType, kind: &VolumeType) -> Result<(), CatalogError> {
    let fits = |row: &&SupportRow| {
        row.cloud == instance.cloud && covers(&row.family, &instance.family) && covers(&row.kind, &kind.name)
    };
    let Some(row) = rows.iter().find(fits) else { return Ok(()) };
    match row.takes {
        Support::No => Err(CatalogError::NotAttachable {
            instance: instance.name.as_str().into(),
            family: instance.family.as_str().into(),
            kind: kind.name.as_str().into(),
            source_text: row.source,
        }),
        Support::Unknown => Err(CatalogError::missing(
            "limits of an instance to a disk",
            format!("{} and {}", instance.name, kind.name),
            None,
        )),
    }
}
