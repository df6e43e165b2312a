//! How far a prediction is off.

use simulate::Constants;

use crate::{Busy, Figures, Half, Kept, Setup, ValidateError, predict};

/// What is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Metric {
    /// Operations a second.
    Throughput,
    /// Median latency.
    P50,
    /// 99th percentile.
    P99,
    /// Bytes a second that compactions wrote.
    Compaction,
    /// Bytes a second that flushes wrote.
    Flush,
}

/// The mean absolute error that is promised of the predicted half.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Target {
    /// Of what.
    pub metric: Metric,
    /// At most, as a share.
    pub most: f64,
}

/// What is promised.
pub const TARGETS: [Target; 4] = [
    Target { metric: Metric::Throughput, most: 0.10 },
    Target { metric: Metric::P50, most: 0.15 },
    Target { metric: Metric::P99, most: 0.25 },
    Target { metric: Metric::Compaction, most: 0.15 },
];

/// Memtables of each node that are flushed while it is measured, at least, for flushes and compactions to be compared: fewer
/// make a compaction from level 0 or make none by chance.
const FLUSHES: f64 = 8.0;

impl Metric {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Throughput, Self::P50, Self::P99, Self::Compaction, Self::Flush];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Throughput => "throughput",
            Self::P50 => "p50",
            Self::P99 => "p99",
            Self::Compaction => "compaction bytes",
            Self::Flush => "flush bytes",
        }
    }

    /// Its value; `None` where it has none.
    pub fn of(self, figures: &Figures) -> Option<f64> {
        match self {
            Self::Throughput => Some(figures.throughput),
            Self::P50 => figures.p50_ms,
            Self::P99 => figures.p99_ms,
            Self::Compaction => Some(figures.compaction_bytes),
            Self::Flush => Some(figures.flush_bytes),
        }
    }
}

/// A row, predicted and measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Errors {
    /// The row.
    pub setup: Setup,
    /// Its half.
    pub half: Half,
    /// What the simulation says.
    pub predicted: Figures,
    /// What the reference store did.
    pub measured: Figures,
    /// What the machine did besides.
    pub busy: Busy,
}

impl Errors {
    /// A row of a half as it was measured, predicted with constants on the processors that it was measured on.
    ///
    /// # Errors
    /// When the simulation refuses it.
    pub fn new(
        setup: &Setup,
        half: Half,
        kept: &Kept,
        constants: &Constants,
        seeds: u64,
    ) -> Result<Self, ValidateError> {
        let predicted = predict(setup, constants, kept.busy.processors, seeds)?;
        Ok(Self { setup: setup.clone(), half, predicted, measured: kept.measured.clone(), busy: kept.busy })
    }

    /// The errors of all rows of a half of which something worth comparing was measured.
    pub fn of_half(rows: &[Self], half: Half, metric: Metric) -> Vec<f64> {
        rows.iter().filter(|row| row.half == half).filter_map(|row| row.of(metric)).collect()
    }

    /// What was measured, where it is worth comparing.
    pub fn measured(&self, metric: Metric) -> Option<f64> {
        measured(&self.setup, &self.measured, metric)
    }

    /// Predicted over measured less 1; `None` where nothing worth comparing was measured.
    pub fn of(&self, metric: Metric) -> Option<f64> {
        errors(&self.setup, &self.predicted, &self.measured, metric)
    }
}

fn measured(setup: &Setup, figures: &Figures, metric: Metric) -> Option<f64> {
    if matches!(metric, Metric::Compaction | Metric::Flush) {
        let seconds = setup.common.measure.as_secs_f64();
        let flushed = figures.flush_bytes * seconds / f64::from(setup.common.nodes) / setup.common.memtable.as_f64();
        if flushed < FLUSHES {
            return None;
        }
    }
    metric.of(figures).filter(|value| *value > 0.0)
}

/// Predicted over measured less 1; `None` where nothing worth comparing was measured. A latency that was measured where the
/// simulation says that the load is not carried is off by all of it.
pub fn errors(setup: &Setup, predicted: &Figures, found: &Figures, metric: Metric) -> Option<f64> {
    let value = measured(setup, found, metric)?;
    Some(metric.of(predicted).map_or(1.0, |predicted| predicted / value - 1.0))
}

/// The mean of the absolute values; `None` of none.
pub fn mean_absolute(errors: impl IntoIterator<Item = f64>) -> Option<f64> {
    let (count, sum) = errors.into_iter().fold((0.0, 0.0), |(count, sum), error: f64| (count + 1.0, sum + error.abs()));
    (count > 0.0).then(|| sum / count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Grid;

    fn setup() -> Setup {
        let grid = Grid::embedded();
        grid.setup(&grid.rows[0]).unwrap()
    }

    #[test]
    fn an_error_is_what_is_predicted_over_what_is_measured() {
        let figures = |throughput, p50_ms| Figures { throughput, p50_ms, ..Figures::default() };
        let (predicted, found) = (figures(110.0, None), figures(100.0, Some(2.0)));
        let of = |metric| errors(&setup(), &predicted, &found, metric);
        assert!((of(Metric::Throughput).unwrap() - 0.1).abs() < 1e-12);
        assert_eq!(of(Metric::P50), Some(1.0), "the simulation carries no such load");
        assert_eq!(of(Metric::P99), None, "nothing was measured");
        assert_eq!(mean_absolute([0.1, -0.3]), Some(0.2));
        assert_eq!(mean_absolute([]), None);
    }

    #[test]
    fn compactions_of_a_few_memtables_are_not_compared() {
        let setup = setup();
        let bytes = |memtables: f64| {
            let flush = memtables * setup.common.memtable.as_f64() * f64::from(setup.common.nodes);
            let flush_bytes = flush / setup.common.measure.as_secs_f64();
            Figures { flush_bytes, compaction_bytes: 5.0 * flush_bytes, ..Figures::default() }
        };
        let of = |memtables| errors(&setup, &bytes(20.0), &bytes(memtables), Metric::Compaction);
        assert_eq!(of(FLUSHES * 0.99), None);
        assert!((of(40.0).unwrap() + 0.5).abs() < 1e-12);
    }
}
