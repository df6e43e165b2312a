//! A matrix, done again on the model.

use units::{Bytes, BytesPerSec, Iops, Nanos};

use super::cliff::{CliffShift, first_queueing};
use super::{ArrivalProcess, ErrorSpread, MatrixSetup, MixCell, MixMatrix, ModelledDisk, Reached};
use crate::fio::{AccessPattern, FioEngine, FioJob, JobRunner};

/// Where a cell lies, by the share that its rates are of what the model's disk and instance deliver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LoadRegion {
    /// Up to 90 % of every limit.
    Below,
    /// Up to the limit.
    Near,
    /// Up to 10 % over it, where a disk's overshoot decides.
    At,
    /// More.
    Beyond,
}

impl LoadRegion {
    /// All, from the least load.
    pub const ALL: [Self; 4] = [Self::Below, Self::Near, Self::At, Self::Beyond];

    fn of(load: f64) -> Self {
        match load {
            _ if load <= 0.9 => Self::Below,
            _ if load <= 1.0 => Self::Near,
            _ if load <= 1.1 => Self::At,
            _ => Self::Beyond,
        }
    }
}

/// One cell, measured and modelled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CellComparison {
    /// As measured.
    pub measured: MixCell,
    /// What of the model's limit that binds most the rates take.
    pub load: f64,
    /// Reads a second that the model delivered.
    pub reads: Iops,
    /// Writes that the model delivered.
    pub writes: BytesPerSec,
    /// The model's median latency of reads.
    pub p50: Nanos,
    /// The model's 95th percentile.
    pub p95: Nanos,
    /// Whether the model delivered both rates within 3 %.
    pub delivered: bool,
    /// The relative errors of the median and of the 95th percentile, where they were measured and both rates may have been delivered.
    pub errors: [Option<f64>; 2],
}

impl CellComparison {
    /// The region of its load.
    pub fn region(&self) -> LoadRegion {
        LoadRegion::of(self.load)
    }

    /// Whether the model is right about the delivery; `None` where the measurement does not tell.
    pub fn delivery_is_right(&self) -> Option<bool> {
        match self.measured.reached {
            Reached::Yes => Some(self.delivered),
            Reached::No => Some(!self.delivered),
            Reached::Unknown => None,
        }
    }
}

/// The errors in one region.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RegionError {
    /// The region.
    pub region: LoadRegion,
    /// Cells in it.
    pub cells: usize,
    /// Of how many cells the delivery is known, and of how many of those the model is right.
    pub delivery: (usize, usize),
    /// Errors of the median.
    pub p50: Option<ErrorSpread>,
    /// Errors of the 95th percentile.
    pub p95: Option<ErrorSpread>,
}

/// A matrix beside the model.
#[derive(Debug, Clone, PartialEq)]
pub struct MatrixComparison {
    /// How the matrix was taken to be measured.
    pub setup: MatrixSetup,
    /// Every cell.
    pub cells: Vec<CellComparison>,
    /// Where queueing begins, row by row.
    pub cliffs: Vec<CliffShift>,
}

/// Reads that a cell's percentiles stand on, and as many before them to pass what a bucket lets through.
const READS: f64 = 30_000.0;
/// The time that a cell runs for at least and at most, the ramp aside.
const LEAST: Nanos = Nanos::millis(300);
const MOST: Nanos = Nanos::secs(20);
/// The share of a rate that counts as delivered.
const DELIVERED: f64 = 0.97;
/// Reads a second in the row of 0, which was really 1 to 10.
const TRICKLE: f64 = 5.0;

impl MatrixComparison {
    pub(super) fn of(
        matrix: &MixMatrix,
        disk: &ModelledDisk,
        setup: &MatrixSetup,
        told: &mut dyn FnMut(usize, usize),
    ) -> Self {
        let mut cells = Vec::with_capacity(matrix.cells.len());
        for cell in &matrix.cells {
            told(cells.len(), matrix.cells.len());
            cells.push(run(cell, matrix.ceiling, disk, setup));
        }
        let cliffs = cells.chunk_by(|a, b| a.measured.reads == b.measured.reads).filter_map(cliff).collect();
        Self { setup: *setup, cells, cliffs }
    }

    /// The errors of each region that has cells.
    pub fn regions(&self) -> impl Iterator<Item = RegionError> {
        LoadRegion::ALL
            .into_iter()
            .map(|region| self.region(|cell| cell.region() == region, region))
            .filter(|r| r.cells > 0)
    }

    /// The errors over all cells.
    pub fn total(&self) -> RegionError {
        self.region(|_| true, LoadRegion::Beyond)
    }

    fn region(&self, is_in: impl Fn(&CellComparison) -> bool, region: LoadRegion) -> RegionError {
        let cells: Vec<&CellComparison> = self.cells.iter().filter(|cell| is_in(cell)).collect();
        let known: Vec<bool> = cells.iter().filter_map(|cell| cell.delivery_is_right()).collect();
        let [p50, p95] = [0, 1].map(|i| ErrorSpread::of(cells.iter().filter_map(|cell| cell.errors[i])));
        let delivery = (known.len(), known.iter().filter(|right| **right).count());
        RegionError { region, cells: cells.len(), delivery, p50, p95 }
    }
}

fn cliff(row: &[CellComparison]) -> Option<CliffShift> {
    // A median that is missing means "not delivered" only where the measurement says so.
    let known: Vec<&CellComparison> =
        row.iter().filter(|cell| cell.measured.p50.is_some() || cell.measured.reached == Reached::No).collect();
    let measured: Vec<_> = known.iter().map(|cell| cell.measured.p50).collect();
    let told = |cell: &CellComparison| cell.measured.reached == Reached::Unknown || cell.delivered;
    let modelled: Vec<_> = known.iter().map(|cell| told(cell).then_some(cell.p50)).collect();
    // Reads this rare wait for what a cold disk does, not for others.
    if row[0].measured.reads.0 <= TRICKLE || known.len() < 2 {
        return None;
    }
    Some(CliffShift {
        reads: row[0].measured.reads,
        measured: first_queueing(&measured),
        modelled: first_queueing(&modelled),
        cells: known.len(),
    })
}

fn run(cell: &MixCell, ceiling: Option<Nanos>, disk: &ModelledDisk, setup: &MatrixSetup) -> CellComparison {
    let reads = cell.reads.0.max(TRICKLE);
    let runtime = Nanos::from_secs_f64(READS / reads).clamp(LEAST, MOST);
    let job = |pattern, block: Bytes, depth| FioJob {
        depth,
        engine: FioEngine::Libaio,
        runtime: Some(runtime),
        ramp: runtime,
        size: None,
        seed: disk.seed,
        ..FioJob::new("", pattern, block)
    };
    let reader = FioJob {
        rate_iops: Some(Iops(reads)),
        poisson: setup.arrivals == ArrivalProcess::Poisson,
        ..job(AccessPattern::RandRead, setup.read_size, MatrixSetup::READER_DEPTH)
    };
    let writer = FioJob { rate: Some(cell.writes), ..job(AccessPattern::Write, setup.write_size, setup.writer_depth) };
    let jobs = if cell.writes.0 > 0.0 { vec![reader, writer] } else { vec![reader] };
    // The twin only fails without requests, and there are some.
    let report = disk.fresh().run(&jobs).map(|report| report.total()).unwrap_or(crate::fio::JobReport::NONE);
    let latency = report.read.latency.as_ref();
    let (p50, p95) = latency.map_or((Nanos::MAX, Nanos::MAX), |l| (l.p50, l.p95));
    let delivered = report.read.iops.0 >= reads * DELIVERED && report.write.throughput.0 >= cell.writes.0 * DELIVERED;
    let judged = cell.reached != Reached::No;
    let error = |measured: Option<Nanos>, modelled: Nanos| {
        measured.filter(|_| judged).map(|measured| relative(measured, modelled, ceiling))
    };
    CellComparison {
        measured: *cell,
        load: disk.load(Iops(reads), cell.writes, setup),
        reads: report.read.iops,
        writes: report.write.throughput,
        p50,
        p95,
        delivered,
        errors: [error(cell.p50, p50), error(cell.p95, p95)],
    }
}

/// The relative error; none where the measurement says "at least" and the model is there or above.
fn relative(measured: Nanos, modelled: Nanos, ceiling: Option<Nanos>) -> f64 {
    let at_least = ceiling.is_some_and(|top| measured >= top);
    if at_least && modelled >= measured { 0.0 } else { modelled.0 as f64 / measured.0 as f64 - 1.0 }
}
