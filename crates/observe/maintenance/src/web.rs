//! The edge to a metadata server. Its twin is the [`emulator`](crate::emulator) without a socket.

use std::time::Duration;

use http_client::{HttpClient, HttpRequest, PeerError, RequestLimits};
use jiff::Timestamp;
use signals::StopSignal;

use crate::{MachineCloud, MaintenanceError};

/// The largest answer, a list of events, has a few kilobytes. How long each may take, it says itself.
const LIMITS: RequestLimits = RequestLimits { patience: Duration::from_secs(5), most_bytes: 1 << 20 };

/// What is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MetadataQuery {
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

impl MetadataQuery {
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
pub struct MetadataAnswer {
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
pub trait MetadataService {
    /// Asks, and waits for the answer.
    ///
    /// # Errors
    /// When there is no answer in time.
    fn ask(&self, ask: &MetadataQuery) -> Result<MetadataAnswer, MaintenanceError>;
}

/// The metadata server of the machine on which this runs.
#[derive(Debug, Clone)]
pub struct MachineMetadata {
    cloud: MachineCloud,
    base: String,
    client: HttpClient,
}

/// Hosts under which clouds have their metadata servers: link-local addresses and GCP's name for its own.
const HOSTS: [&str; 3] = ["metadata.google.internal", "169.254.169.254", "[fd00:ec2::254]"];

impl MachineMetadata {
    /// At `base`, or where the cloud has it. It speaks plain HTTP and gives out credentials, so only the known link-local
    /// addresses and this machine's loopback, where an emulator or a tunnel may be, are taken.
    ///
    /// # Errors
    /// When `base` is another address.
    pub fn new(cloud: MachineCloud, base: Option<&str>) -> Result<Self, MaintenanceError> {
        let own = match cloud {
            MachineCloud::Gcp => "http://metadata.google.internal",
            MachineCloud::Aws | MachineCloud::Azure => "http://169.254.169.254",
        };
        let base = base.unwrap_or(own).trim_end_matches('/');
        if !base.strip_prefix("http://").is_some_and(is_near) {
            return Err(MaintenanceError::Input(format!(
                "{} is no address of a metadata server: expected {own}, or one on this machine such as \
                 http://127.0.0.1:8775",
                MaintenanceError::quoted(base)
            )));
        }
        // The server is on this machine's host, though not on its loopback.
        let client = HttpClient::new(LIMITS, StopSignal::default()).directly();
        Ok(Self { cloud, base: base.to_owned(), client })
    }

    /// The same, its waits given up when told so.
    #[must_use]
    pub fn stop(self, stop: StopSignal) -> Self {
        Self { client: self.client.stop(stop), ..self }
    }
}

/// Whether `host[:port]` is on this machine or its host.
fn is_near(authority: &str) -> bool {
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
        _ => (authority, None),
    };
    (http_client::is_loopback(host) || HOSTS.contains(&host)) && port.is_none_or(|port| port.parse::<u16>().is_ok())
}

impl MetadataService for MachineMetadata {
    fn ask(&self, ask: &MetadataQuery) -> Result<MetadataAnswer, MaintenanceError> {
        let mut request = HttpRequest::new(ask.method, format!("{}{}", self.base, ask.path));
        request.headers.clone_from(&ask.headers);
        request.patience = Some(ask.patience);
        if !ask.body.is_empty() || ask.method != "GET" {
            request.body = Some(ask.body.clone());
        }
        let answer = self.client.send(&request).map_err(|error| match error {
            error if error.is_input() => MaintenanceError::Input(error.to_string()),
            PeerError::Late(_) => self.busy(format!("did not answer within {:?}", ask.patience)),
            error => self.busy(format!("at {} cannot be heard: {error}", self.base)),
        })?;
        let etag = answer.header("etag").map(str::to_owned);
        Ok(MetadataAnswer { status: answer.status, etag, body: answer.body, at: Timestamp::now() })
    }
}

impl MachineMetadata {
    fn busy(&self, what: String) -> MaintenanceError {
        MaintenanceError::Busy { cloud: self.cloud, what }
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
            assert!(MachineMetadata::new(MachineCloud::Aws, Some(base)).is_ok(), "{base}");
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
            let error = MachineMetadata::new(MachineCloud::Aws, Some(base)).unwrap_err();
            assert!(matches!(error, MaintenanceError::Input(_)), "{base}");
            assert!(error.to_string().contains("expected http://169.254.169.254"), "{error}");
        }
    }
}
