//! What is advised in words: `tables/advice.toml`, in the language of the engine.

use std::sync::LazyLock;

use catalog::ReleaseSet;
use workload::Engine;

use crate::FindingKind;

/// A row of the table.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AdviceRow {
    kind: FindingKind,
    engine: Option<Engine>,
    pub(super) what: AdvisedPart,
    pub(super) text: String,
    #[cfg_attr(not(test), expect(dead_code, reason = "for the table's readers; a test wants it filled in"))]
    source: String,
}

/// What a remedy changes.
#[derive(Debug, Clone, Copy, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum AdvisedPart {
    Check,
    Disk,
    Setting,
}

/// How an engine calls its cache of blocks, and the share of memory that it has by default.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CacheRow {
    engine: Engine,
    pub(super) setting: String,
    pub(super) share: f64,
    pub(super) small: String,
    pub(super) large: String,
    #[cfg_attr(not(test), expect(dead_code, reason = "for the table's readers; a test wants it filled in"))]
    source: String,
}

/// The setting with which compactions read ahead, and the releases in which they do not by default.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ReadAhead {
    pub(super) engine: Engine,
    releases: String,
    pub(super) setting: String,
    pub(super) value: String,
    pub(super) text: String,
    /// Mean bytes of a read, at most.
    pub(super) read_at_most: f64,
    /// Mean bytes of a write, at least.
    pub(super) written_at_least: f64,
    #[cfg_attr(not(test), expect(dead_code, reason = "for the table's readers; a test wants it filled in"))]
    source: String,
}

#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    advice: Vec<AdviceRow>,
    cache: Vec<CacheRow>,
    readahead: ReadAhead,
}

static TABLE: LazyLock<Table> =
    LazyLock::new(|| toml::from_str(include_str!("../../tables/advice.toml")).expect("tested: the table is right"));

/// The words for a kind of finding, for its engine where it has some of its own.
pub(super) fn row(kind: FindingKind, engine: Option<Engine>) -> Option<&'static AdviceRow> {
    let mut of_kind = TABLE.advice.iter().filter(|row| row.kind == kind);
    let own = of_kind.clone().find(|row| row.engine.is_some() && row.engine == engine);
    own.or_else(|| of_kind.find(|row| row.engine.is_none()))
}

/// The cache of an engine; TiKV's where nothing tells the engine, whose keys rules ask for.
pub(super) fn cache(engine: Option<Engine>) -> &'static CacheRow {
    let own = TABLE.cache.iter().find(|row| Some(row.engine) == engine);
    own.unwrap_or_else(|| &TABLE.cache[0])
}

/// Reading ahead, and the releases that have to be told.
pub(super) fn read_ahead() -> (&'static ReadAhead, ReleaseSet) {
    let row = &TABLE.readahead;
    (row, row.releases.parse().expect("tested: releases"))
}

impl AdvisedPart {
    /// As JSON has it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Check => "check",
            Self::Disk => "disk",
            Self::Setting => "setting",
        }
    }
}

#[cfg(test)]
mod tests {
    use catalog::Release;

    use super::*;

    #[test]
    fn every_row_has_its_words_and_a_source() {
        assert!(TABLE.advice.iter().all(|row| !row.text.is_empty() && !row.source.is_empty()));
        assert!(TABLE.cache.iter().all(|row| !row.source.is_empty() && row.share > 0.0 && row.share < 1.0));
        assert!(!TABLE.readahead.source.is_empty());
    }

    #[test]
    fn a_kind_with_words_for_an_engine_has_words_for_all_others() {
        for row in &TABLE.advice {
            assert!(super::row(row.kind, None).is_some(), "{}", row.kind);
        }
    }

    #[test]
    fn mysql_is_not_told_to_move_leaders() {
        for kind in FindingKind::ALL {
            let text = row(kind, Some(Engine::InnoDb)).map_or("", |row| &row.text);
            assert!(!text.contains("leader"), "{kind}: {text}");
        }
    }

    #[test]
    fn releases_that_do_not_read_ahead_are_those_of_the_report() {
        let (_, releases) = read_ahead();
        let has = |major, minor, patch| releases.contains(Release::new(major, minor, patch));
        assert_eq!([has(8, 5, 5), has(8, 5, 6), has(8, 5, 7), has(7, 5, 2)], [true, true, false, false]);
    }
}
