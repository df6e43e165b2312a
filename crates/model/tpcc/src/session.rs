//! The seam to a database.

use std::future::Future;

use crate::{Many, SqlValue, Statement};

/// A row that a database answered.
pub type SqlRow = Vec<SqlValue>;

/// A connection that knows the statements of its [`Dialect`](crate::Dialect), prepared where the database can.
pub trait SqlSession {
    /// Why the database said no.
    type Error;

    /// Begins a transaction.
    fn begin(&mut self) -> impl Future<Output = Result<(), Self::Error>>;
    /// Ends it for good.
    fn commit(&mut self) -> impl Future<Output = Result<(), Self::Error>>;
    /// Ends it as if it had not been.
    fn rollback(&mut self) -> impl Future<Output = Result<(), Self::Error>>;
    /// Sends a statement: the rows that it answers, none for one that only writes.
    fn send(
        &mut self,
        statement: Statement,
        values: &[SqlValue],
    ) -> impl Future<Output = Result<Vec<SqlRow>, Self::Error>>;
    /// Sends a statement for so many of a thing.
    fn send_many(
        &mut self,
        statement: Many,
        count: usize,
        values: &[SqlValue],
    ) -> impl Future<Output = Result<Vec<SqlRow>, Self::Error>>;
    /// Sends a text that is sent once only: the rows that it answers.
    fn text(&mut self, sql: &str) -> impl Future<Output = Result<Vec<SqlRow>, Self::Error>>;
}
