//! How often the rate may change: what is not used is saved up, and the less is left, the more a change must be worth.

use units::Nanos;

/// Changes that may still be made.
#[derive(Debug, Clone)]
pub(crate) struct Budget {
    an_hour: f64,
    most: f64,
    left: f64,
    at: Nanos,
}

/// With more than this share of its savings left, changes are made as if there was no end of them.
const PLENTY: f64 = 0.5;

impl Budget {
    /// So many changes an hour, of which so many may be saved up; all of them are.
    pub(crate) fn new(an_hour: f64, most: f64) -> Self {
        Self { an_hour, most, left: most, at: Nanos(0) }
    }

    /// From now on it is so many an hour, and saved up.
    pub(crate) fn limit(&mut self, an_hour: f64, most: f64) {
        // A change that is worth making must be possible some time.
        let most = most.max(1.0);
        (self.an_hour, self.left, self.most) = (an_hour, self.left.min(most), most);
    }

    /// Time passes.
    pub(crate) fn earn(&mut self, now: Nanos) {
        let hours = Nanos(now.0.saturating_sub(self.at.0)).as_secs_f64() / 3600.0;
        self.left = (self.left + hours * self.an_hour).min(self.most);
        self.at = self.at.max(now);
    }

    /// So many times as far must a rate be off to be changed: 1 while there is plenty.
    pub(crate) fn wider(&self) -> f64 {
        (PLENTY * self.most / self.left.max(f64::MIN_POSITIVE)).max(1.0)
    }

    /// Whether a change may be made; then it is counted.
    pub(crate) fn spend(&mut self) -> bool {
        let may = self.left >= 1.0;
        if may {
            self.left -= 1.0;
        }
        may
    }

    /// A change was not made after all.
    pub(crate) fn refund(&mut self) {
        self.left = (self.left + 1.0).min(self.most);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_saved_up_may_be_spent_at_once_and_then_what_an_hour_brings() {
        let mut budget = Budget::new(360.0, 10.0);
        assert_eq!((0..20).filter(|_| budget.spend()).count(), 10);
        let made = (1..=3600).filter(|second| {
            budget.earn(Nanos::secs(*second));
            budget.spend()
        });
        assert!((355..=360).contains(&made.count()));
    }

    #[test]
    fn the_less_is_left_the_more_a_change_must_be_worth() {
        let mut budget = Budget::new(360.0, 10.0);
        let wider: Vec<f64> = (0..10)
            .map(|_| {
                budget.spend();
                budget.wider()
            })
            .collect();
        assert!(wider[..5].iter().all(|wider| *wider == 1.0) && wider.is_sorted() && wider[8] >= 5.0, "{wider:?}");
    }

    #[test]
    fn a_small_share_of_the_changes_still_makes_one_now_and_then() {
        let mut budget = Budget::new(360.0, 10.0);
        budget.limit(3.6, 0.1);
        assert!(budget.spend() && !budget.spend());
        budget.earn(Nanos::secs(1001));
        assert!(budget.spend());
    }
}
