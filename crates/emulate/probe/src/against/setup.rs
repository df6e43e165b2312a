//! What a matrix does not say of itself: how it was measured.

use std::fmt;
use std::str::FromStr;

use units::Bytes;

/// How requests at a rate arrive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArrivalProcess {
    /// At equal intervals, as fio does unless told otherwise.
    Even,
    /// At exponential intervals: fio's `rate_process=poisson`.
    Poisson,
}

impl ArrivalProcess {
    const NAMES: [(&'static str, Self); 2] = [("even", Self::Even), ("poisson", Self::Poisson)];
}

impl fmt::Display for ArrivalProcess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Self::NAMES.iter().find(|(_, process)| process == self).map_or("", |(name, _)| name);
        f.write_str(name)
    }
}

impl FromStr for ArrivalProcess {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::NAMES.iter().find(|(name, _)| *name == text);
        found.map(|(_, process)| *process).ok_or_else(|| format!("expected even or poisson, not {text:?}"))
    }
}

/// How a matrix was measured. The defaults are those of scylladb/diskplorer's later matrices (its `.fio` files of 2022).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MatrixSetup {
    /// Size of a random read.
    pub read_size: Bytes,
    /// Size of a sequential write.
    pub write_size: Bytes,
    /// Writes that the writer keeps in flight at most.
    pub writer_depth: u32,
    /// How reads arrive.
    pub arrivals: ArrivalProcess,
}

impl MatrixSetup {
    /// Reads in flight at most: diskplorer runs eight readers of depth 1000.
    pub(super) const READER_DEPTH: u32 = 8000;
}

impl Default for MatrixSetup {
    fn default() -> Self {
        Self { read_size: Bytes(512), write_size: Bytes::kib(128), writer_depth: 64, arrivals: ArrivalProcess::Poisson }
    }
}
