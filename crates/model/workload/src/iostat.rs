//! Reads what `iostat -x` of sysstat 9 to 12 prints, as text or (`-o JSON`) as JSON; a file may hold several reports, and
//! the last may be cut off where iostat was stopped.

mod columns;
mod json;
mod lines;
mod mended;

use textfile::{InputError, Text};

use crate::IoRates;
pub use mended::mended_json;

/// One device in one report.
#[derive(Debug, Clone, PartialEq)]
pub struct DeviceRates {
    /// Its name, such as `sdb`.
    pub device: String,
    /// Rates of the device; flushes are 0 where they were not counted.
    pub rates: IoRates,
    /// Whether its bytes were printed as twice what they are, as old sysstats do in JSON; here they are right.
    pub doubled: bool,
    /// Flushes a second; kernels before 5.5 and older iostats do not count them.
    pub flushes: Option<f64>,
    /// Discards a second, and the bytes they gave back; sysstat 11.7 and later tell.
    pub discards: Option<(f64, f64)>,
    /// Requests of the same kind that the kernel merged into others, a second: reads, writes.
    pub merged: Option<(f64, f64)>,
    /// How long requests took.
    pub waits: MeanWaits,
    /// Requests waiting or in service, in the mean.
    pub queue: Option<f64>,
    /// Share of the time with a request in service.
    pub busy: Option<f64>,
}

/// Mean seconds from a request's arrival in the kernel to its end; `None` where the report does not tell.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct MeanWaits {
    /// Mean wait of reads.
    pub read: Option<f64>,
    /// Mean wait of writes.
    pub write: Option<f64>,
    /// Mean wait of discards.
    pub discard: Option<f64>,
    /// Mean wait of flushes.
    pub flush: Option<f64>,
    /// Mean wait of reads and writes together.
    pub any: Option<f64>,
}

/// One report: what all devices did over one interval.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct IostatReport {
    /// Its time stamp (`iostat -t`) as written; the end of its interval.
    pub stamp: Option<String>,
    /// The first that a run of iostat printed, as far as its banner or document shows: without `-y` it is of the whole
    /// time since the machine started.
    pub first: bool,
    /// Each device once.
    pub devices: Vec<DeviceRates>,
    /// Rows that lack a column which the rows of other reports have: sysstat 12 drops fields of a device that comes or goes while it
    /// counts.
    pub incomplete: Vec<IncompleteRow>,
}

/// A device's row without one of the columns that are needed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncompleteRow {
    /// The device.
    pub device: String,
    /// The missing column.
    pub column: &'static str,
    /// Offset of the row in the text, where it is a line.
    at: Option<usize>,
}

impl IncompleteRow {
    fn error(&self, text: &Text) -> InputError {
        let message = columns::missing(self.column);
        match self.at {
            Some(at) => text.error_at(at, message),
            None => InputError::new(text.path(), message),
        }
    }
}

/// The devices of all reports, in order.
///
/// # Errors
/// When there is no report in the text, a column is missing, or a number is none.
pub fn parse_iostat(text: &Text) -> Result<Vec<DeviceRates>, InputError> {
    Ok(iostat_reports(text)?.into_iter().flat_map(|report| report.devices).collect())
}

/// All reports with devices, in order.
///
/// # Errors
/// When there is none in the text, a column is missing, or a number is none.
pub fn iostat_reports(text: &Text) -> Result<Vec<IostatReport>, InputError> {
    let mut reports = if text.content().trim_start().starts_with('{') { json::read(text)? } else { lines::read(text)? };
    let lacking = reports.iter().flat_map(|report| &report.incomplete).next().cloned();
    reports.retain(|report| !report.devices.is_empty());
    if reports.is_empty() {
        if let Some(row) = lacking {
            return Err(row.error(text));
        }
        return Err(InputError::new(text.path(), "has no iostat report; expected a line that begins with `Device`")
            .help("record one with `iostat -x -y 60 1`"));
    }
    Ok(reports)
}

#[cfg(test)]
#[path = "iostat/tests.rs"]
mod tests;
