//! Requests, with who we are and whom we trust.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use peer::Roots;
use serde_json::Value;
use ureq::Agent;
use ureq::http::Request;
use ureq::tls::TlsConfig;

use crate::KubernetesError;

/// No call takes longer.
const PATIENCE: Duration = Duration::from_secs(10);
/// The most of an answer that is read: a pod or node has some kilobytes, with its images a hundred.
const MOST_BYTES: u64 = 4 << 20;
/// Where a pod finds what it needs to ask.
const ACCOUNT: &str = "/var/run/secrets/kubernetes.io/serviceaccount";

/// How to be let in.
#[derive(Clone, Default)]
pub enum Token {
    /// Without, as through `kubectl proxy`.
    #[default]
    None,
    /// This. Printing it does not show it.
    Text(String),
    /// What the file holds when it is needed: tokens of service accounts are replaced every hour.
    File(PathBuf),
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("None"),
            Self::Text(_) => f.write_str("Text(***)"),
            Self::File(path) => f.debug_tuple("File").field(path).finish(),
        }
    }
}

/// An API server and how to be let in.
#[derive(Debug, Clone)]
pub struct Access {
    base: String,
    token: Token,
    roots: Roots,
    agent: Agent,
}

impl Access {
    /// To the API at `https://host:port`, trusting only what the authority in `ca` signed if it is given, as PEM. Plain HTTP
    /// is taken to this machine only: a token goes with every request.
    ///
    /// # Errors
    /// When the address is none, or the authority cannot be read.
    pub fn new(base: &str, token: Token, ca: Option<&[u8]>) -> Result<Self, KubernetesError> {
        let base = base.trim_end_matches('/');
        let fits = base.parse::<ureq::http::Uri>().is_ok_and(|uri| {
            let host = uri.host().unwrap_or_default();
            let safe = match uri.scheme_str() {
                Some("https") => !host.is_empty(),
                scheme => scheme == Some("http") && peer::is_loopback(host),
            };
            safe && uri.path() == "/" && !base.contains('@')
        });
        if !fits {
            let shown: String = base.chars().take(80).collect();
            return Err(KubernetesError::Input(format!(
                "`{}` is no address of Kubernetes' API: expected one such as https://10.96.0.1:443; plain http only to this \
                 machine, as with `kubectl proxy`",
                shown.escape_debug()
            )));
        }
        let roots = ca.map(|pem| peer::certificates("CA of Kubernetes", pem)).transpose();
        let roots = roots.map_err(KubernetesError::Input)?;
        let agent = agent(peer::trusting(&roots, None));
        Ok(Self { base: base.to_owned(), token, roots, agent })
    }

    /// The same, showing a certificate of our own, given with its key as PEM, as those of a kubeconfig do.
    ///
    /// # Errors
    /// When the certificate or the key is missing.
    pub fn identity(self, certificate: &[u8], key: &[u8]) -> Result<Self, KubernetesError> {
        let identity = peer::identity(certificate, key).map_err(KubernetesError::Input)?;
        Ok(Self { agent: agent(peer::trusting(&self.roots, Some(identity))), ..self })
    }

    /// As a pod: with its service account.
    ///
    /// # Errors
    /// When this is no pod, or the account's files cannot be read.
    pub fn in_cluster() -> Result<Self, KubernetesError> {
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let host = variable("KUBERNETES_SERVICE_HOST").zip(variable("KUBERNETES_SERVICE_PORT"));
        let (host, port) = host.ok_or_else(|| {
            let text = "this is no pod: KUBERNETES_SERVICE_HOST is not set; name the API's address";
            KubernetesError::Input(text.to_owned())
        })?;
        let host = if host.contains(':') { format!("[{host}]") } else { host };
        let account = PathBuf::from(ACCOUNT);
        let file = account.join("ca.crt");
        let ca =
            std::fs::read(&file).map_err(|error| KubernetesError::Input(format!("{}: {error}", file.display())))?;
        Self::new(&format!("https://{host}:{port}"), Token::File(account.join("token")), Some(&ca))
    }

    /// What is sent with every request.
    fn bearer(&self) -> Result<Option<String>, KubernetesError> {
        let token = match &self.token {
            Token::None => return Ok(None),
            Token::Text(token) => token.clone(),
            Token::File(path) => std::fs::read_to_string(path)
                .map_err(|error| KubernetesError::Input(format!("the token in {}: {error}", path.display())))?,
        };
        let token = token.trim();
        if token.is_empty() || !token.bytes().all(|b| b.is_ascii_graphic()) {
            return Err(KubernetesError::Input(
                "the token of Kubernetes is empty, or holds what no token has".to_owned(),
            ));
        }
        Ok(Some(format!("Bearer {token}")))
    }

    /// Asks, and reads the answer. What is about `what` names it in errors.
    pub(crate) fn send(
        &self,
        (method, path, kind): (&str, &str, &str),
        body: Option<&Value>,
        what: &str,
    ) -> Result<Value, KubernetesError> {
        let mut request = Request::builder().method(method).uri(format!("{}{path}", self.base));
        request = request.header("accept", "application/json");
        if let Some(bearer) = self.bearer()? {
            request = request.header("authorization", bearer);
        }
        let wrong = |error: ureq::http::Error| KubernetesError::Input(format!("{path}: {error}"));
        let answer = match body {
            None => self.agent.run(request.body(()).map_err(wrong)?),
            Some(body) => {
                let request = request.header("content-type", kind).body(body.to_string()).map_err(wrong)?;
                // DELETE has a body here.
                self.agent.run(self.agent.configure_request(request).build())
            }
        };
        let silent = |error: ureq::Error| KubernetesError::Silent(format!("{}: {error}", self.base));
        let mut answer = answer.map_err(silent)?;
        let status = answer.status().as_u16();
        let text = answer.body_mut().with_config().limit(MOST_BYTES).lossy_utf8(true).read_to_string();
        let text = text.map_err(silent)?;
        let value: Option<Value> = serde_json::from_str(&text).ok();
        let message = value.as_ref().and_then(|value| value["message"].as_str());
        let said = message.map_or_else(|| format!("it answered {status}"), shown);
        match (status, value) {
            (200..=299, Some(value)) => Ok(value),
            (200..=299, None) => {
                Err(KubernetesError::Silent(format!("{} answered no JSON: is it the API?", self.base)))
            }
            (401 | 403, _) => Err(KubernetesError::Denied(said)),
            (404, Some(value)) if is_not_found(&value) => Err(KubernetesError::Missing(what.to_owned())),
            // Nothing is gone because a proxy knows no such path.
            (404, _) => Err(KubernetesError::Silent(format!("{} answered 404, and not as the API does", self.base))),
            (429, _) => Err(KubernetesError::NotYet(said)),
            (500..=599, _) => Err(KubernetesError::Silent(said)),
            _ => Err(KubernetesError::Refused(said)),
        }
    }
}

fn agent(tls: TlsConfig) -> Agent {
    let config = Agent::config_builder().timeout_global(Some(PATIENCE)).http_status_as_error(false);
    // A token must not be carried elsewhere.
    config.max_redirects(0).proxy(None).tls_config(tls).build().new_agent()
}

/// Whether the API itself says that something is not there.
fn is_not_found(value: &Value) -> bool {
    value["kind"] == "Status" && value["reason"] == "NotFound"
}

/// A server's words, fit for a line.
fn shown(text: &str) -> String {
    const LONGEST: usize = 300;
    text.chars().take(LONGEST).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_sent_in_the_clear_to_this_machine_only() {
        for base in ["https://10.96.0.1:443", "http://127.0.0.1:8001/", "http://localhost:8001", "http://[::1]:8001"] {
            assert!(Access::new(base, Token::None, None).is_ok(), "{base}");
        }
        for base in ["http://10.96.0.1", "http://127.0.0.1@evil:80", "ftp://a", "https://", "", "https://a/path"] {
            assert_eq!(Access::new(base, Token::None, None).unwrap_err().exit_code(), 2, "{base}");
        }
    }

    #[test]
    fn a_token_is_not_printed_and_is_read_anew_each_time() {
        assert!(!format!("{:?}", Token::Text("hush".to_owned())).contains("hush"));
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("token");
        std::fs::write(&file, "one\n").unwrap();
        let access = Access::new("http://127.0.0.1:1", Token::File(file.clone()), None).unwrap();
        assert_eq!(access.bearer().unwrap().as_deref(), Some("Bearer one"));
        std::fs::write(&file, "two").unwrap();
        assert_eq!(access.bearer().unwrap().as_deref(), Some("Bearer two"));
        std::fs::write(&file, "two\nX-Evil: 1").unwrap();
        assert!(access.bearer().is_err());
    }

    #[test]
    fn an_authority_without_a_certificate_is_refused() {
        let error = Access::new("https://a", Token::None, Some(b"nothing")).unwrap_err().to_string();
        assert!(error.contains("holds no certificate"), "{error}");
    }
}
