//! Free space: what is left, and for how long at the pace at which it went.

use std::collections::BTreeMap;

use timeline::vocabulary;

use super::node::Told;
use super::{DiagnosisSignal, SubjectFacts};
use crate::rules::thresholds;

/// RDS's free bytes of a database's volume.
const FREE_STORAGE: &str = "FreeStorageSpace";

/// Free bytes of one filesystem or volume in each interval, its size and its name.
struct Space {
    name: String,
    free: Vec<Option<f64>>,
    size: Option<f64>,
}

/// Adds what is left of the filesystem or volume that is full first, where one is told of.
pub(super) fn facts(node: &mut SubjectFacts, told: &Told<'_>, disks: &[SubjectFacts]) {
    let mut sizes: BTreeMap<String, f64> = BTreeMap::new();
    for (series, column) in told.all(vocabulary::FILESYSTEM_BYTES.name) {
        let most = column.into_iter().flatten().reduce(f64::max);
        sizes.extend(most.map(|most| (place(&series.labels), most)));
    }
    let filesystems = told.all(vocabulary::FILESYSTEM_FREE_BYTES.name).map(|(series, free)| {
        let place = place(&series.labels);
        Space { free, size: sizes.get(&place).copied(), name: format!("{}{{{place}}}", series.name) }
    });
    let database = told.all(FREE_STORAGE).map(|(_, free)| {
        let size = disks
            .first()
            .and_then(|disk| disk.disk.as_ref())
            .map(|disk| disk.volume.size.as_f64() * f64::from(disk.stripe));
        Space { name: FREE_STORAGE.to_owned(), free, size }
    });
    let seconds = node.grid.step.as_secs_f64();
    let left = |space: &Space| time_left(&space.free, seconds);
    let all: Vec<Space> = filesystems.chain(database).collect();
    let share = |space: &Space| Some(space.free.iter().flatten().next_back()? / space.size?);
    let urgency = |space: &Space| (left(space).unwrap_or(f64::INFINITY), share(space).unwrap_or(f64::INFINITY));
    let first = all.iter().min_by(|a, b| {
        let (a, b) = (urgency(a), urgency(b));
        a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1))
    });
    let Some(first) = first else { return };
    let last = node.grid.count.saturating_sub(1);
    if let Some(size) = first.size.filter(|size| *size > 0.0) {
        let of = |free: &Option<f64>| free.map(|free| free / size);
        node.put(DiagnosisSignal::SpaceLeft, &first.name, first.free.iter().map(of).collect());
    }
    if let Some(time) = left(first) {
        node.derive(DiagnosisSignal::SpaceTimeLeft, &first.name, |_, i| (i == last).then_some(time));
    }
}

/// `mount=/data`, `device=sdb`.
fn place(labels: &timeline::SeriesLabels) -> String {
    let named = ["mount", "device"].into_iter().filter_map(|key| Some(format!("{key}={}", labels.get(key)?)));
    named.collect::<Vec<_>>().join(",")
}

/// Seconds until nothing is free, by the line of least squares; `None` where free space does not fall along a line.
fn time_left(free: &[Option<f64>], step: f64) -> Option<f64> {
    let points: Vec<(f64, f64)> = (0..free.len()).filter_map(|i| Some((i as f64 * step, free[i]?))).collect();
    let count = points.len() as f64;
    if points.len() < 3 {
        return None;
    }
    let mean = points.iter().fold((0.0, 0.0), |sum, point| (sum.0 + point.0 / count, sum.1 + point.1 / count));
    let sums = points.iter().fold((0.0, 0.0, 0.0), |sums, (at, free)| {
        let (x, y) = (at - mean.0, free - mean.1);
        (sums.0 + x * x, sums.1 + x * y, sums.2 + y * y)
    });
    let (slope, explained) = (sums.1 / sums.0, sums.1 * sums.1 / (sums.0 * sums.2));
    // What goes up and down with compactions and temporary tables is no trend.
    let falls = slope < 0.0 && explained >= thresholds().trend;
    falls.then(|| (points.last().map_or(0.0, |last| last.1) / -slope).max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn space_that_falls_along_a_line_lasts_as_long_as_the_line() {
        let line: Vec<Option<f64>> = (0..10).map(|i| Some(1000.0 - 10.0 * f64::from(i))).collect();
        assert!((time_left(&line, 60.0).unwrap() - 91.0 * 60.0).abs() < 1e-6);
    }

    #[test]
    fn space_that_goes_up_and_down_or_is_hardly_told_has_no_trend() {
        let saw: Vec<Option<f64>> = (0..10).map(|i| Some(1000.0 - f64::from(i % 5) * 50.0)).collect();
        assert_eq!(time_left(&saw, 60.0), None);
        assert_eq!(time_left(&[Some(5.0), None, Some(4.0)], 60.0), None);
        assert_eq!(time_left(&[Some(5.0); 9], 60.0), None, "what does not fall never ends");
    }
}
