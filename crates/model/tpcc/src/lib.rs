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

pub use check::{Broken, Condition, check};
pub use dialect::{Dialect, Many, Statement, Table};
pub use input::{Delivery, Input, Line, NewOrder, OrderStatus, Payment, StockLevel, Who};
pub use load::{Batch, Piece, Pieces};
pub use mix::{Deck, Kind};
pub use nurand::{Constants, nurand};
pub use random::Random;
pub use scale::{CUSTOMERS, DISTRICTS, ITEMS, MOST_WAREHOUSES, ORDERS, Scale, UNDELIVERED};
pub use session::{Row, Session};
pub use text::last_name;
pub use transact::{End, Fault, transact};
pub use value::Value;
