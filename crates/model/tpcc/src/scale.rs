//! How many rows there are (clauses 1.2.1 and 4.2.2).

/// Districts of a warehouse.
pub const DISTRICTS: i64 = 10;
/// Customers of a district.
pub const CUSTOMERS: i64 = 3000;
/// Orders of a district when it is loaded, one for each customer.
pub const ORDERS: i64 = 3000;
/// Orders that are not delivered yet, the last of each district.
pub const UNDELIVERED: i64 = 900;
/// Items, whatever the number of warehouses.
pub const ITEMS: i64 = 100_000;
/// More are not loaded: some 9 TB.
pub const MOST_WAREHOUSES: i64 = 100_000;

/// How large a database is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DatabaseScale {
    /// Warehouses, numbered from 1.
    pub warehouses: i64,
}

impl DatabaseScale {
    /// Rows when it is loaded; those of order lines in the mean.
    pub fn rows(self) -> i64 {
        let district = 1 + CUSTOMERS * 2 + ORDERS * (1 + MEAN_LINES) + UNDELIVERED;
        ITEMS + self.warehouses * (1 + ITEMS + DISTRICTS * district)
    }
}

/// Lines of an order in the mean: 5 to 15.
const MEAN_LINES: i64 = 10;
