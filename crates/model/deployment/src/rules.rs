//! The rules that every deployment is held to, from `tables/rules.toml`.

use std::sync::LazyLock;

use units::Bytes;

/// All rules.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Rules {
    /// Hours that a month is charged for.
    pub(crate) month_hours: Rule<f64>,
    /// Share of a limit under which what is left is worth a warning.
    pub(crate) headroom: Rule<f64>,
    /// Largest block size with which TiKV starts.
    pub(crate) tikv_max_block_size: Rule<Bytes>,
    /// Smallest block size with which TiKV starts.
    pub(crate) tikv_min_block_size: Rule<Bytes>,
    /// Attachments that an instance needs besides its data and log volumes.
    pub(crate) root_volumes: Rule<u32>,
    /// Most nodes of all groups together.
    pub(crate) most_nodes: Rule<u32>,
    /// Most zones.
    pub(crate) most_zones: Rule<u32>,
    /// Most copies of a range.
    pub(crate) most_replicas: Rule<u32>,
}

/// A number and where it comes from.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rule<T> {
    pub(crate) value: T,
    pub(crate) source: String,
}

pub(crate) static RULES: LazyLock<Rules> =
    LazyLock::new(|| toml::from_str(include_str!("../tables/rules.toml")).expect("the embedded table is tested"));

#[cfg(test)]
mod tests {
    use super::RULES;

    #[test]
    fn every_rule_has_its_source() {
        let sources = [
            &RULES.month_hours.source,
            &RULES.headroom.source,
            &RULES.tikv_max_block_size.source,
            &RULES.tikv_min_block_size.source,
            &RULES.root_volumes.source,
            &RULES.most_nodes.source,
            &RULES.most_zones.source,
            &RULES.most_replicas.source,
        ];
        assert!(sources.iter().all(|source| !source.trim().is_empty()));
    }
}
