//! Why metrics of others cannot be read.

use textfile::InputError;
use timeline::TimelineError;

/// Why metrics cannot be had or read. No message holds a password or token.
#[derive(Debug, thiserror::Error)]
pub enum GatherError {
    /// A file or an option that people mend.
    #[error(transparent)]
    Input(#[from] InputError),
    /// Reports say rates, and nothing says of how much time: ask for `Options::interval`.
    #[error("{path}: the reports have no time stamps; say of how many seconds each is, or record with `iostat -t`")]
    NoInterval {
        /// The file.
        path: String,
    },
    /// What was asked for cannot be had from there: a range without data, a selector that fits nothing.
    #[error("{0}")]
    Asked(String),
    /// The server cannot be reached or is none.
    #[error("{0}")]
    Server(String),
    /// The server says no: credentials are missing, wrong or expired.
    #[error("{0}")]
    Refused(String),
    /// This machine lacks something.
    #[error("{0}")]
    Environment(String),
    /// The wait was given up.
    #[error("interrupted")]
    Interrupted,
    /// What was read is no Timeline.
    #[error(transparent)]
    Timeline(#[from] TimelineError),
}

/// The note of a Timeline of which there was one sample of counters alone.
pub(crate) const ONE_SAMPLE: &str = "left out counters";

/// What is told of one sample of counters: of what, and who counts.
pub(crate) fn one_sample(of: &str, who: &str) -> String {
    format!(
        "one {of} counts since {who} started, and two tell what happened between them: save another some minutes later, and name both \
         files, with --interval where they have no times"
    )
}
