//! A server's address and how to be let in.

use std::fmt;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use peer::Roots;
use percent_encoding::percent_decode_str;
use ureq::Agent;
use ureq::tls::ClientCert;

use super::answer::{Answer, Fault};
use super::ask::{Ask, Form};
use crate::GatherError;

/// The most bytes of an answer that are read: some million points as JSON are a quarter of it.
const MOST_BYTES: u64 = 256 << 20;
/// Answers that may hold back what was sent are short.
const SHORT: usize = 64 << 10;

/// How to be let in. Printing one does not show what is secret.
#[derive(Clone, Default)]
pub enum Auth {
    /// Without.
    #[default]
    None,
    /// By name and password.
    Basic {
        /// The name.
        user: String,
        /// The password.
        password: String,
    },
    /// By a token.
    Bearer(String),
}

impl fmt::Debug for Auth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "None",
            Self::Basic { .. } => "Basic(***)",
            Self::Bearer(_) => "Bearer(***)",
        })
    }
}

/// A server with Prometheus' HTTP API.
#[derive(Debug, Clone)]
pub struct Server {
    /// Without name and password, and without a slash at the end.
    base: String,
    auth: Auth,
    tenant: Option<String>,
    patience: Duration,
    roots: Roots,
    identity: Option<ClientCert>,
}

impl Server {
    /// By address: `http://10.0.0.5:9090`, `https://thanos.example/prometheus`. A name and password in it are taken out and
    /// sent as [`Auth::Basic`].
    ///
    /// # Errors
    /// When it is no address of HTTP.
    pub fn new(address: &str) -> Result<Self, GatherError> {
        let wrong = |what: &str| {
            GatherError::Asked(format!(
                "the address of the Prometheus {what}; expected one such as http://10.0.0.5:9090"
            ))
        };
        let (scheme, rest) = address.trim().split_once("://").ok_or_else(|| wrong("lacks `http://` or `https://`"))?;
        if !matches!(scheme, "http" | "https") {
            return Err(wrong("is not of HTTP"));
        }
        let rest = rest.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
        let rest = rest.strip_suffix("/api/v1").unwrap_or(rest);
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let (auth, host) = match authority.rsplit_once('@') {
            None => (Auth::None, authority),
            Some((login, host)) => {
                let (user, password) = login.split_once(':').unwrap_or((login, ""));
                let decode = |text| percent_decode_str(text).decode_utf8_lossy().into_owned();
                (Auth::Basic { user: decode(user), password: decode(password) }, host)
            }
        };
        let base = format!("{scheme}://{host}{path}");
        if host.is_empty() || base.parse::<ureq::http::Uri>().is_err() {
            return Err(wrong("names no host"));
        }
        Ok(Self { base, auth, tenant: None, patience: Duration::from_secs(60), roots: None, identity: None })
    }

    /// Whether anybody on the way could read what is asked, and a token with it: plain HTTP beyond this machine.
    pub fn is_exposed(&self) -> bool {
        let uri = self.base.parse::<ureq::http::Uri>().unwrap_or_default();
        uri.scheme_str() == Some("http") && !uri.host().is_some_and(peer::is_loopback)
    }

    /// The same, let in so.
    #[must_use]
    pub fn auth(self, auth: Auth) -> Self {
        Self { auth, ..self }
    }

    /// The same, as a tenant of a Mimir or Cortex (`X-Scope-OrgID`).
    #[must_use]
    pub fn tenant(self, tenant: impl Into<String>) -> Self {
        Self { tenant: Some(tenant.into()), ..self }
    }

    /// The same, waiting so long for an answer.
    #[must_use]
    pub fn patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// The same, trusting only certificates that these sign, given as PEM.
    ///
    /// # Errors
    /// When there is no certificate in it.
    pub fn ca(self, pem: &[u8]) -> Result<Self, GatherError> {
        let roots = peer::certificates("CA", pem).map_err(GatherError::Asked)?;
        Ok(Self { roots: Some(roots), ..self })
    }

    /// The same, showing a certificate of our own, given with its key as PEM.
    ///
    /// # Errors
    /// When the certificate or the key is missing.
    pub fn identity(self, certificate: &[u8], key: &[u8]) -> Result<Self, GatherError> {
        Ok(Self { identity: Some(peer::identity(certificate, key).map_err(GatherError::Asked)?), ..self })
    }

    fn agent(&self) -> Agent {
        let config = Agent::config_builder().timeout_global(Some(self.patience)).http_status_as_error(false);
        let config = config.tls_config(peer::trusting(&self.roots, self.identity.clone()));
        // A proxy could not reach this machine's loopback.
        let address = self.base.parse::<ureq::http::Uri>();
        let local = address.is_ok_and(|address| address.host().is_some_and(peer::is_loopback));
        if local { config.proxy(None).build() } else { config.build() }.into()
    }

    fn header(&self) -> Option<String> {
        match &self.auth {
            Auth::None => None,
            Auth::Basic { user, password } => Some(format!("Basic {}", STANDARD.encode(format!("{user}:{password}")))),
            Auth::Bearer(token) => Some(format!("Bearer {token}")),
        }
    }

    /// Takes out of a text what nobody may read.
    fn redact(&self, text: String) -> String {
        let secrets = match &self.auth {
            Auth::None => return text,
            Auth::Basic { password, .. } => {
                [Some(password.clone()), self.header().map(|header| header[6..].to_owned())]
            }
            Auth::Bearer(token) => [Some(token.clone()), None],
        };
        let secrets = secrets.into_iter().flatten().filter(|secret| !secret.is_empty());
        secrets.fold(text, |text, secret| text.replace(&secret, "***"))
    }

    fn unreachable(&self, error: &ureq::Error) -> Fault {
        let (what, help) = match error {
            // Fewer series at once may be less.
            ureq::Error::BodyExceedsLimit(_) => return Fault::Query("the answer is over 256 MiB".to_owned()),
            ureq::Error::Timeout(_) => {
                let patience = self.patience.as_secs();
                (format!("did not answer within {patience} s"), "try a shorter range or a longer step")
            }
            ureq::Error::HostNotFound => ("is not known to the name service".to_owned(), "check the address"),
            ureq::Error::Rustls(_) | ureq::Error::Tls(_) => {
                (format!("is not trusted: {error}"), "give the CA that signed its certificate")
            }
            ureq::Error::Io(io) if io.to_string().contains("certificate") => {
                (format!("is not trusted: {io}"), "give the CA that signed its certificate")
            }
            error => (format!("cannot be reached: {error}"), "check the address, and that the server runs"),
        };
        Fault::All(GatherError::Server(self.redact(format!("{} {what}; {help}", self.base))))
    }
}

impl Ask for Server {
    fn post(&self, path: &str, form: Form<'_>) -> Result<Answer, Fault> {
        let mut request = self.agent().post(format!("{}{path}", self.base));
        if let Some(header) = self.header() {
            if header.chars().any(char::is_control) {
                let text = "the token or password holds a line break or another control character; take it out";
                return Err(Fault::All(GatherError::Asked(text.to_owned())));
            }
            request = request.header("authorization", header);
        }
        if let Some(tenant) = &self.tenant {
            request = request.header("x-scope-orgid", tenant);
        }
        let form = form.iter().map(|(name, value)| (*name, value.as_str()));
        let mut answer = request.send_form(form).map_err(|error| self.unreachable(&error))?;
        let status = answer.status().as_u16();
        let body = answer.body_mut().with_config().limit(MOST_BYTES).lossy_utf8(true).read_to_string();
        let body = body.map_err(|error| self.unreachable(&error))?;
        Ok(Answer { status, body: if body.len() <= SHORT { self.redact(body) } else { body } })
    }

    fn shown(&self) -> &str {
        &self.base
    }
}

#[cfg(test)]
#[path = "server_tests.rs"]
mod tests;
