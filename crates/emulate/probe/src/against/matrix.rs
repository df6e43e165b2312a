//! A matrix of random reads beside sequential writes, as text.

use std::path::Path;

use units::{BytesPerSec, Iops, Nanos};

use super::AgainstError;

/// Cells that are read at most: a matrix of a thousand by a thousand is a mistake.
const MOST_CELLS: usize = 100_000;

/// Whether both rates of a cell were delivered, within 3 %.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Reached {
    /// They were.
    Yes,
    /// One was not.
    No,
    /// The measurement does not say.
    Unknown,
}

/// One cell of a matrix: what was asked for and what came of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MixCell {
    /// Random reads a second that were asked for.
    pub reads: Iops,
    /// Sequential writes that were asked for.
    pub writes: BytesPerSec,
    /// Median latency of the reads, if measured.
    pub p50: Option<Nanos>,
    /// 95th percentile, if measured.
    pub p95: Option<Nanos>,
    /// Whether both rates were delivered.
    pub reached: Reached,
}

/// Random reads at fixed rates beside a sequential writer at fixed rates.
#[derive(Debug, Clone, PartialEq)]
pub struct MixMatrix {
    /// The cells, by reads and then by writes.
    pub cells: Vec<MixCell>,
    /// Latencies from here on mean "at least": the top of the chart's colour scale. `None` where no value is found more than once at
    /// the top.
    pub ceiling: Option<Nanos>,
}

#[derive(serde::Deserialize)]
struct Row {
    read_iops_target: f64,
    #[serde(rename = "write_MBps_target")]
    write_mbps_target: f64,
    read_p50_ms: Option<f64>,
    read_p95_ms: Option<f64>,
    reached: Option<String>,
}

impl MixMatrix {
    /// Whether a first line names the columns of a matrix.
    pub(super) fn is_header(line: &str) -> bool {
        ["read_iops_target", "write_MBps_target"].iter().all(|name| line.split(',').any(|cell| cell.trim() == *name))
    }

    /// Reads a CSV whose first line names the columns `read_iops_target`, `write_MBps_target` (10^6 bytes), `read_p50_ms`,
    /// `read_p95_ms` and, if known, `reached` (`yes`, `no`, `unknown`).
    ///
    /// # Errors
    /// When a value is no number, negative or not finite, a word is not known, or nothing is in it.
    pub(super) fn read(path: &Path, text: &str) -> Result<Self, AgainstError> {
        let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
        let mut cells = Vec::new();
        for row in reader.deserialize() {
            let row: Row = row.map_err(|e: csv::Error| {
                AgainstError::new(path, e.position().map(csv::Position::line), e.to_string())
            })?;
            // The header is line 1.
            let line = cells.len() as u64 + 2;
            cells.push(cell(&row).map_err(|what| AgainstError::new(path, Some(line), what))?);
            if cells.len() > MOST_CELLS {
                return Err(AgainstError::new(path, Some(line), format!("more than {MOST_CELLS} cells")));
            }
        }
        if cells.is_empty() {
            return Err(AgainstError::new(path, None, "the matrix has no cells"));
        }
        cells.sort_by(|a, b| a.reads.0.total_cmp(&b.reads.0).then(a.writes.0.total_cmp(&b.writes.0)));
        let ceiling = ceiling(&cells);
        Ok(Self { cells, ceiling })
    }

    /// The rows: cells of one read rate, by writes.
    pub fn rows(&self) -> impl Iterator<Item = &[MixCell]> {
        self.cells.chunk_by(|a, b| a.reads == b.reads)
    }
}

fn cell(row: &Row) -> Result<MixCell, String> {
    let rate = |name: &str, value: f64| {
        if value.is_finite() && value >= 0.0 { Ok(value) } else { Err(format!("{name}: {value} is no rate")) }
    };
    let latency = |name: &str, value: Option<f64>| match value {
        Some(ms) if ms.is_finite() && ms > 0.0 => Ok(Some(Nanos::from_secs_f64(ms / 1e3))),
        Some(ms) => Err(format!("{name}: {ms} is no latency")),
        None => Ok(None),
    };
    let reached = match row.reached.as_deref() {
        Some("yes") => Reached::Yes,
        Some("no") => Reached::No,
        Some("unknown" | "") | None => Reached::Unknown,
        Some(other) => return Err(format!("reached: expected yes, no or unknown, not {other:?}")),
    };
    Ok(MixCell {
        reads: Iops(rate("read_iops_target", row.read_iops_target)?),
        writes: BytesPerSec::mb(rate("write_MBps_target", row.write_mbps_target)?),
        p50: latency("read_p50_ms", row.read_p50_ms)?,
        p95: latency("read_p95_ms", row.read_p95_ms)?,
        reached,
    })
}

/// The greatest latency, if cells share it to the nanosecond: a scale that ends there.
fn ceiling(cells: &[MixCell]) -> Option<Nanos> {
    let all = || cells.iter().flat_map(|cell| [cell.p50, cell.p95]).flatten();
    let top = all().max()?;
    (all().filter(|latency| *latency == top).count() > 1).then_some(top)
}
