//! The file of the placement driver's state: replaced as a whole, so that it is never half written.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};

use crate::error::{PdError, system};
use crate::record::{FORMAT, Record};

/// Its name within the data directory.
const NAME: &str = "pd.json";

/// Where the state is kept; nobody else has it while this lives.
#[derive(Debug)]
pub(crate) struct StateFile {
    path: PathBuf,
    folder: File,
    _lock: File,
}

impl StateFile {
    /// Takes the folder, which is made if need be, and reads the state in it, if there is one.
    pub(crate) fn open(folder: &Path) -> Result<(Self, Option<Record>), PdError> {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)
            .map_err(system(format!("make {}", folder.display())))?;
        let path = folder.join("LOCK");
        let lock = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
        let lock = lock.map_err(system(format!("open {}", path.display())))?;
        flock(&lock, FlockOperation::NonBlockingLockExclusive).map_err(|_| {
            let folder = folder.display();
            PdError::Input(format!("{folder} is in use by another diskwright-pd: stop it, or give another --data-dir"))
        })?;
        let opened = File::open(folder).map_err(system(format!("open {}", folder.display())))?;
        let file = Self { path: folder.join(NAME), folder: opened, _lock: lock };
        let record = file.read()?;
        Ok((file, record))
    }

    fn read(&self) -> Result<Option<Record>, PdError> {
        let path = self.path.display();
        let text = match std::fs::read(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(system(format!("read {path}"))(source)),
        };
        let damaged = |what: String| {
            PdError::Input(format!(
                "{path} is not a state of diskwright-pd: {what}; restore it, or use an empty --data-dir"
            ))
        };
        let record: Record = serde_json::from_slice(&text).map_err(|error| damaged(error.to_string()))?;
        if record.format != FORMAT {
            return Err(damaged(format!("it has format {}, this program writes {FORMAT}", record.format)));
        }
        Ok(Some(record))
    }

    /// Replaces the state; it is on the disk when this returns.
    pub(crate) fn save(&self, record: &Record) -> Result<(), PdError> {
        let beside = self.path.with_extension("tmp");
        let write = || -> std::io::Result<()> {
            let mut file = File::create(&beside)?;
            file.write_all(&serde_json::to_vec(record)?)?;
            file.sync_all()?;
            std::fs::rename(&beside, &self.path)?;
            self.folder.sync_all()
        };
        write().map_err(system(format!("write {}", self.path.display())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_saved_is_read_after_a_restart() {
        let folder = tempfile::tempdir().unwrap();
        let (file, before) = StateFile::open(folder.path()).unwrap();
        assert!(before.is_none());
        let record = Record::new(1_795_232_322, 0xdead_beef_0000_0001);
        file.save(&record).unwrap();
        drop(file);
        assert_eq!(StateFile::open(folder.path()).unwrap().1, Some(record));
    }

    #[test]
    fn a_folder_is_made_for_its_owner_only() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("pd");
        StateFile::open(&folder).unwrap();
        assert_eq!(std::os::unix::fs::MetadataExt::mode(&folder.metadata().unwrap()) & 0o777, 0o700);
    }

    #[test]
    fn two_do_not_share_a_folder() {
        let folder = tempfile::tempdir().unwrap();
        let _first = StateFile::open(folder.path()).unwrap();
        let error = StateFile::open(folder.path()).unwrap_err();
        assert_eq!(error.exit_code(), 2);
        assert!(error.to_string().contains("in use"), "{error}");
    }

    #[test]
    fn a_damaged_state_is_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(NAME);
        std::fs::write(&path, "{\"format\":1").unwrap();
        let error = StateFile::open(folder.path()).unwrap_err();
        assert!(error.to_string().starts_with(&path.display().to_string()), "{error}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "{\"format\":1", "it is left as it was");
    }
}
