//! Why a server was not asked, or did not answer.

use std::path::PathBuf;
use std::time::Duration;

/// Why a server was not asked, or did not answer. The server is not named here, but where another one is meant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PeerError {
    /// A text that is no address of HTTP.
    #[error("the address of {what} {why}: `{shown}`; expected one such as {example}")]
    Address {
        /// What people call the server.
        what: String,
        /// What is wrong with it.
        why: &'static str,
        /// Its beginning, escaped.
        shown: String,
        /// An address of such a server.
        example: String,
    },
    /// A name or password in an address. It is not repeated.
    #[error(
        "the address of {what} holds a name or password, which others could read in the list of processes: {remedy}"
    )]
    SecretInAddress {
        /// What people call the server.
        what: String,
        /// Where they belong.
        remedy: String,
    },
    /// Plain HTTP beyond this machine.
    #[error(
        "{what} at {address} is beyond this machine and not encrypted{}: use https with --ca, or --insecure if the network is \
         trusted",
        if *.secret { ", and anybody on the way could read the token, password or certificate" } else { "" }
    )]
    Exposed {
        /// What people call the server.
        what: String,
        /// Where it is.
        address: String,
        /// Whether a secret would go there.
        secret: bool,
    },
    /// A certificate or a key that is none.
    #[error(transparent)]
    Certificate(#[from] CertificateError),
    /// A token that could not stand in a header.
    #[error("the token is empty, or holds a line break or another control character; give it as one line")]
    Token,
    /// A file with a token that cannot be read.
    #[error("the token in {}: {why}", .path.display())]
    TokenFile {
        /// The file.
        path: PathBuf,
        /// The system's answer.
        why: String,
    },
    /// A request that cannot be put together.
    #[error("{url}: {why}")]
    Request {
        /// Its address.
        url: String,
        /// What is wrong with it.
        why: String,
    },
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

/// Why a text in PEM is of no use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CertificateError {
    /// It holds no certificate.
    #[error("the file of the {file} holds no certificate; expected PEM with `BEGIN CERTIFICATE`")]
    NoCertificate {
        /// What people call its file.
        file: &'static str,
    },
    /// It holds no private key.
    #[error("the file of the key holds no private key; expected PEM with `BEGIN PRIVATE KEY`")]
    NoKey,
}

impl PeerError {
    /// Whether people mend it: an address, a token, a certificate. Nothing was sent.
    pub fn is_input(&self) -> bool {
        matches!(
            self,
            Self::Address { .. }
                | Self::SecretInAddress { .. }
                | Self::Exposed { .. }
                | Self::Certificate(_)
                | Self::Token
                | Self::TokenFile { .. }
                | Self::Request { .. }
        )
    }

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

/// Why an API did not do, or not tell, what it was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ApiError {
    /// No answer, or one that says nothing about the request: whether it was carried out is not known.
    #[error("{peer} does not answer: {why}")]
    Silent {
        /// The server that was asked.
        peer: String,
        /// What happened instead.
        why: String,
    },
    /// The wait for the answer was given up. Whether the request was carried out is not known.
    #[error("{peer} does not answer: {}", PeerError::Stopped)]
    Stopped {
        /// The server that was asked.
        peer: String,
    },
    /// A no.
    #[error("{peer} refuses: {why}")]
    Refused {
        /// The server that was asked.
        peer: String,
        /// The reason, in its own words.
        why: String,
    },
    /// The request is not allowed to us.
    #[error("{peer} does not allow this: {why}; give a certificate or token that may")]
    Denied {
        /// The server that was asked.
        peer: String,
        /// The reason, in its own words.
        why: String,
    },
    /// What was asked of is not there.
    #[error("{peer} knows no {what}")]
    Missing {
        /// The server that was asked.
        peer: String,
        /// What is not there.
        what: String,
    },
    /// An answer of another shape than is known.
    #[error("{peer} answers {what} with `{seen}`: {why}; is it the address of a {program}?")]
    Strange {
        /// The server that was asked.
        peer: String,
        /// The question.
        what: String,
        /// The beginning of the answer.
        seen: String,
        /// Where it differs from what was expected.
        why: String,
        /// What would have answered as expected.
        program: &'static str,
    },
}

impl ApiError {
    /// An answer that is not understood, with its beginning.
    pub fn strange(peer: &str, path: &str, body: &str, why: String, program: &'static str) -> Self {
        /// Enough to know an answer by.
        const SHOWN: usize = 160;
        let mut seen: String = body.split_whitespace().collect::<Vec<_>>().join(" ");
        if let Some((cut, _)) = seen.char_indices().nth(SHOWN) {
            seen.truncate(cut);
            seen += "…";
        }
        Self::Strange { peer: peer.to_owned(), what: format!("`{path}`"), seen, why, program }
    }
}
