//! How long runs are.

use units::Nanos;

use crate::BenchError;

/// How long a run takes at least and at most, and how exact it is to be.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct RunLimits {
    /// Throughput is looked at in windows of this length; five of them are one number for the rule of the warm-up.
    pub window: Nanos,
    /// Warm-up, at least: what is rarer than this (a flush, a compaction) the rule cannot know of.
    pub warm_least: Nanos,
    /// Warm-up, at most: then it is measured, steady or not.
    pub warm_most: Nanos,
    /// Measured, at least.
    pub measure_least: Nanos,
    /// Measured, at most.
    pub measure_most: Nanos,
    /// The 95 % interval of the throughput is to lie within this share of its mean on either side.
    pub within: f64,
}

impl Default for RunLimits {
    fn default() -> Self {
        Self {
            window: Nanos::millis(200),
            warm_least: Nanos::secs(10),
            warm_most: Nanos::secs(120),
            measure_least: Nanos::secs(20),
            measure_most: Nanos::secs(120),
            within: 0.02,
        }
    }
}

impl RunLimits {
    /// # Errors
    /// When they contradict each other.
    pub fn check(&self) -> Result<(), BenchError> {
        let (window, most) = (Nanos::millis(10), Nanos::secs(10));
        let contradiction = |what, least, most| Err(BenchError::SpanContradiction { what, least, most });
        if self.window < window || self.window > most {
            return Err(BenchError::out_of_range(format!("windows of {}", self.window), format!("{window} to {most}")));
        }
        if self.warm_least > self.warm_most {
            return contradiction("warming up", self.warm_least, self.warm_most);
        }
        if self.measure_least > self.measure_most || self.measure_most == Nanos(0) {
            return contradiction("measuring", self.measure_least, self.measure_most);
        }
        if !(self.within > 0.0 && self.within < 1.0) {
            let given = format!("a precision of {}", self.within);
            return Err(BenchError::out_of_range(given, "a share between 0 and 1, such as 0.02"));
        }
        Ok(())
    }
}
