//! A file that somebody brings, before it is known what it is.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use textfile::{InputError, Text};
use units::Bytes;

/// How much of a file is looked at to recognise it.
const GLIMPSE: usize = 64 << 10;

/// A file's bytes and its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputFile {
    path: PathBuf,
    bytes: Vec<u8>,
}

impl InputFile {
    /// A file at hand.
    pub fn new(path: impl Into<PathBuf>, bytes: impl Into<Vec<u8>>) -> Self {
        Self { path: path.into(), bytes: bytes.into() }
    }

    /// Reads a file of at most `limit`; `-` is the standard input.
    ///
    /// # Errors
    /// When it cannot be read or is larger.
    pub fn read(path: impl AsRef<Path>, limit: Bytes) -> Result<Self, InputError> {
        let bytes = textfile::read_bytes(&path, limit)?;
        Ok(Self::new(path.as_ref(), bytes))
    }

    /// Its name.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What it holds.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The file as text. UTF-16 with a mark is what PowerShell's `>` writes.
    ///
    /// # Errors
    /// When it is none.
    pub fn text(&self) -> Result<Text, InputError> {
        match decode(&self.bytes) {
            Some(text) => Ok(Text::new(&self.path, text)),
            None => Err(InputError::new(&self.path, "is not text: expected UTF-8, or UTF-16 with a byte order mark")),
        }
    }

    /// The beginning, to recognise the file by.
    pub fn glimpse(&self) -> Glimpse<'_> {
        let bytes = &self.bytes[..self.bytes.len().min(GLIMPSE)];
        let text = match decode(bytes) {
            Some(text) => Cow::Owned(text),
            None => String::from_utf8_lossy(bytes),
        };
        Glimpse { bytes, text }
    }

    /// What the file is named after, without its folder and its ending: `vol-0a1b` of `exports/vol-0a1b.json`.
    pub fn stem(&self) -> String {
        self.path.file_stem().map_or_else(|| "-".to_owned(), |stem| stem.to_string_lossy().into_owned())
    }
}

fn decode(bytes: &[u8]) -> Option<String> {
    let wide = |order: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = bytes[2..].chunks_exact(2).map(|pair| order([pair[0], pair[1]])).collect();
        String::from_utf16(&units).ok()
    };
    match bytes {
        [0xFF, 0xFE, ..] => wide(u16::from_le_bytes),
        [0xFE, 0xFF, ..] => wide(u16::from_be_bytes),
        bytes => std::str::from_utf8(bytes).ok().map(|text| text.trim_start_matches('\u{feff}').to_owned()),
    }
}

/// The beginning of a file.
#[derive(Debug)]
pub struct Glimpse<'a> {
    /// Its bytes.
    pub bytes: &'a [u8],
    text: Cow<'a, str>,
}

impl Glimpse<'_> {
    /// The beginning as text; what is none is replaced.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it begins as JSON does.
    pub fn is_json(&self) -> bool {
        self.text.trim_start().starts_with(['{', '['])
    }

    /// Whether it holds all of some words.
    pub fn has_all(&self, words: &[&str]) -> bool {
        words.iter().all(|word| self.text.contains(word))
    }

    /// Whether any line is so.
    pub fn any_line(&self, is: impl Fn(&str) -> bool) -> bool {
        self.text.lines().any(is)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_windows_is_text() {
        let wide: Vec<u8> =
            [0xFF, 0xFE].into_iter().chain("Device\r\n".encode_utf16().flat_map(u16::to_le_bytes)).collect();
        assert_eq!(InputFile::new("x", wide).text().unwrap().content(), "Device\r\n");
        assert_eq!(InputFile::new("x", "\u{feff}Time,a").text().unwrap().content(), "Time,a");
        let error = InputFile::new("x", [0xFF, 0x00, 0xFF]).text().unwrap_err().to_string();
        assert!(error.contains("is not text"), "{error}");
    }
}
