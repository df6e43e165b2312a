//! The law: from flushes and compactions to a speed and a share.

use units::Nanos;

use crate::constants::{CHANGE_MARGIN, FIRST_REFUSED_SHARE, KEPT_REFUSED_SHARE, MEMTABLE_STEP, SLOW_DOWN, WRITE_FLOWS};
use crate::family::{FamilyRecords, InitialBacklog};
use crate::window::SampleWindow;

/// Backlogs at which flow control acts (`storage.flow-control.*`), and the bounds of its throttle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FlowThresholds {
    /// Files on level 0 above which writes are slowed down.
    pub l0_files: f64,
    /// Memtables waiting for their flush above which writes are slowed down.
    pub memtables: f64,
    /// Pending compaction bytes above which some writes are refused.
    pub soft_pending: f64,
    /// Pending compaction bytes above which all writes are refused.
    pub hard_pending: f64,
    /// Lowest speed of the throttle, bytes per second.
    pub slowest: f64,
    /// Speed above which there is no throttle, bytes per second.
    pub fastest: f64,
}

/// Action of the law.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThrottleAction {
    /// Memtables above their threshold began to slow writes down.
    MemtableInit,
    /// Files on level 0 above their threshold did.
    Init,
    /// Another column family sets the speed from now on.
    ChangeFamily,
}

impl ThrottleAction {
    /// TiKV's name of it, the label `type` of `tikv_scheduler_throttle_action_total`.
    pub fn name(self) -> &'static str {
        match self {
            Self::MemtableInit => "memtable_init",
            Self::Init => "init",
            Self::ChangeFamily => "change_throttle_cf",
        }
    }
}

/// The state of flow control. Column families are numbered as they were added.
#[derive(Debug, Clone)]
pub struct FlowLaw {
    families: Vec<FamilyRecords>,
    /// Bytes per second; infinite is no limit.
    speed: f64,
    /// 0 to 1; 0.02 is one write in fifty.
    refused: f64,
    /// The family whose state sets the speed.
    slowed_by: Option<usize>,
    /// Foreground writes, bytes per second.
    writes: SampleWindow,
    /// The speed at which the next slow-down begins; 0 before the first has ended.
    last_speed: f64,
}

impl Default for FlowLaw {
    fn default() -> Self {
        Self::new()
    }
}

impl FlowLaw {
    /// Flow control at rest, without column families.
    pub fn new() -> Self {
        Self {
            families: Vec::new(),
            speed: f64::INFINITY,
            refused: 0.0,
            slowed_by: None,
            writes: SampleWindow::new(WRITE_FLOWS, Nanos(0)),
            last_speed: 0.0,
        }
    }

    /// Adds a column family. Returns its number.
    pub fn add_family(&mut self, initial: InitialBacklog) -> usize {
        self.families.push(FamilyRecords::new(initial));
        self.families.len() - 1
    }

    /// Bytes per second that writes may have; infinite is no limit.
    pub fn speed(&self) -> f64 {
        self.speed
    }

    /// The share of writes to refuse, 0 to 1.
    pub fn refused(&self) -> f64 {
        self.refused
    }

    /// The column family whose state sets the speed.
    pub fn slowed_by(&self) -> Option<usize> {
        self.slowed_by
    }

    /// Records of each column family, by its number.
    pub fn families(&self) -> &[FamilyRecords] {
        &self.families
    }

    /// Records foreground writes of the last second, bytes per second.
    pub fn record_writes(&mut self, rate: f64, now: Nanos) {
        self.writes.observe(rate, now);
    }

    /// A flush left so many files on level 0 and so many memtables waiting.
    pub fn flushed(
        &mut self,
        now: Nanos,
        at: usize,
        (l0_files, memtables): (f64, f64),
        thresholds: &FlowThresholds,
    ) -> Vec<ThrottleAction> {
        let mut actions = Vec::new();
        self.families[at].l0_files.observe(l0_files, now);
        self.on_memtables(now, at, memtables, thresholds, &mut actions);
        self.on_l0(now, at, thresholds, &mut actions);
        actions
    }

    /// A compaction of level 0 left so many files there.
    pub fn l0_compacted(
        &mut self,
        now: Nanos,
        at: usize,
        l0_files: f64,
        thresholds: &FlowThresholds,
    ) -> Vec<ThrottleAction> {
        let mut actions = Vec::new();
        self.families[at].l0_files.observe(l0_files, now);
        self.on_l0(now, at, thresholds, &mut actions);
        actions
    }

    fn on_memtables(
        &mut self,
        now: Nanos,
        at: usize,
        count: f64,
        thresholds: &FlowThresholds,
        actions: &mut Vec<ThrottleAction>,
    ) {
        let family = &mut self.families[at];
        let before = family.memtables.recent();
        family.memtables.observe(count, now);
        if family.fresh_memtables {
            if count >= thresholds.memtables && !family.memtables.rises(now) {
                return;
            }
            family.fresh_memtables = false;
        }
        if self.families.iter().any(|other| count < other.memtables.recent()) {
            return;
        }
        let family = &mut self.families[at];
        let (slowed, too_many) = (self.speed.is_finite(), family.memtables.average() > thresholds.memtables);
        let speed = match (slowed, too_many) {
            (false, false) => f64::INFINITY,
            (false, true) => {
                actions.push(ThrottleAction::MemtableInit);
                let flow = self.writes.percentile_90();
                if flow > 0.0 {
                    family.memtables_began = true;
                    self.slowed_by = Some(at);
                    flow
                } else {
                    f64::INFINITY
                }
            }
            (true, _) if !too_many || count < thresholds.memtables => {
                if std::mem::take(&mut family.memtables_began) {
                    f64::INFINITY
                } else {
                    self.speed + std::mem::take(&mut family.memtable_debt) * MEMTABLE_STEP
                }
            }
            (true, _) => {
                let step = if count == before { 0.0 } else { (before - count).signum() };
                family.memtable_debt -= step;
                self.speed + step * MEMTABLE_STEP
            }
        };
        self.set_speed(speed, thresholds);
    }

    fn on_l0(&mut self, now: Nanos, at: usize, thresholds: &FlowThresholds, actions: &mut Vec<ThrottleAction>) {
        let family = &mut self.families[at];
        let files = family.l0_files.recent();
        if family.fresh_l0 {
            if files >= thresholds.l0_files && !family.l0_files.rises(now) {
                return;
            }
            family.fresh_l0 = false;
        }
        if let Some(other) = self.slowed_by.filter(|other| *other != at) {
            if files <= self.families[other].l0_files.max() + CHANGE_MARGIN {
                return;
            }
            actions.push(ThrottleAction::ChangeFamily);
            self.slowed_by = Some(at);
        }
        if self.families[at].memtables_began {
            return;
        }
        let speed = match (self.speed.is_finite(), files > thresholds.l0_files) {
            (false, true) => {
                actions.push(ThrottleAction::Init);
                self.slowed_by = Some(at);
                let speed = if self.last_speed > 0.0 { self.last_speed } else { self.writes.percentile_90() };
                if speed > 0.0 { speed } else { f64::INFINITY }
            }
            (true, true) => self.speed * SLOW_DOWN,
            (true, false) => {
                self.last_speed = self.speed / SLOW_DOWN;
                f64::INFINITY
            }
            (false, false) => f64::INFINITY,
        };
        self.set_speed(speed, thresholds);
    }

    fn set_speed(&mut self, speed: f64, thresholds: &FlowThresholds) {
        let speed = speed.max(thresholds.slowest);
        if speed > thresholds.fastest {
            self.slowed_by = None;
            self.speed = f64::INFINITY;
        } else {
            self.speed = speed;
        }
    }

    /// A compaction left so many bytes that compactions have to rewrite.
    pub fn compacted(&mut self, now: Nanos, at: usize, pending: f64, thresholds: &FlowThresholds) {
        let log = |bytes: f64| bytes.max(1.0).log2();
        let (soft, hard, pending) = (log(thresholds.soft_pending), log(thresholds.hard_pending), log(pending));
        let family = &mut self.families[at];
        family.pending.observe(pending, now);
        if family.fresh_pending {
            if pending >= soft && !family.pending.rises(now) {
                return;
            }
            family.fresh_pending = false;
        }
        let average = family.pending.average();
        // The column family that is furthest behind decides.
        if self.families.iter().any(|other| pending < other.pending.recent()) {
            return;
        }
        self.refused = if average < soft {
            0.0
        } else {
            // With a hard limit not above the soft one everything above it is refused.
            let share = if hard > soft { (average - soft) / (hard - soft) } else { 1.0 };
            let share = if self.refused > 0.0 {
                KEPT_REFUSED_SHARE * self.refused + (1.0 - KEPT_REFUSED_SHARE) * share
            } else {
                share.min(FIRST_REFUSED_SHARE)
            };
            share.clamp(0.0, 1.0)
        };
    }
}
