//! Global variables of a server, read and set one at a time.

use std::future::Future;
use std::time::Duration;

use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Error};
use signals::{GivenUp, StopSignal};
use tokio::runtime::{Builder, Runtime};

use crate::{SqlError, SqlTarget};

/// A server that does not answer so long is taken for gone.
const PATIENCE: Duration = Duration::from_secs(5);

/// Global variables of a server. Calls block, five seconds at most; each opens a connection of its own, for they are rare.
#[derive(Debug)]
pub struct GlobalVariables {
    target: SqlTarget,
    runtime: Runtime,
    stop: StopSignal,
}

impl GlobalVariables {
    /// Of that server; its schema does not matter. Nothing is asked yet.
    ///
    /// # Errors
    /// When this machine gives no runtime.
    pub fn of(target: SqlTarget) -> Result<Self, SqlError> {
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(SqlError::system("no runtime can be made"))?;
        Ok(Self { target, runtime, stop: StopSignal::default() })
    }

    /// The same, its waits given up when told so.
    #[must_use]
    pub fn stop(self, stop: StopSignal) -> Self {
        Self { stop, ..self }
    }

    /// A variable's value as the server prints it; `None` if it has none of that name.
    ///
    /// # Errors
    /// When the name is none, or the server cannot be asked.
    pub fn read(&self, name: &str) -> Result<Option<String>, SqlError> {
        let name = known(name)?;
        let sql = format!("SHOW GLOBAL VARIABLES WHERE Variable_name = '{name}'");
        let found: Option<(String, String)> = self.ask(&format!("reading {name}"), async |mut conn| {
            let row = conn.query_first(sql).await;
            // Nothing hangs on how the connection ends.
            let _ = conn.disconnect().await;
            row
        })?;
        Ok(found.map(|(_, value)| value))
    }

    /// Sets a variable for sessions that begin from now on.
    ///
    /// # Errors
    /// When the name or the value is none, the server refuses it, or cannot be asked.
    pub fn set(&self, name: &str, value: &str) -> Result<(), SqlError> {
        let name = known(name)?;
        let sql = format!("SET GLOBAL {name} = {}", literal(value)?);
        self.ask(&format!("setting {name}"), async |mut conn| {
            let done = conn.query_drop(sql).await;
            let _ = conn.disconnect().await;
            done
        })
    }

    fn ask<T, F: Future<Output = Result<T, Error>>>(
        &self,
        doing: &str,
        ask: impl FnOnce(Conn) -> F,
    ) -> Result<T, SqlError> {
        let asked = async { ask(Conn::new(self.target.opts(false)).await?).await };
        match self.runtime.block_on(self.stop.within(PATIENCE, asked)) {
            Ok(answer) => answer.map_err(|error| SqlError::said(doing, &error)),
            Err(GivenUp::Stopped) => Err(SqlError::NoAnswer { doing: doing.to_owned(), within: None }),
            Err(GivenUp::Late) => Err(SqlError::NoAnswer { doing: doing.to_owned(), within: Some(PATIENCE) }),
        }
    }
}

/// A name that can stand in a statement as it is.
fn known(name: &str) -> Result<&str, SqlError> {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    if !name.is_empty() && name.chars().all(fits) {
        return Ok(name);
    }
    Err(SqlError::Variable { what: "name", given: name.to_owned(), expected: "letters, digits and `_`" })
}

/// A value as SQL writes it: numbers bare, for integer variables take no text; anything else quoted, if it needs no escape.
fn literal(value: &str) -> Result<String, SqlError> {
    let number = value.strip_prefix('-').unwrap_or(value);
    if !number.is_empty() && number.parse::<f64>().is_ok() && number.chars().all(|c| c.is_ascii_digit() || c == '.') {
        return Ok(value.to_owned());
    }
    if value.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-.,:/+= ".contains(letter)) {
        return Ok(format!("'{value}'"));
    }
    let expected = "letters, digits, spaces and `_-.,:/+=`";
    Err(SqlError::Variable { what: "value", given: value.to_owned(), expected })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_bare_and_text_in_quotes() {
        for (value, sql) in [("2", "2"), ("-1.5", "-1.5"), ("ON", "'ON'"), ("1e5", "'1e5'"), ("", "''"), ("-", "'-'")] {
            assert_eq!(literal(value).unwrap(), sql);
        }
        assert_eq!(literal("closest-adaptive").unwrap(), "'closest-adaptive'");
    }

    #[test]
    fn what_could_leave_its_place_in_a_statement_is_refused() {
        for value in ["'", "a\\", "x\0", "1; DROP TABLE t\u{0}", "`"] {
            assert_eq!(literal(value).unwrap_err().exit_code(), 2, "{value}");
        }
        for name in ["", "a b", "x=1", "x;"] {
            assert_eq!(known(name).unwrap_err().exit_code(), 2, "{name}");
        }
    }

    #[test]
    fn a_server_that_is_not_there_is_told_as_such() {
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let target = SqlTarget::server("--tidb", &format!("mysql://pilot@127.0.0.1:{free}")).unwrap();
        let error = GlobalVariables::of(target).unwrap().read("tidb_replica_read").unwrap_err();
        assert!(error.exit_code() == 3 && error.to_string().contains("reading tidb_replica_read"), "{error}");
    }
}
