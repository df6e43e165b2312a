//! The model of a disk beside what others measured of such a disk.
//!
//! Two forms of measurement are understood: a [`MixMatrix`], paced random reads beside a paced sequential writer, and
//! [`FioResults`], runs that keep a queue full. Every cell or run is done again on the disk model in virtual time, as it was
//! measured, and compared by [`MatrixComparison`] and [`RunsComparison`].

mod cliff;
mod error;
mod fio_csv;
mod fio_json;
mod fio_runs;
mod json;
mod matrix;
mod matrix_comparison;
mod runs_comparison;
mod setup;
mod spread;
mod subject;
mod text;

#[cfg(test)]
mod tests;

use std::path::Path;

pub use cliff::CliffShift;
pub use error::AgainstError;
pub use fio_runs::{FioResults, FioRun};
pub use matrix::{MixCell, MixMatrix, Reached};
pub use matrix_comparison::{CellComparison, LoadRegion, MatrixComparison, RegionError};
pub use runs_comparison::{RunComparison, RunsComparison};
pub use setup::{ArrivalProcess, MatrixSetup};
pub use spread::ErrorSpread;
pub use subject::ModelledDisk;

/// What others measured, in one of the forms that are understood.
#[derive(Debug, Clone, PartialEq)]
pub enum PublishedMeasurement {
    /// Paced reads beside a paced writer.
    Matrix(MixMatrix),
    /// Runs of fio at full queue depth or at a set rate.
    Runs(FioResults),
}

impl PublishedMeasurement {
    /// Recognises and reads a text: a matrix or fio results as CSV, or what fio printed as JSON. `path` only names the file in
    /// errors.
    ///
    /// # Errors
    /// When the text is of none of these forms, or a value is missing, no number or out of range.
    pub fn read(path: &Path, text: &str) -> Result<Self, AgainstError> {
        if text.trim_start().starts_with(['{', '[']) || text.contains("\n{") {
            return fio_json::read(path, text).map(Self::Runs);
        }
        let header = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        if MixMatrix::is_header(header) {
            return MixMatrix::read(path, text).map(Self::Matrix);
        }
        if fio_csv::is_header(header) {
            return fio_csv::read(path, text).map(Self::Runs);
        }
        Err(AgainstError::new(
            path,
            Some(1),
            "neither a matrix (read_iops_target, write_MBps_target, read_p50_ms, read_p95_ms) nor results of fio (CSV with rw, \
             block_KiB, iodepth, iops; or fio's JSON)",
        ))
    }
}

/// The comparison with one measurement.
#[derive(Debug, Clone, PartialEq)]
pub enum Comparison {
    /// With a matrix.
    Matrix(MatrixComparison),
    /// With runs of fio.
    Runs(RunsComparison),
}

/// Does on the model what was measured and compares. `setup` says what a matrix does not say of itself; `told` gets how many of how
/// many cells or runs are done.
///
/// # Errors
/// When none of the runs can be done on the model.
pub fn compare(
    measured: &PublishedMeasurement,
    disk: &ModelledDisk,
    setup: &MatrixSetup,
    told: &mut dyn FnMut(usize, usize),
) -> Result<Comparison, AgainstError> {
    match measured {
        PublishedMeasurement::Matrix(matrix) => Ok(Comparison::Matrix(MatrixComparison::of(matrix, disk, setup, told))),
        PublishedMeasurement::Runs(results) => RunsComparison::of(results, disk, told).map(Comparison::Runs),
    }
}
