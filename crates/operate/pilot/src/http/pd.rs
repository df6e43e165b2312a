//! PD as the pilot's world asks it.

use std::collections::BTreeSet;

use pd_client::PdClient;
use serde_json::Value;

use super::peer::{PilotAccess, server};
use crate::{ClusterHealth, PdApi, PilotError, WorldError};

/// PD.
#[derive(Debug, Clone)]
pub struct PdHttp(pub(super) PdClient);

impl PdHttp {
    /// By the address of any member.
    ///
    /// # Errors
    /// When it is no address, may not be asked, or is not PD's.
    pub fn new(address: &str, access: &PilotAccess) -> Result<Self, PilotError> {
        let pd = Self(PdClient::new(server("PD", address, access)?));
        pd.cluster_id()?;
        Ok(pd)
    }
}

impl PdApi for PdHttp {
    fn cluster_id(&self) -> Result<String, WorldError> {
        Ok(self.0.cluster_id()?)
    }

    fn health(&self) -> Result<ClusterHealth, WorldError> {
        Ok(self.0.health()?)
    }

    fn config(&self) -> Result<Value, WorldError> {
        Ok(self.0.config()?)
    }

    fn set_config(&self, key: &str, value: &Value) -> Result<(), WorldError> {
        Ok(self.0.set_config(key, value)?)
    }

    fn evicting(&self) -> Result<BTreeSet<u64>, WorldError> {
        Ok(self.0.evicting()?)
    }

    fn set_evicting(&self, store: u64, evicting: bool) -> Result<(), WorldError> {
        // Removing what is not there is done.
        let done = if evicting { self.0.evict_leaders(store) } else { self.0.end_eviction(store).map(drop) };
        Ok(done?)
    }

    fn leaders(&self, store: u64) -> Result<u64, WorldError> {
        Ok(self.0.leaders_of(store)?)
    }

    fn leader(&self) -> Result<String, WorldError> {
        Ok(self.0.leader()?)
    }

    fn resign(&self) -> Result<(), WorldError> {
        Ok(self.0.resign()?)
    }
}

#[cfg(test)]
#[path = "pd_tests.rs"]
pub(super) mod tests;

#[cfg(test)]
#[path = "health_tests.rs"]
mod health_tests;
