//! `sar -d`: pr_stats.c of sysstat. A banner with the date, then tables whose rows begin with the time.

use jiff::Timestamp;
use jiff::tz::Offset;
use textfile::{InputError, Text};

use super::{SarRow, cell};
use crate::stamp;

/// Whether a line begins a table of disks.
pub(super) fn is_header(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let has = |words: std::str::SplitWhitespace<'_>, word: &str| words.clone().any(|one| one == word);
    has(words.clone(), "DEV")
        && has(words.clone(), "tps")
        && words.next().is_some_and(|first| first.contains(':') || first == "DEV")
}

pub(super) fn read(text: &Text, zone: Offset) -> Result<Vec<SarRow>, InputError> {
    let (mut rows, mut offset) = (Vec::new(), 0);
    let (mut date, mut node) = (None::<String>, None::<String>);
    let mut header = None::<Vec<&str>>;
    let mut days = DayCount::default();
    let (mut report, mut last) = (0, String::new());
    for line in text.content().split_inclusive('\n') {
        let start = offset;
        offset += line.len();
        let words: Vec<&str> = line.split_whitespace().collect();
        if words.first() == Some(&"Linux") {
            // Linux 5.10.0 (host)  11/21/2026  _x86_64_  (8 CPU)
            let is_date = |word: &&&str| {
                word.len() >= 8 && word.starts_with(|c: char| c.is_ascii_digit()) && word.contains(['/', '-', '.'])
            };
            date = words.iter().skip(2).find(is_date).map(|word| (*word).to_owned());
            node = words.get(2).and_then(|word| word.strip_prefix('(')?.strip_suffix(')')).map(str::to_owned);
            (header, days) = (None, DayCount::default());
            continue;
        }
        if is_header(line) {
            header = Some(words.into_iter().skip_while(|word| *word != "DEV").collect());
            continue;
        }
        let Some(columns) = &header else { continue };
        if words.is_empty()
            || words[0].starts_with("Average")
            || words.iter().any(|word| *word == "RESTART" || *word == "LINUX")
        {
            header = None;
            continue;
        }
        let is_half = |word: &&str| matches!(*word, "AM" | "PM");
        let stamps = usize::from(words[0].contains(':')) + usize::from(words.get(1).is_some_and(is_half));
        if words.len() != columns.len() + stamps {
            if offset == text.content().len() && !line.ends_with('\n') {
                break;
            }
            let message =
                format!("has {} columns; expected the {} of the header after its time", words.len(), columns.len());
            return Err(text.error_at(start, message));
        }
        let time = words[..stamps].join(" ");
        if time != last {
            report += usize::from(!last.is_empty());
            last.clone_from(&time);
        }
        let at = date.as_deref().and_then(|date| days.instant(date, &time, zone));
        let mut row = SarRow { device: words[stamps].to_owned(), node: node.clone(), at, report, ..SarRow::default() };
        for (name, word) in columns.iter().zip(&words[stamps..]).skip(1) {
            let number = if word.contains('.') { word.parse() } else { word.replacen(',', ".", 1).parse() };
            let number = number.ok().filter(|number: &f64| number.is_finite() && *number >= 0.0);
            let message = || format!("`{word}` in column `{name}` is no rate; expected a number such as 12.50");
            cell(&mut row, name, number.ok_or_else(|| text.error_at(start, message()))?);
        }
        rows.push(row);
    }
    Ok(rows)
}

/// Times of a day, and how many midnights have passed: only the banner has a date.
#[derive(Default)]
struct DayCount {
    last: Option<Timestamp>,
    passed: i64,
}

impl DayCount {
    fn instant(&mut self, date: &str, time: &str, zone: Offset) -> Option<Timestamp> {
        let read = stamp::read(&format!("{date} {time}"), zone)?;
        let day = |days: i64| jiff::SignedDuration::from_hours(24 * days);
        let mut at = read.checked_add(day(self.passed)).ok()?;
        if self.last.is_some_and(|last| at < last) {
            self.passed += 1;
            at = read.checked_add(day(self.passed)).ok()?;
        }
        self.last = Some(at);
        Some(at)
    }
}
