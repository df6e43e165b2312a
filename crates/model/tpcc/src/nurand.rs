//! The non-uniform draws of clause 2.1.6: some customers and items are asked for much more often than others.

use crate::TpccRandom;

/// `NURand(a, from, until)` with the run-time constant `c`.
pub fn nurand(random: &mut TpccRandom, a: i64, c: i64, from: i64, until: i64) -> i64 {
    (((random.within(0..=a) | random.within(from..=until)) + c) % (until - from + 1)) + from
}

/// The constants C of a load or of a run, one for each field that is drawn so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NurandConstants {
    /// For last names; 0 to [`Constants::LAST`].
    pub last: i64,
    /// For customers' numbers; 0 to [`Constants::CUSTOMER`].
    pub customer: i64,
    /// For items; 0 to [`Constants::ITEM`].
    pub item: i64,
}

impl NurandConstants {
    /// A for last names.
    pub const LAST: i64 = 255;
    /// A for customers' numbers.
    pub const CUSTOMER: i64 = 1023;
    /// A for items.
    pub const ITEM: i64 = 8191;

    /// Constants of the load.
    pub fn of_load(seed: u64) -> Self {
        Self::drawn(&mut TpccRandom::new(seed, 1))
    }

    /// Constants of a run on a database loaded with these: other names are hot (2.1.6.1).
    pub fn of_run(self, seed: u64) -> Self {
        let mut random = TpccRandom::new(seed, 2);
        loop {
            let run = Self::drawn(&mut random);
            if Self::apart((run.last - self.last).abs()) {
                return run;
            }
        }
    }

    /// Whether the constants of load and run may be so far apart: 65 to 119, but neither 96 nor 112.
    fn apart(delta: i64) -> bool {
        (65..=119).contains(&delta) && delta != 96 && delta != 112
    }

    fn drawn(random: &mut TpccRandom) -> Self {
        let mut upto = |a| random.within(0..=a);
        Self { last: upto(Self::LAST), customer: upto(Self::CUSTOMER), item: upto(Self::ITEM) }
    }

    /// The number of a last name.
    pub fn last_name(self, random: &mut TpccRandom) -> i64 {
        nurand(random, Self::LAST, self.last, 0, 999)
    }

    /// A customer's number.
    pub fn customer(self, random: &mut TpccRandom) -> i64 {
        nurand(random, Self::CUSTOMER, self.customer, 1, crate::CUSTOMERS)
    }

    /// An item's number.
    pub fn item(self, random: &mut TpccRandom) -> i64 {
        nurand(random, Self::ITEM, self.item, 1, crate::ITEMS)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn draws_stay_within_their_bounds(seed: u64) {
            let run = NurandConstants::of_load(seed).of_run(seed);
            let random = &mut TpccRandom::new(seed, 3);
            for _ in 0..200 {
                prop_assert!((0..=999).contains(&run.last_name(random)));
                prop_assert!((1..=crate::CUSTOMERS).contains(&run.customer(random)));
                prop_assert!((1..=crate::ITEMS).contains(&run.item(random)));
            }
        }

        #[test]
        fn load_and_run_are_as_far_apart_as_the_standard_wants(load: u64, seed: u64) {
            let (load, run) = (NurandConstants::of_load(load), NurandConstants::of_load(load).of_run(seed));
            let delta = (load.last - run.last).abs();
            prop_assert!((65..=119).contains(&delta) && delta != 96 && delta != 112, "{delta}");
        }
    }

    #[test]
    fn some_customers_are_much_hotter_than_others() {
        // An or of two uniform draws has each bit set three times in four, so numbers of many bits are the hot ones.
        let (run, random) = (NurandConstants::of_load(1), &mut TpccRandom::new(1, 1));
        let mut seen = vec![0u32; crate::CUSTOMERS as usize + 1];
        (0..100_000).for_each(|_| seen[run.customer(random) as usize] += 1);
        seen.sort_unstable_by(|a, b| b.cmp(a));
        let tenth: u32 = seen[..seen.len() / 10].iter().sum();
        assert!(tenth > 40_000, "the hottest tenth takes {tenth} of 100,000");
    }
}
