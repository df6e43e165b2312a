//! Why a server was not asked, or did not answer.

use std::time::Duration;

/// Why a server was not asked, or did not answer. The server is not named here, but where another one is meant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PeerError {
    /// People mend it: an address, a token, a certificate.
    #[error("{0}")]
    Input(String),
    /// The wait was given up, see [`signals::Stop`]. Whether the request was carried out is not known.
    #[error("the wait for its answer was given up")]
    Stopped,
    /// The time for the request is over. Whether it was carried out is not known.
    #[error("it did not answer within {0:?}")]
    Late(Duration),
    /// The answer is longer than is read.
    #[error("its answer is over {} MiB", .0 >> 20)]
    TooLarge(u64),
    /// A redirect to another server, or in a circle.
    #[error("it answers {from} with a redirect to {to}, {why}")]
    Redirected {
        /// The address that was asked.
        from: String,
        /// Where it leads.
        to: String,
        /// Why that is not followed.
        why: &'static str,
    },
    /// The name of its host is not known.
    #[error("its name is not known to the name service")]
    Unknown,
    /// Its certificate, or ours, is not trusted.
    #[error("it is not trusted: {0}")]
    Untrusted(String),
    /// No connection.
    #[error("it cannot be reached: {0}")]
    Unreachable(String),
    /// Something answers that does not speak HTTP.
    #[error("its answer cannot be read: {0}")]
    Answer(String),
}

impl PeerError {
    /// Translates an error of the library; the request had `patience`.
    pub(crate) fn of(error: &ureq::Error, patience: Duration) -> Self {
        match error {
            ureq::Error::Timeout(_) => Self::Late(patience),
            ureq::Error::HostNotFound => Self::Unknown,
            ureq::Error::Rustls(_) | ureq::Error::Tls(_) => Self::Untrusted(error.to_string()),
            ureq::Error::Io(io) => Self::of_io(io, patience),
            ureq::Error::Protocol(_) | ureq::Error::Http(_) => Self::Answer(error.to_string()),
            error => Self::Unreachable(error.to_string()),
        }
    }

    /// Translates an error of reading an answer.
    pub(crate) fn of_io(error: &std::io::Error, patience: Duration) -> Self {
        if let Some(inner) = error.get_ref().and_then(|inner| inner.downcast_ref::<ureq::Error>()) {
            return Self::of(inner, patience);
        }
        match error.to_string() {
            text if text.contains("certificate") => Self::Untrusted(text),
            _ if error.kind() == std::io::ErrorKind::TimedOut => Self::Late(patience),
            text => Self::Unreachable(text),
        }
    }
}
