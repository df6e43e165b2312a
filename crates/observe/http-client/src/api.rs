//! A server with an API: its name for people, requests with JSON, and what its answers mean.

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{ApiError, ClientAccess, HttpRequest, HttpResponse, PeerError, RemoteServer, RequestLimits, ServerAddress};

/// A server that answers with text or JSON, and with a status that says whether it did what was asked.
#[derive(Debug, Clone)]
pub struct ApiServer {
    /// `PD at http://127.0.0.1:2379`
    name: String,
    server: RemoteServer,
}

impl ApiServer {
    /// A server at an address; `what` is what people call it: `PD`, `store 3`.
    ///
    /// # Errors
    /// [`PeerError::Exposed`] when a secret would go there in the clear.
    pub fn new(
        what: &str,
        address: ServerAddress,
        access: &ClientAccess,
        limits: RequestLimits,
    ) -> Result<Self, PeerError> {
        let name = format!("{what} at {address}");
        Ok(Self { name, server: RemoteServer::new(what, address, access, limits)? })
    }

    /// What people call it, and its address.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Sends a request with a JSON body, or none. Other answers than 401, 403 and a gateway's are the caller's to judge.
    ///
    /// # Errors
    /// [`ApiError::Silent`] when there is no answer or one of a gateway's, [`ApiError::Denied`] for 401 and 403.
    pub fn send(&self, method: &str, path: &str, body: Option<&Value>) -> Result<HttpResponse, ApiError> {
        let mut request = HttpRequest::new(method, path);
        if let Some(body) = body {
            request = request.body("application/json", body.to_string());
        }
        let answer = self.server.send(request).map_err(|error| match error {
            PeerError::Stopped => ApiError::Stopped { peer: self.name.clone() },
            // Followers of PD forward by themselves.
            error if error.is_input() || matches!(error, PeerError::Redirected { .. }) => {
                ApiError::Refused { peer: self.name.clone(), why: error.to_string() }
            }
            error => self.silent(error.to_string()),
        })?;
        let said = || format!("{}: {}", answer.status, brief(&answer.body));
        match answer.status {
            401 | 403 => Err(ApiError::Denied { peer: self.name.clone(), why: said() }),
            502..=504 => Err(self.silent(said())),
            _ => Ok(answer),
        }
    }

    /// Asks for text.
    ///
    /// # Errors
    /// When there is none.
    pub fn text(&self, path: &str) -> Result<String, ApiError> {
        let answer = self.send("GET", path, None)?;
        match answer.status {
            200 => Ok(answer.body),
            404 => Err(ApiError::Missing { peer: self.name.clone(), what: format!("`{path}`") }),
            _ => Err(self.refused(&answer)),
        }
    }

    /// Asks for JSON.
    ///
    /// # Errors
    /// When there is none.
    pub fn json(&self, path: &str) -> Result<Value, ApiError> {
        let text = self.text(path)?;
        serde_json::from_str(&text).map_err(|_| {
            let why = format!("{path} answers no JSON but `{}`; is it the right address?", brief(&text));
            ApiError::Refused { peer: self.name.clone(), why }
        })
    }

    /// A no, in the server's own words.
    pub fn refused(&self, answer: &HttpResponse) -> ApiError {
        ApiError::Refused { peer: self.name.clone(), why: format!("{}: {}", answer.status, brief(&answer.body)) }
    }

    /// No answer, or none that says anything.
    pub fn silent(&self, why: String) -> ApiError {
        ApiError::Silent { peer: self.name.clone(), why }
    }
}

/// A peer's answer for a path as a type. `program` is what would have answered as expected.
///
/// # Errors
/// [`ApiError::Strange`], with where the answer differs from the type.
pub fn decoded<T: DeserializeOwned>(peer: &str, path: &str, body: &str, program: &'static str) -> Result<T, ApiError> {
    let mut json = serde_json::Deserializer::from_str(body);
    let read = serde_path_to_error::deserialize(&mut json).map_err(|error| match error.path().to_string().as_str() {
        "." => error.inner().to_string(),
        place => format!("`{place}` is not as expected: {}", error.inner()),
    });
    let read = read.and_then(|read| json.end().map(|()| read).map_err(|error| error.to_string()));
    read.map_err(|why| ApiError::strange(peer, path, body, why, program))
}

/// The beginning of a text on one line, without JSON's quotes.
fn brief(text: &str) -> String {
    let text = serde_json::from_str::<String>(text).unwrap_or_else(|_| text.to_owned());
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(200).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_of_another_shape_says_where_it_differs() {
        let error = decoded::<Vec<u64>>("PD", "stores", "[1, \"two\"]", "PD of 8.5").unwrap_err();
        let text = error.to_string();
        assert!(matches!(error, ApiError::Strange { .. }) && text.contains("`[1]` is not as expected"), "{text}");
        assert_eq!(decoded::<Vec<u64>>("PD", "stores", "[1, 2]", "PD of 8.5"), Ok(vec![1, 2]));
        assert!(decoded::<u64>("PD", "count", "1 2", "PD of 8.5").is_err(), "something follows");
    }

    #[test]
    fn a_servers_words_are_cut_to_a_line() {
        assert_eq!(brief("\"no\\n  leader\""), "no leader");
        assert_eq!(brief(&"a".repeat(500)).len(), 200);
    }
}
