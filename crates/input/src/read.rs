//! Reading a file that a person named, which may be anything.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use units::Bytes;

use crate::text::position;
use crate::{InputError, Text, suggest};

/// Largest file that is read by default: no file written by hand comes near.
pub const LIMIT: Bytes = Bytes::mib(1);

/// Reads a UTF-8 text of at most `limit` bytes; `-` is the standard input.
///
/// # Errors
/// When the file is missing, a folder, larger than the limit (which is then not read), or not UTF-8.
pub fn read_text(path: impl AsRef<Path>, limit: Bytes) -> Result<Text, InputError> {
    let path = path.as_ref();
    if path.as_os_str() == "-" {
        return decode(path, capped(io::stdin().lock(), path, limit)?);
    }
    let file = File::open(path).map_err(|error| unreadable(path, &error))?;
    let metadata = file.metadata().map_err(|error| unreadable(path, &error))?;
    if metadata.is_dir() {
        return Err(InputError::new(path, "is a folder, expected a file").help("name a file in it"));
    }
    if metadata.len() > limit.0 {
        return Err(too_large(path, &format!("{:.1}", Bytes(metadata.len())), limit));
    }
    decode(path, capped(file, path, limit)?)
}

/// Reads to the end, but never past `limit`: pipes and devices do not tell their size.
fn capped(source: impl Read, path: &Path, limit: Bytes) -> Result<Vec<u8>, InputError> {
    let mut bytes = Vec::new();
    source.take(limit.0 + 1).read_to_end(&mut bytes).map_err(|error| unreadable(path, &error))?;
    if bytes.len() as u64 > limit.0 { Err(too_large(path, "larger", limit)) } else { Ok(bytes) }
}

fn decode(path: &Path, bytes: Vec<u8>) -> Result<Text, InputError> {
    String::from_utf8(bytes).map(|content| Text::new(path, content)).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let before = String::from_utf8_lossy(&error.as_bytes()[..valid]);
        InputError::new(path, format!("is not UTF-8 text: byte 0x{:02X}", error.as_bytes()[valid]))
            .at(position(&before))
            .help("save the file as UTF-8")
    })
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
        None => missing.help("check the path, or write `-` to read the standard input"),
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
    use super::*;

    fn read(name: &str, bytes: &[u8]) -> Result<Text, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        read_text(&path, LIMIT).map_err(|error| error.to_string().replace(&format!("{}/", folder.path().display()), ""))
    }

    #[test]
    fn a_text_is_read_as_it_is() {
        assert_eq!(read("a", "µ\n".as_bytes()).unwrap().content(), "µ\n");
    }

    #[test]
    fn the_first_bad_byte_is_pointed_at() {
        assert_eq!(
            read("a", b"name = 'x'\nb\xC3\xA4d = '\xFF'").unwrap_err(),
            "a:2:8: is not UTF-8 text: byte 0xFF; save the file as UTF-8"
        );
    }

    #[test]
    fn a_large_file_is_refused_by_its_size_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("huge");
        File::create(&path).unwrap().set_len(100_000_000).unwrap();
        let message = read_text(&path, LIMIT).unwrap_err().to_string();
        assert!(
            message.ends_with("is 95.4MiB, expected at most 1MiB; check that it is the file you meant"),
            "{message}"
        );
    }

    #[test]
    fn an_endless_source_is_read_to_the_limit_only() {
        let message = read_text("/dev/zero", LIMIT).unwrap_err().to_string();
        assert!(message.contains("is larger, expected at most 1MiB"), "{message}");
    }

    #[test]
    fn a_file_of_exactly_the_limit_is_read() {
        assert_eq!(read("a", &vec![b'x'; 1 << 20]).unwrap().content().len(), 1 << 20);
        assert!(read("a", &vec![b'x'; (1 << 20) + 1]).is_err());
    }

    #[test]
    fn a_folder_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let message = read_text(folder.path(), LIMIT).unwrap_err().to_string();
        assert!(message.ends_with("is a folder, expected a file; name a file in it"), "{message}");
    }

    #[test]
    fn a_missing_file_names_its_nearest_neighbour() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("tpcc-5000.toml"), "").unwrap();
        let message = read_text(folder.path().join("tpcc-500.toml"), LIMIT).unwrap_err().to_string();
        assert!(message.contains("no such file; did you mean") && message.contains("tpcc-5000.toml`?"), "{message}");
    }
}
