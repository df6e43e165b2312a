//! Where queueing begins along a row of a matrix.

use units::{Iops, Nanos};

/// Queueing has begun where the median is this much above the row's least.
const CLIFF: f64 = 2.0;

/// Where queueing begins beside one read rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CliffShift {
    /// The read rate.
    pub reads: Iops,
    /// The first cell, from the least write rate, at which it was measured; `None` where it never began.
    pub measured: Option<usize>,
    /// The same in the model.
    pub modelled: Option<usize>,
    /// Cells in the row.
    pub cells: usize,
}

impl CliffShift {
    /// Cells by which the model's cliff comes late (positive) or early. A cliff that never comes lies one past the row's end.
    pub fn shift(&self) -> i64 {
        let at = |cliff: Option<usize>| cliff.unwrap_or(self.cells) as i64;
        at(self.modelled) - at(self.measured)
    }
}

/// The first of a row's medians over twice the least of them. A median that is missing is one that was not delivered.
pub(super) fn first_queueing(medians: &[Option<Nanos>]) -> Option<usize> {
    let least = medians.iter().flatten().min()?;
    let limit = least.0 as f64 * CLIFF;
    medians.iter().position(|median| median.is_none_or(|median| median.0 as f64 > limit))
}
