//! TiKV's flow control in virtual time: slows writes down, or refuses a share of them, before the engine stalls. It decides as
//! `singleton_flow_controller.rs` of TiKV v8.5 does: on each flush and compaction, by files on L0, memtables that wait, and
//! bytes that wait for compaction.

mod window;

use units::Nanos;

use crate::Constants;
use window::Window;

/// While L0 is over its threshold, each event slows down by this factor: `K_INC_SLOWDOWN_RATIO`.
const SLOW_DOWN: f64 = 0.8;
/// How much of the old share of refused writes stays at each event: `EMA_FACTOR`.
const KEPT_SHARE: f64 = 0.6;
/// The first share of refused writes.
const FIRST_SHARE: f64 = 0.01;
/// A memtable more or less is this many bytes a second.
const MEMTABLE_STEP: f64 = 1024.0 * 1024.0;
/// Another family takes over with this many more files on L0.
const CHANGE_MARGIN: f64 = 4.0;
/// Samples of files and memtables, of pending bytes, and of the flow of writes.
const COUNTS: usize = 20;
const PENDINGS: usize = 1024;
const FLOWS: usize = 30;
/// What may pass at once after a pause.
const BURST: f64 = 0.001;

/// How far a column family is behind.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Behind {
    /// Files on L0.
    pub(crate) l0_files: f64,
    /// Memtables that wait for their flush.
    pub(crate) memtables: f64,
    /// Bytes that compactions have to rewrite.
    pub(crate) pending: f64,
}

/// What happened to a column family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Happened {
    /// A flush.
    Flush,
    /// A compaction, from L0 if `true`.
    Compaction(bool),
}

#[derive(Debug, Clone)]
struct Family {
    memtables: Window,
    l0_files: Window,
    pending: Window,
    /// Steps of speed that memtables took and have to give back.
    debt: f64,
    /// Whether memtables, not L0, began to slow down.
    by_memtables: bool,
}

/// The flow control of a node.
#[derive(Debug, Clone)]
pub(crate) struct Flow {
    families: Vec<Family>,
    /// Bytes a second; infinite is no limit.
    speed: f64,
    refused: f64,
    slowed_by: Option<usize>,
    last_speed: f64,
    writes: Window,
    /// Bytes that passed since the last tick.
    passed: f64,
    /// Bytes that may pass at once; negative while they are owed.
    bucket: f64,
    filled: Nanos,
}

impl Flow {
    /// At rest, for so many column families.
    pub(crate) fn new(families: usize) -> Self {
        let family = Family {
            memtables: Window::new(COUNTS),
            l0_files: Window::new(COUNTS),
            pending: Window::new(PENDINGS),
            debt: 0.0,
            by_memtables: false,
        };
        Self {
            families: vec![family; families],
            speed: f64::INFINITY,
            refused: 0.0,
            slowed_by: None,
            last_speed: 0.0,
            writes: Window::new(FLOWS),
            passed: 0.0,
            bucket: 0.0,
            filled: Nanos(0),
        }
    }

    /// The share of writes to refuse, 0 to 1.
    pub(crate) fn refused(&self) -> f64 {
        self.refused
    }

    /// Whether writes are slowed down or refused.
    pub(crate) fn holds(&self) -> bool {
        self.speed.is_finite() || self.refused > 0.0
    }

    /// Lets a write of so many bytes pass: how long it has to wait.
    pub(crate) fn pass(&mut self, now: Nanos, bytes: f64) -> Nanos {
        self.passed += bytes;
        if self.speed.is_infinite() {
            return Nanos(0);
        }
        self.fill(now);
        self.bucket -= bytes;
        Nanos::from_secs_f64(-self.bucket / self.speed)
    }

    fn fill(&mut self, now: Nanos) {
        if self.speed.is_finite() {
            let came = (now - self.filled).as_secs_f64() * self.speed;
            self.bucket = (self.bucket + came).min(BURST * self.speed);
        }
        self.filled = now;
    }

    /// A second has passed.
    pub(crate) fn tick(&mut self, now: Nanos, seconds: f64) {
        if self.passed > 0.0 {
            self.writes.add(self.passed / seconds, now);
        }
        self.passed = 0.0;
    }

    /// A flush or compaction of a family is done.
    pub(crate) fn on(&mut self, now: Nanos, happened: Happened, at: usize, behind: Behind, c: &Constants) {
        match happened {
            Happened::Flush => {
                self.families[at].l0_files.add(behind.l0_files, now);
                self.on_memtables(now, at, behind.memtables, c);
                self.on_l0(now, at, c);
            }
            Happened::Compaction(from_l0) => {
                if from_l0 {
                    self.families[at].l0_files.add(behind.l0_files, now);
                    self.on_l0(now, at, c);
                }
                self.on_pending(now, at, behind.pending, c);
            }
        }
    }

    fn on_memtables(&mut self, now: Nanos, at: usize, count: f64, c: &Constants) {
        let before = self.families[at].memtables.recent();
        self.families[at].memtables.add(count, now);
        if self.families.iter().any(|other| count < other.memtables.recent()) {
            return;
        }
        let flow = self.writes.ninetieth();
        let family = &mut self.families[at];
        let (slowed, too_many) = (self.speed.is_finite(), family.memtables.mean() > c.memtables_threshold);
        let speed = match (slowed, too_many) {
            (false, true) if flow > 0.0 => {
                family.by_memtables = true;
                self.slowed_by = Some(at);
                flow
            }
            (false, _) => f64::INFINITY,
            (true, _) if !too_many || count < c.memtables_threshold => {
                if std::mem::take(&mut family.by_memtables) {
                    f64::INFINITY
                } else {
                    self.speed + std::mem::take(&mut family.debt) * MEMTABLE_STEP
                }
            }
            (true, _) => {
                let step = if count == before { 0.0 } else { (before - count).signum() };
                family.debt -= step;
                self.speed + step * MEMTABLE_STEP
            }
        };
        self.set_speed(now, speed, c);
    }

    fn on_l0(&mut self, now: Nanos, at: usize, c: &Constants) {
        let files = self.families[at].l0_files.recent();
        if let Some(other) = self.slowed_by.filter(|other| *other != at) {
            if files <= self.families[other].l0_files.largest() + CHANGE_MARGIN {
                return;
            }
            self.slowed_by = Some(at);
        }
        if self.families[at].by_memtables {
            return;
        }
        let speed = match (self.speed.is_finite(), files > c.l0_files_threshold) {
            (false, true) => {
                self.slowed_by = Some(at);
                let speed = if self.last_speed > 0.0 { self.last_speed } else { self.writes.ninetieth() };
                if speed > 0.0 { speed } else { f64::INFINITY }
            }
            (true, true) => self.speed * SLOW_DOWN,
            (true, false) => {
                self.last_speed = self.speed / SLOW_DOWN;
                f64::INFINITY
            }
            (false, false) => f64::INFINITY,
        };
        self.set_speed(now, speed, c);
    }

    fn set_speed(&mut self, now: Nanos, speed: f64, c: &Constants) {
        self.fill(now);
        if speed > c.throttle_fastest {
            (self.speed, self.slowed_by, self.bucket) = (f64::INFINITY, None, 0.0);
        } else {
            self.speed = speed.max(c.throttle_slowest);
        }
    }

    fn on_pending(&mut self, now: Nanos, at: usize, pending: f64, c: &Constants) {
        let (soft, hard) = (c.soft_pending.log2(), c.hard_pending.log2());
        let pending = pending.max(1.0).log2();
        self.families[at].pending.add(pending, now);
        if self.families.iter().any(|other| pending < other.pending.recent()) {
            return;
        }
        let average = self.families[at].pending.mean();
        self.refused = if average < soft {
            0.0
        } else {
            let share = (average - soft) / (hard - soft);
            let share = if self.refused > 0.0 {
                KEPT_SHARE * self.refused + (1.0 - KEPT_SHARE) * share
            } else {
                share.min(FIRST_SHARE)
            };
            share.clamp(0.0, 1.0)
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_files_than_the_threshold_slow_writes_down_and_fewer_set_them_free() {
        let c = Constants::embedded();
        let mut flow = Flow::new(1);
        for second in 1..=30 {
            flow.pass(Nanos::secs(second), 10e6);
            flow.tick(Nanos::secs(second), 1.0);
        }
        let now = Nanos::secs(31);
        let behind = |l0_files| Behind { l0_files, ..Behind::default() };
        flow.on(now, Happened::Flush, 0, behind(21.0), c);
        assert!(flow.holds());
        assert_eq!(flow.pass(now, 10e6), Nanos::secs(1));
        flow.on(now, Happened::Flush, 0, behind(22.0), c);
        assert!((flow.speed / 8e6 - 1.0).abs() < 1e-9);
        flow.on(now, Happened::Compaction(true), 0, behind(4.0), c);
        assert!(!flow.holds());
        assert_eq!(flow.pass(now, 10e6), Nanos(0));
    }

    #[test]
    fn writes_are_refused_between_the_soft_and_the_hard_limit() {
        let c = Constants::embedded();
        let mut flow = Flow::new(1);
        let middle = (c.soft_pending * c.hard_pending).sqrt();
        for second in 0..400 {
            let behind = Behind { pending: middle, ..Behind::default() };
            flow.on(Nanos::secs(second), Happened::Compaction(false), 0, behind, c);
        }
        assert!((flow.refused() - 0.5).abs() < 0.01, "{}", flow.refused());
    }
}
