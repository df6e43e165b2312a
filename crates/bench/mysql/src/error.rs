//! Why a run on a SQL database came to nothing.

use crate::ErrorClass;
use crate::class::words;

/// Why a run on a SQL database came to nothing.
#[derive(Debug, thiserror::Error)]
pub enum SqlError {
    /// People mend their input.
    #[error("{0}")]
    Input(String),
    /// The server, or something of the machine, is missing.
    #[error("{0}")]
    Environment(String),
    /// The database or its data say no.
    #[error("{0}")]
    Refused(String),
    /// The machine's disks and processes.
    #[error(transparent)]
    Cluster(#[from] cluster::ClusterError),
    /// The loops.
    #[error(transparent)]
    Bench(#[from] bench::BenchError),
    /// The workload.
    #[error(transparent)]
    Workload(#[from] workload::WorkloadError),
    /// A file that people write.
    #[error(transparent)]
    File(#[from] textfile::InputError),
    /// A deployment.
    #[error(transparent)]
    Deployment(#[from] deployment::DeploymentError),
    /// What was seen makes no Timeline.
    #[error(transparent)]
    Timeline(#[from] timeline::TimelineError),
    /// The caller asked to stop.
    #[error("interrupted")]
    Interrupted,
}

impl SqlError {
    /// The exit code of a program that ends with this error.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Refused(_) => 1,
            Self::Input(_) | Self::Workload(_) | Self::File(_) | Self::Deployment(_) => 2,
            Self::Environment(_) | Self::Timeline(_) => 3,
            Self::Cluster(error) => error.exit_code(),
            Self::Bench(error) => error.exit_code(),
            // What a shell tells of a program that Ctrl-C ended.
            Self::Interrupted => 130,
        }
    }

    /// The same with something more to say, where it is a text of ours.
    pub(crate) fn with(self, more: &str) -> Self {
        let both = |text: String| format!("{text}; {more}");
        match self {
            Self::Input(text) => Self::Input(both(text)),
            Self::Environment(text) => Self::Environment(both(text)),
            Self::Refused(text) => Self::Refused(both(text)),
            other => other,
        }
    }

    /// What a database said while `doing` something.
    pub(crate) fn said(doing: &str, error: &mysql_async::Error) -> Self {
        if let mysql_async::Error::Io(mysql_async::IoError::Io(io)) = error
            && io.kind() == std::io::ErrorKind::Interrupted
        {
            return Self::Interrupted;
        }
        let said = words(error);
        match ErrorClass::of(error) {
            ErrorClass::Credentials => Self::Input(format!(
                "{doing}: {said}; give the user's password in {}, or name another user in the URL",
                crate::Password::VARIABLE
            )),
            ErrorClass::Privilege => {
                Self::Input(format!("{doing}: {said}; grant it to the user, or name another user in the URL"))
            }
            ErrorClass::Lost | ErrorClass::Unavailable => {
                Self::Environment(format!("{doing}: {said}; see that the server runs and can be reached"))
            }
            ErrorClass::Full => Self::Refused(format!("{doing}: {said}; give it a larger disk, or load less")),
            _ => Self::Refused(format!("{doing}: {said}")),
        }
    }
}
