//! The folder of a node: RocksDB in `db`, the raft log in `raft-engine` unless it has a disk of its own, incoming snapshots in `snap`.

use std::fs::{self, DirBuilder, File, TryLockError};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use super::NodeError;
use crate::config::StoreConfig;

/// The folder of a node, held by this process alone.
pub(crate) struct Folder {
    data: PathBuf,
    raft: PathBuf,
    _lock: File,
}

impl Folder {
    /// Makes the folders that are missing and takes the lock.
    pub(crate) fn open(config: &StoreConfig) -> Result<Self, NodeError> {
        let data = make(Path::new(config.text("storage.data-dir")))?;
        let raft = match config.text("raft-engine.dir") {
            "" => data.join("raft-engine"),
            dir => PathBuf::from(dir),
        };
        let path = data.join("LOCK");
        let lock = File::options().create(true).truncate(false).write(true).open(&path);
        let lock = lock.map_err(NodeError::system(format!("open {}", path.display())))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(NodeError::InUse(data)),
            Err(TryLockError::Error(source)) => {
                return Err(NodeError::System { what: format!("lock {}", path.display()), source });
            }
        }
        let raft = make(&raft)?;
        if raft == data || raft == data.join("db") {
            let message =
                format!("raft-engine.dir is {}, where the keys are; give it a folder of its own", raft.display());
            return Err(NodeError::Input(message));
        }
        let folder = Self { data, raft, _lock: lock };
        folder.same_log()?;
        make(&folder.snapshots())?;
        Ok(folder)
    }

    /// The log is where it was at the last start: without it, acknowledged writes would be missing (TiKV refuses likewise).
    fn same_log(&self) -> Result<(), NodeError> {
        let record = self.data.join("raft-engine-dir");
        let now = self.raft.display().to_string();
        match fs::read_to_string(&record) {
            Ok(before) if before.trim() != now && has_files(Path::new(before.trim())) => {
                let message = format!(
                    "raft engine dir have been changed: it was {} and that still has the log; move the log, or set \
                     raft-engine.dir back",
                    before.trim()
                );
                Err(NodeError::Input(message))
            }
            _ => fs::write(&record, now).map_err(NodeError::system(format!("write {}", record.display()))),
        }
    }

    /// The folder itself.
    pub(crate) fn data(&self) -> PathBuf {
        self.data.clone()
    }

    /// RocksDB's.
    pub(crate) fn db(&self) -> PathBuf {
        self.data.join("db")
    }

    /// The raft log's.
    pub(crate) fn raft(&self) -> PathBuf {
        self.raft.clone()
    }

    /// That of snapshots which come in.
    pub(crate) fn snapshots(&self) -> PathBuf {
        self.data.join("snap")
    }

    /// The file with the node's id.
    pub(crate) fn id_file(&self) -> PathBuf {
        self.data.join("store-id")
    }
}

fn has_files(dir: &Path) -> bool {
    fs::read_dir(dir).is_ok_and(|mut entries| entries.next().is_some())
}

/// Makes a folder, for its owner only, and tells its path from the root.
fn make(dir: &Path) -> Result<PathBuf, NodeError> {
    let what = || format!("make the folder {}", dir.display());
    DirBuilder::new().recursive(true).mode(0o700).create(dir).map_err(NodeError::system(what()))?;
    dir.canonicalize().map_err(NodeError::system(what()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{ConfigValue, ConfigValues, HostMachine};

    fn config(data: &Path, raft: &str) -> StoreConfig {
        let text = |text: &str| ConfigValue::Text(text.to_owned());
        let values = ConfigValues::from([
            ("storage.data-dir".to_owned(), text(&data.display().to_string())),
            ("raft-engine.dir".to_owned(), text(raft)),
        ]);
        StoreConfig::new(values, &HostMachine { cpus: 2, memory: 1 << 30 }).unwrap()
    }

    #[test]
    fn a_folder_is_made_for_its_owner_only() {
        let place = tempfile::tempdir().unwrap();
        let data = place.path().join("data");
        let folder = Folder::open(&config(&data, "")).unwrap();
        for made in [data, folder.raft(), folder.snapshots()] {
            let mode = std::os::unix::fs::MetadataExt::mode(&made.metadata().unwrap());
            assert_eq!(mode & 0o777, 0o700, "{}", made.display());
        }
    }

    #[test]
    fn two_nodes_cannot_have_one_folder() {
        let dir = tempfile::tempdir().unwrap();
        let first = Folder::open(&config(dir.path(), "")).unwrap();
        assert!(matches!(Folder::open(&config(dir.path(), "")), Err(NodeError::InUse(_))));
        drop(first);
        assert!(Folder::open(&config(dir.path(), "")).is_ok());
    }

    #[test]
    fn a_log_is_not_left_behind() {
        let (dir, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let folder = Folder::open(&config(dir.path(), "")).unwrap();
        fs::write(folder.raft().join("0000000000000001.raftlog"), "x").unwrap();
        drop(folder);
        let error = Folder::open(&config(dir.path(), &other.path().display().to_string())).err().unwrap();
        assert!(error.to_string().starts_with("raft engine dir have been changed"), "{error}");
        assert_eq!(error.exit_code(), 2);
    }

    #[test]
    fn the_log_is_not_among_the_keys() {
        let dir = tempfile::tempdir().unwrap();
        let db = dir.path().join("db").display().to_string();
        assert!(matches!(Folder::open(&config(dir.path(), &db)), Err(NodeError::Input(_))));
    }
}
