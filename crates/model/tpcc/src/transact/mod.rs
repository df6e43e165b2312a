//! The five transactions (clauses 2.4 to 2.8), statement by statement.

mod delivery;
mod new_order;
mod order_status;
mod payment;
mod stock_level;

#[cfg(test)]
pub(crate) use payment::DATA;

use crate::value::SqlValue;
use crate::{CustomerKey, SqlRow, SqlSession, Statement, TerminalInput};

/// How a transaction ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransactionEnd {
    /// Done.
    Committed,
    /// Taken back as the standard wants it for an order with a wrong item (2.4.1.4); it counts as done.
    RolledBack,
}

/// Why a transaction was not done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TransactionFault<E> {
    /// The database said no before the commit: nothing of it has been done.
    #[error("{0}")]
    Before(E),
    /// The commit was not answered well: it may have been done.
    #[error("{0}")]
    Commit(E),
    /// The database lacks a row that must be there.
    #[error("{0} is missing: the tables are not those of TPC-C, or not loaded to the end")]
    Missing(&'static str),
}

impl<E> From<E> for TransactionFault<E> {
    fn from(error: E) -> Self {
        Self::Before(error)
    }
}

/// Does what a terminal entered; `now` is the time as `2026-01-31 12:00:00`. When it fails the transaction is still open.
///
/// # Errors
/// When the database says no, or lacks rows.
pub async fn transact<S: SqlSession>(
    session: &mut S,
    input: &TerminalInput,
    now: &str,
) -> Result<TransactionEnd, TransactionFault<S::Error>> {
    session.begin().await?;
    let end = match input {
        TerminalInput::NewOrder(order) => new_order::new_order(session, order, now).await?,
        TerminalInput::Payment(payment) => payment::payment(session, payment, now).await?,
        TerminalInput::OrderStatus(status) => order_status::order_status(session, status).await?,
        TerminalInput::Delivery(delivery) => delivery::delivery(session, delivery, now).await?,
        TerminalInput::StockLevel(level) => stock_level::stock_level(session, level).await?,
    };
    match end {
        TransactionEnd::Committed => session.commit().await.map_err(TransactionFault::Commit)?,
        TransactionEnd::RolledBack => session.rollback().await?,
    }
    Ok(end)
}

/// The number of a customer (2.5.2.2): of several of a name the one in the middle, rounded up.
async fn number<S: SqlSession>(
    session: &mut S,
    who: &CustomerKey,
    warehouse: i64,
    district: i64,
) -> Result<i64, TransactionFault<S::Error>> {
    match who {
        CustomerKey::Number(number) => Ok(*number),
        CustomerKey::Name(name) => {
            let values = [SqlValue::Int(warehouse), SqlValue::Int(district), SqlValue::Text(name.clone())];
            let rows = session.send(Statement::CustomersOfName, &values).await?;
            rows.get(rows.len().div_ceil(2).saturating_sub(1))
                .and_then(|row| row.first()?.int())
                .ok_or(TransactionFault::Missing("a customer of that name"))
        }
    }
}

fn ints<const N: usize>(numbers: [i64; N]) -> [SqlValue; N] {
    numbers.map(SqlValue::Int)
}

/// A whole number of the first row.
fn int<E>(rows: &[SqlRow], column: usize, what: &'static str) -> Result<i64, TransactionFault<E>> {
    rows.first().and_then(|row| row.get(column)?.int()).ok_or(TransactionFault::Missing(what))
}

#[cfg(test)]
mod tests;
