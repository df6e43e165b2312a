//! The server's variables that change what is asked of disks.

use std::sync::LazyLock;

const TABLE: &str = include_str!("../../tables/innodb-servers.csv");

/// Which server's defaults.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerFlavour {
    /// MySQL 5.7 as RDS has it.
    Mysql,
    /// MariaDB 10.11 as `bench --launch mariadb` starts it.
    MariaDb,
}

/// Why a variable cannot be set.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VariableError {
    /// It changes nothing that is simulated.
    #[error("{variable} changes nothing that is simulated; expected one of {}", known())]
    Unknown {
        /// The variable.
        variable: String,
    },
    /// It has no such value.
    #[error("{variable} = {value}: expected {expected}")]
    Value {
        /// The variable.
        variable: String,
        /// What was written.
        value: String,
        /// What it takes.
        expected: String,
    },
}

/// The variables that can be set.
fn known() -> String {
    ROWS.iter().map(|row| row.variable.as_str()).collect::<Vec<_>>().join(", ")
}

/// Variables of a server, named as MySQL names them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ServerVariables {
    /// `innodb_flush_log_at_trx_commit`: 1 syncs the redo log with each commit, 0 and 2 once a second.
    pub flush_log_at_trx_commit: u8,
    /// `log_bin`: whether there is a binary log.
    pub log_bin: bool,
    /// `sync_binlog`: whether it is synced with each group of commits.
    pub sync_binlog: bool,
    /// `innodb_io_capacity`, pages a second.
    pub io_capacity: f64,
    /// `innodb_io_capacity_max`, pages a second.
    pub io_capacity_max: f64,
    /// `innodb_max_dirty_pages_pct`, percent of the buffer pool.
    pub max_dirty_pages_pct: f64,
    /// `innodb_adaptive_flushing`.
    pub adaptive_flushing: bool,
    /// `innodb_adaptive_flushing_lwm`, percent of the redo log.
    pub adaptive_flushing_lwm: f64,
    /// The redo log, all its files, in bytes.
    pub log_size: f64,
    /// `innodb_lru_scan_depth` over all buffer pool instances, pages.
    pub lru_scan_depth: f64,
    /// `innodb_flush_neighbors`: whether dirty pages beside a page are written with it.
    pub flush_neighbors: bool,
    /// `innodb_change_buffering`: whether entries for leaves that are not in memory wait for them.
    pub change_buffering: bool,
    /// Whether the page cleaner sleeps until the redo log is nearly full or a page has no frame (MariaDB 10.5 and later where
    /// `innodb_max_dirty_pages_pct_lwm` is 0, its default), or looks around each second (MySQL).
    pub cleaner_sleeps: bool,
}

#[derive(serde::Deserialize)]
struct Row {
    variable: String,
    mysql: String,
    mariadb: String,
    #[serde(rename = "source")]
    _source: String,
}

static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let rows = csv::Reader::from_reader(TABLE.as_bytes()).into_deserialize();
    rows.collect::<Result<_, _>>().expect("a table of this crate, which tests read")
});

impl ServerVariables {
    /// A server with its defaults.
    pub fn of(flavour: ServerFlavour) -> Self {
        let mut server = Self {
            flush_log_at_trx_commit: 1,
            log_bin: true,
            sync_binlog: true,
            io_capacity: 0.0,
            io_capacity_max: 0.0,
            max_dirty_pages_pct: 0.0,
            adaptive_flushing: true,
            adaptive_flushing_lwm: 0.0,
            log_size: 0.0,
            lru_scan_depth: 0.0,
            flush_neighbors: false,
            change_buffering: false,
            cleaner_sleeps: flavour == ServerFlavour::MariaDb,
        };
        for row in ROWS.iter() {
            let value = if flavour == ServerFlavour::Mysql { &row.mysql } else { &row.mariadb };
            server = server.with(&row.variable, value).expect("tested: the table's values are read");
        }
        server
    }

    /// The same with another value of a variable, by its name in MySQL.
    ///
    /// # Errors
    /// When no such variable changes what is simulated, or it has no such value.
    pub fn with(mut self, variable: &str, value: &str) -> Result<Self, VariableError> {
        let value = value.trim();
        let wrong = |expected: String| VariableError::Value {
            variable: variable.to_owned(),
            value: value.to_owned(),
            expected,
        };
        let number = |least: f64, most: f64| match value.parse::<f64>() {
            Ok(number) if number >= least && number <= most => Ok(number),
            _ => Err(wrong(format!("a number from {least} to {most}"))),
        };
        let switch = || match value.to_ascii_lowercase().as_str() {
            "1" | "on" | "all" | "inserts" | "changes" => Ok(true),
            "0" | "off" | "none" => Ok(false),
            _ => Err(wrong("on or off".to_owned())),
        };
        match variable.replace('-', "_").as_str() {
            "innodb_flush_log_at_trx_commit" => self.flush_log_at_trx_commit = number(0.0, 2.0)? as u8,
            "log_bin" => self.log_bin = switch()?,
            "skip_log_bin" => self.log_bin = !switch()?,
            "sync_binlog" => self.sync_binlog = number(0.0, 1.0)? > 0.0,
            "innodb_io_capacity" => {
                self.io_capacity = number(100.0, 1e9)?;
                self.io_capacity_max = self.io_capacity_max.max(2.0 * self.io_capacity);
            }
            "innodb_io_capacity_max" => self.io_capacity_max = number(100.0, 1e9)?,
            "innodb_max_dirty_pages_pct" => self.max_dirty_pages_pct = number(0.0, 99.999)?,
            "innodb_adaptive_flushing" => self.adaptive_flushing = switch()?,
            "innodb_adaptive_flushing_lwm" => self.adaptive_flushing_lwm = number(0.0, 70.0)?,
            "innodb_log_file_size" => self.log_size = number(4_194_304.0, 549_755_813_888.0)?,
            "innodb_lru_scan_depth" => self.lru_scan_depth = number(100.0, 1e9)?,
            "innodb_flush_neighbors" => self.flush_neighbors = number(0.0, 2.0)? > 0.0,
            "innodb_change_buffering" => self.change_buffering = switch()?,
            _ => {
                return Err(VariableError::Unknown { variable: variable.to_owned() });
            }
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_servers_are_read_and_every_row_has_a_source() {
        assert!(
            ServerVariables::of(ServerFlavour::Mysql).flush_neighbors
                && !ServerVariables::of(ServerFlavour::MariaDb).flush_neighbors
        );
        assert!(ROWS.iter().all(|row| !row._source.is_empty()));
    }

    #[test]
    fn a_variable_is_set_by_its_name_and_others_are_refused() {
        let server = ServerVariables::of(ServerFlavour::MariaDb);
        assert_eq!(
            server.with("innodb-io-capacity", "3000").unwrap().io_capacity_max,
            6000.0,
            "twice, as the server does"
        );
        assert!(!server.with("skip_log_bin", "1").unwrap().log_bin);
        assert!(server.with("innodb_io_capacity", "many").unwrap_err().to_string().contains("a number from"));
        assert!(server.with("key_buffer_size", "1").unwrap_err().to_string().contains("changes nothing"));
    }
}
