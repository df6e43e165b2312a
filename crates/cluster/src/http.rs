//! Asking the status ports of nodes and PD.

use std::time::Duration;

use jiff::Timestamp;
use observe::Exposition;
use ureq::Agent;

use crate::rows::Row;
use crate::{ClusterError, EngineCounters};

/// Asks over HTTP on this machine.
#[derive(Debug, Clone)]
pub(crate) struct Http(Agent);

/// What was answered: the code and the text.
pub(crate) type Answer = (u16, String);

impl Http {
    /// No answer takes longer than `patience`.
    pub(crate) fn new(patience: Duration) -> Self {
        let config = Agent::config_builder();
        // Without a proxy: it could not reach this machine's loopback.
        let config = config.timeout_global(Some(patience)).http_status_as_error(false).proxy(None);
        Self(config.build().new_agent())
    }

    pub(crate) fn get(&self, url: &str) -> Result<Answer, ClusterError> {
        read(url, self.0.get(url).call())
    }

    pub(crate) fn post(&self, url: &str, body: &str) -> Result<Answer, ClusterError> {
        read(url, self.0.post(url).header("content-type", "application/json").send(body))
    }

    /// What the engine behind a status port counted until now; its names are those of `rows`.
    pub(crate) fn engine(&self, address: &str, rows: &'static [Row]) -> Result<EngineCounters, ClusterError> {
        let told = self.metrics(address, EngineCounters::looks_at(rows))?;
        Ok(EngineCounters::read(Timestamp::now(), rows, &told))
    }

    /// What a status port tells at `/metrics`, of names that are `wanted`.
    pub(crate) fn metrics(&self, address: &str, wanted: impl Fn(&str) -> bool) -> Result<Exposition, ClusterError> {
        let url = format!("http://{address}/metrics");
        let text = accepted(&url, self.get(&url)?)?;
        Exposition::parse_only(&text, wanted).map_err(|error| ClusterError::system(url, error))
    }

    pub(crate) fn delete(&self, url: &str) -> Result<Answer, ClusterError> {
        read(url, self.0.delete(url).call())
    }
}

fn read(url: &str, answer: Result<ureq::http::Response<ureq::Body>, ureq::Error>) -> Result<Answer, ClusterError> {
    let failed = |error: ureq::Error| ClusterError::system(format!("{url} does not answer"), error);
    let mut answer = answer.map_err(failed)?;
    let text = answer.body_mut().read_to_string().map_err(failed)?;
    Ok((answer.status().as_u16(), text))
}

/// The text of a 200; anything else is a refusal.
pub(crate) fn accepted(url: &str, (code, text): Answer) -> Result<String, ClusterError> {
    match code {
        200..=299 => Ok(text),
        code => Err(ClusterError::Refused(format!("{url} answered {code}: {}", text.trim()))),
    }
}
