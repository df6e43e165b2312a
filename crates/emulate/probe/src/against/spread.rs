//! How errors are spread.

/// The absolute relative errors of a set of comparisons.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ErrorSpread {
    /// How many there are.
    pub count: usize,
    /// Median.
    pub median: f64,
    /// 90th percentile.
    pub p90: f64,
    /// Greatest.
    pub worst: f64,
}

impl ErrorSpread {
    /// The spread of these relative errors, their signs aside; `None` without any.
    pub fn of(errors: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut all: Vec<f64> = errors.into_iter().map(f64::abs).collect();
        all.sort_by(f64::total_cmp);
        let at = |share: f64| all.get(((all.len() as f64 * share).ceil() as usize).max(1) - 1).copied();
        Some(Self { count: all.len(), median: at(0.5)?, p90: at(0.9)?, worst: at(1.0)? })
    }
}
