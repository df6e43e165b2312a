use std::collections::BTreeMap;

use timeline::{MergeRule, Series, SeriesPoint, SeriesPoints, SeriesUnit, Timeline};
use volume_control::CloudFault;

use super::*;
use crate::RunEnd;
use crate::volumes::testing::Place;

const ID: &str = "vol-1";
const BEFORE: &str = "gp3:100GiB,3000iops,125MiB/s";
const HOUR: u64 = 3600;

/// A place whose only volume was asked for more than it gives for an hour.
fn held_up(cooldown: u64) -> Place {
    let policy = VolumePolicy { budget: Some(Usd(1000.0)), ..VolumePolicy::default() };
    let place = Place::new(&[(ID, BEFORE)], Nanos::secs(cooldown), policy);
    place.bridge.fleet().fake.pass(Nanos::secs(HOUR));
    place.bridge.fleet().timeline = load(12, 0);
    place
}

/// Points of five minutes: first so many at the I/O limit, then so many at a thousand a second.
fn load(full: u64, calm: u64) -> Timeline {
    let of = |i: u64| if i < full { (3000.0, 0.020) } else { (1000.0, 0.001) };
    type Of = fn(f64, f64) -> f64;
    let rows: [(&str, SeriesUnit, MergeRule, Of); 4] = [
        ("VolumeReadOps", SeriesUnit::Count, MergeRule::Sum, |iops, _| iops * 300.0),
        ("VolumeReadBytes", SeriesUnit::Bytes, MergeRule::Sum, |iops, _| iops * 300.0 * 4096.0),
        ("VolumeTotalReadTime", SeriesUnit::Seconds, MergeRule::Sum, |iops, latency| iops * 300.0 * latency),
        ("VolumeQueueLength", SeriesUnit::Count, MergeRule::Mean, |iops, latency| iops * latency),
    ];
    let series = rows.into_iter().map(|(name, unit, merge, value)| {
        let at = |i: u64| Nanos::secs(300 * i);
        let point = |i| SeriesPoint { from: at(i), until: at(i + 1), value: value(of(i).0, of(i).1) };
        let labels = BTreeMap::from([("VolumeId".to_owned(), ID.to_owned())]);
        Series {
            name: name.to_owned(),
            labels,
            unit,
            points: SeriesPoints::Values(merge, (0..full + calm).map(point).collect()),
        }
    });
    Timeline { series: series.collect(), ..Timeline::default() }
}

#[test]
fn a_volume_that_is_held_up_grows_and_its_prediction_is_held_against_what_came() {
    let place = held_up(0);
    let mut pilot = place.start().unwrap();
    pilot.tick(place.twin.now(), None).unwrap();
    let run = &pilot.runs()[&1];
    assert!(run.reason.contains("+$") && run.reason.contains("taken back in"), "{}", run.reason);
    let predicted: volume_control::VolumePrediction = serde_json::from_value(run.expects["predicted"].clone()).unwrap();
    assert!(predicted.iops.0 > 3000.0, "{predicted:?}");
    place.settle(&mut pilot).unwrap();
    assert_eq!(pilot.runs()[&1].ended, Some(RunEnd::Kept));
    let grown = place.disk(ID);
    assert!(grown.volume.iops.unwrap().0 > 3000.0, "{grown}");
    // Calm from then on, and looked at again once enough was seen.
    let points = place.bridge.fleet().fake.now().0 / Nanos::secs(300).0;
    place.bridge.fleet().timeline = load(12, points);
    place.pass(HOUR);
    place.bridge.fleet().timeline = load(12, points + 12);
    pilot.tick(place.twin.now(), None).unwrap();
    let ledger = place.book.ledger();
    let [entry] = &ledger.entries[..] else { panic!("{ledger:?}") };
    assert_eq!(entry.to, grown);
    let seen = entry.seen.unwrap();
    assert!((seen.load.iops.0, seen.iops_error().abs() < 0.1) == (1000.0, true), "{entry:?}");
    assert!(ledger.mean_latency_error().is_some());
}

#[test]
fn a_pilot_that_only_looks_changes_nothing_and_says_what_it_would_do() {
    let place = Place { read_only: true, ..held_up(0) };
    let mut pilot = place.start().unwrap();
    pilot.tick(place.twin.now(), None).unwrap();
    assert!(place.bridge.fleet().fake.taken.is_empty());
    let told = place.audit.sentences().join("\n");
    assert!(told.contains("volumes would") && told.contains("a month"), "{told}");
}

#[test]
fn an_undo_that_the_cloud_does_not_allow_yet_waits_in_the_queue() {
    let cooldown = 12 * HOUR;
    let place = held_up(cooldown);
    let mut pilot = place.start().unwrap();
    pilot.tick(place.twin.now(), None).unwrap();
    place.settle(&mut pilot).unwrap();
    pilot.undo(1, "by hand", false, place.twin.now()).unwrap();
    place.settle(&mut pilot).unwrap();
    // Undone is what is under way and cannot be called off; the cloud takes its time.
    place.pass(48 * HOUR);
    assert_eq!((place.disk(ID).to_string().as_str(), pilot.runs()[&1].ended), (BEFORE, Some(RunEnd::Undone)));
    let taken: Vec<Nanos> = place.bridge.fleet().fake.taken.iter().map(|(at, _)| *at).collect();
    assert!(taken[1] - taken[0] >= Nanos::secs(cooldown), "{taken:?}");
    let told = place.audit.sentences().join("\n");
    assert!(told.contains("can be undone from"), "{told}");
}

/// Whatever is lost or done by half, and wherever the pilot is killed, the volume ends as it was or as meant.
#[test]
fn killed_at_every_line_and_with_every_fault_a_volume_ends_as_it_was_or_as_meant() {
    use CloudFault::{FailInTheEnd, Half, LoseAnswer, LoseRequest, Throttle};
    for fault in [None, Some(Throttle), Some(LoseRequest), Some(LoseAnswer), Some(Half), Some(FailInTheEnd)] {
        for line in 0..9 {
            let place = held_up(0);
            place.bridge.fleet().fake.fail([fault]);
            place.twin.cut_line(line);
            let mut meant = BEFORE.to_owned();
            for life in 0..3 {
                place.twin.revive();
                let Ok(mut pilot) = place.start() else { continue };
                let began = if life == 0 { pilot.tick(place.twin.now(), None) } else { Ok(()) };
                if began.and_then(|()| place.settle(&mut pilot)).is_ok() && !place.twin.is_dead() {
                    let steps =
                        pilot.runs().values().flat_map(|run| run.procedure.steps().map(|(_, step)| step.clone()));
                    for step in steps {
                        let PilotStep::ModifyVolume { to, .. } = step else { panic!("{step:?}") };
                        meant = to.to_string();
                    }
                    assert!(pilot.is_idle(), "{fault:?} at line {line}");
                    break;
                }
            }
            place.pass(48 * HOUR);
            let disk = place.disk(ID).to_string();
            assert!(disk == BEFORE || disk == meant, "{fault:?} at line {line}: {disk}\n{}", place.lines.text());
        }
    }
}
