//! Comparisons for people.

use std::fmt;

use super::{Comparison, ErrorSpread, LoadRegion, MatrixComparison, RegionError, RunsComparison};
use crate::against::fio_runs::MeasuredSide;

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Matrix(matrix) => matrix.fmt(f),
            Self::Runs(runs) => runs.fmt(f),
        }
    }
}

impl LoadRegion {
    /// Its name in tables.
    fn title(self) -> &'static str {
        match self {
            Self::Below => "up to 90 %",
            Self::Near => "90 to 100 %",
            Self::At => "100 to 110 %",
            Self::Beyond => "over 110 %",
        }
    }
}

/// `1.8 / 4.0 / 9.1 %`: median, 90th percentile, worst.
fn spread(of: Option<ErrorSpread>) -> String {
    of.map_or("–".to_owned(), |e| {
        format!("{:.1} / {:.1} / {:.1} %", e.median * 100.0, e.p90 * 100.0, e.worst * 100.0)
    })
}

fn delivery((known, right): (usize, usize)) -> String {
    if known == 0 { "–".to_owned() } else { format!("{right} of {known}") }
}

impl fmt::Display for MatrixComparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let setup = &self.setup;
        writeln!(
            f,
            "{} cells: {} reads of {} beside one sequential writer of {}, depth {}\n",
            self.cells.len(),
            setup.arrivals,
            setup.read_size,
            setup.write_size,
            setup.writer_depth
        )?;
        let head = ["load of the limit", "cells", "delivery", "p50 error*", "p95 error*"];
        writeln!(f, "{:<17} {:>5} {:>10} {:>21} {:>21}", head[0], head[1], head[2], head[3], head[4])?;
        let mut row = |name: &str, r: RegionError| {
            let (p50, p95) = (spread(r.p50), spread(r.p95));
            writeln!(f, "{name:<17} {:>5} {:>10} {p50:>21} {p95:>21}", r.cells, delivery(r.delivery))
        };
        for region in self.regions() {
            row(region.region.title(), region)?;
        }
        row("all", self.total())?;
        writeln!(f, "* median / 90th percentile / worst, of cells that may have been delivered")?;
        let shifts: Vec<i64> = self.cliffs.iter().map(|cliff| cliff.shift()).collect();
        let near = shifts.iter().filter(|shift| shift.abs() <= 1).count();
        writeln!(f, "\nQueueing begins within one cell of where it was measured in {near} of {} rows", shifts.len())?;
        for cliff in self.cliffs.iter().filter(|cliff| cliff.shift().abs() > 1) {
            let (by, way) = (cliff.shift().abs(), if cliff.shift() > 0 { "late" } else { "early" });
            writeln!(f, "  {:.0} reads/s: {by} cells too {way}", cliff.reads.0)?;
        }
        Ok(())
    }
}

impl fmt::Display for RunsComparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.runs.iter().map(|run| run.run.chars().count()).max().unwrap_or(0).clamp(3, 44);
        writeln!(
            f,
            "{:<width$} {:>9} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7}",
            "run", "IOPS", "rate", "mean", "p50", "p95", "p99", "p99.9"
        )?;
        for run in &self.runs {
            let name: String = run.run.chars().take(width).collect();
            write!(f, "{name:<width$} {:>9.0} {:>+6.1}%", run.measured.iops.0, run.rate_error() * 100.0)?;
            for error in run.latency_errors() {
                let shown = error.map_or("–".to_owned(), |error| format!("{:+.0}%", error * 100.0));
                write!(f, " {shown:>7}")?;
            }
            writeln!(f)?;
        }
        writeln!(f, "\nError, median / 90th percentile / worst:")?;
        writeln!(f, "  rate   {}", spread(self.rate()))?;
        for (name, errors) in MeasuredSide::QUANTITIES.iter().zip(self.latencies()) {
            writeln!(f, "  {name:<6} {}", spread(errors))?;
        }
        if self.left_out > 0 {
            writeln!(f, "{} runs of other volumes left out", self.left_out)?;
        }
        Ok(())
    }
}
