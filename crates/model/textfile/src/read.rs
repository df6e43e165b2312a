//! Reading a file that a person named, which may be anything.

use std::io;
use std::path::Path;

use units::Bytes;

use crate::open::{CHECK, capped};
use crate::text::position;
use crate::{InputError, Text, read_bytes};

/// Largest file that is read by default: no file written by hand comes near.
pub const LIMIT: Bytes = Bytes::mib(1);

/// Reads a UTF-8 text of at most `limit` bytes; `-` is the standard input.
///
/// # Errors
/// When the file is missing, a folder, a FIFO or a device, larger than the limit (which is then not read), or not UTF-8.
pub fn read_text(path: impl AsRef<Path>, limit: Bytes) -> Result<Text, InputError> {
    let path = path.as_ref();
    if path.as_os_str() == "-" {
        return decode(path, capped(io::stdin().lock(), path, limit)?);
    }
    let bytes = read_bytes(path, limit).map_err(|error| match error.help.as_deref() {
        Some(CHECK) => error.help("check the path, or write `-` to read the standard input"),
        _ => error,
    });
    decode(path, bytes?)
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
        std::fs::File::create(&path).unwrap().set_len(100_000_000).unwrap();
        let message = read_text(&path, LIMIT).unwrap_err().to_string();
        assert!(
            message.ends_with("is 95.4MiB, expected at most 1MiB; check that it is the file you meant"),
            "{message}"
        );
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
