//! The buffer pool: which leaves are in memory, and which leaves next.

use units::Nanos;

use super::pages::{Lands, Trees};

/// Kinds of pages: the table's own, its indexes by where their entries land, and those of undo logs.
pub(super) const KINDS: usize = 5;
/// The last of them.
pub(super) const UNDO: usize = KINDS - 1;

/// Frames of memory.
#[derive(Debug, Clone)]
pub(super) struct BufferPool {
    pub(super) trees: [Trees; KINDS],
    /// Frames, those of inner pages taken off.
    pub(super) frames: u32,
    /// Frames with nothing in them.
    pub(super) free: u32,
    /// Seconds after which an untouched page has left; none if all fit.
    pub(super) stays: Option<f64>,
    /// Pages of each kind that would be in memory if the least recently used one always left.
    share: [f64; KINDS],
}

impl BufferPool {
    pub(super) fn new(trees: [Trees; KINDS], frames: u32) -> Self {
        let mut pool = Self { trees, frames, free: frames, stays: None, share: [0.0; KINDS] };
        pool.weigh(Nanos(0), 1000.0, 1.0, frames);
        for kind in 0..KINDS {
            let here = (pool.share[kind] as u32).min(pool.trees[kind].pages).min(pool.free);
            pool.trees[kind].resident = here;
            pool.free -= here;
        }
        pool
    }

    /// At so many rows a second, with so many frames in use: how long pages stay, and how many of each kind (Che's approximation of
    /// least recently used: a page is there if it was touched within a time that is the same for all, which follows from the size).
    pub(super) fn weigh(&mut self, now: Nanos, rows_per_second: f64, dispersion: f64, used: u32) {
        let rate = rows_per_second.max(1.0);
        let here = |trees: &Trees, stays: f64| {
            let pages = f64::from(trees.pages);
            let fresh = (trees.new_pages_per_row() + trees.steps(now, rate, dispersion)) * rate * stays;
            match trees.lands {
                Lands::Anywhere => pages * (1.0 - (-rate * trees.touches() * stays / pages).exp()),
                _ => (fresh + 1.0).min(pages),
            }
        };
        let all: f64 = self.trees.iter().map(|trees| f64::from(trees.pages)).sum();
        let frames = f64::from(used);
        if all <= f64::from(self.frames) {
            self.stays = None;
            self.share = std::array::from_fn(|kind| f64::from(self.trees[kind].pages));
            return;
        }
        let (mut low, mut high) = (1e-3f64, 1e9f64);
        for _ in 0..60 {
            let middle = (low * high).sqrt();
            if self.trees.iter().map(|trees| here(trees, middle)).sum::<f64>() > frames {
                high = middle
            } else {
                low = middle
            }
        }
        self.stays = Some(low);
        self.share = std::array::from_fn(|kind| here(&self.trees[kind], low));
    }

    /// The kind whose least recently used page is the one of all: the one that has most beyond its share.
    pub(super) fn next_to_leave(&self) -> usize {
        let beyond = |kind: usize| f64::from(self.trees[kind].resident) - self.share[kind];
        let kinds = (0..KINDS).filter(|kind| self.trees[*kind].resident > 0);
        kinds.max_by(|a, b| beyond(*a).total_cmp(&beyond(*b))).unwrap_or(0)
    }

    /// Whether the least recently used page of a kind is changed. Every touch changes a page, so it is if nothing was written
    /// of what is as old as it is.
    pub(super) fn leaves_dirty(&self, kind: usize, now: Nanos) -> bool {
        let trees = &self.trees[kind];
        if trees.dirty == 0 || trees.dirty >= trees.resident {
            return trees.dirty > 0;
        }
        let stays = self.stays.unwrap_or(f64::INFINITY);
        trees.oldest_at().is_some_and(|oldest| (now - oldest).as_secs_f64() >= stays)
    }

    /// Changed pages.
    pub(super) fn dirty(&self) -> u32 {
        self.trees.iter().map(|trees| trees.dirty).sum()
    }

    /// Pages in memory.
    pub(super) fn resident(&self) -> u32 {
        self.trees.iter().map(|trees| trees.resident).sum()
    }

    /// All leaves.
    pub(super) fn pages(&self) -> f64 {
        self.trees.iter().map(|trees| f64::from(trees.pages)).sum()
    }

    /// The place of the log from which on it is needed.
    pub(super) fn oldest_lsn(&self) -> Option<f64> {
        self.trees.iter().filter_map(Trees::oldest_lsn).min_by(f64::total_cmp)
    }

    /// The kind with the page that has been changed longest.
    pub(super) fn oldest(&self) -> Option<usize> {
        let lsns = self.trees.iter().enumerate().filter_map(|(kind, trees)| Some((kind, trees.oldest_lsn()?)));
        lsns.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(kind, _)| kind)
    }

    /// Pages whose first change is older than a place of the log.
    pub(super) fn older_than(&self, lsn: f64) -> u32 {
        self.trees.iter().map(|trees| trees.older_than(lsn)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pool(frames: u32) -> BufferPool {
        let trees = |lands, count| Trees::new(lands, count, 100_000.0, 100.0, 10_000.0);
        let period = Nanos::secs(400);
        BufferPool::new(
            [
                trees(Lands::AtTheEnd, 1.0),
                trees(Lands::Anywhere, 2.0),
                trees(Lands::Swept(period), 1.0),
                trees(Lands::AtTheEnd, 1.0),
                Trees::fixed(2.0, 100),
            ],
            frames,
        )
    }

    #[test]
    fn what_fits_is_all_in_memory_and_nothing_leaves() {
        let pool = pool(10_000);
        assert_eq!((pool.stays, f64::from(pool.resident())), (None, pool.pages()));
    }

    #[test]
    fn what_does_not_fit_is_shared_by_who_is_touched() {
        let pool = pool(1500);
        let [ends, anywhere, ..] = &pool.trees;
        assert!(pool.resident() <= 1500 && pool.stays.is_some());
        assert!(anywhere.resident > 10 * ends.resident, "{} {}", anywhere.resident, ends.resident);
        // A hundred pages that every row touches stay, all of them.
        assert!(pool.trees[UNDO].resident > 90, "{}", pool.trees[UNDO].resident);
    }

    #[test]
    fn what_every_row_touches_stays_also_when_many_frames_are_kept_free() {
        let mut pool = pool(1500);
        while pool.free < 500 {
            pool.weigh(Nanos(0), 1000.0, 1.0, pool.resident());
            let kind = pool.next_to_leave();
            pool.trees[kind].resident -= 1;
            pool.free += 1;
        }
        assert!(pool.trees[UNDO].resident > 90, "{}", pool.trees[UNDO].resident);
    }
}
