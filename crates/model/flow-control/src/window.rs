//! A sliding window of records: what flow control calls an average, a trend, a 90th percentile.

use std::collections::VecDeque;

use units::Nanos;

use crate::constants::{STALE, TREND_TOLERANCE};

/// The last records of something, at most five minutes old except for two.
#[derive(Debug, Clone)]
pub struct SampleWindow {
    records: VecDeque<(f64, Nanos)>,
    capacity: usize,
    /// Least span of the records for which there is a trend.
    span: Nanos,
    sum: f64,
}

impl SampleWindow {
    /// An empty window of at most `capacity` records, which has a trend when they span `span` or more.
    pub fn new(capacity: usize, span: Nanos) -> Self {
        Self { records: VecDeque::new(), capacity, span, sum: 0.0 }
    }

    /// Adds a record.
    pub fn observe(&mut self, value: f64, now: Nanos) {
        self.records.push_back((value, now));
        self.sum += value;
        let stale = |records: &VecDeque<(f64, Nanos)>| records.front().is_some_and(|(_, at)| now - *at > STALE);
        while self.records.len() > self.capacity || (self.records.len() > 2 && stale(&self.records)) {
            self.sum -= self.records.pop_front().map_or(0.0, |(value, _)| value);
        }
    }

    /// The last record, or 0.
    pub fn recent(&self) -> f64 {
        self.records.back().map_or(0.0, |(value, _)| *value)
    }

    /// The mean, or 0.
    pub fn average(&self) -> f64 {
        if self.records.is_empty() { 0.0 } else { self.sum / self.records.len() as f64 }
    }

    /// The greatest, or 0.
    pub fn max(&self) -> f64 {
        self.records.iter().map(|(value, _)| *value).fold(0.0, f64::max)
    }

    /// The 90th percentile, rounded down to a record, or 0.
    pub fn percentile_90(&self) -> f64 {
        let mut values: Vec<f64> = self.records.iter().map(|(value, _)| *value).collect();
        values.sort_by(f64::total_cmp);
        values.get(values.len().saturating_sub(1) * 9 / 10).copied().unwrap_or(0.0)
    }

    /// Whether the later half is higher than the earlier one.
    pub fn rises(&self, now: Nanos) -> bool {
        let (Some((_, first)), Some((_, last))) = (self.records.front(), self.records.back()) else { return false };
        if self.records.len() < 2 || now - *last > STALE {
            return false;
        }
        let half = self.records.len() / 2;
        let span = *last - *first;
        let early = |index: usize, at: Nanos| match self.span {
            Nanos(0) => index < half,
            _ => now - at > Nanos(span.0 / 2),
        };
        if span < self.span {
            return false;
        }
        let side = |wanted: bool| {
            let records = self.records.iter().enumerate();
            mean(records.filter(|(index, (_, at))| early(*index, *at) == wanted).map(|(_, (value, _))| *value))
        };
        side(false) > side(true) + TREND_TOLERANCE
    }
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0_u32), |(sum, count), value| (sum + value, count + 1));
    if count == 0 { 0.0 } else { sum / f64::from(count) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(values: &[f64]) -> SampleWindow {
        let mut window = SampleWindow::new(4, Nanos(0));
        for (second, value) in values.iter().enumerate() {
            window.observe(*value, Nanos::secs(second as u64));
        }
        window
    }

    #[test]
    fn only_the_last_records_count() {
        let window = filled(&[100.0, 1.0, 2.0, 3.0, 6.0]);
        assert_eq!((window.recent(), window.average(), window.max()), (6.0, 3.0, 6.0));
    }

    #[test]
    fn records_of_more_than_five_minutes_ago_go_except_for_two() {
        let mut window = filled(&[1.0, 1.0, 1.0]);
        window.observe(9.0, Nanos::secs(302));
        assert_eq!(window.average(), 5.0, "one of second 2 and the new one are left");
    }

    #[test]
    fn the_90th_percentile_is_a_record() {
        let mut window = SampleWindow::new(30, Nanos(0));
        (1..=11).for_each(|value| window.observe(f64::from(value), Nanos(0)));
        assert_eq!(window.percentile_90(), 10.0);
        assert_eq!(SampleWindow::new(3, Nanos(0)).percentile_90(), 0.0);
    }

    #[test]
    fn a_trend_needs_more_than_two() {
        let now = Nanos::secs(4);
        assert!(filled(&[1.0, 1.0, 4.0, 4.0]).rises(now));
        assert!(!filled(&[1.0, 1.0, 3.0, 3.0]).rises(now));
        assert!(!filled(&[1.0]).rises(now));
        assert!(!filled(&[9.0, 9.0, 1.0, 1.0]).rises(now));
    }

    #[test]
    fn a_trend_needs_its_span() {
        let mut window = SampleWindow::new(1024, Nanos::secs(60));
        let value = |second: u64| if second < 30 { 1.0 } else { 9.0 };
        (0..60).for_each(|second| window.observe(value(second), Nanos::secs(second)));
        assert!(!window.rises(Nanos::secs(59)), "59 seconds");
        window.observe(9.0, Nanos::secs(60));
        assert!(window.rises(Nanos::secs(60)));
    }
}
