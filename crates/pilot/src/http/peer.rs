//! A server, how the pilot is let in, and how long it waits.

use std::time::Duration;

use peer::Roots;
use serde_json::Value;
use ureq::tls::ClientCert;
use ureq::{Agent, Body, http};

use crate::{PilotError, WorldError};

/// How long an answer is waited for. Half of the guard's grace, so that what was given up is over by then.
const PATIENCE: Duration = Duration::from_secs(5);
/// PD tells some kilobytes of each store.
const MOST_BYTES: u64 = 16 << 20;

/// How the pilot is let in by a kind of peers. Printing one does not show what is secret.
#[derive(Clone, Default)]
pub struct Access {
    roots: Roots,
    identity: Option<ClientCert>,
    token: Option<String>,
    insecure: bool,
}

impl std::fmt::Debug for Access {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Access").field("token", &self.token.as_ref().map(|_| "***")).finish_non_exhaustive()
    }
}

impl Access {
    /// The same, trusting only certificates that these sign, given as PEM.
    ///
    /// # Errors
    /// When there is no certificate in it.
    pub fn ca(self, pem: &[u8]) -> Result<Self, PilotError> {
        Ok(Self { roots: Some(peer::certificates("CA", pem).map_err(PilotError::Input)?), ..self })
    }

    /// The same, showing a certificate of its own, given with its key as PEM. TiKV and PD admit by its common name
    /// (`security.cert-allowed-cn`).
    ///
    /// # Errors
    /// When the certificate or the key is missing.
    pub fn identity(self, certificate: &[u8], key: &[u8]) -> Result<Self, PilotError> {
        Ok(Self { identity: Some(peer::identity(certificate, key).map_err(PilotError::Input)?), ..self })
    }

    /// The same, with a bearer token.
    ///
    /// # Errors
    /// When it could not stand in a header.
    pub fn token(self, token: &str) -> Result<Self, PilotError> {
        let token = token.trim();
        if token.is_empty() || token.chars().any(|c| c.is_control() || !c.is_ascii()) {
            return Err(PilotError::Input("the token is empty or holds a line break; give it as one line".to_owned()));
        }
        Ok(Self { token: Some(token.to_owned()), ..self })
    }

    /// The same, with plain HTTP beyond this machine if so: anybody on the way may read and change what is sent.
    #[must_use]
    pub fn insecure(self, insecure: bool) -> Self {
        Self { insecure, ..self }
    }
}

/// A server.
#[derive(Debug, Clone)]
pub struct Peer {
    /// `PD at http://127.0.0.1:2379`
    name: String,
    /// Without a slash at the end.
    base: String,
    agent: Agent,
    token: Option<String>,
}

/// What was answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The text.
    pub body: String,
}

impl Peer {
    /// By address. `what` is what people call it: `PD`, `store 3`.
    ///
    /// # Errors
    /// When it is no address of HTTP, or plain HTTP beyond this machine.
    pub fn new(what: &str, address: &str, access: &Access) -> Result<Self, PilotError> {
        let base = address.trim().trim_end_matches('/').to_owned();
        let wrong = |why: &str| {
            PilotError::Input(format!(
                "the address of {what} {why}: `{base}`; expected one such as http://127.0.0.1:2379"
            ))
        };
        if base.contains('@') {
            return Err(PilotError::Input(format!(
                "the address of {what} holds a name or password; give a token or a certificate instead"
            )));
        }
        let uri: http::Uri = base.parse().map_err(|_| wrong("cannot be read"))?;
        let host = uri.host().ok_or_else(|| wrong("names no host"))?.to_owned();
        let local = peer::is_loopback(&host);
        match uri.scheme_str() {
            Some("https") => {}
            Some("http") if local || access.insecure => {}
            Some("http") => {
                return Err(PilotError::Input(format!(
                    "{what} at {base} is beyond this machine and not encrypted: use https with --ca, or --insecure if the \
                     network is trusted"
                )));
            }
            _ => return Err(wrong("lacks `http://` or `https://`")),
        }
        let tls = peer::trusting(&access.roots, access.identity.clone());
        let config = Agent::config_builder().timeout_global(Some(PATIENCE)).http_status_as_error(false);
        // Nobody may send the pilot, and its token, elsewhere; followers of PD forward by themselves.
        let config = config.max_redirects(0).max_redirects_will_error(false).tls_config(tls);
        // A proxy could not reach this machine's loopback.
        let config = if local { config.proxy(None).build() } else { config.build() };
        let name = format!("{what} at {base}");
        Ok(Self { name, base, agent: config.into(), token: access.token.clone() })
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
    pub fn send(&self, method: &str, path: &str, body: Option<&Value>) -> Result<Answer, WorldError> {
        let mut request = http::Request::builder().method(method).uri(format!("{}{path}", self.base));
        if let Some(token) = &self.token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        let sent = match body {
            Some(body) => {
                let request = request.header("content-type", "application/json").body(body.to_string());
                self.sent(request, |request| self.agent.run(request))
            }
            None => self.sent(request.body(()), |request| self.agent.run(request)),
        };
        let mut answer = sent?;
        let status = answer.status().as_u16();
        let body = answer.body_mut().with_config().limit(MOST_BYTES).lossy_utf8(true).read_to_string();
        let body = body.map_err(|error| self.silent(error.to_string()))?;
        match status {
            401 | 403 => {
                Err(WorldError::Denied { peer: self.name.clone(), why: format!("{status}: {}", brief(&body)) })
            }
            502..=504 => Err(self.silent(format!("{status}: {}", brief(&body)))),
            _ => Ok(Answer { status, body }),
        }
    }

    fn sent<B>(
        &self,
        request: http::Result<http::Request<B>>,
        run: impl FnOnce(http::Request<B>) -> Result<http::Response<Body>, ureq::Error>,
    ) -> Result<http::Response<Body>, WorldError> {
        let refused = |why: http::Error| WorldError::Refused { peer: self.name.clone(), why: why.to_string() };
        run(request.map_err(refused)?).map_err(|error| self.silent(error.to_string()))
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
    pub fn refused(&self, answer: &Answer) -> WorldError {
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
