//! Whether what is written fits the columns of the schema, at the largest scale.

use std::collections::BTreeMap;

use crate::{DatabaseScale, LoadPieces, MOST_WAREHOUSES, SqlDialect, SqlValue, Table};

/// What a column takes.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Bound {
    Int(i64),
    Decimal { digits: u32, places: u32 },
    Text(usize),
    Time,
}

impl Bound {
    fn of(kind: &str) -> Self {
        let (name, numbers) = kind.split_once('(').unwrap_or((kind, ""));
        let mut numbers = numbers.trim_end_matches(')').split(',').filter_map(|number| number.trim().parse().ok());
        match name {
            "int" => Self::Int(i32::MAX.into()),
            "bigint" => Self::Int(i64::MAX),
            "datetime" => Self::Time,
            "char" | "varchar" => Self::Text(numbers.next().unwrap() as usize),
            "decimal" => Self::Decimal { digits: numbers.next().unwrap(), places: numbers.next().unwrap() },
            other => panic!("{other} is a type that this test does not know"),
        }
    }

    fn takes(self, value: &SqlValue) -> bool {
        match (self, value) {
            (_, SqlValue::Null) => true,
            (Self::Int(most), SqlValue::Int(number)) => number.abs() <= most,
            (Self::Text(most), SqlValue::Text(text)) => text.len() <= most,
            (Self::Time, SqlValue::Text(text)) => text.len() == "2026-01-31 12:00:00".len(),
            (Self::Decimal { digits, places }, SqlValue::Int(number)) => number.abs() < 10i64.pow(digits - places),
            (Self::Decimal { digits, places }, SqlValue::Decimal { units, places: given }) => {
                u32::from(*given) <= places && units.abs() * 10i64.pow(places - u32::from(*given)) < 10i64.pow(digits)
            }
            _ => false,
        }
    }
}

/// The columns of each table, in order.
fn columns() -> BTreeMap<Table, Vec<(String, Bound)>> {
    let of = |table: &Table| {
        let name = format!("CREATE TABLE {} (", table.key());
        let body = SqlDialect::mysql().schema().find_map(|sql| sql.strip_prefix(&name)).unwrap();
        // A comma inside brackets separates no columns.
        let (mut depth, mut parts) = (0, vec![String::new()]);
        for letter in body.chars() {
            depth += i32::from(letter == '(') - i32::from(letter == ')');
            match letter {
                ',' if depth == 0 => parts.push(String::new()),
                _ => parts.last_mut().unwrap().push(letter),
            }
        }
        let column = |part: &String| {
            let (name, rest) = part.trim().split_once(' ')?;
            let kind = rest.split(" NOT NULL").next().unwrap().trim_end_matches(')').to_owned();
            let kind = if kind.contains('(') { format!("{kind})") } else { kind };
            (!matches!(name, "PRIMARY" | "KEY")).then(|| (name.to_owned(), Bound::of(&kind)))
        };
        (*table, parts.iter().filter_map(column).collect())
    };
    Table::ALL.iter().map(of).collect()
}

#[test]
fn what_is_loaded_fits_its_columns_at_the_largest_scale() {
    let pieces = LoadPieces::new(DatabaseScale { warehouses: MOST_WAREHOUSES }, 42, "2026-01-31 12:00:00");
    let (columns, last) = (columns(), pieces.count());
    let mut seen = BTreeMap::new();
    // Items, and of the last warehouse itself, stock and a district.
    for number in [0, 9, last - 21, last - 12, last - 1] {
        for batch in pieces.batches(number) {
            for row in &batch.rows {
                for ((name, bound), value) in columns[&batch.table].iter().zip(row) {
                    assert!(bound.takes(value), "{name} takes {bound:?}, not {value:?}");
                }
            }
            *seen.entry(batch.table).or_insert(0) += batch.rows.len();
            let sql = SqlDialect::mysql().insert(batch.table, &batch.rows);
            // The smallest packet that a server takes by default: MySQL 5.7's.
            assert!(sql.len() < 4 << 20, "a statement for {:?} has {} bytes", batch.table, sql.len());
        }
    }
    assert_eq!(seen.len(), Table::ALL.len() - 1, "all but `loaded`: {seen:?}");
}

#[test]
fn what_transactions_write_fits_its_columns() {
    let columns = columns();
    let of = |table: Table, column: &str| {
        columns[&table].iter().find(|(name, _)| name == column).unwrap_or_else(|| panic!("no column {column}")).1
    };
    let text = |bound: Bound| if let Bound::Text(most) = bound { most } else { panic!("{bound:?} is no text") };
    // Payment: both names and four spaces (2.5.2.2).
    let names = text(of(Table::Warehouse, "w_name")) + 4 + text(of(Table::District, "d_name"));
    assert!(names <= text(of(Table::History, "h_data")));
    assert_eq!(text(of(Table::Customer, "c_data")), crate::transact::DATA);
    // New-Order: ten of the most expensive item; Payment: 5,000 dollars.
    assert!(of(Table::OrderLine, "ol_amount").takes(&SqlValue::cents(10 * 10_000)));
    assert!(of(Table::History, "h_amount").takes(&SqlValue::cents(500_000)));
    // An hour of 500 of the largest payments a second in one warehouse.
    assert!(of(Table::Warehouse, "w_ytd").takes(&SqlValue::cents(30_000_000 + 3600 * 500 * 500_000)));
}
