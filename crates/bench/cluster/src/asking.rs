//! Asking a node's status port, and changing its settings through it.

use metrics::MetricsExposition;

use crate::http::accepted;
use crate::rows::TIKV;
use crate::{ClusterError, ClusterNode, EngineCounters};

impl ClusterNode {
    /// What it tells at `/metrics`.
    ///
    /// # Errors
    /// When it does not answer.
    pub fn metrics(&self) -> Result<MetricsExposition, ClusterError> {
        self.http.metrics(&self.status_addr().to_string(), |_| true)
    }

    /// What its engine counted until now.
    ///
    /// # Errors
    /// When it does not answer.
    pub fn engine(&self) -> Result<EngineCounters, ClusterError> {
        self.http.engine(&self.status_addr().to_string(), &TIKV)
    }

    /// Its settings as they are now.
    ///
    /// # Errors
    /// When it does not answer.
    pub fn config(&self) -> Result<serde_json::Value, ClusterError> {
        let url = format!("http://{}/config", self.status_addr());
        let text = accepted(&url, self.http.get(&url)?)?;
        serde_json::from_str(&text).map_err(|error| ClusterError::system(format!("{url} answered no JSON"), error))
    }

    /// Changes settings online: TiKV's dotted keys, texts, numbers or truths. One group of `storage.*` a call, as TiKV.
    ///
    /// # Errors
    /// [`ClusterError::Refused`] with the node's own words; when it does not answer.
    pub fn change(&self, keys: &serde_json::Map<String, serde_json::Value>) -> Result<(), ClusterError> {
        // Kept in memory only: the file is this crate's.
        let url = format!("http://{}/config?persist=false", self.status_addr());
        let body = serde_json::to_string(keys).map_err(|error| ClusterError::system("settings", error))?;
        accepted(&url, self.http.post(&url, &body)?).map(drop)
    }

    /// Whether it is well: the code of `/status` and what is said there, 500 with the reason if a disk is broken.
    ///
    /// # Errors
    /// When it does not answer.
    pub fn status(&self) -> Result<(u16, String), ClusterError> {
        self.http.get(&format!("http://{}/status", self.status_addr()))
    }
}
