//! Hit rates of a least-recently-used cache from skew and size, by Che's approximation.

use units::Bytes;
use workload::{OperationProfile, SkewBand};

/// Points at which a curve is held; the error of interpolating between them is under 0.3 % of accesses (tested).
const POINTS: usize = 160;

/// The hit rate of an LRU cache as a function of the share of the data that it holds.
///
/// Che, Tung and Wang (2002): an object asked for at rate λ is in the cache with probability 1 − e^(−λt), where t, the
/// cache's characteristic time, is the one that fills it. Both the filled share and the hit rate are functions of t, so the
/// curve is drawn by walking t and no equation is solved.
#[derive(Debug, Clone)]
pub struct HitCurve {
    /// Share of the data cached, and hit rate, ascending in both.
    points: Vec<(f64, f64)>,
}

impl HitCurve {
    /// The curve for a workload whose rows lie in blocks of so many bytes, before compression.
    pub fn of_blocks(profile: &OperationProfile, block: Bytes) -> Self {
        let (bands, rows) = profile.in_blocks(block);
        Self::new(bands, rows)
    }

    /// The curve for accesses spread as `bands` over rows of which `rows_per_block` lie in each cached block.
    pub fn new(bands: &[SkewBand], rows_per_block: f64) -> Self {
        let classes = block_classes(bands, rows_per_block.max(1.0));
        let heat = |c: &Class| c.accesses / c.data;
        let hottest = classes.iter().map(heat).fold(f64::MIN, f64::max);
        let coldest = classes.iter().map(heat).filter(|h| *h > 0.0).fold(f64::MAX, f64::min);
        // From a time in which even the hottest class is hardly held to one in which the coldest is all there.
        let (first, last) = ((1e-6 / hottest).ln(), (20.0 / coldest).ln());
        let mut points = vec![(0.0, 0.0)];
        points.extend((0..POINTS).map(|i| {
            let time = (first + (last - first) * i as f64 / (POINTS - 1) as f64).exp();
            classes.iter().fold((0.0, 0.0), |(held, hits), class| {
                let present = 1.0 - (-heat(class) * time).exp();
                (held + class.data * present, hits + class.accesses * present)
            })
        }));
        points.push((1.0, 1.0));
        Self { points }
    }

    /// The share of accesses that hit a cache holding `share` (0 to 1) of the data.
    pub fn hit_rate(&self, share: f64) -> f64 {
        let share = share.clamp(0.0, 1.0);
        let right = self.points.partition_point(|(held, _)| *held < share).clamp(1, self.points.len() - 1);
        let ((x0, y0), (x1, y1)) = (self.points[right - 1], self.points[right]);
        if x1 > x0 { y0 + (y1 - y0) * (share - x0) / (x1 - x0) } else { y1 }
    }
}

/// Blocks that are asked for equally often.
struct Class {
    data: f64,
    accesses: f64,
}

/// What row bands look like in blocks of `k` rows: rows that lie together keep their band; scattered rows share their block
/// with others, and the hottest of them decides how hot the block is.
fn block_classes(bands: &[SkewBand], k: f64) -> Vec<Class> {
    let mut classes: Vec<Class> =
        bands.iter().filter(|b| b.clustered).map(|b| Class { data: b.data, accesses: b.accesses }).collect();
    let mut scattered: Vec<&SkewBand> = bands.iter().filter(|b| !b.clustered && b.data > 0.0).collect();
    let total: f64 = scattered.iter().map(|b| b.data).sum();
    scattered.sort_by(|a, b| (b.accesses / b.data).total_cmp(&(a.accesses / a.data)));
    // The probability that a block of `rows` rows has none of the bands before and including each.
    let mut hotter = 0.0;
    let edges: Vec<(f64, f64)> = scattered
        .iter()
        .map(|band| {
            let before = hotter;
            hotter += band.data / total;
            (before, hotter.min(1.0))
        })
        .collect();
    let without = |share: f64, rows: f64| (1.0 - share).max(0.0).powf(rows);
    for (i, (before, upto)) in edges.iter().enumerate() {
        let data = total * (without(*before, k) - without(*upto, k));
        // A row of band j finds itself in a block whose hottest row is of band i (i hotter or equal).
        let accesses: f64 = scattered
            .iter()
            .enumerate()
            .skip(i)
            .map(|(j, band)| {
                let none_hotter = without(*before, k - 1.0);
                let none_up_to = if j == i { 0.0 } else { without(*upto, k - 1.0) };
                band.accesses * (none_hotter - none_up_to)
            })
            .sum();
        if data > 0.0 {
            classes.push(Class { data, accesses });
        }
    }
    classes.retain(|c| c.data > 0.0);
    classes
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn uniform() -> Vec<SkewBand> {
        vec![SkewBand { data: 1.0, accesses: 1.0, clustered: false }]
    }

    /// Hot tenth of the rows takes `share` of the accesses.
    fn hot_tenth(share: f64, clustered: bool) -> Vec<SkewBand> {
        vec![
            SkewBand { data: 0.1, accesses: share, clustered },
            SkewBand { data: 0.9, accesses: 1.0 - share, clustered },
        ]
    }

    #[test]
    fn a_uniform_workload_hits_as_often_as_the_cache_is_large() {
        let curve = HitCurve::new(&uniform(), 100.0);
        for share in [0.0, 0.05, 0.3, 0.77, 1.0] {
            assert!((curve.hit_rate(share) - share).abs() < 0.003, "{share}: {}", curve.hit_rate(share));
        }
    }

    #[test]
    fn blocks_spoil_the_skew_of_scattered_rows_but_not_of_clustered_ones() {
        let in_rows = HitCurve::new(&hot_tenth(0.9, false), 1.0).hit_rate(0.1);
        let in_blocks = HitCurve::new(&hot_tenth(0.9, false), 64.0).hit_rate(0.1);
        let clustered = HitCurve::new(&hot_tenth(0.9, true), 64.0).hit_rate(0.1);
        assert!(in_rows > 0.6 && (in_rows - clustered).abs() < 0.01, "{in_rows} {clustered}");
        assert!(in_blocks < 0.2, "64 rows of which a tenth is hot: nearly every block is hot ({in_blocks})");
    }

    #[test]
    fn the_approximation_agrees_with_a_simulated_lru() {
        let (objects, hot) = (2_000_usize, 200_usize);
        let capacity = 300_usize;
        let curve = HitCurve::new(&hot_tenth(0.8, true), 1.0);
        // A linear congruential generator is random enough here, and keeps the test its own.
        let mut state = 7_u64;
        let mut random = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as f64 / f64::from(1_u32 << 31)
        };
        let mut last_used = vec![0_usize; objects];
        let (mut hits, runs) = (0, 60_000_usize);
        let mut order = std::collections::BTreeMap::new();
        for now in 1..=runs {
            let object = if random() < 0.8 {
                (random() * hot as f64) as usize
            } else {
                hot + (random() * (objects - hot) as f64) as usize
            };
            if order.remove(&last_used[object]).is_some() {
                hits += usize::from(now > runs / 2);
            }
            order.insert(now, object);
            last_used[object] = now;
            if order.len() > capacity {
                order.pop_first();
            }
        }
        let simulated = hits as f64 / (runs / 2) as f64;
        let predicted = curve.hit_rate(capacity as f64 / objects as f64);
        assert!((simulated - predicted).abs() < 0.02, "simulated {simulated}, predicted {predicted}");
    }

    proptest! {
        #[test]
        fn a_larger_cache_never_hits_less(share in 0.1..0.99f64, k in 1.0..500.0f64, a in 0.0..1.0f64, b in 0.0..1.0f64) {
            let curve = HitCurve::new(&hot_tenth(share, false), k);
            let (small, large) = (a.min(b), a.max(b));
            prop_assert!(curve.hit_rate(small) <= curve.hit_rate(large) + 1e-12);
        }

        #[test]
        fn classes_keep_all_data_and_all_accesses(share in 0.1..0.99f64, k in 1.0..500.0f64) {
            let classes = block_classes(&hot_tenth(share, false), k);
            prop_assert!((classes.iter().map(|c| c.data).sum::<f64>() - 1.0).abs() < 1e-9);
            prop_assert!((classes.iter().map(|c| c.accesses).sum::<f64>() - 1.0).abs() < 1e-9);
        }
    }
}
