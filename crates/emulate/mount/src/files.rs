//! Records in the state folder: whole or not there at all, and for nobody else's eyes.

use std::io::Write;
use std::path::Path;

use crate::MountError;

/// Writes a record aside and renames it.
pub(crate) fn write(path: &Path, record: &impl serde::Serialize) -> Result<(), MountError> {
    let failed = |error: std::io::Error| MountError::system(format!("{} cannot be written", path.display()), error);
    let text = serde_json::to_vec_pretty(record).map_err(|error| failed(error.into()))?;
    // Temporary files are private by default.
    let mut file = tempfile::NamedTempFile::new_in(path.parent().unwrap_or(Path::new("."))).map_err(failed)?;
    file.write_all(&text).map_err(failed)?;
    file.persist(path).map_err(|error| failed(error.error)).map(drop)
}

/// Reads a record; `None` if there is none, or one of another version of the program.
pub(crate) fn read<T: serde::de::DeserializeOwned>(path: &Path) -> Option<T> {
    serde_json::from_slice(&textfile::read_bytes(path, textfile::LIMIT).ok()?).ok()
}
