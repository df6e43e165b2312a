//! What can be set of the log's format, of its purge and of its start, with raft-engine's names for it.

use std::path::PathBuf;

use raft_engine::{Config, ReadableSize, RecoveryMode, Version};

/// What of a damaged log is read at the start, `raft-engine.recovery-mode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogRecovery {
    /// `absolute-consistency`: a log with any damage is refused.
    AbsoluteConsistency,
    /// `tolerate-tail-corruption`: its end may be damaged, as a power cut leaves it, and is cut off.
    TolerateTailCorruption,
    /// `tolerate-any-corruption`: what is behind any damage is left out.
    TolerateAnyCorruption,
}

/// Settings of the log beside its sizes. The defaults are raft-engine's own, and TiKV's.
#[derive(Debug, Clone, PartialEq)]
pub struct LogSettings {
    /// `raft-engine.spill-dir`: folder of new files when the disk of the log has no room; none. It is made if it is missing, the
    /// folder around it is not.
    pub spill_dir: Option<PathBuf>,
    /// `raft-engine.compression-level`: LZ4's acceleration, higher is faster and larger; none is 1.
    pub compression_level: Option<usize>,
    /// `raft-engine.format-version`: 1 or 2; 2. Files of the first are not overwritten.
    pub format_version: usize,
    /// `raft-engine.purge-rewrite-threshold`: bytes of rewritten entries above which they are rewritten again. None is a tenth of
    /// the purge threshold, and a file at least.
    pub purge_rewrite_threshold: Option<u64>,
    /// `raft-engine.purge-rewrite-garbage-ratio`: share of garbage among them above which they are, too; 0.6.
    pub purge_rewrite_garbage_ratio: f64,
    /// `raft-engine.prefill-for-recycle`: files to overwrite are made at the start; no.
    pub prefill: bool,
    /// `raft-engine.prefill-limit`: bytes of the log for which they are made, and half as much again; none is the purge threshold.
    pub prefill_limit: Option<u64>,
    /// `raft-engine.recovery-mode`: a damaged end is tolerated.
    pub recovery: LogRecovery,
    /// `raft-engine.recovery-read-block-size`: bytes read at once at the start; 16 KiB, and 512 B at least.
    pub recovery_read_block_size: u64,
    /// `raft-engine.recovery-threads`: threads that read the log at the start; 4, and one at least.
    pub recovery_threads: usize,
}

/// A setting that raft-engine does not take.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum LogSettingError {
    #[error("the name of its spill-dir {} is not UTF-8", .dir.display())]
    SpillDir { dir: PathBuf },
    #[error("its format-version is {given}, expected 1 or 2")]
    FormatVersion { given: usize },
}

impl Default for LogSettings {
    fn default() -> Self {
        Self {
            spill_dir: None,
            compression_level: None,
            format_version: 2,
            purge_rewrite_threshold: None,
            purge_rewrite_garbage_ratio: 0.6,
            prefill: false,
            prefill_limit: None,
            recovery: LogRecovery::TolerateTailCorruption,
            recovery_read_block_size: 16 << 10,
            recovery_threads: 4,
        }
    }
}

impl LogSettings {
    /// As raft-engine takes them.
    pub(crate) fn config(&self) -> Result<Config, LogSettingError> {
        let spill_dir = self.spill_dir.as_ref().map(|dir| {
            let text = dir.to_str().map(str::to_owned);
            text.ok_or_else(|| LogSettingError::SpillDir { dir: dir.clone() })
        });
        Ok(Config {
            spill_dir: spill_dir.transpose()?,
            compression_level: self.compression_level,
            format_version: match self.format_version {
                1 => Version::V1,
                2 => Version::V2,
                given => return Err(LogSettingError::FormatVersion { given }),
            },
            purge_rewrite_threshold: self.purge_rewrite_threshold.map(ReadableSize),
            purge_rewrite_garbage_ratio: self.purge_rewrite_garbage_ratio,
            prefill_for_recycle: self.prefill,
            prefill_limit: self.prefill_limit.map(ReadableSize),
            recovery_mode: match self.recovery {
                LogRecovery::AbsoluteConsistency => RecoveryMode::AbsoluteConsistency,
                LogRecovery::TolerateTailCorruption => RecoveryMode::TolerateTailCorruption,
                LogRecovery::TolerateAnyCorruption => RecoveryMode::TolerateAnyCorruption,
            },
            recovery_read_block_size: ReadableSize(self.recovery_read_block_size),
            recovery_threads: self.recovery_threads,
            ..Config::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use super::*;
    use crate::RaftSettings;
    use crate::testing::settings;

    fn changed(spill_dir: &Path) -> LogSettings {
        LogSettings {
            spill_dir: Some(spill_dir.to_owned()),
            compression_level: Some(7),
            format_version: 1,
            purge_rewrite_threshold: Some(3 << 20),
            purge_rewrite_garbage_ratio: 0.25,
            prefill: true,
            prefill_limit: Some(2 << 20),
            recovery: LogRecovery::AbsoluteConsistency,
            recovery_read_block_size: 4096,
            recovery_threads: 2,
        }
    }

    /// Opens a log with files of 1 MiB; the error is what it says.
    fn open(dir: &Path, log: LogSettings) -> Result<(), String> {
        let settings = RaftSettings { log_file_size: 1 << 20, log, ..settings(dir) };
        crate::log::open(&settings, &Arc::default()).map(drop).map_err(|error| error.to_string())
    }

    /// Files of a folder that wait to be overwritten.
    fn prefilled(dir: &Path) -> usize {
        let names = std::fs::read_dir(dir).unwrap().flatten().map(|entry| entry.file_name());
        names.filter(|name| name.to_string_lossy().ends_with(".reserved")).count()
    }

    #[test]
    fn the_defaults_are_raft_engines_own() {
        assert_eq!(LogSettings::default().config(), Ok(Config::default()));
    }

    #[test]
    fn every_setting_reaches_raft_engine() {
        let expected = Config {
            spill_dir: Some("/spill".to_owned()),
            compression_level: Some(7),
            format_version: Version::V1,
            purge_rewrite_threshold: Some(ReadableSize(3 << 20)),
            purge_rewrite_garbage_ratio: 0.25,
            prefill_for_recycle: true,
            prefill_limit: Some(ReadableSize(2 << 20)),
            recovery_mode: RecoveryMode::AbsoluteConsistency,
            recovery_read_block_size: ReadableSize(4096),
            recovery_threads: 2,
            ..Config::default()
        };
        assert_eq!(changed(Path::new("/spill")).config(), Ok(expected));
        let strange = LogSettings { format_version: 3, ..LogSettings::default() };
        assert_eq!(strange.config(), Err(LogSettingError::FormatVersion { given: 3 }));
    }

    #[test]
    fn a_log_opens_with_files_to_overwrite_and_a_folder_to_spill_into() {
        let dir = tempfile::tempdir().unwrap();
        let (own, plain, spill) = (dir.path().join("own"), dir.path().join("plain"), dir.path().join("spill"));
        open(&plain, LogSettings::default()).unwrap();
        let spilling = LogSettings { spill_dir: Some(spill.clone()), ..LogSettings::default() };
        let filled = LogSettings { prefill: true, prefill_limit: Some(2 << 20), ..spilling };
        open(&own, filled.clone()).unwrap();
        assert_eq!(prefilled(&plain), 0);
        assert!(prefilled(&own) > 0 && spill.is_dir());
        // And with what it has made.
        open(&own, filled).unwrap();
    }

    #[test]
    fn files_of_the_first_format_are_not_overwritten() {
        let dir = tempfile::tempdir().unwrap();
        let error = open(&dir.path().join("log"), changed(&dir.path().join("spill"))).unwrap_err();
        assert!(error.contains("format version 1 doesn't support log recycle"), "{error}");
    }
}
