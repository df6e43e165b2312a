//! The lines of a journal.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Procedure;

/// The version of this format. A journal of a later one is refused.
///
/// 1: an entry a line. 2: beside it, each line has its place and a checksum.
pub(super) const FORMAT: u32 = 2;

/// A line. Runs are numbered from 1; stages, within a run's procedure, from 0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "entry", rename_all = "kebab-case")]
pub enum JournalEntry {
    /// The first line.
    Header {
        /// The version of the format.
        format: u32,
        /// PD's number of the cluster.
        cluster: String,
        /// The name under which this pilot holds its lease.
        pilot: String,
        /// When it was made.
        at: Timestamp,
    },
    /// A procedure is about to begin.
    Began {
        /// The run's number.
        run: u64,
        /// When.
        at: Timestamp,
        /// Who wanted it.
        controller: String,
        /// Why.
        reason: String,
        /// What is meant.
        procedure: Procedure,
        /// What it should bring.
        #[serde(default, skip_serializing_if = "Value::is_null")]
        expects: Value,
    },
    /// A step is about to be made.
    Intent {
        /// The run's number.
        run: u64,
        /// The stage's.
        stage: usize,
        /// When.
        at: Timestamp,
        /// What was there.
        before: Value,
    },
    /// What came of a step.
    Outcome {
        /// The run's number.
        run: u64,
        /// The stage's.
        stage: usize,
        /// When.
        at: Timestamp,
        /// How it came.
        came: StepOutcome,
        /// What is there; `None` where it could not be read.
        found: Option<Value>,
    },
    /// A wait is over.
    Waited {
        /// The run's number.
        run: u64,
        /// The stage's; those of `afterwards` are counted on.
        stage: usize,
        /// When.
        at: Timestamp,
        /// Whether what was waited for came.
        met: bool,
    },
    /// From here on the run is undone.
    Turned {
        /// The run's number.
        run: u64,
        /// When.
        at: Timestamp,
        /// Why.
        why: String,
        /// Whether even what others changed since is set back.
        #[serde(default)]
        force: bool,
    },
    /// A step is about to be undone.
    UndoIntent {
        /// The run's number.
        run: u64,
        /// The stage's.
        stage: usize,
        /// When.
        at: Timestamp,
    },
    /// What came of undoing a step.
    UndoOutcome {
        /// The run's number.
        run: u64,
        /// The stage's.
        stage: usize,
        /// When.
        at: Timestamp,
        /// How it came.
        came: UndoOutcome,
    },
    /// Nothing more is done in this run, unless somebody asks for its undoing.
    Ended {
        /// The run's number.
        run: u64,
        /// When.
        at: Timestamp,
        /// As what.
        ended: RunEnd,
    },
}

/// How a step came out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StepOutcome {
    /// It is as it was meant.
    Done,
    /// It had been so before: there is nothing to undo.
    Already,
    /// It is not, or not for sure.
    Failed(String),
}

/// How the undoing of a step came out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum UndoOutcome {
    /// It was set back.
    Done,
    /// It was as before already.
    AsItWas,
    /// Somebody else has changed it since; it stays so.
    Left(String),
    /// It cannot be undone.
    Never(String),
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunEnd {
    /// As intended; its changes stay.
    Kept,
    /// Its changes were undone.
    Undone,
}

impl JournalEntry {
    /// The run that it is of; `None` for the header.
    pub fn run(&self) -> Option<u64> {
        match self {
            Self::Header { .. } => None,
            Self::Began { run, .. }
            | Self::Intent { run, .. }
            | Self::Outcome { run, .. }
            | Self::Waited { run, .. }
            | Self::Turned { run, .. }
            | Self::UndoIntent { run, .. }
            | Self::UndoOutcome { run, .. }
            | Self::Ended { run, .. } => Some(*run),
        }
    }

    /// When it was written, by the clock on the wall.
    pub fn at(&self) -> Timestamp {
        match self {
            Self::Header { at, .. }
            | Self::Began { at, .. }
            | Self::Intent { at, .. }
            | Self::Outcome { at, .. }
            | Self::Waited { at, .. }
            | Self::Turned { at, .. }
            | Self::UndoIntent { at, .. }
            | Self::UndoOutcome { at, .. }
            | Self::Ended { at, .. } => *at,
        }
    }

    /// The same, written at this moment.
    pub(crate) fn written_at(mut self, moment: Timestamp) -> Self {
        match &mut self {
            Self::Header { at, .. }
            | Self::Began { at, .. }
            | Self::Intent { at, .. }
            | Self::Outcome { at, .. }
            | Self::Waited { at, .. }
            | Self::Turned { at, .. }
            | Self::UndoIntent { at, .. }
            | Self::UndoOutcome { at, .. }
            | Self::Ended { at, .. } => *at = moment,
        }
        self
    }
}
