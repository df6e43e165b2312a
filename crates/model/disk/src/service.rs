//! How long an I/O takes while no limit binds, and the table that says so for each kind of volume.

use std::sync::LazyLock;

use units::{Bytes, BytesPerSec, Nanos};

use crate::{DiskError, IoDirection};

/// How long an I/O takes while no limit binds: log-normal round a median that grows with throughput.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ServiceTime {
    /// Median of a 4 KiB read on an idle disk.
    pub read: Nanos,
    /// Median of a 4 KiB write on an idle disk.
    pub write: Nanos,
    /// Standard deviation of the logarithm.
    pub sigma: f64,
    /// Bytes beyond 4 KiB travel at this rate.
    pub link: BytesPerSec,
    /// Growth of the median at full throughput: `median × (1 + softness × utilisation²)`.
    pub softness: f64,
    /// Extra time of a flush; zero where the disk has no volatile cache.
    pub flush: Nanos,
    /// How long a die of flash programs a page, which a read of that die waits out; zero where reads do not wait for
    /// writes, as behind a network, or none is known.
    pub program: Nanos,
}

impl ServiceTime {
    /// The median time of an I/O of `size` when the disk moves `utilisation` (0 to 1) of its throughput limit.
    pub fn median(&self, direction: IoDirection, size: Bytes, utilisation: f64) -> Nanos {
        let idle = match direction {
            IoDirection::Read => self.read,
            IoDirection::Write => self.write,
        };
        let transfer = size.0.saturating_sub(4096) as f64 / self.link.0;
        let soft = 1.0 + self.softness * utilisation * utilisation;
        Nanos::from_secs_f64((idle.as_secs_f64() + transfer) * soft)
    }

    /// The mean of the log-normal round `median`, in seconds: `median × exp(sigma² / 2)`.
    pub fn mean(&self, median: Nanos) -> f64 {
        median.as_secs_f64() * (self.sigma * self.sigma / 2.0).exp()
    }

    /// The mean time that a read waits for dies that program, in seconds, when writes take `writing` (0 to 1) of what
    /// the disk can write: `writing × program / 2`, for the share of dies that program is then `writing`, and a read
    /// comes at any instant of theirs.
    pub fn mean_wait_for_writes(&self, writing: f64) -> f64 {
        writing * self.program.as_secs_f64() / 2.0
    }
}

/// Calibration of a kind of volume. Each row of `tables/service.csv` has its basis and source.
#[derive(Debug, Clone, PartialEq)]
pub struct VolumeCalibration {
    /// The kind of volume; with a `*` at its end, all kinds that begin so.
    pub kind: String,
    /// Latency while no limit binds.
    pub service: ServiceTime,
    /// Adjacent requests of one direction, in flight together and smaller than the unit of account, count as one I/O
    /// for each of these.
    pub merge: Bytes,
    /// Whether measured, modelled or stated by the vendor, and how derived.
    pub basis: String,
    /// Where from.
    pub source: String,
}

/// A row of `tables/service.csv`.
#[derive(serde::Deserialize)]
struct Row {
    kind: String,
    read_us: u64,
    write_us: u64,
    sigma: f64,
    link_mb_s: f64,
    softness: f64,
    flush_us: u64,
    program_us: u64,
    merge_kib: u64,
    basis: String,
    source: String,
}

static TABLE: LazyLock<Vec<VolumeCalibration>> = LazyLock::new(|| {
    crate::table::rows(include_str!("../tables/service.csv"))
        .map(|row: Row| VolumeCalibration {
            kind: row.kind,
            service: ServiceTime {
                read: Nanos::micros(row.read_us),
                write: Nanos::micros(row.write_us),
                sigma: row.sigma,
                link: BytesPerSec::mb(row.link_mb_s),
                softness: row.softness,
                flush: Nanos::micros(row.flush_us),
                program: Nanos::micros(row.program_us),
            },
            merge: Bytes::kib(row.merge_kib),
            basis: row.basis,
            source: row.source,
        })
        .collect()
});

impl VolumeCalibration {
    /// The calibration of a kind of volume.
    ///
    /// # Errors
    /// [`DiskError::Uncalibrated`] when nothing is published on which one could stand.
    pub fn of(kind: &str) -> Result<&'static Self, DiskError> {
        let covers = |c: &&Self| c.kind == kind || c.kind.strip_suffix('*').is_some_and(|p| kind.starts_with(p));
        TABLE.iter().find(covers).ok_or_else(|| DiskError::Uncalibrated { kind: kind.to_owned() })
    }

    /// The kinds that have one of their own.
    pub fn kinds() -> impl Iterator<Item = &'static str> {
        TABLE.iter().map(|c| c.kind.as_str()).filter(|kind| !kind.ends_with('*'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_plausible_and_tells_its_source() {
        for row in TABLE.iter() {
            assert!(!row.basis.is_empty() && !row.source.is_empty(), "{}", row.kind);
            let s = row.service;
            assert!(s.read > Nanos(0) && s.write > Nanos(0) && s.link.0 > 0.0, "{}", row.kind);
            assert!((0.0..1.0).contains(&s.sigma) && (0.0..=1.0).contains(&s.softness), "{}", row.kind);
            assert_eq!(TABLE.iter().filter(|r| r.kind == row.kind).count(), 1, "{} is there twice", row.kind);
        }
    }

    #[test]
    fn io2_keeps_the_mean_that_its_vendor_states() {
        let s = VolumeCalibration::of("io2").unwrap().service;
        for direction in [IoDirection::Read, IoDirection::Write] {
            assert!(s.mean(s.median(direction, Bytes::kib(16), 0.0)) < 500e-6);
        }
    }

    #[test]
    fn a_kind_without_a_row_is_named() {
        assert!(VolumeCalibration::of("st1").unwrap_err().to_string().contains("st1"));
    }
}
