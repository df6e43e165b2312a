//! Why a run on a SQL database cannot be made.

use std::time::Duration;

use bench::{BenchError, DatabaseError};
use cluster::ClusterError;

use crate::ErrorClass;
use crate::class::words;

/// Why a run on a SQL database cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum SqlError {
    /// A URL that names no database.
    #[error("{option}: {fault}; expected {expected}")]
    Url {
        /// The option that it is the value of.
        option: String,
        /// What is wrong with it.
        fault: String,
        /// Its form.
        expected: &'static str,
    },
    /// A server beyond this machine that would be spoken to in the clear.
    #[error(
        "{option}: {server} is beyond this machine and not encrypted, and anybody on the way could {}: give the authority of its \
         certificate for TLS, or --insecure if the network is trusted",
        if *.secret { "read the password and the data" } else { "read and change it" }
    )]
    Exposed {
        /// The option that names it.
        option: String,
        /// The server.
        server: String,
        /// Whether a password would be sent.
        secret: bool,
    },
    /// A number out of its range.
    #[error("{given}: expected {expected}")]
    OutOfRange {
        /// What was asked for, with its number.
        given: String,
        /// The range.
        expected: String,
    },
    /// A kind of workload that no SQL database runs, or that is not run in this way.
    #[error("[{kind}] {why}")]
    WorkloadKind {
        /// The workload's table.
        kind: &'static str,
        /// Why, and which kinds are run.
        why: &'static str,
    },
    /// An option that is not valid here.
    #[error("{option}: {why}")]
    Option {
        /// The option, with its value where that matters.
        option: String,
        /// Why, and what to do.
        why: String,
    },
    /// Tables that are there, or are not, and must not be touched.
    #[error("{target} has {found}: {remedy}")]
    Tables {
        /// The database.
        target: String,
        /// What is there.
        found: String,
        /// What to do.
        remedy: String,
    },
    /// A schema that is not there.
    #[error("{server} has no schema `{schema}`{others}; name one that is there, or make it with --create")]
    NoSchema {
        /// The server.
        server: String,
        /// The schema.
        schema: String,
        /// Those that are there, as the end of a clause.
        others: String,
    },
    /// A name or value of a server's variable that cannot stand in a statement.
    #[error("`{}` is no {what} of a variable: expected {expected}", .given.escape_debug())]
    Variable {
        /// `name` or `value`.
        what: &'static str,
        /// The text.
        given: String,
        /// The characters that it may have.
        expected: &'static str,
    },
    /// The storage node has no data disk.
    #[error("the node has no data disk: give its group a `data`")]
    NoDataDisk,
    /// A program that is not installed.
    #[error("{program} is not installed: {install}")]
    NotInstalled {
        /// Which.
        program: &'static str,
        /// How to install it.
        install: &'static str,
    },
    /// A user of this machine whom MariaDB cannot let in.
    #[error("MariaDB lets people in by the names of their accounts, and this is {user}: run as root")]
    NoAccount {
        /// The user.
        user: String,
    },
    /// The system refuses something.
    #[error("{doing}: {source}")]
    System {
        /// What was being done.
        doing: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// The server does not answer.
    #[error("{doing}: {}", unanswered(.within))]
    NoAnswer {
        /// What was being done.
        doing: String,
        /// How long its answer was waited for; `None` if the wait was given up.
        within: Option<Duration>,
    },
    /// The database refuses a statement or a connection.
    #[error("{doing}: {said}{}", remedy(*.class))]
    Database {
        /// What was being done.
        doing: String,
        /// What the database said.
        said: String,
        /// What that means.
        class: ErrorClass,
    },
    /// Loaded rows that are not consistent.
    #[error(
        "what was loaded breaks condition 3.3.2.{clause} of TPC-C ({says}) in {rows} rows; load it anew with --drop"
    )]
    Inconsistent {
        /// The clause of TPC-C.
        clause: u8,
        /// The condition.
        says: String,
        /// Rows that break it.
        rows: i64,
    },
    /// sysbench failed.
    #[error("{call}: {fault}")]
    Sysbench {
        /// The call: `sysbench prepare`.
        call: &'static str,
        /// What it said.
        fault: String,
    },
    /// A run of a study that failed, so that there is no pair.
    #[error("{side}: {why}")]
    StudyRun {
        /// The side's name.
        side: String,
        /// Why, and what to do.
        why: String,
    },
    /// Another error, with what else people should know.
    #[error("{error}; {note}")]
    Noted {
        /// The error.
        error: Box<SqlError>,
        /// What else people should know.
        note: String,
    },
    /// The machine's disks and processes.
    #[error(transparent)]
    Cluster(#[from] ClusterError),
    /// The loops.
    #[error(transparent)]
    Bench(BenchError),
    /// The workload.
    #[error(transparent)]
    Workload(#[from] workload::WorkloadError),
    /// A file that people write.
    #[error(transparent)]
    File(#[from] textfile::InputError),
    /// A deployment.
    #[error(transparent)]
    Deployment(#[from] deployment::DeploymentError),
    /// Samples that make no Timeline.
    #[error(transparent)]
    Timeline(#[from] timeline::TimelineError),
    /// The caller asked to stop.
    #[error("interrupted")]
    Interrupted,
}

impl From<BenchError> for SqlError {
    fn from(error: BenchError) -> Self {
        match error {
            BenchError::Interrupted => Self::Interrupted,
            other => Self::Bench(other),
        }
    }
}

impl DatabaseError for SqlError {
    fn is_interrupted(&self) -> bool {
        matches!(self, Self::Interrupted | Self::Cluster(ClusterError::Interrupted))
    }
}

impl SqlError {
    /// The exit code of a program that ends with this error.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Inconsistent { .. } | Self::Sysbench { .. } | Self::StudyRun { .. } => 1,
            Self::Url { .. }
            | Self::Exposed { .. }
            | Self::OutOfRange { .. }
            | Self::WorkloadKind { .. }
            | Self::Option { .. }
            | Self::Tables { .. }
            | Self::NoSchema { .. }
            | Self::Variable { .. }
            | Self::NoDataDisk
            | Self::Workload(_)
            | Self::File(_)
            | Self::Deployment(_) => 2,
            Self::NotInstalled { .. }
            | Self::NoAccount { .. }
            | Self::System { .. }
            | Self::NoAnswer { .. }
            | Self::Timeline(_) => 3,
            Self::Database { class, .. } => match class {
                ErrorClass::Credentials | ErrorClass::Privilege => 2,
                ErrorClass::Lost | ErrorClass::Unavailable => 3,
                _ => 1,
            },
            Self::Noted { error, .. } => error.exit_code(),
            Self::Cluster(error) => error.exit_code(),
            Self::Bench(error) => error.exit_code(),
            // A shell's code of a program that Ctrl-C ended.
            Self::Interrupted => 130,
        }
    }

    /// The same with a note, but for an interruption, of which there is nothing more to say.
    pub(crate) fn with(self, note: &str) -> Self {
        match self {
            Self::Interrupted => self,
            error => Self::Noted { error: Box::new(error), note: note.to_owned() },
        }
    }

    /// The system refuses something.
    pub(crate) fn system(doing: impl Into<String>) -> impl FnOnce(std::io::Error) -> Self {
        let doing = doing.into();
        move |source| Self::System { doing, source }
    }

    /// What a database said while `doing` something.
    pub(crate) fn said(doing: &str, error: &mysql_async::Error) -> Self {
        if let mysql_async::Error::Io(mysql_async::IoError::Io(io)) = error
            && io.kind() == std::io::ErrorKind::Interrupted
        {
            return Self::Interrupted;
        }
        Self::Database { doing: doing.to_owned(), said: words(error), class: ErrorClass::of(error) }
    }
}

fn unanswered(within: &Option<Duration>) -> String {
    match within {
        Some(within) => {
            format!("no answer within {} s; see that the server runs and is not overloaded", within.as_secs())
        }
        None => "the wait for its answer was given up".to_owned(),
    }
}

/// What to do after an error of a class, as the end of a sentence.
fn remedy(class: ErrorClass) -> String {
    match class {
        ErrorClass::Credentials => {
            format!("; give the user's password in {}, or name another user in the URL", crate::Password::VARIABLE)
        }
        ErrorClass::Privilege => "; grant it to the user, or name another user in the URL".to_owned(),
        ErrorClass::Lost | ErrorClass::Unavailable => "; see that the server runs and can be reached".to_owned(),
        ErrorClass::Full => "; give it a larger disk, or load less".to_owned(),
        _ => String::new(),
    }
}
