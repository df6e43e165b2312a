use proptest::prelude::*;

use flow_control::{FASTEST_THROTTLE, FIRST_REFUSED_SHARE, KEPT_REFUSED_SHARE, SLOWEST_THROTTLE};

use super::super::constants::SCALE;
use super::*;

const MIB: f64 = 1024.0 * 1024.0;
const GIB: u64 = 1 << 30;

/// A state machine, the second it is in, and an engine of one column family.
struct Story {
    checker: Checker,
    settings: FlowSettings,
    now: Duration,
    engine: CfPressure,
}

fn engine(cf: ColumnFamily) -> CfPressure {
    CfPressure {
        cf,
        l0_files: 0,
        immutable_memtables: 0,
        pending_compaction_bytes: 0,
        flushed_bytes: 0,
        l0_compacted_bytes: 0,
    }
}

impl Story {
    /// An engine at rest, and ten seconds of writes at 10 MiB/s.
    fn begin() -> Self {
        let mut story = Self {
            checker: Checker::new(Duration::ZERO),
            settings: FlowSettings::default(),
            now: Duration::ZERO,
            engine: engine(ColumnFamily::Default),
        };
        story.tell();
        for _ in 0..10 {
            story.now += Duration::from_secs(1);
            story.checker.tick(story.now, 10 << 20);
        }
        story
    }

    fn tell(&mut self) {
        self.checker.sample(self.now, &self.settings, &[self.engine]);
    }

    /// A flush leaves so many files and memtables.
    fn flush(&mut self, l0_files: u64, immutable_memtables: u64) -> f64 {
        self.engine = CfPressure { l0_files, immutable_memtables, ..self.engine };
        self.engine.flushed_bytes += 128 << 20;
        self.tell();
        self.checker.speed()
    }

    /// A compaction leaves so many pending bytes.
    fn pending(&mut self, gib: u64) -> f64 {
        // One byte more or less, so that it is a change.
        self.engine.pending_compaction_bytes = gib * GIB + (self.engine.pending_compaction_bytes + 1) % 2;
        self.tell();
        self.checker.refused()
    }
}

#[test]
fn level_0_slows_down_to_the_flow_of_writes_then_by_a_fifth_each_time() {
    let mut story = Story::begin();
    story.flush(1, 0);
    assert_eq!(story.flush(20, 0), f64::INFINITY, "20 files are not more than 20");
    assert_eq!(story.flush(21, 0), 10.0 * MIB, "the 90th percentile of what was written");
    assert_eq!(story.flush(22, 0), 8.0 * MIB);
    assert_eq!(story.flush(23, 0), 6.4 * MIB);
    assert_eq!(story.checker.slowed_by(), Some(ColumnFamily::Default));
    assert_eq!(story.checker.take_actions(), [(ColumnFamily::Default, ThrottleAction::Init)]);
    // A compaction of level 0: free again.
    story.engine.l0_files = 5;
    story.tell();
    assert_eq!((story.checker.speed(), story.checker.slowed_by()), (f64::INFINITY, None));
    let again = story.flush(30, 0);
    assert!((again - 8.0 * MIB).abs() < 1.0, "the next time begins a quarter above where the last one ended: {again}");
}

#[test]
fn a_speed_above_200_mib_is_no_limit_and_none_is_below_16_kib() {
    let mut story = Story::begin();
    for _ in 0..30 {
        story.now += Duration::from_secs(1);
        story.checker.tick(story.now, 201 << 20);
    }
    assert_eq!(story.flush(1, 0), f64::INFINITY);
    assert_eq!(story.flush(25, 0), f64::INFINITY);
    let mut slow = Story::begin();
    for file in 0..100 {
        slow.flush(file, 0);
    }
    assert_eq!(slow.checker.speed(), 16.0 * 1024.0);
}

#[test]
fn nothing_is_slowed_down_without_a_flow_to_go_by() {
    let mut story = Story::begin();
    story.checker = Checker::new(Duration::ZERO);
    story.tell();
    story.flush(1, 0);
    assert_eq!(story.flush(25, 0), f64::INFINITY);
}

#[test]
fn what_is_high_at_the_start_is_let_be_until_it_was_low() {
    let mut story = Story::begin();
    assert_eq!(story.flush(30, 0), f64::INFINITY);
    assert_eq!(story.flush(30, 0), f64::INFINITY);
    assert_eq!(story.flush(1, 0), f64::INFINITY);
    assert_eq!(story.flush(21, 0), 10.0 * MIB);
    let mut memtables = Story::begin();
    assert_eq!(memtables.flush(1, 9), f64::INFINITY);
    assert_eq!(memtables.flush(1, 9), f64::INFINITY);
}

#[test]
fn memtables_slow_down_when_their_average_is_above_the_threshold() {
    let mut story = Story::begin();
    assert_eq!(story.flush(1, 1), f64::INFINITY);
    assert_eq!(story.flush(1, 8), f64::INFINITY, "the average is 4.5");
    assert_eq!(story.flush(1, 8), 10.0 * MIB, "5.67");
    assert_eq!(story.flush(1, 9), 9.0 * MIB, "one more costs a MiB/s");
    assert_eq!(story.flush(1, 9), 9.0 * MIB);
    assert_eq!(story.flush(1, 8), 10.0 * MIB, "one less gives it back");
    assert_eq!(story.flush(1, 4), f64::INFINITY, "below the threshold: free");
}

#[test]
fn memtables_give_back_what_they_took_of_level_0s_speed() {
    let mut story = Story::begin();
    story.settings.memtables_threshold = 2;
    story.flush(1, 1);
    assert_eq!(story.flush(21, 1), 10.0 * MIB);
    // Memtables above their threshold: each one more takes a MiB/s, before level 0 takes its fifth.
    let first = story.flush(22, 6);
    assert!((first - (10.0 - 1.0) * 0.8 * MIB).abs() < 1.0, "{first}");
    let back = story.flush(23, 1);
    assert!((back - (first + MIB) * 0.8).abs() < 1.0, "{back}");
}

#[test]
fn pending_bytes_refuse_a_share_that_grows_with_their_logarithm() {
    let mut story = Story::begin();
    assert_eq!(story.pending(100), 0.0);
    // The mean of the logarithms of 100 and 300 GiB is that of 173 GiB, below the soft limit of 192.
    assert_eq!(story.pending(300), 0.0);
    // That of 100, 300 and 300 is that of 208 GiB: log2(208/192) of the 2.415 doublings from 192 to 1024 GiB are 4.8 %.
    assert_eq!(story.pending(300), FIRST_REFUSED_SHARE, "the first step is a hundredth at most");
    let mut lower = Story::begin();
    lower.pending(100);
    assert_eq!(lower.pending(300), 0.0);
    // And that of 100, 300 and 238 is that of 192.6 GiB: 0.18 %.
    let share = ((100.0_f64 * 300.0 * 238.0).cbrt() / 192.0).log2() / (1024.0_f64 / 192.0).log2();
    assert!((lower.pending(238) - share).abs() < 1e-6 && (0.001..0.003).contains(&share), "{share}");
}

#[test]
fn the_first_share_is_a_hundredth_and_then_it_is_smoothed() {
    let mut story = Story::begin();
    story.engine.pending_compaction_bytes = 100 * GIB;
    story.pending(10);
    // 1024 records forget the first ones.
    for _ in 0..1023 {
        story.pending(384);
    }
    // log2(384/192) / log2(1024/192) = 1 / 2.415 = 0.4141
    let share = 1.0 / (1024.0_f64 / 192.0).log2();
    for _ in 0..40 {
        story.pending(384);
    }
    assert!((story.checker.refused() - share).abs() < 1e-6, "{}", story.checker.refused());
    let mut fresh = Story::begin();
    fresh.pending(10);
    assert_eq!(fresh.pending(100_000), FIRST_REFUSED_SHARE);
    // The average of log2(10 GiB) and log2(100000 GiB) twice.
    let average = (10.0_f64.log2() + 2.0 * 100_000.0_f64.log2()) / 3.0;
    let second =
        KEPT_REFUSED_SHARE * FIRST_REFUSED_SHARE + 0.4 * (average - 192.0_f64.log2()) / (1024.0_f64 / 192.0).log2();
    assert!((fresh.pending(100_000) - second.min(1.0)).abs() < 1e-6);
}

#[test]
fn only_the_column_family_that_is_furthest_behind_decides() {
    let mut story = Story::begin();
    let write = |gib: u64| CfPressure { pending_compaction_bytes: gib * GIB, ..engine(ColumnFamily::Write) };
    story.pending(10);
    for round in 0..50 {
        story.pending(500 + round);
    }
    let refused = story.checker.refused();
    assert!(refused > 0.0);
    let (now, settings) = (story.now, story.settings.clone());
    story.checker.sample(now, &settings, &[write(0)]);
    story.checker.sample(now, &settings, &[write(1)]);
    assert_eq!(story.checker.refused(), refused, "`write` is at 1 GiB");
}

#[test]
fn another_column_family_takes_over_with_four_files_more() {
    let mut story = Story::begin();
    story.flush(1, 0);
    story.flush(21, 0);
    let mut tell = |files: u64| {
        let sample = CfPressure { l0_files: files, ..engine(ColumnFamily::Write) };
        story.checker.sample(story.now, &story.settings, &[sample]);
        story.checker.slowed_by()
    };
    tell(0);
    tell(1);
    assert_eq!(tell(25), Some(ColumnFamily::Default));
    assert_eq!(tell(26), Some(ColumnFamily::Write));
}

proptest! {
    #[test]
    fn it_is_never_negative_never_above_its_bounds_and_free_when_all_is_low(
        steps in prop::collection::vec((0_u64..60, 0_u64..20, 0_u64..3000, 0_u64..300 << 20), 1..200)
    ) {
        let mut story = Story::begin();
        for (files, memtables, gib, written) in steps {
            story.now += Duration::from_secs(1);
            story.checker.tick(story.now, written);
            story.flush(files, memtables);
            let refused = story.pending(gib);
            prop_assert!((0.0..=1.0).contains(&refused) && refused * SCALE <= SCALE);
            let speed = story.checker.speed();
            prop_assert!(speed.is_infinite() || (SLOWEST_THROTTLE..=FASTEST_THROTTLE).contains(&speed), "{}", speed);
            prop_assert!(story.checker.slowed_by().is_some() || speed.is_infinite());
        }
        // Low for long enough that the windows forget.
        for _ in 0..1100 {
            story.now += Duration::from_secs(1);
            story.flush(0, 0);
            story.pending(0);
        }
        prop_assert_eq!((story.checker.speed(), story.checker.refused()), (f64::INFINITY, 0.0));
    }
}
