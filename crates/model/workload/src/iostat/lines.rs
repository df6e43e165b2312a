//! Reports as text: tables under a line with `Device` and the columns' names. `iostat -h` prints a report as several tables.

use textfile::{InputError, Text};

use super::columns::{Number, RowFault, device_rates};
use super::{DeviceRates, IncompleteRow, IostatReport};

/// A word of a line and where it begins in the text.
type Word<'a> = (usize, &'a str);

/// The columns of one device in one report, from all tables that name it.
struct Row<'a> {
    device: &'a str,
    /// Where its first line begins.
    at: usize,
    cells: Vec<(&'a str, Word<'a>)>,
}

/// One report under way.
#[derive(Default)]
struct Draft<'a> {
    stamp: Option<&'a str>,
    first: bool,
    rows: Vec<Row<'a>>,
}

pub(super) fn read(text: &Text) -> Result<Vec<IostatReport>, InputError> {
    let content = text.content();
    let mut reports = Reports { text, done: Vec::new(), draft: Draft::default() };
    let (mut header, mut offset) = (None::<Vec<&str>>, 0);
    // `iostat -h` of sysstat 10 and 11 prints a device's name on a line of its own.
    let mut name = None::<Word<'_>>;
    for line in content.split_inclusive('\n') {
        let start = offset;
        offset += line.len();
        let mut words = words(line, start);
        let is_device = |word: Option<&Word<'_>>| word.is_some_and(|(_, word)| matches!(*word, "Device" | "Device:"));
        if is_device(words.first()) || is_device(words.last()) {
            header = Some(words.iter().map(|(_, word)| *word).collect());
        } else if let (Some(columns), false) = (&header, words.is_empty() || is(&words, "avg-cpu:")) {
            if words.len() == 1 && columns.len() > 2 && name.is_none() && Number::read(words[0].1).is_none() {
                name = Some(words[0]);
                continue;
            }
            if let Some(name) = name.take() {
                words.insert(0, name);
            }
            if words.len() != columns.len() {
                // iostat was stopped while it wrote this line.
                if offset == content.len() && !line.ends_with('\n') && words.len() < columns.len() {
                    continue;
                }
                let message = format!("has {} columns; expected the {} of the header", words.len(), columns.len());
                return Err(text.error_at(start, message));
            }
            reports.take(columns, &words, start)?;
        } else {
            header = None;
            if is(&words, "Linux") {
                reports.next(Draft { first: true, ..Draft::default() })?;
            } else if is(&words, "avg-cpu:") {
                reports.following()?;
            } else if let Some(stamp) = stamp(line) {
                reports.following()?.stamp = Some(stamp);
            }
        }
    }
    reports.next(Draft::default())?;
    Ok(reports.done)
}

fn is(words: &[Word<'_>], first: &str) -> bool {
    words.first().is_some_and(|(_, word)| *word == first)
}

fn words(line: &str, start: usize) -> Vec<Word<'_>> {
    let place = |word: &str| word.as_ptr() as usize - line.as_ptr() as usize;
    line.split_whitespace().map(|word| (start + place(word), word)).collect()
}

/// Reports that are done, and the one under way.
struct Reports<'a> {
    text: &'a Text,
    done: Vec<IostatReport>,
    draft: Draft<'a>,
}

impl<'a> Reports<'a> {
    /// Ends the report under way and begins another.
    fn next(&mut self, draft: Draft<'a>) -> Result<&mut Draft<'a>, InputError> {
        self.done.push(std::mem::replace(&mut self.draft, draft).finish(self.text)?);
        Ok(&mut self.draft)
    }

    /// The report that a line above its tables belongs to: a new one, unless the last has no table yet.
    fn following(&mut self) -> Result<&mut Draft<'a>, InputError> {
        if self.draft.rows.is_empty() { Ok(&mut self.draft) } else { self.next(Draft::default()) }
    }

    /// Adds a line of a table; a device whose columns the report has already is of the next report.
    fn take(&mut self, columns: &[&'a str], words: &[Word<'a>], at: usize) -> Result<(), InputError> {
        let is_name = |column: &&str| matches!(*column, "Device" | "Device:");
        let Some(name) = columns.iter().position(is_name) else { return Ok(()) };
        let device = words[name].1;
        let mut cells: Vec<(&str, Word<'_>)> = columns.iter().copied().zip(words.iter().copied()).collect();
        cells.remove(name);
        let known = |row: &Row<'_>| row.cells.iter().any(|(column, _)| cells.iter().any(|(other, _)| column == other));
        if self.draft.rows.iter().any(|row| row.device == device && known(row)) {
            self.next(Draft::default())?;
        }
        let rows = &mut self.draft.rows;
        match rows.iter_mut().find(|row| row.device == device) {
            Some(row) => row.cells.extend(cells),
            None => rows.push(Row { device, at, cells }),
        }
        Ok(())
    }
}

/// A line that holds a date and a time, and nothing else.
fn stamp(line: &str) -> Option<&str> {
    let line = line.trim();
    let dated = line.starts_with(|first: char| first.is_ascii_digit()) && line.contains(':') && line.len() <= 40;
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '-' | '.' | ':' | '+' | ' ');
    (dated && line.chars().all(plain)).then_some(line)
}

impl Draft<'_> {
    fn finish(self, text: &Text) -> Result<IostatReport, InputError> {
        let (mut devices, mut incomplete) = (Vec::new(), Vec::new());
        for row in &self.rows {
            match row.finish(text) {
                Ok(rates) => devices.push(rates),
                Err(RowFault::Lacks(column)) => {
                    incomplete.push(IncompleteRow { device: row.device.to_owned(), column, at: Some(row.at) })
                }
                Err(RowFault::Wrong(error)) => return Err(error),
            }
        }
        Ok(IostatReport { stamp: self.stamp.map(str::to_owned), first: self.first, devices, incomplete })
    }
}

impl Row<'_> {
    fn finish(&self, text: &Text) -> Result<DeviceRates, RowFault> {
        let number = |name: &str| {
            let found = self.cells.iter().find(|(column, _)| *column == name);
            let read = |(_, (at, word)): &(&str, Word<'_>)| {
                let message = || format!("`{word}` is not a rate; expected a number such as 12.50");
                Number::read(word).ok_or_else(|| text.error_at(*at, message()))
            };
            found.map(read).transpose()
        };
        device_rates(self.device, number, |message| text.error_at(self.at, message))
    }
}
