//! A server's address and how to be let in.

use std::time::Duration;

pub use http_client::ClientAccess;
use http_client::{HttpRequest, PeerError, RequestLimits, ServerAddress};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use signals::StopSignal;

use super::answer::{Answer, Fault};
use super::ask::{Ask, Form};
use crate::GatherError;

/// Some million points as JSON.
const MOST_BYTES: u64 = 64 << 20;
/// Answers that may hold back what was sent are short.
const SHORT: usize = 64 << 10;
/// A Prometheus gives a query up after two minutes; who waits for one longer than this asks it for less.
const PATIENCE: Duration = Duration::from_secs(60);

/// How to be let in. Printing one does not show what is secret.
pub type PrometheusAuth = http_client::Secret;

/// A server with Prometheus' HTTP API.
#[derive(Debug, Clone)]
pub struct PrometheusServer {
    /// Up to what the API is under.
    address: ServerAddress,
    access: ClientAccess,
    tenant: Option<String>,
    patience: Duration,
    asked: http_client::RemoteServer,
}

/// Its name in messages.
const WHAT: &str = "the Prometheus";

impl PrometheusServer {
    /// By address: `http://10.0.0.5:9090`, `https://thanos.example/prometheus`.
    ///
    /// # Errors
    /// When it is no address of HTTP, holds a name or password, or `access` would send a secret there in the clear.
    pub fn new(address: &str, access: ClientAccess) -> Result<Self, GatherError> {
        let text = address.trim();
        let text = text.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
        let text = text.strip_suffix("/api/v1").unwrap_or(text);
        let secrets = "put a token into DISKWRIGHT_PROMETHEUS_TOKEN, or, where there is --user, a password into \
                       DISKWRIGHT_PROMETHEUS_PASSWORD";
        let address = ServerAddress::parse(WHAT, text, "http://10.0.0.5:9090", secrets).map_err(asked)?;
        Self::with(address, access, PATIENCE, None)
    }

    fn with(
        address: ServerAddress,
        access: ClientAccess,
        patience: Duration,
        tenant: Option<String>,
    ) -> Result<Self, GatherError> {
        let limits = RequestLimits { patience, most_bytes: MOST_BYTES };
        let server = http_client::RemoteServer::new(WHAT, address.clone(), &access, limits).map_err(asked)?;
        Ok(Self { address, access, tenant, patience, asked: server })
    }

    /// Whether anybody on the way could read what is asked, and change what is answered: plain HTTP beyond this machine.
    pub fn is_exposed(&self) -> bool {
        self.address.is_exposed()
    }

    /// The same, as a tenant of a Mimir or Cortex (`X-Scope-OrgID`).
    #[must_use]
    pub fn tenant(self, tenant: impl Into<String>) -> Self {
        Self { tenant: Some(tenant.into()), ..self }
    }

    /// The same, waiting so long for each answer.
    ///
    /// # Errors
    /// The same as of [`Server::new`].
    pub fn patience(self, patience: Duration) -> Result<Self, GatherError> {
        Self::with(self.address, self.access, patience, self.tenant)
    }

    /// The same, its waits given up when told so.
    ///
    /// # Errors
    /// The same as of [`Server::new`].
    pub fn stop(self, stop: StopSignal) -> Result<Self, GatherError> {
        Self::with(self.address, self.access.stop(stop), self.patience, self.tenant)
    }

    fn fault(&self, error: PeerError) -> Fault {
        let (what, help) = match error {
            // Fewer series at once may be less.
            PeerError::TooLarge(_) => return Fault::Query(error.to_string()),
            PeerError::Stopped => return Fault::All(GatherError::Interrupted),
            PeerError::Late(patience) => {
                (format!("did not answer within {} s", patience.as_secs()), "try a shorter range or a longer step")
            }
            PeerError::Unknown => ("is not known to the name service".to_owned(), "check the address"),
            PeerError::Untrusted(why) => (format!("is not trusted: {why}"), "give the CA that signed its certificate"),
            PeerError::Redirected { .. } => (format!("is not where it was looked for: {error}"), "check the address"),
            PeerError::Answer(why) => (format!("speaks no HTTP: {why}"), "check the address"),
            PeerError::Unreachable(why) => {
                (format!("cannot be reached: {why}"), "check the address, and that the server runs")
            }
            // People mend it.
            error => return Fault::All(GatherError::Asked(error.to_string())),
        };
        Fault::All(GatherError::Server(self.asked.redact(format!("{} {what}; {help}", self.address))))
    }
}

fn asked(error: PeerError) -> GatherError {
    GatherError::Asked(error.to_string())
}

impl Ask for PrometheusServer {
    fn post(&self, path: &str, form: Form<'_>) -> Result<Answer, Fault> {
        let mut request = HttpRequest::new("POST", path);
        if let Some(tenant) = &self.tenant {
            request = request.header("x-scope-orgid", tenant);
        }
        let pairs = form.iter().map(|(name, value)| format!("{name}={}", utf8_percent_encode(value, NON_ALPHANUMERIC)));
        let request = request.body("application/x-www-form-urlencoded", pairs.collect::<Vec<_>>().join("&"));
        let answer = self.asked.send(request).map_err(|error| self.fault(error))?;
        let body = if answer.body.len() <= SHORT { self.asked.redact(answer.body) } else { answer.body };
        Ok(Answer { status: answer.status, body })
    }

    fn shown(&self) -> &str {
        self.address.as_str()
    }
}

#[cfg(test)]
#[path = "server_tests.rs"]
mod tests;
