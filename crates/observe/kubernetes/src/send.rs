//! Requests, with who we are and whom we trust.

use std::path::PathBuf;
use std::time::Duration;

use http_client::{HttpRequest, PeerError, RemoteServer, RequestLimits, Secret, ServerAddress};
use serde_json::Value;
use signals::StopSignal;

use crate::KubernetesError;

/// A pod or node has some kilobytes, with its images a hundred.
const LIMITS: RequestLimits = RequestLimits { patience: Duration::from_secs(5), most_bytes: 4 << 20 };
/// Where a pod finds what it needs to ask.
const ACCOUNT: &str = "/var/run/secrets/kubernetes.io/serviceaccount";

/// How to be let in.
pub type TokenSource = Secret;

/// An API server and how to be let in.
#[derive(Debug, Clone)]
pub struct KubernetesAccess {
    access: http_client::ClientAccess,
    server: RemoteServer,
}

/// Its name in messages.
const WHAT: &str = "Kubernetes' API";

impl KubernetesAccess {
    /// To the API at `https://host:port`, trusting only what the authority in `ca` signed if it is given, as PEM. Plain HTTP
    /// is taken to this machine only: a token goes with every request.
    ///
    /// # Errors
    /// When the address is none, or the authority cannot be read.
    pub fn new(base: &str, token: TokenSource, ca: Option<&[u8]>) -> Result<Self, KubernetesError> {
        let secrets = "give a token with --kubernetes-token";
        let address = ServerAddress::parse(WHAT, base, "https://10.96.0.1:443", secrets).map_err(input)?;
        if address.is_exposed() || address.path() != "/" {
            let message = format!(
                "`{address}` is no address of {WHAT}: expected one such as https://10.96.0.1:443; plain http only to this \
                 machine, as with `kubectl proxy`"
            );
            return Err(KubernetesError::Input(message));
        }
        let mut access = http_client::ClientAccess::default().directly().secret(token).map_err(input)?;
        if let Some(pem) = ca {
            access = access.ca("CA of Kubernetes", pem).map_err(input)?;
        }
        Self::with(access, address)
    }

    fn with(access: http_client::ClientAccess, address: ServerAddress) -> Result<Self, KubernetesError> {
        let server = RemoteServer::new(WHAT, address, &access, LIMITS).map_err(input)?;
        Ok(Self { access, server })
    }

    /// The same, showing a certificate of our own, given with its key as PEM, as those of a kubeconfig do.
    ///
    /// # Errors
    /// When the certificate or the key is missing.
    pub fn identity(self, certificate: &[u8], key: &[u8]) -> Result<Self, KubernetesError> {
        Self::with(self.access.identity(certificate, key).map_err(input)?, self.server.address().clone())
    }

    /// The same, its waits given up when told so.
    ///
    /// # Errors
    /// The same as of [`Access::new`].
    pub fn stop(self, stop: StopSignal) -> Result<Self, KubernetesError> {
        Self::with(self.access.stop(stop), self.server.address().clone())
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
        Self::new(&format!("https://{host}:{port}"), TokenSource::BearerFile(account.join("token")), Some(&ca))
    }

    /// Asks, and reads the answer. What is about `what` names it in errors.
    pub(crate) fn send(
        &self,
        (method, path, kind): (&str, &str, &str),
        body: Option<&Value>,
        what: &str,
    ) -> Result<Value, KubernetesError> {
        let mut request = HttpRequest::new(method, path).header("accept", "application/json");
        if let Some(body) = body {
            request = request.body(kind, body.to_string());
        }
        let base = self.server.address();
        let answer = self.server.send(request).map_err(|error| match error {
            error if error.is_input() => KubernetesError::Input(error.to_string()),
            error => KubernetesError::Silent(format!("{base}: {error}")),
        })?;
        let status = answer.status;
        let value: Option<Value> = serde_json::from_str(&answer.body).ok();
        let message = value.as_ref().and_then(|value| value["message"].as_str());
        let said = message.map_or_else(|| format!("it answered {status}"), shown);
        match (status, value) {
            (200..=299, Some(value)) => Ok(value),
            (200..=299, None) => Err(KubernetesError::Silent(format!("{base} answered no JSON: is it the API?"))),
            (401 | 403, _) => Err(KubernetesError::Denied(said)),
            (404, Some(value)) if is_not_found(&value) => Err(KubernetesError::Missing(what.to_owned())),
            // Nothing is gone because a proxy knows no such path.
            (404, _) => Err(KubernetesError::Silent(format!("{base} answered 404, and not as the API does"))),
            (429, _) => Err(KubernetesError::NotYet(said)),
            (500..=599, _) => Err(KubernetesError::Silent(said)),
            _ => Err(KubernetesError::Refused(said)),
        }
    }
}

fn input(error: PeerError) -> KubernetesError {
    KubernetesError::Input(error.to_string())
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
            assert!(KubernetesAccess::new(base, TokenSource::None, None).is_ok(), "{base}");
        }
        for base in ["http://10.96.0.1", "http://127.0.0.1@evil:80", "ftp://a", "https://", "", "https://a/path"] {
            assert!(
                matches!(
                    KubernetesAccess::new(base, TokenSource::None, None).unwrap_err(),
                    crate::KubernetesError::Input(_)
                ),
                "{base}"
            );
        }
    }

    #[test]
    fn a_token_is_not_printed_and_is_read_anew_each_time() {
        assert!(!format!("{:?}", TokenSource::Bearer("hush".to_owned())).contains("hush"));
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("token");
        let header = || TokenSource::BearerFile(file.clone()).header();
        std::fs::write(&file, "one\n").unwrap();
        assert_eq!(header().unwrap().as_deref(), Some("Bearer one"));
        std::fs::write(&file, "two").unwrap();
        assert_eq!(header().unwrap().as_deref(), Some("Bearer two"));
        std::fs::write(&file, "two\nX-Evil: 1").unwrap();
        assert!(header().is_err());
    }

    #[test]
    fn an_authority_without_a_certificate_is_refused() {
        let error = KubernetesAccess::new("https://a", TokenSource::None, Some(b"nothing")).unwrap_err().to_string();
        assert!(error.contains("holds no certificate"), "{error}");
    }
}
