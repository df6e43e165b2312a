//! What is asked of the emulator, and what it says.

use jiff::Timestamp;

/// A request as the emulator sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmulatorRequest {
    /// `GET`, `PUT` or `POST`.
    pub method: String,
    /// Without the query.
    pub path: String,
    /// Names and values.
    pub query: Vec<(String, String)>,
    /// Names in small letters, and values.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: String,
    /// When it came.
    pub arrived: Timestamp,
}

impl EmulatorRequest {
    /// From a path that may have a query.
    pub fn new(method: &str, path: &str, arrived: Timestamp) -> Self {
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let pairs = query.split('&').filter(|pair| !pair.is_empty());
        let pair = |pair: &str| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (name.to_owned(), value.to_owned())
        };
        Self {
            method: method.to_owned(),
            path: path.to_owned(),
            query: pairs.map(pair).collect(),
            headers: Vec::new(),
            body: String::new(),
            arrived,
        }
    }

    /// The same with a header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_ascii_lowercase(), value.to_owned()));
        self
    }

    pub(super) fn query(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    pub(super) fn heads(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmulatorResponse {
    /// The status code.
    pub status: u16,
    /// Headers.
    pub headers: Vec<(&'static str, String)>,
    /// The text.
    pub body: String,
}

impl EmulatorResponse {
    /// Without headers.
    pub fn new(status: u16, body: impl Into<String>) -> Self {
        Self { status, headers: Vec::new(), body: body.into() }
    }

    /// The same with a header.
    #[must_use]
    pub fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }
}

/// An answer, or none yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LongPollReply {
    /// This.
    Now(EmulatorResponse),
    /// Ask again then, or when something was planned.
    Wait(Timestamp),
}

impl From<EmulatorResponse> for LongPollReply {
    fn from(response: EmulatorResponse) -> Self {
        Self::Now(response)
    }
}
