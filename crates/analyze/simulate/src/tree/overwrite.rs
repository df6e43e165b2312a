//! How many of a run of writes hit different keys, and how many of them replace what a level below holds.

use workload::SkewBand;

/// Points of the curve from writes to different keys.
const POINTS: usize = 96;

/// Writes to keys of known popularity. A write to a band of `rows` keys that draws the share `a` of the writes leaves, after n
/// writes, `rows × (1 − e^(−n a / rows))` of them written.
#[derive(Debug, Clone)]
pub(crate) struct Overwrites {
    /// Rows, and share of the writes, of each band.
    bands: Vec<(f64, f64)>,
    /// Share of the writes that go to keys that exist.
    updates: f64,
    /// Raw bytes of a write.
    record: f64,
    /// Logarithm of writes, and different keys among them.
    curve: Vec<(f64, f64)>,
}

impl Overwrites {
    /// Writes of `record` bytes each to `rows` keys spread as `bands`; a share `updates` of them replaces a value.
    pub(crate) fn new(bands: &[SkewBand], rows: f64, updates: f64, record: f64) -> Self {
        let rows = rows.max(1.0);
        let bands: Vec<(f64, f64)> = bands.iter().map(|band| ((band.data * rows).max(1.0), band.accesses)).collect();
        let mut new = Self { bands, updates, record: record.max(1.0), curve: Vec::new() };
        let last = (rows * 1e4).ln();
        new.curve = (0..POINTS)
            .map(|i| {
                let writes = last * i as f64 / (POINTS - 1) as f64;
                (writes, new.different(writes.exp()))
            })
            .collect();
        new
    }

    /// Different keys among so many writes.
    fn different(&self, writes: f64) -> f64 {
        self.bands.iter().map(|(rows, share)| rows * (1.0 - (-writes * share / rows).exp())).sum()
    }

    /// The writes after which so many different keys are written.
    fn writes(&self, different: f64) -> f64 {
        let right = self.curve.partition_point(|(_, keys)| *keys < different).clamp(1, self.curve.len() - 1);
        let ((x0, y0), (x1, y1)) = (self.curve[right - 1], self.curve[right]);
        if y1 > y0 { (x0 + (x1 - x0) * ((different - y0) / (y1 - y0)).clamp(0.0, 1.0)).exp() } else { x1.exp() }
    }

    /// What is left of raw bytes of writes when only the last of each key is kept.
    pub(crate) fn kept(&self, bytes: f64) -> f64 {
        let updates = bytes / self.record * self.updates;
        if updates < 1.0 {
            return bytes;
        }
        bytes * (1.0 - self.updates) + self.different(updates) * self.record
    }

    /// The share of `upper` raw bytes that replaces something in a level of `lower` raw bytes; a level that holds every key
    /// is `whole`.
    pub(crate) fn replaced(&self, upper: f64, lower: f64, whole: bool) -> f64 {
        if self.updates == 0.0 || upper <= 0.0 {
            return 0.0;
        }
        if whole {
            return self.updates;
        }
        let writes = |bytes: f64| self.writes(bytes / self.record * self.updates);
        let (above, below) = (writes(upper), writes(lower));
        let (mut both, mut all) = (0.0, 0.0);
        for (rows, share) in &self.bands {
            let moved = rows * (1.0 - (-above * share / rows).exp());
            all += moved;
            both += moved * (1.0 - (-below * share / rows).exp());
        }
        if all > 0.0 { self.updates * (both / all).min(1.0) } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn uniform(rows: f64) -> Overwrites {
        Overwrites::new(&[SkewBand { data: 1.0, accesses: 1.0, clustered: true }], rows, 1.0, 1.0)
    }

    #[test]
    fn uniform_writes_replace_what_a_level_holds_of_the_rows() {
        let writes = uniform(1e6);
        assert!((writes.replaced(1e3, 1e5, false) - 0.1).abs() < 0.002);
        assert!((writes.kept(1e3) - 1e3).abs() < 1.0);
        assert_eq!(writes.replaced(1e3, 9e5, true), 1.0);
    }

    #[test]
    fn few_hot_rows_leave_little_of_many_writes() {
        let hot = [
            SkewBand { data: 0.001, accesses: 0.9, clustered: false },
            SkewBand { data: 0.999, accesses: 0.1, clustered: false },
        ];
        let writes = Overwrites::new(&hot, 1e6, 1.0, 1.0);
        assert!(writes.kept(1e5) < 0.15e5, "{}", writes.kept(1e5));
    }

    proptest! {
        #[test]
        fn never_more_is_kept_than_was_written(bytes in 1.0..1e9f64, updates in 0.0..1.0f64, rows in 1.0..1e8f64) {
            let band = [SkewBand { data: 1.0, accesses: 1.0, clustered: true }];
            let writes = Overwrites::new(&band, rows, updates, 100.0);
            prop_assert!(writes.kept(bytes) <= bytes * (1.0 + 1e-9));
            prop_assert!((0.0..=updates).contains(&writes.replaced(bytes, bytes, false)));
        }
    }
}
