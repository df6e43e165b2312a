//! The databases that serve workloads, and the facts about each that others ask for.
//!
//! A property of an engine is a field of [`EngineFacts`], so that a crate which asks for it needs no branch of its own. A further
//! engine is a row of [`Engine::ALL`] here and a folder among the engine models.

/// The database that serves the workload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Engine {
    /// TiKV: log-structured merge trees behind Raft.
    TiKv,
    /// InnoDB: B-trees behind a redo log (MySQL, MariaDB, RDS).
    InnoDb,
}

/// Facts about an engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EngineFacts {
    /// Its name in prose.
    pub name: &'static str,
    /// Its key in tables and files, as `engine = "..."` has it.
    pub key: &'static str,
    /// The program that runs on its storage nodes, by which hosts are called.
    pub program: &'static str,
    /// Copies of the data where the deployment does not say.
    pub default_replicas: u32,
    /// The name of the log's own disk among a node's disks.
    pub log_disk: &'static str,
    /// The log's heading in a table.
    pub log_title: &'static str,
    /// Whether a deployment may give the log a disk of its own. RDS gives none.
    pub has_log_disk: bool,
    /// Whether it is deployed as a TiDB cluster: SQL, PD and TiFlash nodes beside storage nodes, by TiUP or TiDB Operator.
    pub is_tidb_cluster: bool,
    /// The account of an operating system under which its files are.
    pub account: &'static str,
    /// Whether data are spread over any number of storage nodes; else there is one node for each copy of all data.
    pub spreads_data: bool,
    /// Whether it reads through the page cache, so that a read cache on local flash saves reads.
    pub reads_page_cache: bool,
    /// Keys of a deployment's `[settings]` that only this engine has.
    pub own_settings: &'static [&'static str],
    /// Whether it has server variables that stand in no deployment, given with `--set` to a simulation.
    pub has_server_variables: bool,
    /// Costs and parts that a plan for the engine leaves out.
    pub not_priced: &'static str,
}

const TIKV: EngineFacts = EngineFacts {
    name: "TiKV",
    key: "tikv",
    program: "tikv",
    default_replicas: 3,
    log_disk: "raft",
    log_title: "Raft log",
    has_log_disk: true,
    is_tidb_cluster: true,
    account: "tidb",
    spreads_data: true,
    reads_page_cache: true,
    own_settings: &[
        "block-size",
        "compression",
        "value-separation",
        "replicas",
        "rate-limit",
        "follower-read",
        "grpc-compression",
        "locks",
        "clustered-index",
    ],
    has_server_variables: false,
    not_priced: "TiDB and PD nodes are neither sized nor priced.",
};

const INNODB: EngineFacts = EngineFacts {
    name: "InnoDB",
    key: "innodb",
    program: "mysql",
    default_replicas: 1,
    log_disk: "redo",
    log_title: "Redo log",
    has_log_disk: false,
    is_tidb_cluster: false,
    account: "mysql",
    spreads_data: false,
    reads_page_cache: false,
    own_settings: &["doublewrite"],
    has_server_variables: true,
    not_priced: "The surcharge of a managed service over plain instances is not priced.",
};

impl Engine {
    /// All engines.
    pub const ALL: [Self; 2] = [Self::TiKv, Self::InnoDb];

    /// The engine of a key, as tables have it.
    pub fn by_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|engine| engine.facts().key == key)
    }

    /// Whether a key of `[settings]` belongs to another engine only.
    pub fn lacks_setting(self, key: &str) -> bool {
        let owns = |engine: &Self| engine.facts().own_settings.contains(&key);
        !owns(&self) && Self::ALL.iter().any(owns)
    }

    /// Facts about it.
    pub const fn facts(self) -> &'static EngineFacts {
        match self {
            Self::TiKv => &TIKV,
            Self::InnoDb => &INNODB,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_of_an_engine_is_the_one_that_files_have() {
        for engine in Engine::ALL {
            assert_eq!(serde_json::to_value(engine).unwrap(), engine.facts().key);
            assert_eq!(Engine::by_key(engine.facts().key), Some(engine));
        }
    }

    #[test]
    fn a_setting_of_another_engine_is_lacked_and_one_of_all_is_not() {
        assert!(Engine::TiKv.lacks_setting("doublewrite") && Engine::InnoDb.lacks_setting("block-size"));
        assert!(Engine::ALL.iter().all(|engine| !engine.lacks_setting("block-cache")));
    }

    #[test]
    fn a_setting_is_owned_by_one_engine_only() {
        let mut all: Vec<_> = Engine::ALL.iter().flat_map(|engine| engine.facts().own_settings).collect();
        let count = all.len();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), count);
    }
}
