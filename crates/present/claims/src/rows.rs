//! Tables of a ledger: claims, their sources, and known shortfalls.

use std::path::{Path, PathBuf};

use catalog::Date;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde::de::value::MapDeserializer;
use textfile::Text;

use crate::ledger_error::LedgerError;
use crate::rung::Rung;
use crate::tolerance::Tolerance;

/// A published result.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// Name of the claim and of its recipe, such as `A01`.
    pub id: String,
    /// The source's key in `sources.csv`.
    pub source: String,
    /// How it is checked.
    pub rung: Rung,
    /// Circumstances under which it was measured.
    pub setup: String,
    /// The quantity.
    pub metric: String,
    /// The result: values separated by `;`, ` / ` or `->`.
    pub published: String,
    /// Its unit.
    pub unit: String,
    /// How near a result must be.
    pub tolerance: Tolerance,
    /// Anything else to know.
    pub note: String,
}

/// A document with claims.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClaimSource {
    /// Its key.
    pub source: String,
    /// Publisher and title.
    pub title: String,
    /// The region whose prices apply.
    pub region: String,
    /// The day whose limits and prices apply.
    pub as_of: Date,
    /// Why that day and region.
    pub note: String,
}

/// A claim that is known not to hold, and why.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClaimShortfall {
    /// The claim.
    pub id: String,
    /// Why.
    pub reason: String,
}

/// A row and its line in the table.
#[derive(Debug, Clone)]
pub(crate) struct TableRow<T> {
    pub(crate) line: u64,
    pub(crate) row: T,
}

/// Reads a table with a header.
pub(crate) fn read<T: DeserializeOwned>(text: &Text) -> Result<Vec<TableRow<T>>, LedgerError> {
    let file = text.path().to_owned();
    let mut reader = csv::Reader::from_reader(text.content().as_bytes());
    let header = reader.headers().map_err(|error| malformed(&file, &error))?.clone();
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| malformed(&file, &error))?;
        let line = record.position().map_or(1, csv::Position::line);
        let row = row(&header, &record).map_err(|fault| fault.at(&file, line))?;
        rows.push(TableRow { line, row });
    }
    Ok(rows)
}

/// Refuses two rows with one key.
pub(crate) fn each_once<T>(
    file: PathBuf,
    column: &'static str,
    rows: &[TableRow<T>],
    key: impl Fn(&T) -> &str,
) -> Result<(), LedgerError> {
    for (i, row) in rows.iter().enumerate() {
        if let Some(first) = rows[..i].iter().find(|first| key(&first.row) == key(&row.row)) {
            let key = key(&row.row).to_owned();
            return Err(LedgerError::Twice { file, line: row.line, column, key, first: first.line });
        }
    }
    Ok(())
}

/// A fault of a row: the column at fault, unless the header is.
struct RowFault {
    column: Option<String>,
    problem: String,
}

impl RowFault {
    fn at(self, file: &Path, line: u64) -> LedgerError {
        let Self { column, problem } = self;
        // A column that the header lacks or has too many is a fault of the first line.
        let line = if column.is_some() { line } else { 1 };
        LedgerError::Row { file: file.to_owned(), line, column, problem }
    }
}

/// A row from the values of its columns, all of which are texts.
fn row<T: DeserializeOwned>(header: &csv::StringRecord, record: &csv::StringRecord) -> Result<T, RowFault> {
    let columns = MapDeserializer::<_, serde::de::value::Error>::new(header.iter().zip(record.iter()));
    serde_path_to_error::deserialize(columns).map_err(|error| {
        let problem = error.inner().to_string();
        if problem.starts_with("missing field ") || problem.starts_with("unknown field ") {
            return RowFault { column: None, problem: problem.replacen(" field ", " column ", 1) };
        }
        RowFault { column: Some(error.path().to_string()), problem }
    })
}

/// A text that is no table.
fn malformed(file: &Path, error: &csv::Error) -> LedgerError {
    let problem = match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("the row has {len} values; expected {expected_len}, as the header has: quote values with commas")
        }
        other => format!("is no CSV: {other:?}"),
    };
    let line = error.position().map_or(1, csv::Position::line);
    LedgerError::Row { file: file.to_owned(), line, column: None, problem }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "source,title,region,as_of,note\n";

    fn fault(table: &str) -> String {
        read::<ClaimSource>(&Text::new("sources.csv", table)).unwrap_err().to_string()
    }

    #[test]
    fn a_fault_names_file_line_and_column() {
        let message = fault(&format!("{HEADER}a,t,us-west-2,2020-11-30,\nb,t,us-west-2,soon,\n"));
        assert!(message.starts_with("sources.csv:3: column `as_of`: "), "{message}");
        let message = fault(&format!("{HEADER}a,t,us-west-2\n"));
        assert!(message.starts_with("sources.csv:2: the row has 3 values; expected 5"), "{message}");
    }

    #[test]
    fn a_header_without_a_column_is_named_by_it() {
        let message = fault("source,title,region,note\na,t,us-west-2,\n");
        assert!(message.starts_with("sources.csv:1: missing column `as_of`"), "{message}");
        let message = fault("source,title,region,as_of,note,more\na,t,us-west-2,2020-11-30,,\n");
        assert!(message.starts_with("sources.csv:1: unknown column `more`"), "{message}");
    }

    #[test]
    fn a_key_is_there_once() {
        let text = Text::new("sources.csv", format!("{HEADER}a,t,r,2020-11-30,\na,t,r,2020-11-30,\n"));
        let rows = read::<ClaimSource>(&text).unwrap();
        let error = each_once("sources.csv".into(), "source", &rows, |row| &row.source).unwrap_err();
        assert_eq!(error.to_string(), "sources.csv:3: source `a` is in line 2 too; expected each once");
    }
}
