//! How the pilot is let in by a server, and how long it waits.

use std::time::Duration;

use http_client::{ApiServer, PeerError, RequestLimits, Secret, ServerAddress};
use signals::StopSignal;

use crate::PilotError;

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

/// A server that the pilot asks. `what` is what people call it: `PD`, `store 3`.
///
/// # Errors
/// When it is no address of HTTP, or plain HTTP beyond this machine.
pub(crate) fn server(what: &str, address: &str, access: &PilotAccess) -> Result<ApiServer, PilotError> {
    let secrets = "give a token or a certificate instead";
    let address = ServerAddress::parse(what, address, "http://127.0.0.1:2379", secrets).map_err(input)?;
    // What is read here decides what is done, and what is written changes a cluster.
    access.0.admits_only_safe(what, &address).map_err(input)?;
    ApiServer::new(what, address, &access.0, LIMITS).map_err(input)
}

#[cfg(test)]
#[path = "peer_tests.rs"]
mod tests;
