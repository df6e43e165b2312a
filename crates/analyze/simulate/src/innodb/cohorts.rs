//! Changed pages by the moment of their first change: the oldest are found at once, and any by chance in logarithmic time.

use rand_distr::Distribution;
use rand_distr::weighted::WeightedTreeIndex;
use rand_xoshiro::Xoshiro256PlusPlus;
use units::Nanos;

/// Changes of one moment are one cohort: a checkpoint need not be known better.
const MOMENT: Nanos = Nanos::millis(100);
/// Why no weight is refused.
const FEW: &str = "pages are counted in 32 bits, all of them together too";

/// Pages that were changed first in a moment of time, and the place of the log in it.
#[derive(Debug, Clone, Copy)]
struct Cohort {
    at: Nanos,
    lsn: f64,
}

/// Cohorts, the oldest first, and how many pages each has.
#[derive(Debug, Clone)]
pub(super) struct Cohorts {
    cohorts: Vec<Cohort>,
    /// A weight for each cohort.
    pages: WeightedTreeIndex<u32>,
    /// The first one that has pages; as many as there are cohorts if none has.
    first: usize,
}

impl Cohorts {
    pub(super) fn new() -> Self {
        let pages = WeightedTreeIndex::new([0u32; 0]).expect("no weight is a bad one");
        Self { cohorts: Vec::new(), pages, first: 0 }
    }

    /// A page is changed, no earlier than the last one that was.
    pub(super) fn add(&mut self, at: Nanos, lsn: f64) {
        let last = self.cohorts.len();
        if self.first < last && self.cohorts[last - 1].at + MOMENT > at {
            return self.set(last - 1, self.pages.get(last - 1) + 1);
        }
        // As many that are gone as are left: they are forgotten, which costs each once.
        if 2 * self.first >= last {
            *self = self.left();
        }
        self.cohorts.push(Cohort { at, lsn });
        self.pages.push(1).expect(FEW);
    }

    /// Without those that have no pages any more before the first that has.
    fn left(&self) -> Self {
        let kept = self.first..self.cohorts.len();
        let pages = WeightedTreeIndex::new(kept.clone().map(|at| self.pages.get(at))).expect(FEW);
        Self { cohorts: self.cohorts[kept].to_vec(), pages, first: 0 }
    }

    fn set(&mut self, at: usize, pages: u32) {
        self.pages.update(at, pages).expect(FEW);
        while self.first < self.cohorts.len() && self.pages.get(self.first) == 0 {
            self.first += 1;
        }
    }

    fn oldest(&self) -> Option<&Cohort> {
        self.cohorts.get(self.first)
    }

    /// What redo log the oldest change needs.
    pub(super) fn oldest_lsn(&self) -> Option<f64> {
        self.oldest().map(|cohort| cohort.lsn)
    }

    /// Since when the page is changed that has been longest.
    pub(super) fn oldest_at(&self) -> Option<Nanos> {
        self.oldest().map(|cohort| cohort.at)
    }

    /// Pages whose first change is older than a place of the log.
    pub(super) fn older_than(&self, lsn: f64) -> u32 {
        let older = (self.first..self.cohorts.len()).take_while(|at| self.cohorts[*at].lsn < lsn);
        older.map(|at| self.pages.get(at)).sum()
    }

    /// Takes a page that has been changed longest; whether there was one.
    pub(super) fn take_oldest(&mut self) -> bool {
        self.take(|cohorts| cohorts.first)
    }

    /// Takes a page, each as likely as any other; whether there was one.
    pub(super) fn take_any(&mut self, random: &mut Xoshiro256PlusPlus) -> bool {
        self.take(|cohorts| cohorts.pages.sample(random))
    }

    fn take(&mut self, of: impl FnOnce(&Self) -> usize) -> bool {
        let any = self.oldest().is_some();
        if any {
            let at = of(self);
            self.set(at, self.pages.get(at) - 1);
        }
        any
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rand::SeedableRng;

    #[test]
    fn any_page_is_as_likely_as_any_other_however_old() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut cohorts = Cohorts::new();
        // A thousand moments, of which the later ones have more pages.
        (0..1000u32)
            .for_each(|at| (0..=at / 100).for_each(|_| cohorts.add(Nanos::millis(100 * u64::from(at)), f64::from(at))));
        let (all, older) = (cohorts.older_than(f64::INFINITY), cohorts.older_than(500.0));
        assert!((0..all / 2).all(|_| cohorts.take_any(&mut random)));
        let kept = f64::from(cohorts.older_than(500.0)) / f64::from(older);
        assert!((kept - 0.5).abs() < 0.05, "{kept} of the older ones are left of a half of all");
    }

    proptest! {
        #[test]
        fn they_are_what_a_list_of_all_pages_says(
            steps in prop::collection::vec((0..3u8, 1..30u64), 1..200), seed: u64,
        ) {
            let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
            let (mut cohorts, mut list) = (Cohorts::new(), Vec::new());
            let mut now = Nanos(0);
            for (what, many) in steps {
                match what {
                    0 => for _ in 0..many {
                        now += Nanos::millis(many);
                        cohorts.add(now, now.as_secs_f64());
                        list.push(now);
                    },
                    1 => for _ in 0..many {
                        prop_assert_eq!(cohorts.take_oldest(), !list.is_empty());
                        if !list.is_empty() {
                            list.remove(0);
                        }
                    },
                    // Which one is chance: any way there is one less.
                    _ => {
                        prop_assert_eq!(cohorts.take_any(&mut random), !list.is_empty());
                        let left = cohorts.older_than(f64::INFINITY);
                        while cohorts.take_oldest() {}
                        prop_assert_eq!(left as usize, list.len().saturating_sub(1));
                        list.clear();
                    }
                }
                prop_assert_eq!(cohorts.older_than(f64::INFINITY) as usize, list.len());
                let oldest = list.first().map(|at| at.as_secs_f64());
                prop_assert_eq!(cohorts.oldest_at().is_some(), oldest.is_some());
                // A cohort begins with its oldest page, up to a moment before the one that is left.
                if let Some((ours, theirs)) = cohorts.oldest_lsn().zip(oldest) {
                    prop_assert!(ours <= theirs && theirs - ours < MOMENT.as_secs_f64(), "{} of {}", ours, theirs);
                }
            }
        }
    }
}
