//! A history: operations, as lines of JSON outside of the program.

use std::io::{BufRead, Write};

use crate::TimedCall;

/// Operations of any clients on any keys, in any order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct History {
    operations: Vec<TimedCall>,
}

/// Why a history cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum HistoryError {
    /// A line is no operation, or one that cannot be.
    #[error("line {line} of the history: {why}; expected an operation as JSON, with its outcome and times")]
    Line {
        /// Counted from 1.
        line: usize,
        /// What is wrong with it.
        why: String,
    },
    /// The file fails.
    #[error("the history: {0}")]
    Io(#[from] std::io::Error),
}

impl History {
    /// The operations.
    pub fn operations(&self) -> &[TimedCall] {
        &self.operations
    }

    /// Reads one operation a line; empty lines do not count.
    ///
    /// # Errors
    /// At the first line that is no operation, whose answer came before its call or answers another question.
    pub fn read(from: impl BufRead) -> Result<Self, HistoryError> {
        let mut operations = Vec::new();
        for (index, line) in from.lines().enumerate() {
            let line = line?;
            if line.trim().is_empty() {
                continue;
            }
            let wrong = |why| HistoryError::Line { line: index + 1, why };
            let operation: TimedCall = serde_json::from_str(&line).map_err(|error| wrong(error.to_string()))?;
            if let Some(fault) = operation.fault() {
                return Err(wrong(fault));
            }
            operations.push(operation);
        }
        Ok(Self { operations })
    }

    /// Writes one operation a line.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, mut to: impl Write) -> Result<(), HistoryError> {
        for operation in &self.operations {
            serde_json::to_writer(&mut to, operation).map_err(std::io::Error::from)?;
            to.write_all(b"\n")?;
        }
        Ok(to.flush()?)
    }
}

impl FromIterator<TimedCall> for History {
    fn from_iter<T: IntoIterator<Item = TimedCall>>(operations: T) -> Self {
        Self { operations: operations.into_iter().collect() }
    }
}

impl Extend<TimedCall> for History {
    fn extend<T: IntoIterator<Item = TimedCall>>(&mut self, operations: T) {
        self.operations.extend(operations);
    }
}
