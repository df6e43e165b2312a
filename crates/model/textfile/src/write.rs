//! Writing a file so that readers see all of it or nothing.

use std::io::{self, Write};
use std::path::Path;

use crate::InputError;

/// Writes `bytes` to a temporary file beside `path` and renames it: a crash leaves the old file or the new one.
///
/// # Errors
/// When the folder is missing or not writable, or the disk is full.
pub fn write_atomically(path: impl AsRef<Path>, bytes: &[u8]) -> Result<(), InputError> {
    let path = path.as_ref();
    replace(path, bytes)
        .map_err(|error| InputError::new(path, format!("cannot be written: {error}")).help("check folder and rights"))
}

/// Replaces a file as [`write_atomically`] does, for callers with errors of their own. The file's data are durable then; its new name is
/// once the folder has been synced, too.
///
/// # Errors
/// The system's, as they are.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    // Temporary files are private by default; a report or deployment is as public as the user's mask says.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.prefix(".diskwright-").tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_and_nothing_is_left_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("plan.toml");
        write_atomically(&path, b"old").unwrap();
        write_atomically(&path, b"new").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"new");
        assert_eq!(folder.path().read_dir().unwrap().count(), 1);
    }

    #[test]
    fn a_missing_folder_is_named() {
        let message = write_atomically("/no/such/folder/x", b"").unwrap_err().to_string();
        assert!(message.starts_with("/no/such/folder/x: cannot be written: "), "{message}");
    }
}
