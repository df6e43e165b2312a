//! How we are let in by a server.

use std::fmt;
use std::path::PathBuf;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use signals::StopSignal;
use ureq::tls::{ClientCert, TlsConfig};

use crate::trust::{self, TrustRoots};
use crate::{PeerError, ServerAddress};

/// A credential. Printing one does not show it.
#[derive(Clone, Default, PartialEq, Eq)]
pub enum Secret {
    /// None.
    #[default]
    None,
    /// A name and password.
    Basic {
        /// The name.
        user: String,
        /// The password.
        password: String,
    },
    /// A token.
    Bearer(String),
    /// A token in a file, read anew for each request: those of service accounts are replaced every hour.
    BearerFile(PathBuf),
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("None"),
            Self::Basic { .. } => f.write_str("Basic(***)"),
            Self::Bearer(_) => f.write_str("Bearer(***)"),
            Self::BearerFile(path) => f.debug_tuple("BearerFile").field(path).finish(),
        }
    }
}

impl Secret {
    /// The header `Authorization`.
    ///
    /// # Errors
    /// [`PeerError::Token`] when it could not stand in a header, [`PeerError::TokenFile`] when its file cannot be read.
    pub fn header(&self) -> Result<Option<String>, PeerError> {
        let header = match self {
            Self::None => return Ok(None),
            Self::Basic { user, password } => format!("Basic {}", STANDARD.encode(format!("{user}:{password}"))),
            Self::Bearer(token) => format!("Bearer {}", checked(token)?),
            Self::BearerFile(path) => {
                let token = std::fs::read_to_string(path)
                    .map_err(|error| PeerError::TokenFile { path: path.clone(), why: error.to_string() })?;
                format!("Bearer {}", checked(&token)?)
            }
        };
        Ok(Some(header))
    }

    /// Takes out of a text what nobody may read: servers give back what they were sent.
    pub fn redact(&self, text: String) -> String {
        let secrets = match self {
            Self::None | Self::BearerFile(_) => return text,
            Self::Basic { password, .. } => {
                let sent = self.header().ok().flatten().map(|header| header[6..].to_owned());
                [Some(password.clone()), sent]
            }
            Self::Bearer(token) => [Some(token.trim().to_owned()), None],
        };
        let secrets = secrets.into_iter().flatten().filter(|secret| !secret.is_empty());
        secrets.fold(text, |text, secret| text.replace(&secret, "***"))
    }
}

/// A token as it stands in a header.
fn checked(token: &str) -> Result<&str, PeerError> {
    let token = token.trim();
    if token.is_empty() || !token.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ') {
        return Err(PeerError::Token);
    }
    Ok(token)
}

/// How we are let in by a server, and what ends a wait for it early.
#[derive(Debug, Clone, Default)]
pub struct ClientAccess {
    roots: TrustRoots,
    identity: Option<ClientCert>,
    secret: Secret,
    insecure: bool,
    direct: bool,
    stop: StopSignal,
}

impl ClientAccess {
    /// The same, trusting only certificates that these sign, given as PEM. `what` names their file: `CA`.
    ///
    /// # Errors
    /// [`PeerError::Certificate`] when there is no certificate in it.
    pub fn ca(self, what: &'static str, pem: &[u8]) -> Result<Self, PeerError> {
        Ok(Self { roots: Some(trust::certificates(what, pem)?), ..self })
    }

    /// The same, showing a certificate of our own, given with its key as PEM.
    ///
    /// # Errors
    /// [`PeerError::Certificate`] when the certificate or the key is missing.
    pub fn identity(self, certificate: &[u8], key: &[u8]) -> Result<Self, PeerError> {
        Ok(Self { identity: Some(trust::identity(certificate, key)?), ..self })
    }

    /// The same, with this secret.
    ///
    /// # Errors
    /// [`PeerError::Token`] when it could not stand in a header.
    pub fn secret(self, secret: Secret) -> Result<Self, PeerError> {
        if !matches!(secret, Secret::BearerFile(_)) {
            secret.header()?;
        }
        Ok(Self { secret, ..self })
    }

    /// The same, speaking plain HTTP beyond this machine if so: anybody on the way may read and change what is sent.
    #[must_use]
    pub fn insecure(self, insecure: bool) -> Self {
        Self { insecure, ..self }
    }

    /// The same, through no proxy, whatever the environment names.
    #[must_use]
    pub fn directly(self) -> Self {
        Self { direct: true, ..self }
    }

    /// The same, its waits given up when told so.
    #[must_use]
    pub fn stop(self, stop: StopSignal) -> Self {
        Self { stop, ..self }
    }

    /// Refuses to send a secret in the clear beyond this machine. `what` is what people call the server.
    ///
    /// # Errors
    /// [`PeerError::Exposed`].
    pub fn admits(&self, what: &str, address: &ServerAddress) -> Result<(), PeerError> {
        let has_secret = self.secret != Secret::None || self.identity.is_some();
        if !address.is_exposed() || self.insecure || !has_secret {
            return Ok(());
        }
        Err(PeerError::Exposed { what: what.to_owned(), address: address.to_string(), secret: true })
    }

    /// Refuses plain HTTP beyond this machine altogether: what is asked and answered there decides what is done.
    ///
    /// # Errors
    /// [`PeerError::Exposed`].
    pub fn admits_only_safe(&self, what: &str, address: &ServerAddress) -> Result<(), PeerError> {
        if !address.is_exposed() || self.insecure {
            return Ok(());
        }
        Err(PeerError::Exposed { what: what.to_owned(), address: address.to_string(), secret: false })
    }

    pub(crate) fn tls(&self) -> TlsConfig {
        trust::trusting(&self.roots, self.identity.clone())
    }

    pub(crate) fn who(&self) -> &Secret {
        &self.secret
    }

    pub(crate) fn is_direct(&self) -> bool {
        self.direct
    }

    pub(crate) fn told(&self) -> &StopSignal {
        &self.stop
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> ServerAddress {
        ServerAddress::parse("it", text, "http://a", "").unwrap()
    }

    fn bearer(token: &str) -> Result<ClientAccess, PeerError> {
        ClientAccess::default().secret(Secret::Bearer(token.to_owned()))
    }

    #[test]
    fn a_secret_in_the_clear_stays_on_this_machine() {
        let access = bearer("hush").unwrap();
        for near in ["http://127.0.0.1:1", "https://far"] {
            assert!(access.admits("it", &address(near)).is_ok(), "{near}");
        }
        let error = access.admits("it", &address("http://far")).unwrap_err().to_string();
        assert!(error.contains("--insecure") && !error.contains("hush"), "{error}");
        assert!(access.insecure(true).admits("it", &address("http://far")).is_ok());
        assert!(ClientAccess::default().admits("it", &address("http://far")).is_ok(), "there is no secret");
        assert!(ClientAccess::default().admits_only_safe("it", &address("http://far")).is_err());
    }

    #[test]
    fn secrets_are_shown_nowhere() {
        let basic = Secret::Basic { user: "me".to_owned(), password: "p@ss".to_owned() };
        let token = Secret::Bearer("t0ken".to_owned());
        assert!(!format!("{basic:?} {:?}", bearer("t0ken")).contains("p@ss"));
        assert!(!format!("{:?}", bearer("t0ken").unwrap()).contains("t0ken"));
        assert_eq!(token.redact("you sent t0ken".to_owned()), "you sent ***");
        assert_eq!(basic.redact(format!("you sent {}", STANDARD.encode("me:p@ss"))), "you sent ***");
    }

    #[test]
    fn a_token_that_cannot_stand_in_a_header_is_refused() {
        for wrong in ["", " \n", "a\r\nb: c", "a\u{e9}"] {
            assert!(bearer(wrong).is_err(), "{wrong:?}");
        }
        assert!(bearer("one\n").is_ok(), "files end with a line break");
    }
}
