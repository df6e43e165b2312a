//! Services that sell a machine and its storage as one: classes of instances, and volumes under the names of a cloud's own.

use std::fmt;
use std::str::FromStr;

use units::Bytes;

/// A managed service of a cloud, by the name that tables use: `rds`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(transparent)]
pub struct ManagedService(pub String);

impl fmt::Display for ManagedService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0.to_uppercase())
    }
}

/// The database engine that a class runs, on which its price hangs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DatabaseEngine {
    /// RDS for MySQL.
    Mysql,
    /// RDS for MariaDB.
    Mariadb,
    /// RDS for PostgreSQL.
    Postgresql,
    /// Aurora with MySQL's protocol.
    AuroraMysql,
    /// Aurora with PostgreSQL's protocol.
    AuroraPostgresql,
}

const ENGINES: [(&str, DatabaseEngine); 5] = [
    ("mysql", DatabaseEngine::Mysql),
    ("mariadb", DatabaseEngine::Mariadb),
    ("postgresql", DatabaseEngine::Postgresql),
    ("aurora-mysql", DatabaseEngine::AuroraMysql),
    ("aurora-postgresql", DatabaseEngine::AuroraPostgresql),
];

impl DatabaseEngine {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Mysql, Self::Mariadb, Self::Postgresql, Self::AuroraMysql, Self::AuroraPostgresql];
}

impl fmt::Display for DatabaseEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(ENGINES.iter().find(|(_, engine)| engine == self).map_or("", |(word, _)| word))
    }
}

impl FromStr for DatabaseEngine {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        ENGINES.iter().find(|(word, _)| *word == text).map(|(_, engine)| *engine).ok_or_else(|| {
            format!("`{text}` is no engine: expected one of {}", ENGINES.map(|(word, _)| word).join(", "))
        })
    }
}

/// A row of `sold_as.csv`: what a service makes of a volume type that it is asked for, from a size on.
#[derive(Debug, Clone)]
pub(crate) struct SoldAs {
    pub(crate) service: ManagedService,
    /// The cloud's own name: `gp2`.
    pub(crate) said: String,
    pub(crate) from: Bytes,
    /// The type that the service sells under it: `rds-gp2-striped`.
    pub(crate) kind: String,
}
