//! Zipf's law as YCSB draws it: after J. Gray et al., "Quickly generating billion-record synthetic databases", SIGMOD
//! 1994. The first two ranks are exact, the others follow a power law close to Zipf's.

use rand::RngExt;

use crate::skew::harmonic;

/// Ranks 0, 1, 2, … of falling popularity; one draw takes a power at most.
#[derive(Debug, Clone, PartialEq)]
pub struct Zipfian {
    items: u64,
    theta: f64,
    /// The sum of k^-theta over the ranks.
    zeta: f64,
    alpha: f64,
    eta: f64,
}

/// The most ranks that are summed one by one when the number of items grows; beyond, the sum is made anew.
const STEPS: u64 = 64;

impl Zipfian {
    /// `items` ranks; `None` unless there is one and `theta` lies between 0 and 1, both excluded.
    pub fn new(items: u64, theta: f64) -> Option<Self> {
        let sound = items > 0 && theta > 0.0 && theta < 1.0;
        sound.then(|| {
            let mut new =
                Self { items, theta, zeta: harmonic(items as f64, theta), alpha: 1.0 / (1.0 - theta), eta: 0.0 };
            new.spread();
            new
        })
    }

    fn spread(&mut self) {
        let two = 1.0 + 0.5f64.powf(self.theta);
        self.eta = if self.items > 2 {
            (1.0 - (2.0 / self.items as f64).powf(1.0 - self.theta)) / (1.0 - two / self.zeta)
        } else {
            // Both ranks are exact: the power law is never asked.
            1.0
        };
    }

    /// How many ranks there are.
    pub fn items(&self) -> u64 {
        self.items
    }

    /// Ranks are added at the unpopular end, as when rows are inserted. Never takes any away.
    pub fn grow(&mut self, items: u64) {
        if items <= self.items {
            return;
        }
        self.zeta = if items - self.items <= STEPS {
            (self.items + 1..=items).fold(self.zeta, |zeta, k| zeta + (k as f64).powf(-self.theta))
        } else {
            harmonic(items as f64, self.theta)
        };
        self.items = items;
        self.spread();
    }

    /// The rank at which the share `quantile` of the draws has been passed, 0 being the most popular.
    pub fn rank(&self, quantile: f64) -> u64 {
        let mass = quantile * self.zeta;
        let rank = if mass < 1.0 {
            0
        } else if mass < 1.0 + 0.5f64.powf(self.theta) {
            1
        } else {
            (self.items as f64 * (self.eta * quantile - self.eta + 1.0).powf(self.alpha)) as u64
        };
        rank.min(self.items - 1)
    }

    /// A rank by chance.
    pub fn draw(&self, random: &mut impl RngExt) -> u64 {
        self.rank(random.random())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operations::statistics::{chi_squared_fits, random};
    use proptest::prelude::*;

    /// The share of draws that fall on `rank` or before, inverted from the formula.
    fn until(zipfian: &Zipfian, rank: u64) -> f64 {
        match rank {
            0 => 1.0 / zipfian.zeta,
            1 => (1.0 + 0.5f64.powf(zipfian.theta)) / zipfian.zeta,
            rank if rank + 1 >= zipfian.items => 1.0,
            rank => {
                let root = ((rank + 1) as f64 / zipfian.items as f64).powf(1.0 / zipfian.alpha);
                (root - 1.0 + zipfian.eta) / zipfian.eta
            }
        }
    }

    #[test]
    fn draws_fall_on_ranks_as_the_formula_says() {
        let zipfian = Zipfian::new(1000, 0.99).unwrap();
        let mut random = random(1);
        let mut seen = vec![0u64; 1000];
        for _ in 0..1_000_000 {
            seen[zipfian.draw(&mut random) as usize] += 1;
        }
        let mut before = 0.0;
        let expected = (0..1000).map(|rank| {
            let upto = until(&zipfian, rank).max(before);
            std::mem::replace(&mut before, upto) - upto
        });
        chi_squared_fits(&seen, &expected.map(|share: f64| -share).collect::<Vec<_>>());
    }

    #[test]
    fn the_most_popular_of_ten_thousand_million_is_ycsbs() {
        // ScrambledZipfianGenerator.ZETAN is 26.469: one draw in 26.469 falls on the first rank.
        let zipfian = Zipfian::new(10_000_000_000, 0.99).unwrap();
        assert!((1.0 / zipfian.zeta - 1.0 / 26.469_028_201_783_02).abs() < 1e-8);
    }

    #[test]
    fn one_or_two_ranks_are_drawn_without_the_power_law() {
        let mut random = random(2);
        let one = Zipfian::new(1, 0.5).unwrap();
        assert!((0..100).all(|_| one.draw(&mut random) == 0));
        let two = Zipfian::new(2, 0.5).unwrap();
        assert!((0..100).all(|_| two.draw(&mut random) < 2));
    }

    proptest! {
        #[test]
        fn ranks_lie_within_the_items_and_rise_with_the_quantile(
            items in 1..1_000_000_000_000u64, theta in 0.01..0.999f64, low in 0.0..1.0f64, high in 0.0..1.0f64,
        ) {
            let zipfian = Zipfian::new(items, theta).unwrap();
            let (low, high) = (low.min(high), low.max(high));
            prop_assert!(zipfian.rank(low) <= zipfian.rank(high) && zipfian.rank(high) < items);
        }

        #[test]
        fn growing_step_by_step_is_starting_large(items in 1..1000u64, steps in 1..200u64, theta in 0.01..0.999f64) {
            let mut grown = Zipfian::new(items, theta).unwrap();
            (1..=steps).for_each(|step| grown.grow(items + step));
            let large = Zipfian::new(items + steps, theta).unwrap();
            prop_assert!((grown.zeta / large.zeta - 1.0).abs() < 1e-7);
            prop_assert!((grown.eta - large.eta).abs() < 1e-5, "{} {}", grown.eta, large.eta);
        }
    }
}
