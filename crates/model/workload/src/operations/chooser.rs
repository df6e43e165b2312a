//! Which row is asked for.

use rand::RngExt;
use rand_distr::{Distribution, Zipf};

use super::hash::fnv;
use super::scatter::Scatter;
use super::zipfian::Zipfian;
use crate::WorkloadError;

/// How popularity spreads over the rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum AccessSkew {
    /// Every row equally often.
    Uniform,
    /// YCSB's `zipfian`: ranks are drawn from ten thousand million and hashed onto the rows. Exponent in (0, 1).
    ScrambledZipfian(f64),
    /// Zipf's law, each rank a row of its own, ranks scattered among the rows. Any exponent above zero.
    Zipfian(f64),
    /// YCSB's `latest`: Zipf's law (Gray's form) from the newest row backwards. Exponent in (0, 1).
    YcsbLatest(f64),
    /// Zipf's law from the newest row backwards. Any exponent above zero.
    Latest(f64),
    /// The share `accesses` of the draws goes to the share `rows` of the rows, which lie scattered.
    Hotspot {
        /// Share of the rows that are hot, in (0, 1).
        rows: f64,
        /// Share of the draws that go to them, in (0, 1).
        accesses: f64,
    },
}

/// Draws rows. Rows that are added later are drawn once they are there.
#[derive(Debug, Clone)]
pub struct RowChooser {
    how: How,
    /// The rows that are expected at the end: a row keeps its popularity while others are added.
    expected: u64,
}

#[derive(Debug, Clone)]
enum How {
    Uniform,
    Scrambled(Zipfian),
    Zipfian(Zipf<f64>, Scatter),
    YcsbLatest(Zipfian),
    Latest(f64),
    Hotspot { hot: u64, accesses: f64, scatter: Scatter },
}

/// YCSB's `ScrambledZipfianGenerator.ITEM_COUNT`.
const SCRAMBLED_RANKS: u64 = 10_000_000_000;

/// Draws that fall on rows not there yet are repeated; at least a third of the expected rows are there at any time
/// (YCSB expects twice the inserts), so that more tries than this do not happen by chance.
const TRIES: usize = 200;

impl RowChooser {
    /// `expected` is the number of rows at the end of the run, as far as one knows: YCSB takes the loaded rows and twice
    /// the inserts.
    ///
    /// # Errors
    /// When a number of the skew is out of its bounds, or there are no rows.
    pub fn new(skew: AccessSkew, expected: u64) -> Result<Self, WorkloadError> {
        let expected = expected.max(1);
        let gray = |items, theta| {
            let message = format!("is {theta}; expected between 0 and 1, such as 0.99");
            Zipfian::new(items, theta).ok_or_else(|| WorkloadError::new("theta", message))
        };
        let exact = |theta| {
            let message = format!("is {theta}; expected more than 0, such as 0.99");
            Zipf::new(expected as f64, theta)
                .ok()
                .filter(|_| theta > 0.0)
                .ok_or_else(|| WorkloadError::new("theta", message))
        };
        let how = match skew {
            AccessSkew::Uniform => How::Uniform,
            AccessSkew::ScrambledZipfian(theta) => How::Scrambled(gray(SCRAMBLED_RANKS, theta)?),
            AccessSkew::Zipfian(theta) => How::Zipfian(exact(theta)?, Scatter::new(expected)),
            AccessSkew::YcsbLatest(theta) => How::YcsbLatest(gray(1, theta)?),
            AccessSkew::Latest(theta) => exact(theta).map(|_| How::Latest(theta))?,
            AccessSkew::Hotspot { rows, accesses } => {
                for (key, share) in [("hot-rows", rows), ("hot-accesses", accesses)] {
                    if !(share > 0.0 && share < 1.0) {
                        let message = format!("is {share}; expected between 0 and 1, such as \"10%\"");
                        return Err(WorkloadError::new(key, message));
                    }
                }
                let hot = ((expected as f64 * rows).round() as u64).max(1);
                How::Hotspot { hot, accesses, scatter: Scatter::new(expected) }
            }
        };
        Ok(Self { how, expected })
    }

    /// One of the rows 0 to `there`; 0 if there are none.
    pub fn choose(&mut self, there: u64, random: &mut impl RngExt) -> u64 {
        if there == 0 {
            return 0;
        }
        match &mut self.how {
            How::Uniform => random.random_range(0..there),
            How::YcsbLatest(zipfian) => {
                // YCSB: the last row less a rank of as many as its number; row 0 is thus never drawn unless alone.
                let last = there - 1;
                zipfian.grow(last);
                if last == 0 { 0 } else { last - zipfian.draw(random).min(last) }
            }
            How::Latest(theta) => match Zipf::new(there as f64, *theta) {
                Ok(zipf) => there - (zipf.sample(random) as u64).clamp(1, there),
                Err(_) => there - 1,
            },
            how => {
                for _ in 0..TRIES {
                    let row = how.expected_row(self.expected, random);
                    if row < there {
                        return row;
                    }
                }
                random.random_range(0..there)
            }
        }
    }
}

impl How {
    /// One of the rows that are there or will be.
    fn expected_row(&self, expected: u64, random: &mut impl RngExt) -> u64 {
        match self {
            Self::Scrambled(zipfian) => fnv(zipfian.draw(random)) % expected,
            Self::Zipfian(zipf, scatter) => scatter.of((zipf.sample(random) as u64).clamp(1, expected) - 1),
            Self::Hotspot { hot, accesses, scatter } => {
                let cold = expected - hot;
                let rank = if cold == 0 || random.random_bool(*accesses) {
                    random.random_range(0..*hot)
                } else {
                    hot + random.random_range(0..cold)
                };
                scatter.of(rank)
            }
            Self::Uniform | Self::YcsbLatest(_) | Self::Latest(_) => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operations::statistics::{chi_squared_fits, random};
    use proptest::prelude::*;

    const ROWS: u64 = 500;

    fn seen(skew: AccessSkew, draws: u32) -> Vec<u64> {
        let mut chooser = RowChooser::new(skew, ROWS).unwrap();
        let mut random = random(7);
        let mut seen = vec![0; ROWS as usize];
        (0..draws).for_each(|_| seen[chooser.choose(ROWS, &mut random) as usize] += 1);
        seen
    }

    /// Zipf's shares by rank.
    fn zipf(theta: f64) -> Vec<f64> {
        let weights: Vec<_> = (1..=ROWS).map(|k| (k as f64).powf(-theta)).collect();
        let all: f64 = weights.iter().sum();
        weights.iter().map(|weight| weight / all).collect()
    }

    #[test]
    fn uniform_asks_for_every_row_equally_often() {
        chi_squared_fits(&seen(AccessSkew::Uniform, 200_000), &vec![1.0 / ROWS as f64; ROWS as usize]);
    }

    #[test]
    fn zipfian_follows_zipfs_law_below_at_and_above_one() {
        for theta in [0.5, 0.99, 1.0, 1.4] {
            let seen = seen(AccessSkew::Zipfian(theta), 400_000);
            let scatter = Scatter::new(ROWS);
            let by_rank: Vec<_> = (0..ROWS).map(|rank| seen[scatter.of(rank) as usize]).collect();
            chi_squared_fits(&by_rank, &zipf(theta));
        }
    }

    #[test]
    fn latest_follows_zipfs_law_from_the_end() {
        let mut seen = seen(AccessSkew::Latest(1.2), 400_000);
        seen.reverse();
        chi_squared_fits(&seen, &zipf(1.2));
    }

    #[test]
    fn ycsbs_latest_asks_most_for_the_last_row_and_follows_when_rows_are_added() {
        let mut chooser = RowChooser::new(AccessSkew::YcsbLatest(0.99), 10).unwrap();
        let mut random = random(3);
        for there in [100u64, 101, 5000] {
            let last = (0..10_000).filter(|_| chooser.choose(there, &mut random) == there - 1).count() as f64;
            let share = 1.0 / crate::skew::harmonic((there - 1) as f64, 0.99);
            // Five standard deviations of a binomial count.
            assert!((last - share * 1e4).abs() < 5.0 * (share * 1e4).sqrt(), "{there}: {last} of 10,000, {share}");
        }
    }

    #[test]
    fn the_scrambled_share_of_the_first_rank_goes_to_its_hash() {
        let seen = seen(AccessSkew::ScrambledZipfian(0.99), 1_000_000);
        let hottest = seen.iter().enumerate().max_by_key(|(_, count)| **count).unwrap().0 as u64;
        assert_eq!(hottest, fnv(0) % ROWS);
        let share = seen[hottest as usize] as f64 / 1e6;
        // Its own part of YCSB's ZETAN, that of the next ranks which hash to the same row, and of the tail, which falls
        // evenly. The generator is near Zipf's law, not on it.
        let alike = |rank: u64| fnv(rank) % ROWS == hottest;
        let near: f64 = (0..10_000).filter(|rank| alike(*rank)).map(|rank| ((rank + 1) as f64).powf(-0.99)).sum();
        let tail = (26.469 - crate::skew::harmonic(1e4, 0.99)) / ROWS as f64;
        assert!((share - (near + tail) / 26.469).abs() < 0.001, "{share}, {}", (near + tail) / 26.469);
    }

    #[test]
    fn a_hotspot_draws_its_share() {
        let seen = seen(AccessSkew::Hotspot { rows: 0.1, accesses: 0.8 }, 200_000);
        let scatter = Scatter::new(ROWS);
        let by_rank: Vec<_> = (0..ROWS).map(|rank| seen[scatter.of(rank) as usize]).collect();
        let shares: Vec<_> = (0..ROWS).map(|rank| if rank < 50 { 0.8 / 50.0 } else { 0.2 / 450.0 }).collect();
        chi_squared_fits(&by_rank, &shares);
    }

    #[test]
    fn a_theta_of_one_is_refused_where_ycsb_cannot() {
        let error = RowChooser::new(AccessSkew::ScrambledZipfian(1.0), 10).unwrap_err();
        assert_eq!(error.to_string(), "`theta` is 1; expected between 0 and 1, such as 0.99");
    }

    proptest! {
        #[test]
        fn only_rows_that_are_there_are_chosen(there in 1..1000u64, more in 0..3000u64, theta in 0.1..0.99f64, seed: u64) {
            let hotspot = AccessSkew::Hotspot { rows: theta / 2.0, accesses: theta };
            let all = [AccessSkew::Uniform, AccessSkew::ScrambledZipfian(theta), AccessSkew::Zipfian(theta * 2.0),
                       AccessSkew::YcsbLatest(theta), AccessSkew::Latest(theta * 2.0), hotspot];
            for skew in all {
                let mut chooser = RowChooser::new(skew, there + more).unwrap();
                let mut random = random(seed);
                for _ in 0..20 {
                    prop_assert!(chooser.choose(there, &mut random) < there);
                }
            }
        }
    }
}
