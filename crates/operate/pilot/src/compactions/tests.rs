use compaction_control::{BackgroundWork, CompletedIo, DiskAllowance};
use jiff::Timestamp;
use units::Nanos;

use super::*;
use crate::StepReversal;

const MIB: f64 = 1024.0 * 1024.0;

fn now(second: u64) -> ClockReading {
    ClockReading { wall: Timestamp::UNIX_EPOCH, mono: Nanos::secs(second) }
}

/// A store that flushes 4 MiB/s and rewrites each byte four times, on a disk of 125 MiB/s, after so many seconds.
fn seen(second: u64, rate: &str, tuned: bool) -> ClusterSnapshot {
    let s = second as f64;
    let done = CompletedIo { ios: 200.0 * s, writes: 100.0 * s, read: 20.0 * MIB * s, written: 20.0 * MIB * s };
    let volume = DiskAllowance { throughput: Some(BytesPerSec::mib(125.0)), ..DiskAllowance::default() };
    // TiKV refreshes its counters every ten seconds.
    let told = (second / 10 * 10) as f64;
    let engine = BackgroundWork {
        flushed: 4.0 * MIB * told,
        compaction_read: 16.0 * MIB * told,
        compaction_written: 16.0 * MIB * told,
    };
    let signals =
        LimiterSignals { volume_done: done, instance_done: done, volume, engine, ..LimiterSignals::default() };
    let config = json!({"rocksdb": {"rate-bytes-per-sec": rate, "rate-limiter-auto-tuned": tuned}});
    ClusterSnapshot { signals: [(1, signals)].into(), configs: [(1, config)].into(), ..ClusterSnapshot::default() }
}

#[test]
fn a_store_without_a_useful_limit_gets_what_its_writes_need_and_the_change_goes_with_the_pilot() {
    let mut controller = CompactionController::new(RateBounds::default());
    let proposals: Vec<ActionProposal> =
        (0..60).flat_map(|s| controller.decide(now(s), &seen(s, "10GiB", true))).collect();
    let first = proposals.first().expect("10 GiB/s is no limit");
    let procedure = first.procedure.as_ref().unwrap();
    assert_eq!(procedure.ending, ProcedureEnding::WithPilot);
    let steps: Vec<&PilotStep> = procedure.steps().map(|(_, step)| step).collect();
    let [PilotStep::SetTikvConfig { key: tuned, value: off, .. }, PilotStep::SetTikvConfig { key, value, store: 1 }] =
        steps[..]
    else {
        panic!("{steps:?}")
    };
    assert_eq!((tuned.as_str(), off, key.as_str()), (TUNED, &json!(false), RATE));
    let rate = amount(value).unwrap() / MIB;
    assert!((20.0..125.0).contains(&rate), "{rate} MiB/s for 20 MiB/s of flushes and compactions");
    assert!(steps.iter().all(|step| step.reversal() == StepReversal::Write));
    assert!(first.reason.contains("store 1 had 10240MiB; up to 1024MiB pass before the new rate"), "{}", first.reason);
}

#[test]
fn a_tenth_of_a_second_is_worth_telling_where_the_new_rate_takes_seconds_for_it() {
    assert_eq!(credit(100.0 * MIB, 10.0 * MIB), "");
    assert!(credit(2560.0 * MIB, 10.0 * MIB).contains("256MiB"));
    assert_eq!(credit(10.0 * MIB, 100.0 * MIB), "");
}

#[test]
fn what_holds_and_is_right_is_left_alone() {
    let mut controller = CompactionController::new(RateBounds::default());
    let mut rate = "10GiB".to_owned();
    let mut changes = 0;
    for second in 0..600 {
        for proposal in controller.decide(now(second), &seen(second, &rate, false)) {
            let procedure = proposal.procedure.unwrap();
            let Some((_, PilotStep::SetTikvConfig { value, .. })) = procedure.steps().last() else { panic!() };
            rate = value.as_str().unwrap().to_owned();
            changes += 1;
        }
    }
    assert!(changes <= 8, "{changes} changes under a steady load; the last to {rate}");
}

#[test]
fn a_store_that_began_without_a_limit_is_told_of() {
    let proposals = CompactionController::new(RateBounds::default()).decide(now(0), &seen(0, "0KiB", true));
    assert!(proposals[0].procedure.is_none() && proposals[0].reason.contains("restart"), "{proposals:?}");
}

#[test]
fn the_limiters_of_all_stores_ask_for_no_more_changes_than_the_guard_lets_through() {
    let c = Constants::embedded();
    let (guard, _) = crate::SettingBounds::embedded().actions(CompactionController::new(RateBounds::default()).name());
    assert!(c.changes + c.changes_at_once <= guard as f64);
    // Three stores whose disks are busy one second and idle the next.
    let mut controller = CompactionController::new(RateBounds::default());
    let mut rates = [1, 2, 3].map(|store| (store, "10GiB".to_owned()));
    let (mut asked, mut busy) = (Vec::new(), 0.0);
    for second in 0..2 * 3600 {
        busy += if second % 2 == 0 { 90.0 * MIB } else { 0.0 };
        let one = seen(second, "", false);
        let mut signals = one.signals[&1];
        signals.volume_done.read += busy;
        signals.backlog.pending = Bytes::gib(100);
        let of = |rate: &str| json!({"rocksdb": {"rate-bytes-per-sec": rate, "rate-limiter-auto-tuned": false}});
        let seen = ClusterSnapshot {
            signals: rates.iter().map(|(store, _)| (*store, signals)).collect(),
            configs: rates.iter().map(|(store, rate)| (*store, of(rate))).collect(),
            ..ClusterSnapshot::default()
        };
        for proposal in controller.decide(now(second), &seen) {
            let procedure = proposal.procedure.unwrap();
            let Some((_, PilotStep::SetTikvConfig { store, value, .. })) = procedure.steps().last() else { panic!() };
            let rate = rates.iter_mut().find(|(known, _)| known == store).expect("it was asked about these");
            rate.1 = value.as_str().unwrap().to_owned();
            asked.push(second);
        }
    }
    for hour in asked.iter().map(|from| asked.iter().filter(|second| (*from..from + 3600).contains(*second)).count()) {
        assert!(hour <= guard, "{hour} changes within an hour");
    }
    assert!(asked.len() > guard / 2, "{} changes are all", asked.len());
}
