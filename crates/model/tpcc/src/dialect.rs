//! The texts that are sent: tables, statements and conditions in the SQL of a database, kept as files under `sql/`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::ConsistencyCondition;

macro_rules! named {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $key:literal),* $(,)? }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$doc])* $variant),* }

        impl $name {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// Its name in the files of a dialect.
            pub fn key(self) -> &'static str {
                match self { $(Self::$variant => $key),* }
            }
        }
    };
}

named! {
    /// The nine tables, and one that says how far the load is. Loaded in this order.
    Table {
        /// 100,000 rows whatever the scale.
        Item = "item",
        /// One row each.
        Warehouse = "warehouse",
        /// Ten a warehouse.
        District = "district",
        /// 100,000 a warehouse.
        Stock = "stock",
        /// 3,000 a district.
        Customer = "customer",
        /// Payments; one a customer.
        History = "history",
        /// 3,000 a district.
        Orders = "orders",
        /// 5 to 15 an order.
        OrderLine = "order_line",
        /// Orders that are not delivered yet.
        NewOrder = "new_order",
        /// Pieces that are loaded.
        Loaded = "loaded",
    }
}

named! {
    /// Statements with a fixed number of values.
    Statement {
        /// warehouse, district, customer → discount, last name, credit, warehouse tax.
        CustomerAndTax = "customer-and-tax",
        /// warehouse, district → next order, tax; locked.
        LockDistrict = "lock-district",
        /// warehouse, district.
        CountOrder = "count-order",
        /// warehouse, district, order, customer, entered, lines, all local.
        AddOrder = "add-order",
        /// warehouse, district, order.
        AddNewOrder = "add-new-order",
        /// quantity, year to date, orders, remote ones, warehouse, item.
        TakeStock = "take-stock",
        /// amount, warehouse.
        PayWarehouse = "pay-warehouse",
        /// warehouse → name, street, street, city, state, zip.
        ShowWarehouse = "show-warehouse",
        /// amount, warehouse, district.
        PayDistrict = "pay-district",
        /// warehouse, district → name, street, street, city, state, zip.
        ShowDistrict = "show-district",
        /// warehouse, district, last name → numbers in the order of first names.
        CustomersOfName = "customers-of-name",
        /// warehouse, district, customer → first, middle, last name, address, phone, since, credit, limit, discount,
        /// balance; locked.
        LockCustomer = "lock-customer",
        /// warehouse, district, customer → data.
        CustomerData = "customer-data",
        /// amount, amount, warehouse, district, customer.
        PayCustomer = "pay-customer",
        /// amount, amount, data, warehouse, district, customer.
        PayBadCredit = "pay-bad-credit",
        /// customer's district and warehouse, number, district, warehouse, date, amount, data.
        AddHistory = "add-history",
        /// warehouse, district, customer → balance, first, middle, last name.
        ShowCustomer = "show-customer",
        /// warehouse, district, customer → last order, entered, carrier.
        LastOrder = "last-order",
        /// warehouse, district, order → its lines.
        ShowLines = "show-lines",
        /// warehouse, district → the oldest order that is not delivered; locked.
        OldestNewOrder = "oldest-new-order",
        /// amount, warehouse, district, customer.
        CreditCustomer = "credit-customer",
        /// warehouse, district → next order.
        NextOrder = "next-order",
        /// warehouse, district, next order, next order, warehouse, threshold → items below it.
        LowStock = "low-stock",
    }
}

named! {
    /// Statements for as many things as there are: what stands in `[…|separator]` is repeated.
    Many {
        /// items → number, price, name, data.
        Items = "items",
        /// district (1 to 10, into the column's name), then warehouse and item each → the stocks; locked.
        LockStocks = "lock-stocks",
        /// lines.
        AddLines = "add-lines",
        /// warehouse, district and order each.
        RemoveNewOrders = "remove-new-orders",
        /// carrier, then warehouse, district and order each.
        CarryOrders = "carry-orders",
        /// warehouse, district and order each → district, customer.
        CustomersOfOrders = "customers-of-orders",
        /// date, then warehouse, district and order each.
        DeliverLines = "deliver-lines",
        /// warehouse, district and order each → district, amount.
        AmountsOfOrders = "amounts-of-orders",
    }
}

/// The texts of a database.
#[derive(Debug, Clone)]
pub struct SqlDialect {
    schema: &'static str,
    statements: Statements,
    conditions: Vec<ConsistencyCondition>,
}

/// The file of statements.
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Statements {
    one: BTreeMap<String, String>,
    many: BTreeMap<String, String>,
}

/// The file of conditions.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Conditions {
    condition: Vec<ConsistencyCondition>,
}

impl SqlDialect {
    /// That of MySQL, MariaDB and TiDB. TiDB's differs in what may be tried again, which is its connection's concern.
    pub fn mysql() -> &'static Self {
        static MYSQL: LazyLock<SqlDialect> = LazyLock::new(|| {
            SqlDialect::read(
                include_str!("../sql/mysql/schema.sql"),
                include_str!("../sql/mysql/statements.toml"),
                include_str!("../sql/mysql/conditions.toml"),
            )
        });
        &MYSQL
    }

    fn read(schema: &'static str, statements: &str, conditions: &str) -> Self {
        let statements: Statements = toml::from_str(statements).expect("a file of this crate, which tests read");
        let conditions: Conditions = toml::from_str(conditions).expect("a file of this crate, which tests read");
        Self { schema, statements, conditions: conditions.condition }
    }

    /// Creates the tables, one statement after the other.
    pub fn schema(&self) -> impl Iterator<Item = &str> {
        self.schema.split(';').map(str::trim).filter(|text| !text.is_empty())
    }

    /// The text of a statement.
    ///
    /// # Panics
    /// When the dialect lacks it, which tests rule out.
    pub fn statement(&self, statement: Statement) -> &str {
        &self.statements.one[statement.key()]
    }

    /// The text of a statement for so many things.
    ///
    /// # Panics
    /// Panics like [`statement`](Self::statement).
    pub fn many(&self, statement: Many, count: usize) -> String {
        let text = &self.statements.many[statement.key()];
        let (head, rest) = text.split_once('[').expect("something is repeated");
        let (repeated, tail) = rest.split_once(']').expect("what is repeated ends");
        let (each, between) = repeated.split_once('|').expect("something stands between");
        format!("{head}{}{tail}", vec![each; count].join(between))
    }

    /// Consistency conditions of the data (3.3.2).
    pub fn conditions(&self) -> &[ConsistencyCondition] {
        &self.conditions
    }

    /// A statement that adds rows, all values in its text.
    pub fn insert(&self, table: Table, rows: &[Vec<crate::SqlValue>]) -> String {
        let mut text = String::with_capacity(64 * rows.len());
        text += "INSERT INTO ";
        text += table.key();
        text += " VALUES ";
        for (at, row) in rows.iter().enumerate() {
            text += if at == 0 { "(" } else { ",(" };
            for (at, value) in row.iter().enumerate() {
                if at > 0 {
                    text.push(',');
                }
                value.write(&mut text);
            }
            text.push(')');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dialect_has_every_statement_and_no_other() {
        let dialect = SqlDialect::mysql();
        let keys = |of: &[&'static str]| {
            let mut keys = of.to_vec();
            keys.sort_unstable();
            keys
        };
        let one: Vec<_> = Statement::ALL.iter().map(|statement| statement.key()).collect();
        let many: Vec<_> = Many::ALL.iter().map(|statement| statement.key()).collect();
        assert!(dialect.statements.one.keys().map(String::as_str).eq(keys(&one)));
        assert!(dialect.statements.many.keys().map(String::as_str).eq(keys(&many)));
        for table in Table::ALL {
            assert!(dialect.schema().any(|sql| sql.contains(&format!("TABLE {} ", table.key()))), "{table:?}");
        }
    }

    #[test]
    fn a_statement_for_many_repeats_what_is_in_brackets() {
        let text = SqlDialect::mysql().many(Many::Items, 3);
        assert_eq!(text.matches('?').count(), 3, "{text}");
        assert!(text.contains("?, ?, ?)") && !text.contains(['[', ']', '|']), "{text}");
    }
}
