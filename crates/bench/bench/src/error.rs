//! What stops a benchmark.

use std::error::Error;
use std::path::PathBuf;

use units::Nanos;

/// Why a benchmark cannot go on, or two cannot be compared.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// A number of the plan that is out of its range.
    #[error("{given}: expected {expected}")]
    OutOfRange {
        /// What was asked for, with its number.
        given: String,
        /// The range.
        expected: String,
    },
    /// A longest time that is shorter than the shortest one, or none at all.
    #[error("{what} for at least {least} and at most {most}: give a longest time that is not shorter and not 0")]
    SpanContradiction {
        /// What takes so long: `warming up`, `measuring`.
        what: &'static str,
        /// The shortest time.
        least: Nanos,
        /// The longest time.
        most: Nanos,
    },
    /// A file or folder of runs that cannot be used.
    #[error("{}: {why}", .path.display())]
    RunFile {
        /// Which.
        path: PathBuf,
        /// Why.
        why: RunFileFault,
    },
    /// A Timeline without the series that every benchmark has.
    #[error("`{title}` has no series {series} while it was measured: it is not of a benchmark")]
    NotBenchmark {
        /// The Timeline's title.
        title: String,
        /// The series that is missing.
        series: &'static str,
    },
    /// A run that cannot be compared with others.
    #[error("{side}: run {run} {why}")]
    Incomparable {
        /// The side's title.
        side: String,
        /// The run's number.
        run: u32,
        /// Why.
        why: RunFault,
    },
    /// Two sides without runs of the same number.
    #[error("no run of {a} has the number of a run of {b}: nothing can be paired")]
    NoPairs {
        /// One side.
        a: String,
        /// The other.
        b: String,
    },
    /// A comparison that JSON cannot write.
    #[error("the comparison: {0}")]
    Json(#[from] serde_json::Error),
    /// The system gives no thread.
    #[error("the system gives no thread: {0}")]
    NoThread(std::io::Error),
    /// Something of the machine or the database is missing or fails.
    #[error("{doing}: {source}")]
    Database {
        /// What was being done.
        doing: String,
        /// Why it cannot be.
        source: Box<dyn Error + Send + Sync>,
    },
    /// A database cannot be launched without a place on the machine.
    #[error("there is no place to launch {what}: run it as root on a machine with a scratch folder")]
    NoMachine {
        /// What was to be launched.
        what: &'static str,
    },
    /// A batch of the load failed again and again.
    #[error("the load stopped after {rows} of {all} rows: {reason} (tried {tries} times); see the log of the stores")]
    Load {
        /// Rows that were loaded.
        rows: u64,
        /// Rows that were to be loaded.
        all: u64,
        /// What the database said last.
        reason: String,
        /// How often the batch was sent.
        tries: u32,
    },
    /// Too much of a run failed for it to be compared with another.
    #[error("run {run} did not carry its load: {failed} of {asked} operations failed{reason}")]
    Failures {
        /// Its number, from 1.
        run: u32,
        /// Operations that failed.
        failed: u64,
        /// All of them.
        asked: u64,
        /// Why most of them did.
        reason: String,
    },
    /// A thread ended by a panic.
    #[error("a driver thread ended unexpectedly; this is a fault of diskwright")]
    Thread,
    /// A Timeline that cannot be made.
    #[error(transparent)]
    Timeline(#[from] timeline::TimelineError),
    /// A file that cannot be read.
    #[error(transparent)]
    File(#[from] textfile::InputError),
    /// A file that cannot be written.
    #[error(transparent)]
    NotWritten(textfile::InputError),
    /// The caller asked to stop.
    #[error("interrupted")]
    Interrupted,
}

/// Why a file or folder of runs cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RunFileFault {
    /// A report of another format.
    #[error("the format is `{given}`, expected `{expected}`")]
    Format {
        /// The file's.
        given: String,
        /// The one that is read.
        expected: &'static str,
    },
    /// A folder that cannot be listed.
    #[error("{0}")]
    Unreadable(#[from] std::io::Error),
    /// A folder without runs.
    #[error("the folder has no .parquet file of a run")]
    Empty,
}

/// Why a run cannot be compared.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RunFault {
    /// It is a failed one.
    #[error("is a failed one ({reason}); leave it out or repeat it")]
    Failed {
        /// Why it failed.
        reason: String,
    },
    /// It measured no operations.
    #[error("measured no operations; leave it out or repeat it")]
    Empty,
    /// Another run of its side has its number.
    #[error("is there twice; give each file once")]
    Twice,
}

impl BenchError {
    /// A number out of its range.
    pub(crate) fn out_of_range(given: impl Into<String>, expected: impl Into<String>) -> Self {
        Self::OutOfRange { given: given.into(), expected: expected.into() }
    }

    /// Something of the database that failed while `doing` something.
    pub fn database(doing: impl Into<String>, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Database { doing: doing.into(), source: source.into() }
    }

    /// The exit code that a program ends with.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::OutOfRange { .. }
            | Self::SpanContradiction { .. }
            | Self::RunFile { .. }
            | Self::NotBenchmark { .. }
            | Self::Incomparable { .. }
            | Self::NoPairs { .. }
            | Self::Json(_)
            | Self::File(_)
            | Self::Timeline(_) => 2,
            Self::NoThread(_) | Self::Database { .. } | Self::NoMachine { .. } | Self::NotWritten(_) => 3,
            Self::Load { .. } | Self::Failures { .. } | Self::Thread => 1,
            // A shell's code of a program that Ctrl-C ended.
            Self::Interrupted => 130,
        }
    }
}
