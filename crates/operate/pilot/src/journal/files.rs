//! The files of a pilot's folder, read and written so that nobody waits for ever, takes all memory, or sees a half.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

use crate::PilotError;

/// Most bytes that are read of a file. A controller that acts ten times an hour takes 15 years for them.
pub(super) const LIMIT: u64 = 256 << 20;

/// Opens a regular file. `None` if there is none and it is not to be made.
///
/// # Errors
/// When it is a pipe, a device or a folder, or cannot be opened.
pub(super) fn open(path: &Path, options: &mut OpenOptions) -> Result<Option<File>, PilotError> {
    let failed = |error: io::Error| PilotError::system(path.display(), error);
    // Looked at before it is opened: to open a device may do something.
    match std::fs::metadata(path) {
        Ok(metadata) => regular(path, metadata.file_type())?,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound) => {}
        Err(error) => return Err(failed(error)),
    }
    // Nor is anybody waited for whom another has put there meanwhile.
    match options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits() as i32).open(path) {
        Ok(file) => {
            regular(path, file.metadata().map_err(failed)?.file_type())?;
            Ok(Some(file))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed(error)),
    }
}

fn regular(path: &Path, kind: std::fs::FileType) -> Result<(), PilotError> {
    let what = match () {
        () if kind.is_file() => return Ok(()),
        () if kind.is_dir() => "a folder",
        () if kind.is_fifo() => "a pipe",
        () if kind.is_socket() => "a socket",
        () => "a device",
    };
    Err(PilotError::Input(format!(
        "{}: it is {what}, not a file: name the folder that a pilot has worked in with --journal, or take it away",
        path.display()
    )))
}

/// Reads a file. Nothing if there is none.
///
/// # Errors
/// When it is no regular file, is too long, or cannot be read.
pub(crate) fn read_whole(path: &Path) -> Result<Vec<u8>, PilotError> {
    let Some(file) = open(path, OpenOptions::new().read(true))? else { return Ok(Vec::new()) };
    let mut bytes = Vec::new();
    file.take(LIMIT + 1).read_to_end(&mut bytes).map_err(|error| PilotError::system(path.display(), error))?;
    if bytes.len() as u64 > LIMIT {
        let most = LIMIT >> 20;
        return Err(PilotError::Input(format!("{}: longer than {most} MiB, which no pilot writes", path.display())));
    }
    Ok(bytes)
}

/// Replaces a file: whoever reads it, also after a crash or beside a full disk, sees all of the old one or all of the new one.
///
/// # Errors
/// When it cannot be written; then it is as it was.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), PilotError> {
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let written = textfile::replace(path, bytes).and_then(|()| sync_folder(folder));
    written.map_err(|error| PilotError::system(format!("{} cannot be written", path.display()), error))
}

/// Makes the names of a folder's files durable.
pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}
