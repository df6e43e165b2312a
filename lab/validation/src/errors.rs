//! How far a prediction is off.

use simulate::Constants;

use crate::{GridHalf, MachineLoad, MeasuredRow, RowSetup, RunFigures, ValidateError, predict};

/// What is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ComparedMetric {
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
pub struct ErrorTarget {
    /// Of what.
    pub metric: ComparedMetric,
    /// At most, as a share.
    pub most: f64,
}

/// What is promised.
pub const TARGETS: [ErrorTarget; 4] = [
    ErrorTarget { metric: ComparedMetric::Throughput, most: 0.10 },
    ErrorTarget { metric: ComparedMetric::P50, most: 0.15 },
    ErrorTarget { metric: ComparedMetric::P99, most: 0.25 },
    ErrorTarget { metric: ComparedMetric::Compaction, most: 0.15 },
];

/// Memtables of each node that are flushed while it is measured, at least, for flushes and compactions to be compared: fewer
/// make a compaction from level 0 or make none by chance.
const FLUSHES: f64 = 8.0;

impl ComparedMetric {
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
    pub fn of(self, figures: &RunFigures) -> Option<f64> {
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
pub struct RowErrors {
    /// The row.
    pub setup: RowSetup,
    /// Its half.
    pub half: GridHalf,
    /// What the simulation says.
    pub predicted: RunFigures,
    /// What the reference store did.
    pub measured: RunFigures,
    /// What the machine did besides.
    pub busy: MachineLoad,
}

impl RowErrors {
    /// A row of a half as it was measured, predicted with constants on the processors that it was measured on.
    ///
    /// # Errors
    /// When the simulation refuses it.
    pub fn new(
        setup: &RowSetup,
        half: GridHalf,
        kept: &MeasuredRow,
        constants: &Constants,
        seeds: u64,
    ) -> Result<Self, ValidateError> {
        let predicted = predict(setup, constants, kept.busy.processors, seeds)?;
        Ok(Self { setup: setup.clone(), half, predicted, measured: kept.measured.clone(), busy: kept.busy })
    }

    /// The errors of all rows of a half of which something worth comparing was measured.
    pub fn of_half(rows: &[Self], half: GridHalf, metric: ComparedMetric) -> Vec<f64> {
        rows.iter().filter(|row| row.half == half).filter_map(|row| row.of(metric)).collect()
    }

    /// What was measured, where it is worth comparing.
    pub fn measured(&self, metric: ComparedMetric) -> Option<f64> {
        measured(&self.setup, &self.measured, metric)
    }

    /// Predicted over measured less 1; `None` where nothing worth comparing was measured.
    pub fn of(&self, metric: ComparedMetric) -> Option<f64> {
        errors(&self.setup, &self.predicted, &self.measured, metric)
    }
}

fn measured(setup: &RowSetup, figures: &RunFigures, metric: ComparedMetric) -> Option<f64> {
    if matches!(metric, ComparedMetric::Compaction | ComparedMetric::Flush) {
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
pub fn errors(setup: &RowSetup, predicted: &RunFigures, found: &RunFigures, metric: ComparedMetric) -> Option<f64> {
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
    use crate::ValidationGrid;

    fn setup() -> RowSetup {
        let grid = ValidationGrid::embedded();
        grid.setup(&grid.rows[0]).unwrap()
    }

    #[test]
    fn an_error_is_what_is_predicted_over_what_is_measured() {
        let figures = |throughput, p50_ms| RunFigures { throughput, p50_ms, ..RunFigures::default() };
        let (predicted, found) = (figures(110.0, None), figures(100.0, Some(2.0)));
        let of = |metric| errors(&setup(), &predicted, &found, metric);
        assert!((of(ComparedMetric::Throughput).unwrap() - 0.1).abs() < 1e-12);
        assert_eq!(of(ComparedMetric::P50), Some(1.0), "the simulation carries no such load");
        assert_eq!(of(ComparedMetric::P99), None, "nothing was measured");
        assert_eq!(mean_absolute([0.1, -0.3]), Some(0.2));
        assert_eq!(mean_absolute([]), None);
    }

    #[test]
    fn compactions_of_a_few_memtables_are_not_compared() {
        let setup = setup();
        let bytes = |memtables: f64| {
            let flush = memtables * setup.common.memtable.as_f64() * f64::from(setup.common.nodes);
            let flush_bytes = flush / setup.common.measure.as_secs_f64();
            RunFigures { flush_bytes, compaction_bytes: 5.0 * flush_bytes, ..RunFigures::default() }
        };
        let of = |memtables| errors(&setup, &bytes(20.0), &bytes(memtables), ComparedMetric::Compaction);
        assert_eq!(of(FLUSHES * 0.99), None);
        assert!((of(40.0).unwrap() + 0.5).abs() < 1e-12);
    }
}
