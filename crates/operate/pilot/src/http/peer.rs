//! A server, how the pilot is let in, and how long it waits.

use std::time::Duration;

use http_client::{HttpRequest, PeerError, RemoteServer, RequestLimits, Secret, ServerAddress};
use serde_json::Value;
use signals::StopSignal;

use crate::{PilotError, WorldError};

/// How long an answer is waited for is half of the guard's grace, so that what was given up is over by then. PD tells some kilobytes
/// of each store.
const LIMITS: RequestLimits = RequestLimits { patience: Duration::from_secs(5), most_bytes: 16 << 20 };

/// How the pilot is let in by a kind of peers. Printing one does not show what is secret.
#[derive(Debug, Clone, Default)]
pub struct PilotAccess(http_client::ClientAccess);

fn input(error: PeerError) -> PilotError {
    PilotError::Input(error.to_string())
}

impl PilotAccess {
    /// The same, trusting only certificates that these sign, given as PEM.
    ///
    /// # Errors
    /// When there is no certificate in it.
    pub fn ca(self, pem: &[u8]) -> Result<Self, PilotError> {
        self.0.ca("CA", pem).map(Self).map_err(input)
    }

    /// The same, showing a certificate of its own, given with its key as PEM. TiKV and PD admit by its common name
    /// (`security.cert-allowed-cn`).
    ///
    /// # Errors
    /// When the certificate or the key is missing.
    pub fn identity(self, certificate: &[u8], key: &[u8]) -> Result<Self, PilotError> {
        self.0.identity(certificate, key).map(Self).map_err(input)
    }

    /// The same, with a bearer token.
    ///
    /// # Errors
    /// When it could not stand in a header.
    pub fn token(self, token: &str) -> Result<Self, PilotError> {
        self.0.secret(Secret::Bearer(token.to_owned())).map(Self).map_err(input)
    }

    /// The same, with plain HTTP beyond this machine if so: anybody on the way may read and change what is sent.
    #[must_use]
    pub fn insecure(self, insecure: bool) -> Self {
        Self(self.0.insecure(insecure))
    }

    /// The same, its waits given up when told so.
    #[must_use]
    pub fn stop(self, stop: StopSignal) -> Self {
        Self(self.0.stop(stop))
    }
}

/// A server.
#[derive(Debug, Clone)]
pub struct HttpPeer {
    /// `PD at http://127.0.0.1:2379`
    name: String,
    server: RemoteServer,
}

/// What was answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PeerAnswer {
    /// The status.
    pub status: u16,
    /// The text.
    pub body: String,
}

impl HttpPeer {
    /// By address. `what` is what people call it: `PD`, `store 3`.
    ///
    /// # Errors
    /// When it is no address of HTTP, or plain HTTP beyond this machine.
    pub fn new(what: &str, address: &str, access: &PilotAccess) -> Result<Self, PilotError> {
        let secrets = "give a token or a certificate instead";
        let address = ServerAddress::parse(what, address, "http://127.0.0.1:2379", secrets).map_err(input)?;
        // What is read here decides what is done, and what is written changes a cluster.
        access.0.admits_only_safe(what, &address).map_err(input)?;
        let name = format!("{what} at {address}");
        Ok(Self { name, server: RemoteServer::new(what, address, &access.0, LIMITS).map_err(input)? })
    }

    /// What people call it, and its address.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Sends a request with a JSON body, or none.
    ///
    /// # Errors
    /// [`WorldError::Silent`] when there is no answer or one of a proxy's, [`WorldError::Denied`] for 401 and 403; other answers
    /// are the caller's to judge.
    pub fn send(&self, method: &str, path: &str, body: Option<&Value>) -> Result<PeerAnswer, WorldError> {
        let mut request = HttpRequest::new(method, path);
        if let Some(body) = body {
            request = request.body("application/json", body.to_string());
        }
        let answer = self.server.send(request).map_err(|error| match error {
            // Followers of PD forward by themselves.
            PeerError::Input(_) | PeerError::Redirected { .. } => {
                WorldError::Refused { peer: self.name.clone(), why: error.to_string() }
            }
            error => self.silent(error.to_string()),
        })?;
        let (status, body) = (answer.status, answer.body);
        match status {
            401 | 403 => {
                Err(WorldError::Denied { peer: self.name.clone(), why: format!("{status}: {}", brief(&body)) })
            }
            502..=504 => Err(self.silent(format!("{status}: {}", brief(&body)))),
            _ => Ok(PeerAnswer { status, body }),
        }
    }

    /// Asks for text.
    ///
    /// # Errors
    /// When there is none.
    pub fn text(&self, path: &str) -> Result<String, WorldError> {
        let answer = self.send("GET", path, None)?;
        match answer.status {
            200 => Ok(answer.body),
            404 => Err(WorldError::Missing { peer: self.name.clone(), what: format!("`{path}`") }),
            _ => Err(self.refused(&answer)),
        }
    }

    /// Asks for JSON.
    ///
    /// # Errors
    /// When there is none.
    pub fn json(&self, path: &str) -> Result<Value, WorldError> {
        let text = self.text(path)?;
        serde_json::from_str(&text).map_err(|_| {
            let why = format!("{path} answers no JSON but `{}`; is it the right address?", brief(&text));
            WorldError::Refused { peer: self.name.clone(), why }
        })
    }

    /// A no, in the peer's own words.
    pub fn refused(&self, answer: &PeerAnswer) -> WorldError {
        WorldError::Refused { peer: self.name.clone(), why: format!("{}: {}", answer.status, brief(&answer.body)) }
    }

    /// No answer.
    pub fn silent(&self, why: String) -> WorldError {
        WorldError::Silent { peer: self.name.clone(), why }
    }
}

/// The beginning of a text on one line, without JSON's quotes.
fn brief(text: &str) -> String {
    let text = serde_json::from_str::<String>(text).unwrap_or_else(|_| text.to_owned());
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(200).collect()
}

#[cfg(test)]
#[path = "peer_tests.rs"]
mod tests;
