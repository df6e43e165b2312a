use units::Nanos;

use crate::{FASTEST_THROTTLE, FlowLaw, FlowThresholds, InitialBacklog, SLOWEST_THROTTLE, ThrottleAction};

const MIB: f64 = 1024.0 * 1024.0;
const GIB: f64 = 1024.0 * MIB;

const DEFAULTS: FlowThresholds = FlowThresholds {
    l0_files: 20.0,
    memtables: 5.0,
    soft_pending: 192.0 * GIB,
    hard_pending: 1024.0 * GIB,
    slowest: SLOWEST_THROTTLE,
    fastest: FASTEST_THROTTLE,
};

/// Flow control after ten seconds of writes at 10 MiB/s.
fn after_writes(initial: InitialBacklog) -> (FlowLaw, usize) {
    let mut law = FlowLaw::new();
    let family = law.add_family(initial);
    (1..=10).for_each(|second| law.record_writes(10.0 * MIB, Nanos::secs(second)));
    (law, family)
}

#[test]
fn a_backlog_at_the_start_counts_or_is_let_be() {
    let now = Nanos::secs(11);
    let (mut law, family) = after_writes(InitialBacklog::Counts);
    assert_eq!(law.flushed(now, family, (30.0, 0.0), &DEFAULTS), [ThrottleAction::Init]);
    assert_eq!(law.speed(), 10.0 * MIB);
    let (mut law, family) = after_writes(InitialBacklog::LetBe);
    assert_eq!(law.flushed(now, family, (30.0, 0.0), &DEFAULTS), []);
    assert_eq!(law.speed(), f64::INFINITY);
}

#[test]
fn level_0_slows_down_by_a_fifth_with_each_event_and_frees_below_its_threshold() {
    let now = Nanos::secs(11);
    let (mut law, family) = after_writes(InitialBacklog::Counts);
    law.flushed(now, family, (21.0, 0.0), &DEFAULTS);
    law.flushed(now, family, (22.0, 0.0), &DEFAULTS);
    assert_eq!((law.speed(), law.slowed_by()), (8.0 * MIB, Some(family)));
    law.l0_compacted(now, family, 4.0, &DEFAULTS);
    assert_eq!((law.speed(), law.slowed_by()), (f64::INFINITY, None));
}

#[test]
fn equal_soft_and_hard_limits_refuse_everything_above_them() {
    let (mut law, family) = after_writes(InitialBacklog::Counts);
    let thresholds = FlowThresholds { hard_pending: DEFAULTS.soft_pending, ..DEFAULTS };
    for second in 11..60 {
        law.compacted(Nanos::secs(second), family, 300.0 * GIB, &thresholds);
    }
    assert!(law.refused() > 0.999, "{}", law.refused());
}
