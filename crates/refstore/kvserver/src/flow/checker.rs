//! TiKV's flow control as a state machine: it takes how far the engine is behind and the time, and gives a speed and a share of
//! writes to refuse. It decides as `singleton_flow_controller.rs` of TiKV v8.5 does.

use std::time::Duration;

use raftstore::ColumnFamily;

use super::constants::{
    CHANGE_MARGIN, FASTEST, FIRST_SHARE, KEPT_SHARE, MEMTABLE_STEP, SLOW_DOWN, SLOWEST, WRITE_FLOWS,
};
use super::family::{Event, Family};
use super::window::Window;
use super::{CfPressure, FlowSettings};

/// The state machine.
#[derive(Debug)]
pub(crate) struct Checker {
    families: Vec<Family>,
    /// Bytes per second; infinite is no limit.
    speed: f64,
    /// 0 to 1; 0.02 is one write in fifty.
    refused: f64,
    /// Which column family's state sets the speed.
    slowed_by: Option<ColumnFamily>,
    /// Foreground writes, bytes per second.
    flow: Window,
    ticked: Duration,
    /// The speed that the last slow-down ended with.
    last_speed: f64,
    /// What it did since somebody asked, under TiKV's names of actions.
    actions: Vec<(ColumnFamily, &'static str)>,
}

impl Checker {
    /// At rest.
    pub(crate) fn new(now: Duration) -> Self {
        Self {
            families: Vec::new(),
            speed: f64::INFINITY,
            refused: 0.0,
            slowed_by: None,
            flow: Window::new(WRITE_FLOWS, Duration::ZERO),
            ticked: now,
            last_speed: 0.0,
            actions: Vec::new(),
        }
    }

    /// Bytes per second that writes may have; infinite is no limit.
    pub(crate) fn speed(&self) -> f64 {
        self.speed
    }

    /// The share of writes to refuse, 0 to 1.
    pub(crate) fn refused(&self) -> f64 {
        self.refused
    }

    /// Whose state sets the speed.
    pub(crate) fn slowed_by(&self) -> Option<ColumnFamily> {
        self.slowed_by
    }

    /// What is known of each column family.
    pub(crate) fn families(&self) -> &[Family] {
        &self.families
    }

    /// What was done since the last call.
    pub(crate) fn take_actions(&mut self) -> Vec<(ColumnFamily, &'static str)> {
        std::mem::take(&mut self.actions)
    }

    /// At rest again, as when it is switched off. Unlike TiKV's, it forgets what it has seen, too: else the memtables of a load would
    /// slow down the first writes of a run.
    pub(crate) fn reset(&mut self, now: Duration) {
        let actions = self.take_actions();
        *self = Self { actions, ..Self::new(now) };
    }

    /// Records what was written in the foreground since the last tick; answers bytes per second. Nothing is not recorded: when
    /// every client waits for its delay, a second without writes says nothing of what they want.
    pub(crate) fn tick(&mut self, now: Duration, written: u64) -> f64 {
        let span = now.saturating_sub(self.ticked).as_secs_f64();
        if span < f64::EPSILON {
            return 0.0;
        }
        let rate = written as f64 / span;
        if written != 0 {
            self.flow.observe(rate, now);
        }
        self.ticked = now;
        rate
    }

    /// Takes how far the engine is behind.
    pub(crate) fn sample(&mut self, now: Duration, settings: &FlowSettings, samples: &[CfPressure]) {
        for sample in samples {
            let Some(at) = self.families.iter().position(|family| family.cf() == sample.cf) else {
                self.families.push(Family::new(*sample, now));
                continue;
            };
            let events = self.families[at].events(sample);
            self.families[at].last = *sample;
            events.for_each(|event| self.on(event, at, now, settings));
        }
    }

    fn on(&mut self, event: Event, at: usize, now: Duration, settings: &FlowSettings) {
        let family = &mut self.families[at];
        match event {
            Event::Flush(bytes) => {
                family.flushed(bytes, now);
                if settings.enable {
                    self.on_memtables(at, now, settings.memtables_threshold as f64);
                    self.on_l0(at, now, settings.l0_files_threshold as f64);
                }
            }
            Event::L0Compaction(bytes) => {
                family.l0_compacted(bytes, now);
                if settings.enable {
                    self.on_l0(at, now, settings.l0_files_threshold as f64);
                }
            }
            Event::Compaction if settings.enable => self.on_pending(at, now, settings),
            Event::Compaction => {}
        }
    }

    fn on_memtables(&mut self, at: usize, now: Duration, threshold: f64) {
        let family = &mut self.families[at];
        let (cf, count) = (family.cf(), family.last.immutable_memtables as f64);
        let before = family.memtables.recent();
        family.memtables.observe(count, now);
        if family.fresh_memtables {
            if count >= threshold && !family.memtables.rises(now) {
                return;
            }
            family.fresh_memtables = false;
        }
        if self.families.iter().any(|other| count < other.memtables.recent()) {
            return;
        }
        let family = &mut self.families[at];
        let (slowed, too_many) = (self.speed.is_finite(), family.memtables.average() > threshold);
        let speed = match (slowed, too_many) {
            (false, false) => f64::INFINITY,
            (false, true) => {
                self.actions.push((cf, "memtable_init"));
                let flow = self.flow.percentile_90().floor();
                if flow == 0.0 {
                    f64::INFINITY
                } else {
                    family.memtables_began = true;
                    self.slowed_by = Some(cf);
                    flow
                }
            }
            (true, _) if !too_many || count < threshold => {
                if std::mem::take(&mut family.memtables_began) {
                    f64::INFINITY
                } else {
                    self.speed + std::mem::take(&mut family.memtable_debt) * MEMTABLE_STEP
                }
            }
            (true, _) => {
                let step = if count > before {
                    -1.0
                } else if count < before {
                    1.0
                } else {
                    0.0
                };
                family.memtable_debt -= step;
                self.speed + step * MEMTABLE_STEP
            }
        };
        self.set_speed(speed);
    }

    fn on_l0(&mut self, at: usize, now: Duration, threshold: f64) {
        let family = &mut self.families[at];
        let (cf, files) = (family.cf(), family.l0_files.recent());
        if family.fresh_l0 {
            if files >= threshold && !family.l0_files.rises(now) {
                return;
            }
            family.fresh_l0 = false;
        }
        if let Some(other) = self.slowed_by.filter(|other| *other != cf) {
            let most =
                self.families.iter().find(|family| family.cf() == other).map_or(0.0, |family| family.l0_files.max());
            if files <= most + CHANGE_MARGIN {
                return;
            }
            self.actions.push((cf, "change_throttle_cf"));
            self.slowed_by = Some(cf);
        }
        if self.families[at].memtables_began {
            return;
        }
        let speed = match (self.speed.is_finite(), files > threshold) {
            (false, true) => {
                self.actions.push((cf, "init"));
                self.slowed_by = Some(cf);
                let speed =
                    if self.last_speed < f64::EPSILON { self.flow.percentile_90().floor() } else { self.last_speed };
                if speed < f64::EPSILON { f64::INFINITY } else { speed }
            }
            (true, true) => self.speed * SLOW_DOWN,
            (true, false) => {
                self.last_speed = self.speed / SLOW_DOWN;
                f64::INFINITY
            }
            (false, false) => f64::INFINITY,
        };
        self.set_speed(speed);
    }

    fn set_speed(&mut self, speed: f64) {
        let speed = speed.max(SLOWEST);
        if speed > FASTEST {
            self.slowed_by = None;
            self.speed = f64::INFINITY;
        } else {
            self.speed = speed;
        }
    }

    fn on_pending(&mut self, at: usize, now: Duration, settings: &FlowSettings) {
        let log = |bytes: u64| (bytes.max(1) as f64).log2();
        let (soft, hard) =
            (log(settings.soft_pending_compaction_bytes_limit), log(settings.hard_pending_compaction_bytes_limit));
        let family = &mut self.families[at];
        let pending = log(family.last.pending_compaction_bytes);
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
                KEPT_SHARE * self.refused + (1.0 - KEPT_SHARE) * share
            } else {
                share.min(FIRST_SHARE)
            };
            share.clamp(0.0, 1.0)
        };
    }
}

#[cfg(test)]
#[path = "checker_tests.rs"]
mod tests;
