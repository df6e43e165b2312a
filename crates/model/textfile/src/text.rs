//! A text and the file it came from.

use std::path::{Path, PathBuf};

use crate::{InputError, TextPosition};

/// A text with the name of its file, so that errors can point into it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    path: PathBuf,
    content: String,
}

impl Text {
    /// A text that came from `path`.
    pub fn new(path: impl Into<PathBuf>, content: impl Into<String>) -> Self {
        Self { path: path.into(), content: content.into() }
    }

    /// The file as it was named.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Content of the file.
    pub fn content(&self) -> &str {
        &self.content
    }

    /// Line and column of a byte offset; offsets past the end are the end.
    pub fn position(&self, offset: usize) -> TextPosition {
        let mut offset = offset.min(self.content.len());
        while !self.content.is_char_boundary(offset) {
            offset -= 1;
        }
        position(&self.content[..offset])
    }

    /// An error at a byte offset.
    pub fn error_at(&self, offset: usize, message: impl Into<String>) -> InputError {
        InputError::new(&self.path, message).at(self.position(offset))
    }

    /// An error at the value of a TOML key written with dots (`mix.operations.0.weight`), or at the innermost
    /// table on the way to it that exists; of the whole file if none does.
    pub fn error_at_key(&self, key: &str, message: impl Into<String>) -> InputError {
        match crate::table::locate(&self.content, key) {
            Some(offset) => self.error_at(offset, message),
            None => InputError::new(&self.path, message),
        }
    }
}

/// Where `before` ends.
pub(crate) fn position(before: &str) -> TextPosition {
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    TextPosition { line: before.matches('\n').count() + 1, column: before[line_start..].chars().count() + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_not_bytes() {
        let text = Text::new("a", "x\nµ = y");
        assert_eq!(text.position(text.content().find('y').unwrap()), TextPosition { line: 2, column: 5 });
        assert_eq!(text.position(99), TextPosition { line: 2, column: 6 });
    }
}
