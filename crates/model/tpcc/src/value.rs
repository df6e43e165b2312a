//! What a column holds.

use std::fmt::Write;

/// Value of a column, as far as TPC-C needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SqlValue {
    /// Nothing.
    Null,
    /// A whole number.
    Int(i64),
    /// A decimal number: `units` of a tenth, to the power of `places`.
    Decimal {
        /// The number without its point.
        units: i64,
        /// Digits after the point.
        places: u8,
    },
    /// A text; of a time, as `2026-01-31 12:00:00`.
    Text(String),
}

impl SqlValue {
    /// An amount of money in cents.
    pub fn cents(cents: i64) -> Self {
        Self::Decimal { units: cents, places: 2 }
    }

    /// A tax or a discount in ten-thousandths.
    pub fn rate(units: i64) -> Self {
        Self::Decimal { units, places: 4 }
    }

    /// Appends it as every dialect of SQL reads it.
    ///
    /// # Panics
    /// In debug builds, when a text has a character that would need quoting: generated texts have none.
    pub fn write(&self, out: &mut String) {
        // Writing to a string cannot fail.
        let _ = match self {
            Self::Null => out.write_str("NULL"),
            Self::Int(number) => write!(out, "{number}"),
            Self::Decimal { .. } => out.write_str(&self.digits()),
            Self::Text(text) => {
                debug_assert!(!text.contains(['\'', '\\']), "{text}");
                write!(out, "'{text}'")
            }
        };
    }

    /// A number as digits, with its point; the text of a text.
    pub fn digits(&self) -> String {
        match self {
            Self::Null => String::new(),
            Self::Int(number) => number.to_string(),
            Self::Text(text) => text.clone(),
            Self::Decimal { units, places } => {
                let one = 10i64.pow((*places).into()).unsigned_abs();
                let (sign, units) = (if *units < 0 { "-" } else { "" }, units.unsigned_abs());
                format!("{sign}{}.{:0width$}", units / one, units % one, width = usize::from(*places))
            }
        }
    }

    /// Whole number of units with `places` digits after the point, from the digits of a decimal.
    pub fn units(&self, places: u8) -> Option<i64> {
        let digits = match self {
            Self::Null => return None,
            other => other.digits(),
        };
        let (whole, part) = digits.split_once('.').unwrap_or((&digits, ""));
        let places = usize::from(places);
        if part.len() > places && part[places..].bytes().any(|digit| digit != b'0') {
            return None;
        }
        let part = &part[..part.len().min(places)];
        format!("{whole}{part:0<places$}").parse().ok()
    }

    /// Whole number of the value.
    pub fn int(&self) -> Option<i64> {
        match self {
            Self::Int(number) => Some(*number),
            other => other.units(0),
        }
    }

    /// Text of the value.
    pub fn text(&self) -> &str {
        match self {
            Self::Text(text) => text,
            _ => "",
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_decimal_reads_back_as_it_was_written(units in -10_000_000_000i64..10_000_000_000, places in 0u8..6) {
            let text = SqlValue::Text(SqlValue::Decimal { units, places }.digits().trim_end_matches('.').to_owned());
            prop_assert_eq!(text.units(places), Some(units), "{:?}", text);
            prop_assert_eq!(text.units(places + 2), Some(units * 100));
        }
    }

    #[test]
    fn values_are_written_as_sql_reads_them() {
        let mut out = String::new();
        for value in [
            SqlValue::Null,
            SqlValue::Int(-3),
            SqlValue::cents(-1005),
            SqlValue::rate(12),
            SqlValue::Text("x1".to_owned()),
        ] {
            value.write(&mut out);
            out.push(' ');
        }
        assert_eq!(out, "NULL -3 -10.05 0.0012 'x1' ");
        assert_eq!(SqlValue::Text("1.005".to_owned()).units(2), None, "nothing is rounded away");
    }
}
