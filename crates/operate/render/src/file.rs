//! A file that was rendered.

use crate::FileFormat;

/// A file to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenderedFile {
    /// What it is.
    pub format: FileFormat,
    /// Its name in the folder.
    pub name: String,
    /// What it says.
    pub content: String,
    /// Whether it is a program.
    pub executable: bool,
}

impl RenderedFile {
    pub(crate) fn new(format: FileFormat, name: impl Into<String>, content: String) -> Self {
        Self { format, name: name.into(), content, executable: false }
    }
}
