//! Leaf pages of B-trees: how many there are, in memory, and changed. Pages of a tree on which entries fall evenly are alike, so
//! that counts say of a touched page, with the right odds, what a list of all pages would.

use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use units::Nanos;

use super::cohorts::Cohorts;

/// Where the entries of new rows land.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Lands {
    /// On any leaf.
    Anywhere,
    /// At a place that goes through all leaves in order in a period, which begins anew then: on fresh ground the first time.
    Swept(Nanos),
    /// At the end.
    AtTheEnd,
}

/// What a touch of a leaf meets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Touch {
    /// It is in memory.
    Hit,
    /// It is in memory and was unchanged until now.
    Dirtied,
    /// It is not in memory.
    Miss,
    /// A page that was not there before.
    New,
}

/// Trees whose entries land alike, as one.
#[derive(Debug, Clone)]
pub(super) struct Trees {
    pub(super) lands: Lands,
    /// How many trees.
    count: f64,
    /// Entries of a leaf.
    per_page: f64,
    /// Entries of all.
    entries: f64,
    /// Leaves.
    pub(super) pages: u32,
    /// Of them, those in memory, and those of them that are changed and not on their way to the disk.
    pub(super) resident: u32,
    pub(super) dirty: u32,
    cohorts: Cohorts,
    /// Touches of a whole leaf that a row is yet to make: swept trees are stepped through in parts of leaves.
    owed: f64,
}

impl Trees {
    /// Trees with so many rows, each with an entry of so many bytes in each tree, on pages with so much room.
    pub(super) fn new(lands: Lands, count: f64, rows: f64, entry: f64, room: f64) -> Self {
        let per_page = (room / entry).max(1.0);
        let entries = rows * count;
        let pages = (entries / per_page).max(count).ceil() as u32;
        Self { lands, count, per_page, entries, pages, resident: 0, dirty: 0, cohorts: Cohorts::new(), owed: 0.0 }
    }

    /// Pages of which a row touches so many, any, and which never become more.
    pub(super) fn fixed(touches: f64, pages: u32) -> Self {
        let count = if pages > 0 { touches } else { 0.0 };
        let (lands, per_page, entries, owed) = (Lands::Anywhere, f64::INFINITY, 0.0, 0.0);
        Self { lands, count, per_page, entries, pages, resident: 0, dirty: 0, cohorts: Cohorts::new(), owed }
    }

    /// Bytes of a page that a row fills up.
    pub(super) fn new_pages_per_row(&self) -> f64 {
        self.count / self.per_page
    }

    /// Leaves that a row steps on anew, at so many rows a second, beside those that it fills up.
    pub(super) fn steps(&self, now: Nanos, rows_per_second: f64, dispersion: f64) -> f64 {
        match self.lands {
            Lands::Swept(period) if now > period => {
                let between = f64::from(self.pages) / (rows_per_second * period.as_secs_f64()).max(1.0);
                self.count.min(between * dispersion)
            }
            _ => 0.0,
        }
    }

    /// Touches that a row makes of leaves which may be anywhere.
    pub(super) fn touches(&self) -> f64 {
        if self.lands == Lands::Anywhere { self.count } else { 0.0 }
    }

    /// A row is added: `steps` leaves are stepped on. `met` hears of each touch that finds no changed page in memory.
    pub(super) fn add_row(
        &mut self,
        now: Nanos,
        lsn: f64,
        steps: f64,
        random: &mut Xoshiro256PlusPlus,
        met: &mut impl FnMut(Touch),
    ) {
        self.entries += self.count;
        if self.entries > f64::from(self.pages) * self.per_page {
            self.pages += 1;
            self.resident += 1;
            self.changed(now, lsn);
            met(Touch::New);
        }
        self.owed += if self.lands == Lands::Anywhere { self.count } else { steps };
        while self.owed >= 1.0 {
            self.owed -= 1.0;
            let touch = self.touch(now, random);
            if touch == Touch::Dirtied {
                self.changed(now, lsn);
            }
            if touch != Touch::Hit {
                met(touch);
            }
        }
    }

    fn touch(&self, now: Nanos, random: &mut Xoshiro256PlusPlus) -> Touch {
        if let Lands::Swept(period) = self.lands
            && self.resident > 0
            && self.oldest_at().is_some_and(|oldest| oldest + period <= now)
        {
            // It was changed when the place was last here, and nothing of that time has been written yet.
            return Touch::Hit;
        }
        if self.lands != Lands::Anywhere {
            // Where not all pages stay, the one of a period ago has gone.
            return if self.resident < self.pages { Touch::Miss } else { Touch::Dirtied };
        }
        match random.random_range(0..self.pages) {
            at if at >= self.resident => Touch::Miss,
            at if at >= self.dirty => Touch::Dirtied,
            _ => Touch::Hit,
        }
    }

    /// A page has come from the disk, and is changed.
    pub(super) fn arrived(&mut self, now: Nanos, lsn: f64) {
        if self.resident < self.pages {
            self.resident += 1;
        }
        self.changed(now, lsn);
    }

    fn changed(&mut self, at: Nanos, lsn: f64) {
        if self.dirty >= self.resident {
            return;
        }
        self.dirty += 1;
        self.cohorts.add(at, lsn);
    }

    /// What redo log the oldest change needs, and since when.
    pub(super) fn oldest_lsn(&self) -> Option<f64> {
        self.cohorts.oldest_lsn()
    }

    pub(super) fn oldest_at(&self) -> Option<Nanos> {
        self.cohorts.oldest_at()
    }

    /// Pages whose first change is older than a place of the log.
    pub(super) fn older_than(&self, lsn: f64) -> u32 {
        self.cohorts.older_than(lsn)
    }

    /// Takes the page that has been changed longest, to be written.
    pub(super) fn take_oldest(&mut self) -> bool {
        let taken = self.cohorts.take_oldest();
        self.dirty -= u32::from(taken);
        taken
    }

    /// Takes changed pages of any age, to be written; how many there were.
    pub(super) fn take_any(&mut self, wanted: u32, random: &mut Xoshiro256PlusPlus) -> u32 {
        let taken = (0..wanted).take_while(|_| self.cohorts.take_any(random)).count() as u32;
        self.dirty -= taken;
        taken
    }

    /// How many dirty pages lie beside a page, one after the other, on both sides of it.
    pub(super) fn neighbours(&self) -> f64 {
        /// Pages of an extent, in which neighbours are looked for.
        const EXTENT: f64 = 64.0;
        let share = f64::from(self.dirty) / f64::from(self.pages.max(1));
        (2.0 * share / (1.0 - share).max(1e-3)).min(EXTENT - 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rand::SeedableRng;

    fn trees(lands: Lands) -> Trees {
        Trees::new(lands, 2.0, 100_000.0, 100.0, 10_000.0)
    }

    #[test]
    fn random_changes_meet_changed_pages_as_often_as_chance_has_it() {
        let mut trees = trees(Lands::Anywhere);
        trees.resident = trees.pages;
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        let (rows, all) = (1000, f64::from(trees.pages));
        for _ in 0..rows {
            trees.add_row(Nanos(0), 0.0, 0.0, &mut random, &mut |_| {});
        }
        // Of n pages, m touches at random change n (1 - e^(-m/n)).
        let expected = all * (1.0 - (-2.0 * f64::from(rows) / all).exp());
        assert!((f64::from(trees.dirty) / expected - 1.0).abs() < 0.05, "{} of {expected}", trees.dirty);
    }

    #[test]
    fn a_sweep_touches_nothing_old_the_first_time_and_each_leaf_once_in_each_period_after_it() {
        let period = Nanos::secs(400);
        let trees = trees(Lands::Swept(period));
        assert_eq!(trees.steps(Nanos::secs(399), 1000.0, 1.0), 0.0);
        let stepped = trees.steps(Nanos::secs(401), 1000.0, 1.0) * 1000.0 * period.as_secs_f64();
        assert!((stepped / f64::from(trees.pages) - 1.0).abs() < 1e-9, "{stepped} of {}", trees.pages);
    }

    proptest! {
        #[test]
        fn dirty_pages_are_those_of_the_cohorts_and_never_more_than_are_in_memory(
            steps in prop::collection::vec((0..4u8, 0..50u32), 1..200), seed: u64,
        ) {
            let mut trees = trees(Lands::Anywhere);
            trees.resident = trees.pages / 2;
            let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
            for (now, (what, many)) in steps.into_iter().enumerate() {
                let (at, lsn) = (Nanos::millis(now as u64 * 50), now as f64);
                match what {
                    0 => (0..many).for_each(|_| trees.add_row(at, lsn, 0.0, &mut random, &mut |_| {})),
                    1 => trees.arrived(at, lsn),
                    2 => drop((0..many).filter(|_| trees.take_oldest()).count()),
                    _ => drop(trees.take_any(many, &mut random)),
                }
                prop_assert_eq!(trees.dirty, trees.older_than(f64::INFINITY));
                prop_assert!(trees.dirty <= trees.resident && trees.resident <= trees.pages);
            }
        }
    }
}
