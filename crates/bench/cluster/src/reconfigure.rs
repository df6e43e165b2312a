//! Settings that a node takes only when it starts.

use std::sync::PoisonError;

use toml::Table;

use crate::config::merge;
use crate::{ClusterError, ClusterNode};

impl ClusterNode {
    /// Stops it and starts it again with these of TiKV's keys over those that it had; what was changed online is forgotten. Waits
    /// until it serves.
    ///
    /// # Errors
    /// When it does not end well or does not become ready, with the end of its log.
    pub fn restart_with(&self, keys: &Table) -> Result<(), ClusterError> {
        let file = &self.config;
        // Those that it was given: the file is the node's own, to write what it wants to.
        let mut given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        let mut table: Table = given.parse().map_err(|error| ClusterError::system(file.display(), error))?;
        merge(&mut table, keys);
        if let Some(said) = self.stop() {
            let (name, what) = (self.name.clone(), "did not end well before a restart".to_owned());
            return Err(ClusterError::Program { name, what, said });
        }
        *given = table.to_string();
        self.base.give_file(file, &given)?;
        self.restart()
    }
}
