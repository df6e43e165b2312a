//! One connection, with its statements prepared.

use std::collections::HashMap;

use mysql_async::consts::ColumnType;
use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Error, Statement as Prepared};
use tpcc::{Dialect, Many, Row, Session, Statement, Value};

use crate::Target;

/// One connection, with its statements prepared as they are first needed.
pub(crate) struct Connection {
    conn: Conn,
    dialect: &'static Dialect,
    one: HashMap<Statement, Prepared>,
    many: HashMap<(Many, usize), Prepared>,
    other: HashMap<String, Prepared>,
}

impl Connection {
    pub(crate) async fn open(target: &Target, in_schema: bool) -> Result<Self, Error> {
        let conn = Conn::new(target.opts(in_schema)).await?;
        let (one, many, other) = Default::default();
        Ok(Self { conn, dialect: Dialect::mysql(), one, many, other })
    }

    /// Sends a statement that takes no values and gives no rows, prepared.
    pub(crate) async fn execute(&mut self, sql: &str) -> Result<(), Error> {
        let prepared = match self.other.get(sql) {
            Some(prepared) => prepared.clone(),
            None => {
                let prepared = self.conn.prep(sql).await?;
                self.other.insert(sql.to_owned(), prepared.clone());
                prepared
            }
        };
        self.conn.exec_drop(&prepared, ()).await
    }

    /// Sends a text that gives no rows.
    pub(crate) async fn run(&mut self, sql: &str) -> Result<(), Error> {
        self.conn.query_drop(sql).await
    }

    pub(crate) async fn close(self) {
        // The server notices soon enough if it does not hear of it.
        let _ = self.conn.disconnect().await;
    }

    async fn ask(&mut self, prepared: Prepared, values: &[Value]) -> Result<Vec<Row>, Error> {
        let values: Vec<mysql_async::Value> = values.iter().map(sent).collect();
        let rows: Vec<mysql_async::Row> = self.conn.exec(&prepared, values).await?;
        Ok(rows.into_iter().map(received).collect())
    }
}

impl Session for Connection {
    type Error = Error;

    async fn begin(&mut self) -> Result<(), Error> {
        self.conn.query_drop("BEGIN").await
    }

    async fn commit(&mut self) -> Result<(), Error> {
        self.conn.query_drop("COMMIT").await
    }

    async fn rollback(&mut self) -> Result<(), Error> {
        self.conn.query_drop("ROLLBACK").await
    }

    async fn send(&mut self, statement: Statement, values: &[Value]) -> Result<Vec<Row>, Error> {
        let prepared = match self.one.get(&statement) {
            Some(prepared) => prepared.clone(),
            None => {
                let prepared = self.conn.prep(self.dialect.statement(statement)).await?;
                self.one.insert(statement, prepared.clone());
                prepared
            }
        };
        self.ask(prepared, values).await
    }

    async fn send_many(&mut self, statement: Many, count: usize, values: &[Value]) -> Result<Vec<Row>, Error> {
        let prepared = match self.many.get(&(statement, count)) {
            Some(prepared) => prepared.clone(),
            None => {
                let prepared = self.conn.prep(self.dialect.many(statement, count)).await?;
                self.many.insert((statement, count), prepared.clone());
                prepared
            }
        };
        self.ask(prepared, values).await
    }

    async fn text(&mut self, sql: &str) -> Result<Vec<Row>, Error> {
        let rows: Vec<mysql_async::Row> = self.conn.query(sql).await?;
        Ok(rows.into_iter().map(received).collect())
    }
}

fn sent(value: &Value) -> mysql_async::Value {
    match value {
        Value::Null => mysql_async::Value::NULL,
        Value::Int(number) => mysql_async::Value::Int(*number),
        Value::Text(text) => mysql_async::Value::Bytes(text.as_bytes().to_vec()),
        decimal @ Value::Decimal { .. } => mysql_async::Value::Bytes(decimal.digits().into_bytes()),
    }
}

fn received(row: mysql_async::Row) -> Row {
    let whole: Vec<bool> = row.columns_ref().iter().map(|column| is_whole(column.column_type())).collect();
    row.unwrap().into_iter().zip(whole).map(|(value, whole)| one(value, whole)).collect()
}

fn one(value: mysql_async::Value, whole: bool) -> Value {
    use mysql_async::Value::{Bytes, Double, Float, Int, NULL, UInt};
    match value {
        NULL => Value::Null,
        Int(number) => Value::Int(number),
        UInt(number) => i64::try_from(number).map_or_else(|_| Value::Text(number.to_string()), Value::Int),
        Bytes(bytes) => {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            // What is asked as text is answered as text.
            match text.parse() {
                Ok(number) if whole => Value::Int(number),
                _ => Value::Text(text),
            }
        }
        Float(number) => Value::Text(number.to_string()),
        Double(number) => Value::Text(number.to_string()),
        other => Value::Text(other.as_sql(true).trim_matches('\'').to_owned()),
    }
}

fn is_whole(kind: ColumnType) -> bool {
    use ColumnType::{MYSQL_TYPE_INT24, MYSQL_TYPE_LONG, MYSQL_TYPE_LONGLONG, MYSQL_TYPE_SHORT, MYSQL_TYPE_TINY};
    matches!(kind, MYSQL_TYPE_INT24 | MYSQL_TYPE_LONG | MYSQL_TYPE_LONGLONG | MYSQL_TYPE_SHORT | MYSQL_TYPE_TINY)
}
