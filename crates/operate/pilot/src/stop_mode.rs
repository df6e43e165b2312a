//! How a pilot was told to stop.

/// How a pilot is stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopMode {
    /// What is under way is undone, then it ends.
    Undo,
    /// Nothing is touched any more, not even to undo it.
    Freeze,
}

impl StopMode {
    /// Its word, in the file and for people.
    pub fn word(self) -> &'static str {
        match self {
            Self::Undo => "undo",
            Self::Freeze => "freeze",
        }
    }
}
