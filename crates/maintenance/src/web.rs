//! The edge to a metadata server. Its twin is the [`emulator`](crate::emulator) without a socket.

use std::time::Duration;

use jiff::Timestamp;
use ureq::Agent;
use ureq::http::Request;

use crate::{Cloud, MaintenanceError};

/// The most of an answer that is read; the largest, a list of events, has a few kilobytes.
const MOST_BYTES: u64 = 1 << 20;

/// What is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ask {
    /// `GET`, `PUT` or `POST`.
    pub method: &'static str,
    /// Path and query.
    pub path: String,
    /// Headers.
    pub headers: Vec<(&'static str, String)>,
    /// Empty for none.
    pub body: String,
    /// How long an answer may take.
    pub patience: Duration,
}

impl Ask {
    /// A `GET` without headers.
    pub fn get(path: impl Into<String>, patience: Duration) -> Self {
        Self { method: "GET", path: path.into(), headers: Vec::new(), body: String::new(), patience }
    }

    /// The same with a header.
    #[must_use]
    pub fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }
}

/// What is answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The status code.
    pub status: u16,
    /// The header of that name.
    pub etag: Option<String>,
    /// The text.
    pub body: String,
    /// When it came.
    pub at: Timestamp,
}

/// A metadata server.
pub trait Web {
    /// Asks, and waits for the answer.
    ///
    /// # Errors
    /// When there is no answer in time.
    fn ask(&self, ask: &Ask) -> Result<Answer, MaintenanceError>;
}

/// The metadata server of the machine on which this runs.
#[derive(Debug, Clone)]
pub struct Metadata {
    cloud: Cloud,
    base: String,
    agent: Agent,
}

/// Hosts under which clouds have their metadata servers: link-local addresses and GCP's name for its own.
const HOSTS: [&str; 3] = ["metadata.google.internal", "169.254.169.254", "[fd00:ec2::254]"];

impl Metadata {
    /// At `base`, or where the cloud has it. It speaks plain HTTP and gives out credentials, so only the known link-local
    /// addresses and this machine's loopback, where an emulator or a tunnel may be, are taken.
    ///
    /// # Errors
    /// When `base` is another address.
    pub fn new(cloud: Cloud, base: Option<&str>) -> Result<Self, MaintenanceError> {
        let own = match cloud {
            Cloud::Gcp => "http://metadata.google.internal",
            Cloud::Aws | Cloud::Azure => "http://169.254.169.254",
        };
        let base = base.unwrap_or(own).trim_end_matches('/');
        if !base.strip_prefix("http://").is_some_and(is_near) {
            return Err(MaintenanceError::Input(format!(
                "{} is no address of a metadata server: expected {own}, or one on this machine such as \
                 http://127.0.0.1:8775",
                MaintenanceError::quoted(base)
            )));
        }
        // Neither through a proxy nor elsewhere: the server is on this machine's host.
        let config = Agent::config_builder().http_status_as_error(false).proxy(None).max_redirects(0);
        Ok(Self { cloud, base: base.to_owned(), agent: config.build().new_agent() })
    }
}

/// Whether `host[:port]` is on this machine or its host.
fn is_near(authority: &str) -> bool {
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
        _ => (authority, None),
    };
    (peer::is_loopback(host) || HOSTS.contains(&host)) && port.is_none_or(|port| port.parse::<u16>().is_ok())
}

impl Web for Metadata {
    fn ask(&self, ask: &Ask) -> Result<Answer, MaintenanceError> {
        let busy = |error: ureq::Error| MaintenanceError::Busy {
            cloud: self.cloud,
            what: match error {
                ureq::Error::Timeout(_) => format!("did not answer within {:?}", ask.patience),
                error => format!("at {} cannot be reached: {error}", self.base),
            },
        };
        let mut request = Request::builder().method(ask.method).uri(format!("{}{}", self.base, ask.path));
        for (name, value) in &ask.headers {
            request = request.header(*name, value);
        }
        let failed = |error: ureq::http::Error| MaintenanceError::Input(format!("{}: {error}", ask.path));
        let answer = if ask.body.is_empty() && ask.method == "GET" {
            let request = request.body(()).map_err(failed)?;
            self.agent.run(self.agent.configure_request(request).timeout_global(Some(ask.patience)).build())
        } else {
            let request = request.body(ask.body.clone()).map_err(failed)?;
            self.agent.run(self.agent.configure_request(request).timeout_global(Some(ask.patience)).build())
        };
        let mut answer = answer.map_err(busy)?;
        let etag = answer.headers().get("etag").and_then(|etag| etag.to_str().ok()).map(str::to_owned);
        let body = answer.body_mut().with_config().limit(MOST_BYTES).lossy_utf8(true).read_to_string().map_err(busy)?;
        Ok(Answer { status: answer.status().as_u16(), etag, body, at: Timestamp::now() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_link_local_addresses_and_loopback_are_asked() {
        for base in
            ["http://127.0.0.1:8775", "http://localhost:1", "http://[::1]:80", "http://[fd00:ec2::254]", "http://[::1]"]
        {
            assert!(Metadata::new(Cloud::Aws, Some(base)).is_ok(), "{base}");
        }
        for base in [
            "https://169.254.169.254",
            "http://example.com",
            "http://127.0.0.1@example.com",
            "http://169.254.169.254.example.com",
            "http://127.0.0.1:x",
            "http://localhost/latest",
            "",
        ] {
            let error = Metadata::new(Cloud::Aws, Some(base)).unwrap_err();
            assert_eq!(error.exit_code(), 2, "{base}");
            assert!(error.to_string().contains("expected http://169.254.169.254"), "{error}");
        }
    }
}
