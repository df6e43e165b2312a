//! Asking the status ports of nodes and PD.

use std::time::Duration;

use http_client::{HttpClient, HttpRequest, PeerError, RequestLimits};
use jiff::Timestamp;
use metrics::MetricsExposition;
use signals::StopSignal;

use crate::rows::Row;
use crate::{ClusterError, EngineCounters};

/// A status port of TiKV tells some megabytes of itself.
pub(crate) const MOST_BYTES: u64 = 16 << 20;

/// Asks over HTTP.
#[derive(Debug, Clone)]
pub(crate) struct Http(HttpClient);

/// What was answered: the code and the text.
pub(crate) type Answer = (u16, String);

impl Http {
    /// No answer takes longer than `patience`.
    pub(crate) fn new(patience: Duration) -> Self {
        Self(HttpClient::new(RequestLimits { patience, most_bytes: MOST_BYTES }, StopSignal::default()))
    }

    fn send(&self, request: &HttpRequest) -> Result<Answer, ClusterError> {
        match self.0.send(request) {
            Ok(answer) => Ok((answer.status, answer.body)),
            Err(PeerError::Stopped) => Err(ClusterError::Interrupted),
            Err(error) => Err(ClusterError::system(format!("{} does not answer", request.url), error)),
        }
    }

    pub(crate) fn get(&self, url: &str) -> Result<Answer, ClusterError> {
        self.send(&HttpRequest::new("GET", url))
    }

    pub(crate) fn post(&self, url: &str, body: &str) -> Result<Answer, ClusterError> {
        self.send(&HttpRequest::new("POST", url).body("application/json", body))
    }

    /// What the engine behind a status port counted until now; its names are those of `rows`.
    pub(crate) fn engine(&self, address: &str, rows: &'static [Row]) -> Result<EngineCounters, ClusterError> {
        let told = self.metrics(address, EngineCounters::looks_at(rows))?;
        Ok(EngineCounters::read(Timestamp::now(), rows, &told))
    }

    /// What a status port tells at `/metrics`, of names that are `wanted`.
    pub(crate) fn metrics(
        &self,
        address: &str,
        wanted: impl Fn(&str) -> bool,
    ) -> Result<MetricsExposition, ClusterError> {
        let url = format!("http://{address}/metrics");
        let text = accepted(&url, self.get(&url)?)?;
        MetricsExposition::parse_only(&text, wanted).map_err(|error| ClusterError::system(url, error))
    }
}

/// The text of a 200; anything else is a refusal.
pub(crate) fn accepted(url: &str, (code, text): Answer) -> Result<String, ClusterError> {
    match code {
        200..=299 => Ok(text),
        status => {
            let said = text.trim().to_owned();
            Err(ClusterError::Refused { url: url.to_owned(), status, said })
        }
    }
}
