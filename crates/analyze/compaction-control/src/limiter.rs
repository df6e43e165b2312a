//! The state machine: a rate that changes when the one that holds is no longer right.

use limits::BindingLimit;
use units::{BytesPerSec, Nanos};

use crate::Constants;
use crate::budget::Budget;
use crate::demand::Demand;
use crate::signals::{BackgroundWork, CompletedIo, LimiterSignals};
use crate::supply::{Shares, Supply};

/// Between which rates the limiter chooses.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RateBounds {
    /// Never less, however busy the disk is. What flushes are seen to need is granted beyond it.
    pub floor: BytesPerSec,
    /// Never more.
    pub ceiling: BytesPerSec,
}

impl Default for RateBounds {
    /// The least lets a memtable of TiKV out in half a minute. The most is TiKV's own `rocksdb.rate-bytes-per-sec`.
    fn default() -> Self {
        Self { floor: BytesPerSec::mib(4.0), ceiling: BytesPerSec::mib(10_240.0) }
    }
}

/// What decided a rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RateReason {
    /// It is what the writes and the backlog ask for.
    Demand,
    /// It is what this limit leaves.
    Supply(BindingLimit),
    /// It is what flushes need, however busy the disk is.
    Flushes,
    /// Flow control is near: all that is left, or what keeps up with the writes.
    Urgent,
    /// It is the least or the most that is allowed.
    Bound,
}

/// A rate to set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WriteRate {
    /// `rocksdb.rate-bytes-per-sec`.
    pub rate: BytesPerSec,
    /// What decided it.
    pub why: RateReason,
    /// Bytes a second that the limits left at that instant, for flushes and compactions.
    pub left: BytesPerSec,
    /// Bytes a second that the writes and the backlog asked for.
    pub wanted: BytesPerSec,
    /// How near flow control was, 0 to 1.
    pub urgency: f64,
}

/// What was told last.
#[derive(Debug, Clone, Copy)]
struct Last {
    at: Nanos,
    disks: [CompletedIo; 2],
}

/// The limiter of one store.
#[derive(Debug, Clone)]
pub struct CompactionLimiter {
    c: Constants,
    bounds: RateBounds,
    supply: Supply,
    demand: Demand,
    last: Option<Last>,
    /// When the engine's counters last moved, and what they and the disks' were then.
    told: Option<(Last, BackgroundWork)>,
    /// Whether the engine's counters have moved: a window begins then, and not before.
    begun: bool,
    /// Whether a whole window of them was seen.
    ready: bool,
    /// The rate that holds, and since when.
    holds: Option<(f64, Nanos)>,
    /// The rate that held before the last change that was asked for.
    before: Option<f64>,
    budget: Budget,
}

/// The engine's counters are taken to stand still for good after so many seconds: TiKV refreshes them every ten.
const STILL: f64 = 15.0;

/// Rates that differ by no more than this share are one: stores are told whole sizes. Less than any change that is worth a request.
const SAME: f64 = 0.01;

impl CompactionLimiter {
    /// With nothing seen. What holds at the store is not known until a first rate is set.
    pub fn new(bounds: RateBounds, constants: Constants) -> Self {
        Self {
            c: constants,
            bounds,
            supply: Supply::new(),
            demand: Demand::default(),
            last: None,
            told: None,
            begun: false,
            ready: false,
            holds: None,
            before: None,
            budget: Budget::new(constants.changes, constants.changes_at_once),
        }
    }

    /// It has this share (over 0 and up to 1) of the changes that all limiters of a cluster may make together.
    pub fn of_all_changes(&mut self, share: f64) {
        self.budget.limit(share * self.c.changes, share * self.c.changes_at_once);
    }

    /// The rate that was set last.
    pub fn holds(&self) -> Option<BytesPerSec> {
        self.holds.map(|(rate, _)| BytesPerSec(rate))
    }

    /// Takes the rate that the store says holds, where that is another than was set: a change may have been refused, held back or
    /// clamped, or somebody else made one.
    pub fn found(&mut self, now: Nanos, rate: BytesPerSec) {
        let other = |known: f64| (known - rate.0).abs() > SAME * rate.0;
        if self.holds.is_none_or(|(holds, _)| other(holds)) {
            // A change that was refused or held back is none.
            if self.before.take().is_some_and(|before| !other(before)) {
                self.budget.refund();
            }
            self.holds = Some((rate.0, now));
        }
    }

    /// Takes what is told at an instant, a look after the last or some; a rate if it is to change. An instant that is not
    /// after the last is passed over.
    pub fn tick(&mut self, now: Nanos, signals: &LimiterSignals) -> Option<WriteRate> {
        let here = Last { at: now, disks: [signals.volume_done, signals.instance_done] };
        if let Some(last) = self.last {
            if now <= last.at {
                return None;
            }
            let seconds = (now - last.at).as_secs_f64();
            if let Some((granted, _)) = self.holds {
                self.supply.glance(seconds, since(&here, &last), granted, &self.c);
            }
        }
        self.last = Some(here);
        self.window(here, &signals.engine);
        if !self.ready {
            return None;
        }
        let rate = self.right(signals);
        self.change(now, rate)
    }

    /// Ends a window if the engine's counters moved.
    fn window(&mut self, here: Last, engine: &BackgroundWork) {
        let Some((from, was)) = self.told else {
            self.told = Some((here, *engine));
            return;
        };
        let seconds = (here.at - from.at).as_secs_f64();
        if *engine == was && seconds < STILL {
            return;
        }
        let done = engine.since(&was);
        // The first window may have begun before the first look: what it did not do is not taken for idleness.
        if self.begun || seconds >= STILL || done == BackgroundWork::default() {
            self.supply.window(seconds, since(&here, &from), &done, &self.c);
            self.demand.window(seconds, &done, &self.c);
            self.ready = true;
        }
        self.begun = true;
        self.told = Some((here, *engine));
    }

    /// The rate that would be right, whatever holds.
    fn right(&self, signals: &LimiterSignals) -> WriteRate {
        let c = &self.c;
        let nearness = |files, pending| signals.backlog.urgency(&signals.thresholds, files, pending);
        let urgency = nearness([c.ease, c.alarm], [c.pending_ease, c.pending_alarm]);
        // A growing backlog is worked off harder where the foreground leaves room, long before it takes room from it.
        let pressed = nearness([c.press, c.alarm], [c.press, c.alarm]);
        let shares = Shares { all: c.polite + (1.0 - c.polite) * urgency, own: c.own + (1.0 - c.own) * pressed };
        let (left, limit) = self.supply.left(signals, shares, self.demand.lasting(c), c);
        let wanted = self.demand.wanted(&signals.backlog, c);
        // Near flow control all that is left is asked for; beyond that, what keeps up with the writes is taken from the
        // foreground, which flow control would hold up otherwise.
        let most = left.min(self.bounds.ceiling.0);
        let asked = wanted + urgency * (most - wanted).max(0.0);
        // Compactions can wait for a scan to end, and flushes cannot: memtables would fill the memory. Of equal ones the last counts.
        let floors = [
            (urgency * self.demand.steady(c), RateReason::Urgent),
            (self.demand.flushes(c).min(c.flush_floor), RateReason::Flushes),
            (self.bounds.floor.0, RateReason::Bound),
        ];
        let floor = floors.into_iter().max_by(|a, b| a.0.total_cmp(&b.0)).expect("there are three");
        let (mut rate, mut why) = match limit {
            Some(limit) if left < asked => (left, RateReason::Supply(limit)),
            _ => (asked, if asked > wanted { RateReason::Urgent } else { RateReason::Demand }),
        };
        if rate < floor.0 {
            (rate, why) = floor;
        }
        if rate > self.bounds.ceiling.0 {
            (rate, why) = (self.bounds.ceiling.0, RateReason::Bound);
        }
        WriteRate { rate: BytesPerSec(rate), why, left: BytesPerSec(left), wanted: BytesPerSec(wanted), urgency }
    }

    /// Takes the rate if it is far enough from the one that holds.
    fn change(&mut self, now: Nanos, mut rate: WriteRate) -> Option<WriteRate> {
        let c = &self.c;
        self.budget.earn(now);
        if let Some((holds, since)) = self.holds {
            let new = rate.rate.0;
            let hurried = rate.urgency > 0.0;
            let wider = self.budget.wider();
            let up = new > holds * (1.0 + c.up_band).powf(if hurried { 1.0 } else { wider });
            let down = new < holds * (1.0 - c.down_band).powf(wider);
            if up && !hurried {
                if (now - since).as_secs_f64() < c.up_every {
                    return None;
                }
                rate.rate = BytesPerSec(new.min(holds * c.up_step));
            }
            if !up && !down {
                return None;
            }
        }
        if !self.budget.spend() {
            return None;
        }
        self.before = self.holds.map(|(holds, _)| holds);
        self.holds = Some((rate.rate.0, now));
        Some(rate)
    }
}

fn since(here: &Last, from: &Last) -> [CompletedIo; 2] {
    [here.disks[0].since(&from.disks[0]), here.disks[1].since(&from.disks[1])]
}
