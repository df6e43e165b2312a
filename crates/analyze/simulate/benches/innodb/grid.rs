//! The grid: which configurations, and which constants are fitted.

use std::fmt;

use units::{Bytes, Nanos};

/// Which half of the grid a row is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Half {
    /// Constants are fitted to it.
    Calibrate,
    /// It is only predicted.
    Predict,
}

impl fmt::Display for Half {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if *self == Self::Calibrate { "calibrate" } else { "predict" })
    }
}

/// A configuration.
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) half: Half,
    pub(crate) data: String,
    pub(crate) log: Option<String>,
    pub(crate) pool: Bytes,
    #[serde(default = "yes")]
    pub(crate) doublewrite: bool,
    pub(crate) clients: u32,
    #[serde(default)]
    pub(crate) set: Vec<String>,
}

fn yes() -> bool {
    true
}

/// A constant that is fitted, and between what.
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Bound {
    pub(crate) constant: String,
    pub(crate) least: f64,
    pub(crate) most: f64,
}

/// All of it.
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Grid {
    pub(crate) instance: String,
    pub(crate) warm_up: Nanos,
    pub(crate) measure: Nanos,
    pub(crate) rows_before: u64,
    pub(crate) set: Vec<String>,
    pub(crate) rows: Vec<Row>,
    pub(crate) fit: Vec<Bound>,
}

impl Grid {
    pub(crate) fn embedded() -> Result<Self, String> {
        toml::from_str(include_str!("grid.toml")).map_err(|error| format!("grid.toml: {error}"))
    }

    /// Variables of the server that a row sets.
    pub(crate) fn set<'a>(&'a self, row: &'a Row) -> impl Iterator<Item = &'a String> {
        self.set.iter().chain(&row.set)
    }

    /// The deployment of a row, as text.
    pub(crate) fn deployment(&self, row: &Row) -> String {
        let log = row.log.as_ref().map(|log| format!("log = \"{log}\"\n")).unwrap_or_default();
        format!(
            "engine = \"innodb\"\nregion = \"us-west-2\"\nzones = 1\n[[nodes]]\nrole = \"storage\"\ncount = 1\n\
             instance = \"{}\"\ndata = \"{}\"\n{log}[settings]\nblock-cache = \"{}B\"\ndoublewrite = {}\n",
            self.instance, row.data, row.pool.0, row.doublewrite
        )
    }

    /// The workload, as text.
    pub(crate) fn workload(&self, row: &Row) -> String {
        format!(
            "engine = \"innodb\"\nregion = \"us-west-2\"\n[inserts]\nrow = \"176B\"\nindexes = 4\nindex-entry = \"68B\"\n\
             order = \"ordered\"\nkey-period = \"429.5s\"\nswept-indexes = 1\nrandom-indexes = 2\nrows-before = {}\n\
             rows-added = 1e9\nclients = {}\n[targets]\nthroughput = 1000\n",
            self.rows_before, row.clients
        )
    }
}
