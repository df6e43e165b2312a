//! Days as people write them, whole or in part.

use jiff::civil::Date;

/// A text that is no day.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is not a date: write a day (2020-11-25), a month (2020-11, its last day) or a year (2020, its last day)"
)]
pub struct DateError {
    /// The text as given.
    pub text: String,
}

/// Reads a day; a month or a year stands for its last day.
///
/// # Errors
/// When the text is neither a day, a month nor a year of the calendar.
pub fn parse_date(text: &str) -> Result<Date, DateError> {
    let error = || DateError { text: text.to_owned() };
    let mut parts = text.trim().split('-');
    let mut number = |digits: usize| match parts.next() {
        None => Ok(None),
        Some(p) if p.len() == digits && p.bytes().all(|b| b.is_ascii_digit()) => {
            p.parse().map(Some).map_err(|_| error())
        }
        Some(_) => Err(error()),
    };
    let year: i16 = number(4)?.ok_or_else(error)?;
    let month = number(2)?.map(|m| m as i8);
    let day = number(2)?.map(|d| d as i8);
    if parts.next().is_some() {
        return Err(error());
    }
    let first = Date::new(year, month.unwrap_or(12), day.unwrap_or(1)).map_err(|_| error())?;
    Ok(if day.is_some() { first } else { first.last_of_month() })
}

/// Reads the day under a key of a file: a day, a month or a year in quotes.
///
/// # Errors
/// When the value is no text, or the text is no day.
pub fn deserialize_day<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Date>, D::Error> {
    struct Day;
    impl serde::de::Visitor<'_> for Day {
        type Value = Date;
        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a day in quotes, such as \"2020-11-30\"")
        }
        fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Date, E> {
            parse_date(text).map_err(E::custom)
        }
    }
    deserializer.deserialize_any(Day).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    #[test]
    fn a_month_or_a_year_is_its_last_day() {
        assert_eq!(parse_date("2020-11-25"), Ok(date(2020, 11, 25)));
        assert_eq!(parse_date("2020-11"), Ok(date(2020, 11, 30)));
        assert_eq!(parse_date("2024-02"), Ok(date(2024, 2, 29)));
        assert_eq!(parse_date(" 2020 "), Ok(date(2020, 12, 31)));
    }

    #[test]
    fn what_is_no_day_is_refused_with_the_ways_to_write_one() {
        for text in ["", "20", "2020-13", "2020-02-30", "2020-1-1", "2020-11-25-01", "2020-11-", "last year", "-2020"] {
            let message = parse_date(text).unwrap_err().to_string();
            assert!(message.contains(&format!("`{text}`")) && message.contains("2020-11-25"), "{message}");
        }
    }
}
