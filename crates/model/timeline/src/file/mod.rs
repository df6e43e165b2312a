//! Timelines as files: Parquet, CSV and JSON, told apart by the file's extension. All three hold the same: one row (in
//! JSON: one object) for each point, with its interval in nanoseconds and either a value or a histogram.

mod about;
mod csv;
mod json;
mod parquet_read;
mod parquet_write;
mod rows;
#[cfg(test)]
mod tests;

use std::io::Read;
use std::path::Path;

use textfile::{InputError, TextPosition};
use units::Bytes;

use crate::Timeline;

/// The largest file that is read or written. A million numbers are 4 MB of Parquet, 67 MB of JSON and 76 MB of CSV.
const LARGEST: Bytes = Bytes::gib(1);

/// A way to write a Timeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TimelineFormat {
    /// Columns `series`, `labels` (JSON), `unit`, `merge`, `from_ns`, `until_ns`, `value`, `histogram` (HdrHistogram V2);
    /// snappy; what the Timeline is of as JSON under the file's key `diskwright.timeline`.
    Parquet,
    /// The same columns with a header, histograms in base64, and a ninth column `about`, which holds in its first row
    /// what the Timeline is of: tables and data frames load it as it is.
    Csv,
    /// `{"about": {…}, "series": [{"name", "labels", "unit", "merge", "points": [{"from_ns", "until_ns", "value"}]}]}`, with
    /// `histogram` in base64 for `value` where `merge` is `histogram`.
    Json,
}

impl TimelineFormat {
    /// The format that a file's extension stands for: `parquet`, `csv` or `json`.
    ///
    /// # Errors
    /// When it has another extension or none.
    pub fn of(path: impl AsRef<Path>) -> Result<Self, InputError> {
        let path = path.as_ref();
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        match extension.to_ascii_lowercase().as_str() {
            "parquet" => Ok(Self::Parquet),
            "csv" => Ok(Self::Csv),
            "json" => Ok(Self::Json),
            "" => Err(InputError::new(path, "has no extension, so its format is not known")),
            other => Err(InputError::new(path, format!("`.{other}` is not a format of Timelines"))),
        }
        .map_err(|error| error.help("name it .parquet, .csv or .json"))
    }

    /// The bytes of a file in this format. Series without points are left out: none of the formats tells them from
    /// series that are not there.
    ///
    /// # Errors
    /// When the Timeline is not valid, or larger than a file may be.
    pub fn encode(self, timeline: &Timeline) -> Result<Vec<u8>, String> {
        timeline.validate().map_err(|error| error.to_string())?;
        let bytes = match self {
            Self::Parquet => parquet_write::encode(timeline),
            Self::Csv => csv::encode(timeline),
            Self::Json => json::encode(timeline),
        }?;
        if bytes.len() as u64 > LARGEST.0 {
            let size = Bytes(bytes.len() as u64);
            return Err(format!("it is {size:.1}, expected at most {LARGEST}: write Parquet, or resample first"));
        }
        Ok(bytes)
    }

    /// The Timeline that bytes in this format hold, whoever wrote them. Rows may be in any order, columns too; columns
    /// that are not known are passed over. Errors call the bytes `name`.
    ///
    /// # Errors
    /// When the bytes are not in this format, or hold no valid Timeline.
    pub fn decode(self, bytes: Vec<u8>, name: impl AsRef<Path>) -> Result<Timeline, InputError> {
        let read = match self {
            Self::Parquet => parquet_read::decode(bytes),
            Self::Csv => csv::decode(&bytes),
            Self::Json => json::decode(&bytes),
        };
        read.map_err(|fault| {
            let error = InputError::new(name.as_ref(), fault.message);
            fault.position.into_iter().fold(error, InputError::at).help("was it written by diskwright, and whole?")
        })
    }
}

impl Timeline {
    /// Writes it in the format that the extension names, `.parquet`, `.csv` or `.json`. The file appears whole or not at
    /// all.
    ///
    /// # Errors
    /// When the extension is another, the Timeline is not valid, or the file cannot be written.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), InputError> {
        let path = path.as_ref();
        let bytes = TimelineFormat::of(path)?.encode(self);
        let bytes = bytes.map_err(|fault| InputError::new(path, format!("is not written: {fault}")))?;
        textfile::write_atomically(path, &bytes)
    }

    /// Reads a file in the format that the extension names.
    ///
    /// # Errors
    /// When the extension is not `.parquet`, `.csv` or `.json`, or the file is missing, over 1 GiB or does not hold a valid
    /// Timeline.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, InputError> {
        let path = path.as_ref();
        let format = TimelineFormat::of(path)?;
        format.decode(bytes(path, LARGEST)?, path)
    }
}

/// Content of a file within the limit.
fn bytes(path: &Path, limit: Bytes) -> Result<Vec<u8>, InputError> {
    let unreadable = |error: std::io::Error| InputError::new(path, format!("cannot be read: {error}"));
    let file = textfile::open(path)?;
    let size = file.metadata().map_err(unreadable)?.len();
    let mut bytes = Vec::new();
    // Pipes do not tell their size: one byte past the limit tells that there are more.
    if size <= limit.0 {
        file.take(limit.0 + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    }
    if size.max(bytes.len() as u64) > limit.0 {
        let error = InputError::new(path, format!("is larger than {limit}"));
        return Err(error.help("write it in parts, or resampled"));
    }
    Ok(bytes)
}

/// Fault of a file whose name is not known yet.
#[derive(Debug)]
struct Fault {
    message: String,
    position: Option<TextPosition>,
}

impl<T: ToString> From<T> for Fault {
    fn from(message: T) -> Self {
        Self { message: message.to_string(), position: None }
    }
}
