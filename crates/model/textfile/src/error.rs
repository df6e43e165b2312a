//! The one message in which a bad input ends.

use std::fmt;
use std::path::PathBuf;

use crate::{escape_line, is_hidden};

/// Longest message shown: whatever a file holds, its error stays readable.
const LONGEST: usize = 600;

/// A place in a text; lines and columns count from 1, columns in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextPosition {
    /// The line.
    pub line: usize,
    /// The character in it.
    pub column: usize,
}

/// Fault of an input, with its place and advice: `FILE:LINE:COLUMN: message; help`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct InputError {
    /// The file as it was named; `-` is the standard input.
    pub path: PathBuf,
    /// Where in it, if the fault has a place.
    pub position: Option<TextPosition>,
    /// Fault and expectation.
    pub message: String,
    /// Advice.
    pub help: Option<String>,
}

impl InputError {
    /// An error of a file as a whole.
    pub fn new(path: impl Into<PathBuf>, message: impl Into<String>) -> Self {
        Self { path: path.into(), position: None, message: message.into(), help: None }
    }

    /// The same error at a place.
    #[must_use]
    pub fn at(self, position: TextPosition) -> Self {
        Self { position: Some(position), ..self }
    }

    /// The same error with something to try.
    #[must_use]
    pub fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }
}

impl fmt::Display for InputError {
    /// One line, whatever bytes the input had.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.path.to_str() {
            Some("-") => f.write_str("<standard input>")?,
            _ => f.write_str(&escape_line(&self.path.to_string_lossy()))?,
        }
        if let Some(TextPosition { line, column }) = self.position {
            write!(f, ":{line}:{column}")?;
        }
        write!(f, ": {}", OneLine(&self.message))?;
        self.help.as_ref().map_or(Ok(()), |help| write!(f, "; {}", OneLine(help)))
    }
}

/// Shows hidden characters escaped and cuts off what is too long.
struct OneLine<'a>(&'a str);

impl fmt::Display for OneLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars().take(LONGEST) {
            if is_hidden(c) { write!(f, "{}", c.escape_default())? } else { write!(f, "{c}")? }
        }
        if self.0.chars().nth(LONGEST).is_some() { f.write_str("…") } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_one_line_with_its_place_and_help() {
        let error = InputError::new("a.toml", "two\nlines").at(TextPosition { line: 3, column: 7 }).help("try one");
        assert_eq!(error.to_string(), "a.toml:3:7: two\\nlines; try one");
    }

    #[test]
    fn a_long_message_is_cut() {
        let error = InputError::new("a.toml", "x".repeat(1 << 20));
        assert!(error.to_string().ends_with("xx…"));
        assert!(error.to_string().len() < 2 * LONGEST);
    }
}
