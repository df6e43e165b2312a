//! Opening a file that may be anything: only what has an end is read.

use std::fs::{File, FileType, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

use units::Bytes;

use crate::{InputError, suggest};

/// Advice for a missing file without a neighbour of a similar name.
pub(crate) const CHECK: &str = "check the path";

/// Opens a regular file for reading. A FIFO would keep its reader waiting, and a device may have no end or act when it is
/// opened: both are refused before. Of the descriptors that a shell hands over (`/dev/stdin`, `/dev/fd/63`) pipes are read too.
///
/// # Errors
/// When the file is missing or cannot be read, or is a folder, a FIFO, a device or a socket.
pub fn open(path: impl AsRef<Path>) -> Result<File, InputError> {
    let path = path.as_ref();
    let failed = |error: io::Error| unreadable(path, &error);
    fits(path, path.metadata().map_err(failed)?.file_type())?;
    let mut options = OpenOptions::new();
    options.read(true);
    if !is_descriptor(path) {
        // Another file may have come into its place: one without a writer must not be waited for.
        options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits() as i32);
    }
    let file = options.open(path).map_err(failed)?;
    fits(path, file.metadata().map_err(failed)?.file_type())?;
    Ok(file)
}

/// Reads a file of at most `limit` bytes, as [`open`] opens it.
///
/// # Errors
/// The errors of [`open`], and a file larger than `limit`, which is not read.
pub fn read_bytes(path: impl AsRef<Path>, limit: Bytes) -> Result<Vec<u8>, InputError> {
    let path = path.as_ref();
    let file = open(path)?;
    let size = file.metadata().map_err(|error| unreadable(path, &error))?.len();
    if size > limit.0 {
        return Err(too_large(path, &format!("{:.1}", Bytes(size)), limit));
    }
    capped(file, path, limit)
}

/// Reads to the end, but never past `limit`: pipes do not tell their size, and files grow.
pub(crate) fn capped(source: impl Read, path: &Path, limit: Bytes) -> Result<Vec<u8>, InputError> {
    let mut bytes = Vec::new();
    source.take(limit.0 + 1).read_to_end(&mut bytes).map_err(|error| unreadable(path, &error))?;
    if bytes.len() as u64 > limit.0 { Err(too_large(path, "larger", limit)) } else { Ok(bytes) }
}

/// Whether a file of this type is read at that path.
fn fits(path: &Path, kind: FileType) -> Result<(), InputError> {
    let is = match () {
        () if kind.is_file() || (kind.is_fifo() && is_descriptor(path)) => return Ok(()),
        () if kind.is_dir() => {
            return Err(InputError::new(path, "is a folder, expected a file").help("name a file in it"));
        }
        () if kind.is_fifo() => "a FIFO",
        () if kind.is_socket() => "a socket",
        () => "a device",
    };
    let help = "name a file; what comes from a program is read from the standard input, where `-` can be given";
    Err(InputError::new(path, format!("is {is}, expected a file")).help(help))
}

/// Whether a path names an open descriptor of this process, such as the pipe of a shell's `<(…)`.
fn is_descriptor(path: &Path) -> bool {
    path == Path::new("/dev/stdin") || path.starts_with("/dev/fd") || path.starts_with("/proc/self/fd")
}

fn too_large(path: &Path, size: &str, limit: Bytes) -> InputError {
    InputError::new(path, format!("is {size}, expected at most {limit}")).help("check that it is the file you meant")
}

fn unreadable(path: &Path, error: &io::Error) -> InputError {
    if error.kind() != io::ErrorKind::NotFound {
        return InputError::new(path, format!("cannot be read: {error}"));
    }
    let missing = InputError::new(path, "there is no such file");
    match neighbour(path) {
        Some(name) => missing.help(format!("did you mean `{}`?", path.with_file_name(name).display())),
        None => missing.help(CHECK),
    }
}

/// A file of the same folder with a similar name.
fn neighbour(path: &Path) -> Option<String> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let names: Vec<String> =
        folder.read_dir().ok()?.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
    suggest(path.file_name()?.to_str()?, names.iter().map(String::as_str)).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsRawFd;
    use std::os::unix::net::UnixListener;

    use rustix::fs::{CWD, FileType as Kind, Mode, mknodat};

    use super::*;

    const LIMIT: Bytes = Bytes::mib(1);

    #[test]
    fn what_has_no_end_is_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let (fifo, socket) = (folder.path().join("fifo"), folder.path().join("socket"));
        mknodat(CWD, &fifo, Kind::Fifo, Mode::RUSR, 0).unwrap();
        let _listening = UnixListener::bind(&socket).unwrap();
        for (path, is) in [
            (fifo.as_path(), "is a FIFO, expected a file"),
            (&socket, "is a socket, expected a file"),
            (Path::new("/dev/zero"), "is a device, expected a file"),
            (folder.path(), "is a folder, expected a file"),
        ] {
            let message = read_bytes(path, LIMIT).unwrap_err().to_string();
            assert!(message.contains(is), "{message}");
        }
    }

    #[test]
    fn a_pipe_that_a_shell_hands_over_is_read_to_its_limit() {
        use std::io::Write;
        let (reader, mut writer) = io::pipe().unwrap();
        let path = format!("/dev/fd/{}", reader.as_raw_fd());
        writer.write_all(b"content").unwrap();
        drop(writer);
        assert_eq!(read_bytes(&path, LIMIT).unwrap(), b"content");
        let (reader, mut writer) = io::pipe().unwrap();
        let path = format!("/dev/fd/{}", reader.as_raw_fd());
        writer.write_all(&[0; 100]).unwrap();
        let message = read_bytes(&path, Bytes(10)).unwrap_err().to_string();
        assert!(message.contains("is larger, expected at most 10B"), "{message}");
    }
}
