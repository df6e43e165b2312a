//! Reading one CSV table: its header, its cells in order, and errors that say where.

use std::collections::HashMap;
use std::str::FromStr;

use jiff::civil::Date;

use crate::Provenance;

/// The day on which facts without a date of their own were collected.
pub(crate) const COLLECTED: Date = jiff::civil::date(2026, 11, 21);

/// Fault of a table, with its line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("catalogue table {table}, line {line}: {message}")]
pub struct TableError {
    /// The file.
    pub table: &'static str,
    /// Counted from 1, the header.
    pub line: u64,
    /// Value found and value expected.
    pub message: String,
}

/// The sources by their ids.
pub(crate) type Sources = HashMap<&'static str, &'static str>;

/// The cells of one line, taken one after the other.
pub(crate) struct Line<'a> {
    table: &'static str,
    line: u64,
    names: &'a [&'a str],
    cells: Cells<'a>,
    at: usize,
}

/// The cells of a line, as whoever split it holds them.
#[derive(Clone, Copy)]
enum Cells<'a> {
    Record(&'a csv::StringRecord),
    Slice(&'a [&'a str]),
}

/// The first line of a table.
pub(crate) fn header(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// Calls `each` for every line of a table whose header is `header`.
pub(crate) fn read(
    table: &'static str,
    header: &str,
    text: &str,
    mut each: impl FnMut(&mut Line<'_>) -> Result<(), TableError>,
) -> Result<(), TableError> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
    let names: Vec<_> = header.split(',').collect();
    let mut record = csv::StringRecord::new();
    let mut first = true;
    loop {
        let line = reader.position().line();
        let more = reader.read_record(&mut record).map_err(|e| TableError { table, line, message: e.to_string() })?;
        if first && !record.iter().eq(names.iter().copied()) {
            let message = format!("the header is not `{header}`");
            return Err(TableError { table, line, message });
        }
        if !more {
            return Ok(());
        }
        if !first {
            let line = record.position().map_or(line, csv::Position::line);
            each(&mut Line { table, line, names: &names, cells: Cells::Record(&record), at: 0 })?;
        }
        first = false;
    }
}

impl<'a> Line<'a> {
    /// A line that was split already.
    pub(crate) fn new(table: &'static str, line: u64, names: &'a [&'a str], cells: &'a [&'a str]) -> Self {
        Self { table, line, names, cells: Cells::Slice(cells), at: 0 }
    }

    /// The next cell as it stands.
    pub(crate) fn text(&mut self) -> &'a str {
        self.at += 1;
        match self.cells {
            Cells::Record(record) => record.get(self.at - 1),
            Cells::Slice(cells) => cells.get(self.at - 1).copied(),
        }
        .unwrap_or_default()
    }

    /// The next cell, which must not be empty.
    pub(crate) fn name(&mut self) -> Result<String, TableError> {
        match self.text() {
            "" => Err(self.error("is empty")),
            text => Ok(text.to_owned()),
        }
    }

    /// The next cell as a value, if it is not empty.
    pub(crate) fn maybe<T: FromStr>(&mut self) -> Result<Option<T>, TableError> {
        match self.text() {
            "" => Ok(None),
            text => {
                text.parse().map(Some).map_err(|_| self.error(&format!("has the value `{text}`, which does not parse")))
            }
        }
    }

    /// The next cell as a value.
    pub(crate) fn value<T: FromStr>(&mut self) -> Result<T, TableError> {
        self.maybe()?.ok_or_else(|| self.error("is empty"))
    }

    /// The next cell as one of the given words.
    pub(crate) fn one_of<T: Copy>(&mut self, words: &[(&str, T)]) -> Result<T, TableError> {
        let text = self.text();
        words.iter().find(|(word, _)| *word == text).map(|(_, value)| *value).ok_or_else(|| {
            let known: Vec<_> = words.iter().map(|(word, _)| *word).collect();
            self.error(&format!("is `{text}`, not one of {}", known.join(", ")))
        })
    }

    /// The next cell as the id of a source.
    pub(crate) fn source(&mut self, sources: &Sources) -> Result<&'static str, TableError> {
        match self.text() {
            "" => Err(self.error("is empty: every row has a source")),
            id => {
                sources.get(id).copied().ok_or_else(|| self.error(&format!("is `{id}`, which is not in sources.csv")))
            }
        }
    }

    /// The next two cells, `source` and `as_of`.
    pub(crate) fn provenance(&mut self, sources: &Sources) -> Result<Provenance, TableError> {
        let source = self.source(sources)?;
        let as_of = self.value()?;
        if source.ends_with(UNDATED) && as_of != COLLECTED {
            return Err(self.error(&format!("must be {COLLECTED}, the day of collection: its source has no date")));
        }
        if as_of > COLLECTED {
            return Err(self.error(&format!("is {as_of}, after the day of collection")));
        }
        Ok(Provenance { source, as_of })
    }

    /// An error on the cell taken last.
    pub(crate) fn error(&self, what: &str) -> TableError {
        let column = self.names.get(self.at.saturating_sub(1)).copied().unwrap_or_default();
        TableError { table: self.table, line: self.line, message: format!("{column} {what}") }
    }
}

/// Ends the text of a source that carries no date.
const UNDATED: &str = " (undated; collected 2026-11-21)";

/// Reads `sources.csv`. The texts are kept for the life of the program, so that each fact can point to its own.
pub(crate) fn sources(text: &str) -> Result<Sources, TableError> {
    let mut sources = Sources::new();
    read("sources.csv", "id,dated,text", text, |line| {
        let id = line.name()?;
        let dated = line.one_of(&[("yes", true), ("no", false)])?;
        let text = line.name()?;
        let text = if dated { text } else { text + UNDATED };
        let duplicate = line.error(&format!("belongs to the id `{id}`, which is there twice"));
        if sources.insert(id.leak(), text.leak()).is_some() { Err(duplicate) } else { Ok(()) }
    })?;
    Ok(sources)
}
