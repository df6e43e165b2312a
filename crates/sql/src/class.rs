//! What an error of the database means for the one who met it.

use std::collections::HashMap;
use std::sync::LazyLock;

use mysql_async::{DriverError, Error};

/// What an error means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// Two transactions waited for each other; this one was taken back.
    Deadlock,
    /// A lock was waited for too long.
    LockWait,
    /// Another transaction wrote the same rows first.
    Conflict,
    /// The server cannot serve just now.
    Unavailable,
    /// The connection is gone.
    Lost,
    /// The disk is full: trying again does not help.
    Full,
    /// The user may not.
    Credentials,
    /// Anything else: trying again does not help.
    Other,
}

#[derive(serde::Deserialize)]
struct Row {
    code: u16,
    class: Class,
    #[serde(rename = "source")]
    _source: String,
}

static CODES: LazyLock<HashMap<u16, Class>> = LazyLock::new(|| {
    let table = include_str!("../tables/errors.csv");
    let rows = csv::Reader::from_reader(table.as_bytes()).into_deserialize::<Row>();
    rows.map(|row| row.expect("a table of this crate, which tests read")).map(|row| (row.code, row.class)).collect()
});

impl Class {
    /// All that a transaction is tried again after.
    pub const AGAIN: [Self; 5] = [Self::Deadlock, Self::LockWait, Self::Conflict, Self::Unavailable, Self::Lost];

    /// What an error means.
    pub fn of(error: &Error) -> Self {
        match error {
            Error::Server(server) => CODES.get(&server.code).copied().unwrap_or(Self::Other),
            Error::Io(_) => Self::Lost,
            Error::Driver(DriverError::ConnectionClosed | DriverError::PacketOutOfOrder) => Self::Lost,
            _ => Self::Other,
        }
    }

    /// Its name, as series and reports have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Deadlock => "deadlock",
            Self::LockWait => "lock-wait",
            Self::Conflict => "conflict",
            Self::Unavailable => "unavailable",
            Self::Lost => "lost",
            Self::Full => "full",
            Self::Credentials => "credentials",
            Self::Other => "other",
        }
    }
}

#[cfg(test)]
mod tests {
    use mysql_async::ServerError;

    use super::*;

    fn of(code: u16) -> Class {
        Class::of(&Error::Server(ServerError { code, message: String::new(), state: String::new() }))
    }

    #[test]
    fn errors_are_tried_again_only_where_that_helps() {
        for (code, class) in
            [(1213, Class::Deadlock), (9007, Class::Conflict), (1114, Class::Full), (1062, Class::Other)]
        {
            assert_eq!(of(code), class, "{code}");
            assert_eq!(Class::AGAIN.contains(&of(code)), matches!(class, Class::Deadlock | Class::Conflict));
        }
        assert_eq!(Class::of(&Error::Driver(DriverError::ConnectionClosed)), Class::Lost);
    }

    #[test]
    fn whatever_tidb_says_of_its_own_is_tried_again() {
        let table = include_str!("../tables/errors.csv");
        let rows = csv::Reader::from_reader(table.as_bytes()).into_deserialize().map(Result::unwrap);
        let tidb: Vec<Row> = rows.filter(|row: &Row| row._source.starts_with("TiDB")).collect();
        assert!(!tidb.is_empty());
        for row in tidb {
            assert!(Class::AGAIN.contains(&of(row.code)), "{}", row.code);
        }
    }

    #[test]
    fn every_code_stands_once_and_with_its_source() {
        let table = include_str!("../tables/errors.csv");
        let rows: Vec<Row> =
            csv::Reader::from_reader(table.as_bytes()).into_deserialize().map(Result::unwrap).collect();
        assert_eq!(rows.len(), CODES.len());
        assert!(rows.iter().all(|row| !row._source.is_empty()));
    }
}
