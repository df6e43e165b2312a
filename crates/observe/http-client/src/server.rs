//! One server: where it is and how we are let in.

use crate::{ClientAccess, HttpClient, HttpRequest, HttpResponse, PeerError, RequestLimits, Secret, ServerAddress};

/// A server that is asked again and again.
#[derive(Debug, Clone)]
pub struct RemoteServer {
    address: ServerAddress,
    secret: Secret,
    client: HttpClient,
}

impl RemoteServer {
    /// A server at an address; `what` is what people call it.
    ///
    /// # Errors
    /// [`PeerError::Exposed`] when a secret would go there in the clear, see [`Access::admits`].
    pub fn new(
        what: &str,
        address: ServerAddress,
        access: &ClientAccess,
        limits: RequestLimits,
    ) -> Result<Self, PeerError> {
        access.admits(what, &address)?;
        let client = HttpClient::with_tls(limits, access.told().clone(), access.tls());
        let client = if access.is_direct() { client.directly() } else { client };
        Ok(Self { address, secret: access.who().clone(), client })
    }

    /// Where it is.
    pub fn address(&self) -> &ServerAddress {
        &self.address
    }

    /// Sends a request whose address is a path of this server, with our secret.
    ///
    /// # Errors
    /// The same as of [`Client::send`]; errors do not show the secret.
    pub fn send(&self, mut request: HttpRequest) -> Result<HttpResponse, PeerError> {
        request.url = format!("{}{}", self.address, request.url);
        if let Some(header) = self.secret.header()? {
            request = request.header("authorization", header);
        }
        self.client.send(&request)
    }

    /// Takes out of a text what nobody may read.
    pub fn redact(&self, text: String) -> String {
        self.secret.redact(text)
    }
}

#[cfg(test)]
#[path = "server_tests.rs"]
mod tests;
