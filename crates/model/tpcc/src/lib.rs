//! TPC-C as the standard describes it (revision 5.11): the data, the five transactions, their mix, and the conditions that
//! the data must meet. It sends nothing itself: a [`Session`] does, in the [`Dialect`] of its database.

#![forbid(unsafe_code)]

mod check;
#[cfg(test)]
mod columns_tests;
mod dialect;
mod input;
mod load;
mod mix;
mod nurand;
mod random;
mod scale;
mod session;
mod text;
mod transact;
mod value;

pub use check::{BrokenCondition, ConsistencyCondition, check};
pub use dialect::{Many, SqlDialect, Statement, Table};
pub use input::{
    CustomerKey, DeliveryInput, NewOrder, OrderLine, OrderStatus, PaymentInput, StockLevel, TerminalInput,
};
pub use load::{LoadPiece, LoadPieces, RowBatch};
pub use mix::{CardDeck, TransactionKind};
pub use nurand::{NurandConstants, nurand};
pub use random::TpccRandom;
pub use scale::{CUSTOMERS, DISTRICTS, DatabaseScale, ITEMS, MOST_WAREHOUSES, ORDERS, UNDELIVERED};
pub use session::{SqlRow, SqlSession};
pub use text::last_name;
pub use transact::{TransactionEnd, TransactionFault, transact};
pub use value::SqlValue;
