//! Settings that a node takes only when it starts.

use toml::Table;

use crate::config::merge;
use crate::{ClusterError, Node};

impl Node {
    /// Stops it and starts it again with these of TiKV's keys over those that it had; what was changed online is forgotten. Waits
    /// until it serves.
    ///
    /// # Errors
    /// When it does not end well or does not become ready, with the end of its log.
    pub fn restart_with(&self, keys: &Table) -> Result<(), ClusterError> {
        let file = self.folder.with_extension("toml");
        let text = std::fs::read_to_string(&file).map_err(|error| ClusterError::system(file.display(), error))?;
        let mut table: Table = text.parse().map_err(|error| ClusterError::system(file.display(), error))?;
        merge(&mut table, keys);
        if let Some(said) = self.stop() {
            let (name, what) = (self.name.clone(), "did not end well before a restart".to_owned());
            return Err(ClusterError::Program { name, what, said });
        }
        std::fs::write(&file, table.to_string()).map_err(|error| ClusterError::system(file.display(), error))?;
        self.restart()
    }
}
