//! Rows of an answer, read one after the other: a server may send them without end.

use std::io;

use mysql_async::consts::ColumnType;
use mysql_async::prelude::Protocol;
use mysql_async::{Error, QueryResult};
use tpcc::{SqlRow, SqlValue};

/// The most memory that an answer may take. The longest that is asked for is `SHOW GLOBAL STATUS`, some 50 KB; a schema of a
/// hundred thousand tables has 10 MB of names. Packets have a bound of their own, see `target`.
const MOST_BYTES: usize = 64 << 20;

/// All rows of an answer.
///
/// # Errors
/// When the server fails, or they take more than [`MOST_BYTES`].
pub(crate) async fn gathered<P: Protocol>(mut answer: QueryResult<'_, '_, P>) -> Result<Vec<SqlRow>, Error> {
    let (mut rows, mut bytes) = (Vec::new(), 0);
    while let Some(row) = answer.next().await? {
        let row = received(row);
        bytes += size_of::<SqlRow>() + row.iter().map(in_memory).sum::<usize>();
        if bytes > MOST_BYTES {
            return Err(Error::from(too_long(rows.len())));
        }
        rows.push(row);
    }
    Ok(rows)
}

fn in_memory(value: &SqlValue) -> usize {
    let text = if let SqlValue::Text(text) = value { text.capacity() } else { 0 };
    size_of::<SqlValue>() + text
}

fn too_long(rows: usize) -> io::Error {
    let most = MOST_BYTES >> 20;
    let message = format!(
        "its answer has more than {most} MiB, {rows} rows so far, and nothing that is asked takes so much: is it a database that \
         speaks MySQL's protocol, and are the tables those that were loaded?"
    );
    io::Error::new(io::ErrorKind::InvalidData, message)
}

fn received(row: mysql_async::Row) -> SqlRow {
    let whole: Vec<bool> = row.columns_ref().iter().map(|column| is_whole(column.column_type())).collect();
    row.unwrap().into_iter().zip(whole).map(|(value, whole)| one(value, whole)).collect()
}

fn one(value: mysql_async::Value, whole: bool) -> SqlValue {
    use mysql_async::Value::{Bytes, Double, Float, Int, NULL, UInt};
    match value {
        NULL => SqlValue::Null,
        Int(number) => SqlValue::Int(number),
        UInt(number) => i64::try_from(number).map_or_else(|_| SqlValue::Text(number.to_string()), SqlValue::Int),
        Bytes(bytes) => {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            // What is asked as text is answered as text.
            match text.parse() {
                Ok(number) if whole => SqlValue::Int(number),
                _ => SqlValue::Text(text),
            }
        }
        Float(number) => SqlValue::Text(number.to_string()),
        Double(number) => SqlValue::Text(number.to_string()),
        other => SqlValue::Text(other.as_sql(true).trim_matches('\'').to_owned()),
    }
}

fn is_whole(kind: ColumnType) -> bool {
    use ColumnType::{MYSQL_TYPE_INT24, MYSQL_TYPE_LONG, MYSQL_TYPE_LONGLONG, MYSQL_TYPE_SHORT, MYSQL_TYPE_TINY};
    matches!(kind, MYSQL_TYPE_INT24 | MYSQL_TYPE_LONG | MYSQL_TYPE_LONGLONG | MYSQL_TYPE_SHORT | MYSQL_TYPE_TINY)
}
