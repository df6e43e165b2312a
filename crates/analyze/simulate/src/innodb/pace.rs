//! How many changed pages the page cleaner is to write each second, by how much redo log they hold up.

use super::world::World;

impl World {
    /// Redo log that is needed still.
    pub(super) fn checkpoint_age(&self) -> f64 {
        let oldest = self.pool.oldest_lsn().into_iter().chain(self.cleaner.from).fold(self.lsn, f64::min);
        self.lsn - oldest
    }

    /// The age at which writers wait, and that from which on is flushed without pause.
    pub(super) fn ages(&self) -> (f64, f64) {
        let most = self.server.log_size * self.c.checkpoint_margin;
        (most, most * self.c.async_share)
    }

    /// Percent of the buffer pool that is changed.
    fn dirty_pct(&self) -> f64 {
        100.0 * f64::from(self.pool.dirty()) / f64::from(self.pool.frames.max(1))
    }

    /// Redo log from which on adaptive flushing begins.
    fn low_water(&self) -> f64 {
        self.server.adaptive_flushing_lwm / 100.0 * self.server.log_size
    }

    /// The mean of so many pages, of what was written lately, and of what the log's progress needs, `most` at most.
    fn averaged(&self, pages: f64, most: f64) -> f64 {
        let oldest = self.pool.oldest_lsn().unwrap_or(self.lsn);
        let scanned = self.c.scan_factor;
        let for_log = f64::from(self.pool.older_than(oldest + scanned * self.cleaner.redo_rate)) / scanned;
        ((pages + self.cleaner.page_rate + for_log.min(most)) / 3.0).min(self.server.io_capacity_max)
    }

    /// Pages of this second (page_cleaner_flush_pages_recommendation): as much of `innodb_io_capacity` as redo age and dirty
    /// share ask for, averaged.
    pub(super) fn recommended(&self) -> f64 {
        let server = &self.server;
        let (age, (_, soon)) = (self.checkpoint_age(), self.ages());
        let for_dirty = if self.dirty_pct() > server.max_dirty_pages_pct { 100.0 } else { 0.0 };
        let for_age = if server.adaptive_flushing && age >= self.low_water() {
            let percent = age / soon * 100.0;
            server.io_capacity_max / server.io_capacity * percent.powf(1.5) / self.c.adaptive_divisor
        } else {
            0.0
        };
        let percent = f64::max(for_dirty, for_age);
        if percent == 0.0 {
            return 0.0;
        }
        self.averaged(server.io_capacity * percent / 100.0, 2.0 * server.io_capacity_max)
    }

    /// Pages of this second for a cleaner that sleeps (MariaDB 10.11's buf_flush_page_cleaner, where
    /// `innodb_max_dirty_pages_pct_lwm` is 0): all that it was asked for, as many as `innodb_io_capacity_max` allows; what keeps up
    /// while the log is longer than adaptive flushing begins at, or too many pages are changed; else none, and it sleeps.
    pub(super) fn asked(&mut self) -> f64 {
        let server = self.server;
        let oldest = self.pool.oldest_lsn().unwrap_or(self.lsn);
        self.cleaner.until = self.cleaner.until.filter(|until| oldest < *until);
        if let Some(until) = self.cleaner.until {
            return f64::from(self.pool.older_than(until)).min(server.io_capacity_max);
        }
        let much = self.dirty_pct() >= server.max_dirty_pages_pct;
        self.cleaner.awake = much || self.cleaner.awake && self.checkpoint_age() > self.low_water();
        if !self.cleaner.awake {
            return 0.0;
        }
        if !server.adaptive_flushing {
            return server.io_capacity.min(server.io_capacity_max);
        }
        self.averaged(server.io_capacity, server.io_capacity_max / self.c.scan_factor)
    }

    /// The redo log has grown: past the age from which on it is to be flushed without pause, the cleaner is asked for all that
    /// is changed now, and wakes up.
    pub(super) fn ask(&mut self) {
        if self.server.cleaner_sleeps && self.cleaner.until.is_none() && self.checkpoint_age() > self.ages().1 {
            self.cleaner.until = Some(self.lsn);
            if !std::mem::replace(&mut self.cleaner.awake, true) {
                self.cleaner.wanted = self.asked() as u32;
                self.clean();
            }
        }
    }

    /// Whether pages are written without pause: from the age on at which a server that always cleans begins to hurry, or
    /// one that sleeps to be impatient.
    pub(super) fn furious(&self) -> bool {
        let (most, soon) = self.ages();
        self.checkpoint_age() > if self.server.cleaner_sleeps { (most + soon) / 2.0 } else { soon }
    }
}
