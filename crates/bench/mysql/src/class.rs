//! What an error of the database means for the one who met it.

use std::collections::HashMap;
use std::sync::LazyLock;

use mysql_async::{DriverError, Error};

/// What an error means. Of several meanings that servers give one number, the first counts: what may pass ends no run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorClass {
    /// Two transactions waited for each other; this one was taken back.
    Deadlock,
    /// A lock was waited for too long.
    LockWait,
    /// Another transaction, or a change of the schema, came first; this one was taken back.
    Conflict,
    /// The server cannot serve just now.
    Unavailable,
    /// The connection is gone, or knows its statements no more.
    Lost,
    /// The values are refused: a duplicate, a number out of range. Other values may do.
    Data,
    /// A fault within the server, or a limit on what a statement may take. The next transaction may do.
    Other,
    /// The disk is full.
    Full,
    /// The user may not log in.
    Credentials,
    /// The user may not do this.
    Privilege,
    /// The server does not know or take the statement, whatever its values.
    Statement,
}

/// Codes of MySQL 8.0.27, MariaDB 10.11 and TiDB 8.5, with the names that they have there.
#[derive(serde::Deserialize)]
struct Row {
    code: u16,
    class: ErrorClass,
    #[serde(rename = "server")]
    _server: String,
    #[serde(rename = "name")]
    _name: String,
}

fn rows() -> impl Iterator<Item = Row> {
    let table = include_str!("../tables/errors.csv");
    let rows = csv::Reader::from_reader(table.as_bytes()).into_deserialize::<Row>();
    rows.map(|row| row.expect("a table of this crate, which tests read"))
}

static CODES: LazyLock<HashMap<u16, ErrorClass>> = LazyLock::new(|| {
    let mut codes = HashMap::new();
    for row in rows() {
        codes.entry(row.code).and_modify(|class: &mut ErrorClass| *class = row.class.min(*class)).or_insert(row.class);
    }
    codes
});

impl ErrorClass {
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

    /// Whether the next transaction would meet it too, so that the run ends.
    pub fn ends_run(self) -> bool {
        matches!(self, Self::Full | Self::Credentials | Self::Privilege | Self::Statement)
    }

    /// Its name, as series and reports have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Deadlock => "deadlock",
            Self::LockWait => "lock-wait",
            Self::Conflict => "conflict",
            Self::Unavailable => "unavailable",
            Self::Lost => "lost",
            Self::Data => "data",
            Self::Other => "other",
            Self::Full => "full",
            Self::Credentials => "credentials",
            Self::Privilege => "privilege",
            Self::Statement => "statement",
        }
    }
}

/// An error in the words of MySQL's own client: `ERROR 1142 (42000): INSERT command denied …`.
pub(crate) fn words(error: &Error) -> String {
    match error {
        Error::Server(server) => server.to_string(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use mysql_async::ServerError;

    use super::*;

    fn server(code: u16) -> Error {
        Error::Server(ServerError { code, message: "no".to_owned(), state: "42000".to_owned() })
    }

    fn of(code: u16) -> ErrorClass {
        ErrorClass::of(&server(code))
    }

    #[test]
    fn errors_are_tried_again_only_where_that_helps() {
        for (code, class) in [
            (1213, ErrorClass::Deadlock),
            (9007, ErrorClass::Conflict),
            (8229, ErrorClass::Conflict),
            (9004, ErrorClass::LockWait),
            (9010, ErrorClass::Unavailable),
            (9011, ErrorClass::Unavailable),
            (1114, ErrorClass::Full),
            (1062, ErrorClass::Data),
            (1142, ErrorClass::Privilege),
            (8121, ErrorClass::Privilege),
            (1045, ErrorClass::Credentials),
            (1146, ErrorClass::Statement),
            (1105, ErrorClass::Other),
        ] {
            assert_eq!(of(code), class, "{code}");
            let again = class < ErrorClass::Data;
            assert_eq!(ErrorClass::AGAIN.contains(&of(code)), again, "{code}");
            assert_eq!(of(code).ends_run(), class > ErrorClass::Other, "{code}");
        }
        assert_eq!(ErrorClass::of(&Error::Driver(DriverError::ConnectionClosed)), ErrorClass::Lost);
        assert_eq!(of(60_000), ErrorClass::Other, "a code that no list has ends no run");
    }

    #[test]
    fn whatever_tikv_and_pd_say_through_tidb_is_tried_again() {
        let prometheus = 9009;
        let theirs: Vec<_> = rows().filter(|row| row.code >= 9001 && row.code != prometheus).collect();
        assert_eq!(theirs.len(), 12, "9001 to 9013");
        for row in theirs {
            assert!(ErrorClass::AGAIN.contains(&of(row.code)), "{}", row.code);
        }
    }

    #[test]
    fn each_server_has_a_code_once_and_a_name_for_it() {
        let mut seen = BTreeSet::new();
        for row in rows() {
            assert!(!row._name.is_empty(), "{}", row.code);
            for server in row._server.split(' ') {
                assert!(["mysql", "mariadb", "tidb"].contains(&server), "{server}");
                assert!(seen.insert((server.to_owned(), row.code)), "{server} has {} twice", row.code);
            }
        }
        // As long as the lists that it was made of.
        let of = |server: &str| seen.iter().filter(|(has, _)| has == server).count();
        assert!(of("mysql") >= 1690 && of("mariadb") >= 1160 && of("tidb") >= 215, "{}", seen.len());
    }

    #[test]
    fn servers_disagree_only_where_both_gave_their_newest_numbers() {
        let mut meanings: BTreeMap<u16, BTreeSet<ErrorClass>> = BTreeMap::new();
        for row in rows() {
            meanings.entry(row.code).or_default().insert(row.class);
        }
        let several: Vec<_> = meanings.iter().filter(|(_, classes)| classes.len() > 1).collect();
        assert!(several.iter().all(|(code, _)| (4000..4200).contains(*code)), "{several:?}");
        // MySQL closes an idle connection so; MariaDB has it for a trigger that is not there.
        assert_eq!(of(4031), ErrorClass::Lost);
    }

    #[test]
    fn a_code_is_told_with_its_state() {
        assert_eq!(words(&server(1142)), "ERROR 1142 (42000): no");
    }
}
