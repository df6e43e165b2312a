//! One connection, with its statements prepared.

use std::collections::HashMap;
use std::io;
use std::time::Duration;

use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Error, Statement as Prepared};
use signals::{GivenUp, StopSignal};
use tpcc::{Many, SqlDialect, SqlRow, SqlSession, SqlValue, Statement};

use crate::SqlTarget;
use crate::rows::gathered;

/// How long a server may take to let in.
const CONNECT: Duration = Duration::from_secs(10);

/// How long a statement may take. The longest there are load a database or check all of it; what is measured takes no minute, and
/// counts whole whatever it takes. A server that says nothing for so long is gone.
const STATEMENT: Duration = Duration::from_secs(600);

/// How long the end of a connection may take.
const CLOSING: Duration = Duration::from_secs(1);

/// One connection, with its statements prepared as they are first needed. Whatever it waits for is given up at a signal.
pub(crate) struct Connection {
    conn: Conn,
    stop: StopSignal,
    dialect: &'static SqlDialect,
    one: HashMap<Statement, Prepared>,
    many: HashMap<(Many, usize), Prepared>,
    other: HashMap<String, Prepared>,
}

impl Connection {
    pub(crate) async fn open(target: &SqlTarget, in_schema: bool) -> Result<Self, Error> {
        let stop = StopSignal::default();
        let conn = heard(stop.within(CONNECT, Conn::new(target.opts(in_schema))).await, CONNECT)?;
        let (one, many, other) = Default::default();
        Ok(Self { conn, stop, dialect: SqlDialect::mysql(), one, many, other })
    }

    /// Sends a statement that takes no values and gives no rows, prepared.
    pub(crate) async fn execute(&mut self, sql: &str) -> Result<(), Error> {
        let prepared = match self.other.get(sql) {
            Some(prepared) => prepared.clone(),
            None => {
                let prepared = within(&self.stop, self.conn.prep(sql)).await?;
                self.other.insert(sql.to_owned(), prepared.clone());
                prepared
            }
        };
        within(&self.stop, self.conn.exec_drop(&prepared, ())).await
    }

    /// Sends a text that gives no rows.
    pub(crate) async fn run(&mut self, sql: &str) -> Result<(), Error> {
        within(&self.stop, self.conn.query_drop(sql)).await
    }

    pub(crate) async fn close(self) {
        // The server notices soon enough if it does not hear of it.
        let _ = self.stop.within(CLOSING, self.conn.disconnect()).await;
    }

    async fn ask(&mut self, prepared: Prepared, values: &[SqlValue]) -> Result<Vec<SqlRow>, Error> {
        let values: Vec<mysql_async::Value> = values.iter().map(sent).collect();
        let conn = &mut self.conn;
        within(&self.stop, async { gathered(conn.exec_iter(&prepared, values).await?).await }).await
    }
}

impl SqlSession for Connection {
    type Error = Error;

    async fn begin(&mut self) -> Result<(), Error> {
        self.run("BEGIN").await
    }

    async fn commit(&mut self) -> Result<(), Error> {
        self.run("COMMIT").await
    }

    async fn rollback(&mut self) -> Result<(), Error> {
        self.run("ROLLBACK").await
    }

    async fn send(&mut self, statement: Statement, values: &[SqlValue]) -> Result<Vec<SqlRow>, Error> {
        let prepared = match self.one.get(&statement) {
            Some(prepared) => prepared.clone(),
            None => {
                let prepared = within(&self.stop, self.conn.prep(self.dialect.statement(statement))).await?;
                self.one.insert(statement, prepared.clone());
                prepared
            }
        };
        self.ask(prepared, values).await
    }

    async fn send_many(&mut self, statement: Many, count: usize, values: &[SqlValue]) -> Result<Vec<SqlRow>, Error> {
        let prepared = match self.many.get(&(statement, count)) {
            Some(prepared) => prepared.clone(),
            None => {
                let prepared = within(&self.stop, self.conn.prep(self.dialect.many(statement, count))).await?;
                self.many.insert((statement, count), prepared.clone());
                prepared
            }
        };
        self.ask(prepared, values).await
    }

    async fn text(&mut self, sql: &str) -> Result<Vec<SqlRow>, Error> {
        let conn = &mut self.conn;
        within(&self.stop, async { gathered(conn.query_iter(sql).await?).await }).await
    }
}

/// Waits for what a statement brings.
async fn within<T>(stop: &StopSignal, statement: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    heard(stop.within(STATEMENT, statement).await, STATEMENT)
}

/// Turns a wait that was given up into an error of the connection: it holds an answer that nobody reads.
fn heard<T>(answer: Result<Result<T, Error>, GivenUp>, within: Duration) -> Result<T, Error> {
    let error = match answer {
        Ok(answer) => return answer,
        Err(GivenUp::Stopped) => io::Error::new(io::ErrorKind::Interrupted, "the wait for its answer was given up"),
        Err(GivenUp::Late) => {
            io::Error::new(io::ErrorKind::TimedOut, format!("no answer within {} s", within.as_secs()))
        }
    };
    Err(Error::from(error))
}

fn sent(value: &SqlValue) -> mysql_async::Value {
    match value {
        SqlValue::Null => mysql_async::Value::NULL,
        SqlValue::Int(number) => mysql_async::Value::Int(*number),
        SqlValue::Text(text) => mysql_async::Value::Bytes(text.as_bytes().to_vec()),
        decimal @ SqlValue::Decimal { .. } => mysql_async::Value::Bytes(decimal.digits().into_bytes()),
    }
}

#[cfg(test)]
#[path = "connection_tests.rs"]
mod tests;
