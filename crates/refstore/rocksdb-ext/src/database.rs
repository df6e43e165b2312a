//! Options of a whole database that is open: RocksDB's C interface has a call for them, and its Rust binding none.

use std::ffi::{CStr, CString, c_char, c_int};
use std::ptr;

use librocksdb_sys as ffi;
use rocksdb::{AsRawPtr, DB};

/// Why options are not changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OptionError {
    /// A name or a value that C would cut.
    #[error("`{}` has a zero byte in it", .text.escape_default())]
    ZeroByte {
        /// The name or value.
        text: String,
    },
    /// More than RocksDB's interface counts.
    #[error("{count} are more options than RocksDB counts")]
    TooMany {
        /// How many.
        count: usize,
    },
    /// RocksDB's no.
    #[error("{words}")]
    Refused {
        /// Its words.
        words: String,
    },
}

/// Changes options of a whole database that is open, all of them or none. Names and values are those of RocksDB's option texts:
/// `("max_open_files", "100")`, sizes in bytes. RocksDB keeps them in the `OPTIONS-*` file of its folder, too.
///
/// # Errors
/// What RocksDB says: for an option that it does not know or does not change while it is open, a value that it cannot read, or no
/// option at all; and for a folder that takes no file, where the change holds all the same until the database is closed. A name or
/// a value with a zero byte in it does not reach RocksDB.
pub fn set_db_options(db: &DB, options: &[(&str, &str)]) -> Result<(), OptionError> {
    let names = options.iter().map(|(name, _)| text(name)).collect::<Result<Vec<CString>, OptionError>>()?;
    let values = options.iter().map(|(_, value)| text(value)).collect::<Result<Vec<CString>, OptionError>>()?;
    let pointers = |texts: &[CString]| texts.iter().map(|text| text.as_ptr()).collect::<Vec<*const c_char>>();
    let (name_pointers, value_pointers) = (pointers(&names), pointers(&values));
    let count = c_int::try_from(options.len()).map_err(|_| OptionError::TooMany { count: options.len() })?;
    let mut error: *mut c_char = ptr::null_mut();
    // SAFETY: the database is open as long as it is borrowed, and RocksDB takes its own lock; both lists have `count` texts that
    // live until the call is over, and RocksDB copies them.
    unsafe {
        let database = db.as_raw_ptr();
        ffi::rocksdb_set_db_options(database, count, name_pointers.as_ptr(), value_pointers.as_ptr(), &raw mut error);
    }
    if error.is_null() {
        return Ok(());
    }
    // SAFETY: RocksDB has put a text there that ends with a zero, and that is the caller's to free (db/c.cc, `SaveError`).
    unsafe {
        let words = CStr::from_ptr(error).to_string_lossy().into_owned();
        ffi::rocksdb_free(error.cast());
        Err(OptionError::Refused { words })
    }
}

fn text(text: &str) -> Result<CString, OptionError> {
    CString::new(text).map_err(|_| OptionError::ZeroByte { text: text.to_owned() })
}

#[cfg(test)]
mod tests {
    use rocksdb::Options;

    use super::*;

    fn open() -> (DB, tempfile::TempDir) {
        let dir = tempfile::tempdir().unwrap();
        let mut options = Options::default();
        options.create_if_missing(true);
        (DB::open(&options, dir.path()).unwrap(), dir)
    }

    /// What RocksDB wrote last into its folder of its options.
    fn written(dir: &tempfile::TempDir) -> String {
        let files = std::fs::read_dir(dir.path()).unwrap().flatten().map(|entry| entry.path());
        let last = files.filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("OPTIONS-")).max();
        std::fs::read_to_string(last.unwrap()).unwrap()
    }

    #[test]
    fn options_of_an_open_database_change_and_are_kept_in_its_folder() {
        let (db, dir) = open();
        set_db_options(&db, &[("compaction_readahead_size", "4194304"), ("max_open_files", "77")]).unwrap();
        let options = written(&dir);
        for expected in ["  compaction_readahead_size=4194304\n", "  max_open_files=77\n"] {
            assert!(options.contains(expected), "{expected} is not in {options}");
        }
    }

    #[test]
    fn what_rocksdb_refuses_comes_back_in_its_words_and_changes_nothing() {
        let (db, dir) = open();
        let before = written(&dir);
        for (name, value) in [("no_such_option", "1"), ("max_open_files", "many"), ("wal_dir", "/x")] {
            let error = set_db_options(&db, &[("bytes_per_sync", "4096"), (name, value)]).unwrap_err();
            assert!(matches!(&error, OptionError::Refused { words } if words.contains(name)), "{name}: {error}");
        }
        assert!(set_db_options(&db, &[]).is_err());
        let error = set_db_options(&db, &[("max_open_files", "1\0")]).unwrap_err();
        assert_eq!(error.to_string(), r"`1\u{0}` has a zero byte in it");
        assert_eq!(written(&dir), before);
    }
}
