//! Fixes the uncertain numbers of a workload, checking each.

use units::{Bytes, Interval, Nanos, Ratio, Uncertain};

use crate::WorkloadError;

/// Chooses a number from an interval, given its key.
pub(crate) type Choose<'a> = &'a mut dyn FnMut(&str, Interval<f64>) -> f64;

/// Asks for every number that is uncertain and refuses those out of bounds.
pub(crate) struct Pick<'a> {
    table: &'static str,
    choose: Choose<'a>,
}

/// Largest number: below it whole numbers are exact, and what the few that are multiplied come to is far from infinite.
const LARGEST: f64 = 1e15;

/// Most clients of a closed loop. Each is a place in memory, simulated or driven; TiDB's documentation speaks of 512 nodes with a
/// thousand connections each.
pub const MOST_CLIENTS: u32 = 1_000_000;

/// Most reads, scans, writes or statements of one operation, and rows of one scan or statement: they are simulated and sent one by
/// one. TiDB's largest transaction had 300,000 entries while it counted them (TiDB 3.0, `txn-entry-count-limit`).
const MOST_OF_AN_OPERATION: f64 = 300_000.0;

/// Most tables: each is filled by itself.
const MOST_TABLES: f64 = 10_000.0;

/// Most rows that one operation touches, and bytes of them: the simulation looks for each block.
const MOST_ROWS_TOUCHED: f64 = 1e6;
const MOST_BYTES_TOUCHED: Bytes = Bytes::gib(10);

/// Largest row or index entry: TiDB's largest (`txn-entry-size-limit`, at most 120 MiB).
pub(crate) const LARGEST_ROW: Bytes = Bytes::mib(120);

/// Most secondary indexes of a table (TiDB's `index-limit`, at most 512).
const MOST_INDEXES: f64 = 512.0;

/// Bounds of a number.
#[derive(Clone, Copy)]
pub(crate) enum Bounds {
    /// Zero or more.
    Any,
    /// More than zero.
    Positive,
    /// One or more.
    AtLeastOne,
    /// Clients of a closed loop.
    Clients,
    /// Things that one operation does.
    OfAnOperation,
    /// Rows of one statement.
    OfAStatement,
    /// Secondary indexes.
    Indexes,
    /// Tables alike.
    Tables,
    /// Bytes of a row or an index entry.
    Row,
    /// More than zero, at most one.
    Share,
    /// Between zero and one, both excluded.
    Fraction,
}

impl Bounds {
    fn hold(self, value: f64) -> bool {
        match self {
            Self::Any => value >= 0.0,
            Self::Positive => value > 0.0,
            Self::AtLeastOne => value >= 1.0,
            Self::Clients => (1.0..=f64::from(MOST_CLIENTS)).contains(&value),
            Self::OfAnOperation => (0.0..=MOST_OF_AN_OPERATION).contains(&value),
            Self::OfAStatement => (1.0..=MOST_OF_AN_OPERATION).contains(&value),
            Self::Indexes => (0.0..=MOST_INDEXES).contains(&value),
            Self::Tables => (1.0..=MOST_TABLES).contains(&value),
            Self::Row => value > 0.0 && value <= LARGEST_ROW.as_f64(),
            Self::Share => value > 0.0 && value <= 1.0,
            Self::Fraction => value > 0.0 && value < 1.0,
        }
    }

    fn words(self) -> String {
        match self {
            Self::Any => "zero or more".to_owned(),
            Self::Positive => "more than zero".to_owned(),
            Self::AtLeastOne => "one or more".to_owned(),
            Self::Clients => format!("1 to {MOST_CLIENTS} clients"),
            Self::OfAnOperation => format!("at most {MOST_OF_AN_OPERATION} in one operation; write several operations"),
            Self::OfAStatement => format!("1 to {MOST_OF_AN_OPERATION} rows"),
            Self::Indexes => format!("at most {MOST_INDEXES}, as many as TiDB has"),
            Self::Tables => format!("1 to {MOST_TABLES}"),
            Self::Row => format!("more than zero and at most {LARGEST_ROW}, TiDB's largest entry"),
            Self::Share => "more than zero and at most one (100%)".to_owned(),
            Self::Fraction => "between 0 and 1, such as 0.99".to_owned(),
        }
    }
}

/// More rows than one operation can touch; its text is a clause.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum TouchedTooMuch {
    /// Too many rows.
    #[error("makes one operation touch {rows:.1e} rows; expected at most {MOST_ROWS_TOUCHED:e}")]
    Rows {
        /// Rows that it touches.
        rows: f64,
    },
    /// Rows of too many bytes.
    #[error("makes one operation touch {bytes:.1e} bytes; expected at most {MOST_BYTES_TOUCHED}")]
    Bytes {
        /// Bytes that it touches.
        bytes: f64,
    },
}

/// Whether so many rows of a size are few enough for one operation.
pub(crate) fn touched(rows: f64, row: Bytes) -> Result<(), TouchedTooMuch> {
    let bytes = rows * row.as_f64();
    if rows > MOST_ROWS_TOUCHED {
        return Err(TouchedTooMuch::Rows { rows });
    }
    if bytes > MOST_BYTES_TOUCHED.as_f64() {
        return Err(TouchedTooMuch::Bytes { bytes });
    }
    Ok(())
}

impl<'a> Pick<'a> {
    /// Keys will be prefixed with the table's name.
    pub(crate) fn new(table: &'static str, choose: Choose<'a>) -> Self {
        Self { table, choose }
    }

    /// The full key.
    pub(crate) fn key(&self, name: &str) -> String {
        format!("{}.{name}", self.table)
    }

    pub(crate) fn number(&mut self, name: &str, value: Uncertain, bounds: Bounds) -> Result<f64, WorkloadError> {
        let key = self.key(name);
        let number = if value.is_certain() { value.low() } else { (self.choose)(&key, value) };
        match (number.is_finite() && bounds.hold(number), number <= LARGEST) {
            (true, true) => Ok(number),
            (true, false) => Err(WorkloadError::new(key, format!("is {number:.1e}; expected at most {LARGEST:e}"))),
            (false, _) => Err(WorkloadError::new(key, format!("is {number}; expected {}", bounds.words()))),
        }
    }

    /// A number that may be left out.
    pub(crate) fn maybe(
        &mut self,
        name: &str,
        value: Option<Uncertain>,
        bounds: Bounds,
    ) -> Result<Option<f64>, WorkloadError> {
        value.map(|value| self.number(name, value, bounds)).transpose()
    }

    pub(crate) fn share(&mut self, name: &str, value: Interval<Ratio>, bounds: Bounds) -> Result<f64, WorkloadError> {
        self.number(name, value.map(|ratio| ratio.0), bounds)
    }

    pub(crate) fn bytes(&mut self, name: &str, value: Interval<Bytes>, bounds: Bounds) -> Result<Bytes, WorkloadError> {
        // Sizes that are certain stay exact above 2^53.
        let number = self.number(name, value.map(Bytes::as_f64), bounds)?;
        Ok(if value.is_certain() { value.low() } else { Bytes(number.round() as u64) })
    }

    /// In seconds to the chooser.
    pub(crate) fn span(&mut self, name: &str, value: Interval<Nanos>, bounds: Bounds) -> Result<Nanos, WorkloadError> {
        self.number(name, value.map(Nanos::as_secs_f64), bounds).map(Nanos::from_secs_f64)
    }

    /// A row made of several numbers.
    pub(crate) fn row(&self, name: &str, bytes: f64) -> Result<Bytes, WorkloadError> {
        if bytes <= LARGEST_ROW.as_f64() {
            return Ok(Bytes(bytes.round() as u64));
        }
        let message = format!("makes rows of {bytes:.1e} bytes; expected {}", Bounds::Row.words());
        Err(WorkloadError::new(self.key(name), message))
    }

    /// Rows of a size that one operation touches.
    pub(crate) fn touched(&self, name: &str, rows: f64, row: Bytes) -> Result<(), WorkloadError> {
        touched(rows, row).map_err(|why| WorkloadError::new(self.key(name), why.to_string()))
    }

    /// A size so large that no cluster holds it would overflow what follows.
    pub(crate) fn data(&self, name: &str, bytes: f64) -> Result<Bytes, WorkloadError> {
        const LARGEST: Bytes = Bytes::gib(1 << 30);
        if bytes <= LARGEST.as_f64() {
            return Ok(Bytes(bytes.round() as u64));
        }
        let message = format!("makes {bytes:.1e} bytes of data; expected at most {LARGEST}");
        Err(WorkloadError::new(self.key(name), message))
    }
}
