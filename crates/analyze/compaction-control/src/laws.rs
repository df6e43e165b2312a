//! What holds for any signals, and on a disk and an engine that answer to the rate.

use proptest::prelude::*;
use units::{Bytes, BytesPerSec, Iops, Nanos};

use crate::{
    BackgroundWork, CompactionBacklog, CompactionLimiter, CompletedIo, Constants, DiskAllowance, LimiterSignals,
    RateBounds, WriteRate,
};

const MIB: f64 = 1024.0 * 1024.0;

/// An engine on a disk, look by look.
#[derive(Debug, Clone)]
struct Plant {
    /// Bytes a second: what the disk carries, what the foreground takes of it, what is flushed.
    limit: f64,
    foreground: f64,
    flushed: f64,
    amplification: f64,
    pending: f64,
    done: CompletedIo,
    engine: BackgroundWork,
    /// The engine's counters as they were told last: every ten seconds.
    told: BackgroundWork,
    limiter: CompactionLimiter,
    now: Nanos,
    changes: Vec<(u64, WriteRate)>,
}

impl Plant {
    fn new(limit: f64, foreground: f64, flushed: f64, amplification: f64) -> Self {
        Self {
            limit,
            foreground,
            flushed,
            amplification,
            pending: 0.0,
            done: CompletedIo::default(),
            engine: BackgroundWork::default(),
            told: BackgroundWork::default(),
            limiter: CompactionLimiter::new(RateBounds::default(), *Constants::embedded()),
            now: Nanos(0),
            changes: Vec::new(),
        }
    }

    /// To the next look; bytes a second on the disk.
    fn step(&mut self) -> f64 {
        let look = Constants::embedded().look();
        let seconds = look.as_secs_f64();
        let rate = self.limiter.holds().map_or(f64::INFINITY, |rate| rate.0);
        self.pending += (self.amplification - 1.0) * self.flushed * seconds;
        // Compactions read what they write.
        let room = ((self.limit - self.foreground - self.flushed) / 2.0).max(0.0);
        let compacted = (rate - self.flushed).max(0.0).min(self.pending / seconds).min(room);
        self.pending = (self.pending - compacted * seconds).max(0.0);
        let total = self.foreground + self.flushed + 2.0 * compacted;
        self.done.read += (compacted + self.foreground / 2.0) * seconds;
        self.done.written += (compacted + self.flushed + self.foreground / 2.0) * seconds;
        self.done.ios += total / Constants::embedded().background_io * seconds;
        self.engine.flushed += self.flushed * seconds;
        self.engine.compaction_read += compacted * seconds;
        self.engine.compaction_written += compacted * seconds;
        let before = self.now;
        self.now = before + look;
        if self.second() / 10 != before.as_secs_f64() as u64 / 10 {
            self.told = self.engine;
        }
        let volume = DiskAllowance {
            iops: Some(Iops(1e9)),
            throughput: Some(BytesPerSec(self.limit)),
            ..DiskAllowance::default()
        };
        let signals = LimiterSignals {
            volume_done: self.done,
            instance_done: self.done,
            volume,
            engine: self.told,
            backlog: CompactionBacklog { pending: Bytes(self.pending as u64), ..CompactionBacklog::default() },
            ..LimiterSignals::default()
        };
        if let Some(rate) = self.limiter.tick(self.now, &signals) {
            self.changes.push((self.second(), rate));
        }
        total
    }

    fn second(&self) -> u64 {
        self.now.as_secs_f64() as u64
    }

    fn run(&mut self, seconds: u64) -> f64 {
        let until = self.now + Nanos::secs(seconds);
        let mut most = 0.0;
        while self.now < until {
            most = self.step().max(most);
        }
        most
    }

    fn rate(&self) -> f64 {
        self.limiter.holds().expect("an hour has passed").0
    }
}

/// Loads that leave room: all together under half of the disk.
fn light() -> impl Strategy<Value = (f64, f64, f64, f64)> {
    (60.0..1000.0f64, 0.0..0.25f64, 0.05..0.2f64, 2.0..20.0f64).prop_map(
        |(limit, foreground, background, amplification)| {
            let limit = limit * MIB;
            (limit, limit * foreground, limit * background / (2.0 * amplification), amplification)
        },
    )
}

fn done() -> impl Strategy<Value = CompletedIo> {
    (0.0..1e5f64, 0.0..1e5f64, 0.0..1e9f64, 0.0..1e9f64).prop_map(|(reads, writes, read, written)| CompletedIo {
        ios: reads + writes,
        writes,
        read,
        written,
    })
}

prop_compose! {
    fn signals()(
        volume_done in done(),
        instance_done in done(),
        limits in (0.0..1e5f64, 0.0..1e9f64),
        engine in (0.0..1e9f64, 0.0..1e9f64, 0.0..1e9f64),
        backlog in (0u64..1 << 40, 0.0..60.0f64, 0.0..10.0f64),
    ) -> LimiterSignals {
        LimiterSignals {
            volume_done,
            instance_done,
            volume: DiskAllowance {
                iops: Some(Iops(limits.0)),
                throughput: Some(BytesPerSec(limits.1)),
                ..DiskAllowance::default()
            },
            engine: BackgroundWork { flushed: engine.0, compaction_read: engine.1, compaction_written: engine.2 },
            backlog: CompactionBacklog { pending: Bytes(backlog.0), l0_files: backlog.1, memtables: backlog.2 },
            ..LimiterSignals::default()
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn no_rate_is_below_the_floor_or_over_what_is_left(all in prop::collection::vec(signals(), 2..60)) {
        let bounds = RateBounds::default();
        let floor = bounds.floor.0.max(Constants::embedded().flush_floor);
        let mut limiter = CompactionLimiter::new(bounds, *Constants::embedded());
        for (second, signals) in (1..).zip(&all) {
            let Some(rate) = limiter.tick(Nanos::secs(second), signals) else { continue };
            prop_assert!(rate.rate.0 >= bounds.floor.0 && rate.rate.0 <= bounds.ceiling.0, "{rate:?}");
            if rate.urgency == 0.0 {
                prop_assert!(rate.rate.0 <= rate.left.0.max(floor), "{rate:?}");
            }
        }
    }

    #[test]
    fn time_that_goes_back_changes_nothing(first in signals(), second in signals()) {
        let mut limiter = CompactionLimiter::new(RateBounds::default(), *Constants::embedded());
        limiter.tick(Nanos::secs(10), &first);
        limiter.tick(Nanos::secs(40), &second);
        let holds = limiter.holds();
        prop_assert_eq!(limiter.tick(Nanos::secs(20), &first), None);
        prop_assert_eq!(limiter.holds(), holds);
    }

    #[test]
    fn what_waits_is_bounded_where_the_disk_has_room((limit, foreground, flushed, amplification) in light()) {
        let mut plant = Plant::new(limit, foreground, flushed, amplification);
        plant.run(3600);
        // No more than comes while a backlog is worked off, twice.
        let bound = 2.0 * (amplification - 1.0) * flushed * Constants::embedded().horizon;
        prop_assert!(plant.pending <= bound, "{} of {bound}", plant.pending);
    }

    #[test]
    fn what_does_not_fit_into_the_polite_share_and_never_rests_is_kept_up_with(
        background in 0.3..0.42f64, all in 0.78..0.88f64, amplification in 3.0..12.0f64,
    ) {
        let limit = 125.0 * MIB;
        let flushed = background * limit / (2.0 * amplification - 1.0);
        let mut plant = Plant::new(limit, (all - background) * limit, flushed, amplification);
        plant.run(3600);
        let waits = plant.pending;
        plant.run(3600);
        prop_assert!(plant.pending <= 1.1 * waits, "{} after {waits}", plant.pending);
    }

    #[test]
    fn a_steady_load_gets_a_steady_rate((limit, foreground, flushed, amplification) in light()) {
        let mut plant = Plant::new(limit, foreground, flushed, amplification);
        plant.run(3600);
        let late = plant.changes.iter().filter(|(second, _)| *second > 1800).count();
        prop_assert!(late <= 1, "{:?}", plant.changes);
    }

    #[test]
    fn more_supply_is_no_lower_rate((limit, foreground, flushed, amplification) in light(), more in 1.0..4.0f64) {
        let run = |limit| {
            let mut plant = Plant::new(limit, foreground, flushed, amplification);
            plant.run(3600);
            plant.rate()
        };
        let c = Constants::embedded();
        let band = (1.0 + c.up_band) / (1.0 - c.down_band);
        prop_assert!(run(limit * more) * band >= run(limit));
    }

    #[test]
    fn however_the_foreground_flaps_the_rate_changes_no_oftener_than_it_may(
        shares in prop::collection::vec(0.0..1.0f64, 7200),
    ) {
        let limit = 125.0 * MIB;
        let mut plant = Plant::new(limit, 0.0, 0.01 * limit, 8.0);
        plant.pending = 200e9;
        for share in shares {
            plant.foreground = share * limit;
            plant.run(1);
        }
        let c = Constants::embedded();
        let most = (c.changes + c.changes_at_once) as usize;
        for (at, (from, _)) in plant.changes.iter().enumerate() {
            let within = plant.changes[at..].iter().take_while(|(second, _)| *second < from + 3600).count();
            prop_assert!(within <= most, "{within} changes in the hour from second {from}");
        }
        prop_assert!(plant.changes.len() > 60, "it is a test of little if {} are all", plant.changes.len());
    }

    #[test]
    fn changes_that_are_refused_leave_as_many_to_make(refused in 1..500u64) {
        let limit = 125.0 * MIB;
        let mut plant = Plant::new(limit, 0.05 * limit, 0.01 * limit, 8.0);
        plant.run(60);
        let held = plant.rate();
        plant.pending = 200e9;
        for _ in 0..refused {
            plant.step();
            plant.limiter.found(plant.now, BytesPerSec(held));
        }
        let asked = plant.changes.len();
        plant.run(1);
        prop_assert!(plant.rate() > 2.0 * held, "{held} then {} after {asked} refusals", plant.rate());
    }

    #[test]
    fn a_scan_gets_what_it_asks_for_in_seconds(share in 0.5..0.8f64, backlog in 1e9..50e9f64) {
        let limit = 125.0 * MIB;
        let mut plant = Plant::new(limit, 0.05 * limit, 0.01 * limit, 8.0);
        plant.pending = backlog;
        plant.run(120);
        plant.foreground = share * limit;
        plant.run(10);
        let after = plant.run(60);
        prop_assert!(after <= limit.max(plant.foreground + 2.0 * RateBounds::default().floor.0) * 0.99, "{after}");
    }
}
