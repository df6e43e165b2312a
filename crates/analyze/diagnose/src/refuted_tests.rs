use units::Nanos;

use crate::testing::{Made, deployment, first, kinds, view};
use crate::{FindingKind, FindingScope, KnownFacts, diagnose};

const DATA: [(&str, &str); 2] = [("disk", "data"), ("node", "n1")];

/// The data disk of a node of m5.2xlarge.
fn on(data: &str) -> KnownFacts {
    KnownFacts::deployment(view(), deployment(data, None))
}

/// A disk of which no more than its name was said.
fn said(disk: &str) -> KnownFacts {
    let mut known = KnownFacts::nothing(view());
    known.disks.insert("*".to_owned(), disk.parse().unwrap());
    known
}

/// Ten seconds in which so many reads of 256 KiB a second pass in some.
fn in_some(reads: f64, is: impl Fn(u64) -> bool) -> Made {
    Made::seconds(10).disk("data", reads, 256.0, 1.0, 0.8).times(|i| if is(i) { 1.0 } else { 0.0 })
}

#[test]
fn a_disk_that_moves_many_times_what_its_limit_lets_through_is_not_the_one_that_was_said() {
    // 2.4 GB/s for two seconds, of a gp3 without anything added: 125 MiB/s.
    let made = in_some(2.4e9 / 262_144.0, |i| i == 4 || i == 5);
    let verdicts = diagnose(&made.timeline, &said("gp3:256GiB"));
    let [verdict] = &verdicts[..] else { panic!("{verdicts:?}") };
    assert_eq!((verdict.kind, verdict.subject.scope), (FindingKind::CannotTell, FindingScope::Volume));
    assert_eq!((verdict.from, verdict.to), (Nanos::secs(4), Nanos::secs(6)));
    for words in ["throughput-use of n1/data is at 1831 % for 2 s", "gp3:256GiB", "--disk n1/data="] {
        assert!(verdict.says.contains(words), "{words} in {}", verdict.says);
    }
    let [fact] = &verdict.evidence.says_so[..] else { panic!("{:?}", verdict.evidence) };
    assert!((fact.value - 18.31).abs() < 0.01 && fact.threshold.is_some(), "{fact:?}");
    assert_eq!(
        kinds(&made, &said("gp3:256GiB,16000iops,1000MiB/s")),
        [FindingKind::Healthy],
        "two seconds are no trouble"
    );
}

#[test]
fn half_more_than_the_limit_is_no_matter_of_moments() {
    // 500 reads of 256 KiB a second are gp3's 125 MiB/s.
    let made = |reads: f64, seconds: u64| in_some(reads, move |i| i < seconds);
    assert_eq!(kinds(&made(800.0, 10), &said("gp3:256GiB")), [FindingKind::CannotTell]);
    assert_eq!(kinds(&made(800.0, 6), &said("gp3:256GiB")), [FindingKind::CannotTell]);
    assert_eq!(kinds(&made(800.0, 3), &said("gp3:256GiB")), [FindingKind::Healthy]);
    assert_eq!(kinds(&made(600.0, 10), &said("gp3:256GiB")), [FindingKind::Healthy]);
    assert!(!first(&made(600.0, 10), &said("gp3:256GiB")).says.contains("120 %"));
}

#[test]
fn a_second_that_sees_what_waited_in_the_one_before_is_no_other_disk() {
    let made = Made::seconds(60).disk("data", 500.0, 256.0, 1.0, 0.8);
    let made = made.times(|i| [0.0, 2.0, 0.9, 1.1, 0.5][i as usize % 5]);
    assert_eq!(kinds(&made, &said("gp3:256GiB")), [FindingKind::Healthy]);
}

#[test]
fn a_burst_is_held_against_what_bursts_whether_credits_are_told_or_not() {
    let made = || Made::seconds(60).disk("data", 3000.0, 4.0, 1.0, 0.5);
    // A gp2 of 100 GiB has 300 I/Os a second for good.
    assert!(!kinds(&made(), &said("gp2:100GiB")).contains(&FindingKind::CannotTell));
    for left in [80.0, 1.5, 0.0] {
        let made = made().level("io_balance", &DATA, left);
        assert!(!kinds(&made, &said("gp2:100GiB")).contains(&FindingKind::CannotTell), "{left} %");
    }
    // An m5.large sustains 81 MB/s and bursts to 594.
    let link = Made::seconds(60).disk("data", 2000.0, 256.0, 1.0, 0.8);
    let mut known = said("gp3:500GiB,16000iops,1000MiB/s");
    known.instance = Some("m5.large".to_owned());
    assert!(!kinds(&link, &known).contains(&FindingKind::CannotTell));
}

#[test]
fn requests_over_the_limit_are_merged_by_the_volume_unless_they_are_many_times_as_many() {
    let made = |iops: f64| Made::seconds(60).disk("data", iops, 4.0, 0.0, 0.3);
    let verdict = first(&made(8000.0), &said("gp3:256GiB"));
    assert_eq!(verdict.kind, FindingKind::Healthy, "{verdict:?}");
    assert!(verdict.says.contains("merges small requests") && !verdict.says.contains('%'), "{}", verdict.says);
    let verdict = first(&made(20_000.0), &said("gp3:256GiB"));
    assert_eq!(verdict.kind, FindingKind::CannotTell);
    assert!(verdict.says.contains("iops-use of n1/data is at 667 %"), "{}", verdict.says);
    // What the volume counted itself, nothing has to be merged of.
    let verdict = first(&made(8000.0).rate("counted_ios", &DATA, 6000.0), &said("gp3:256GiB"));
    assert_eq!(verdict.kind, FindingKind::CannotTell);
    assert!(verdict.says.contains("counted-use of n1/data is at 200 %"), "{}", verdict.says);
}

#[test]
fn limits_that_a_timeline_tells_are_refuted_as_those_that_are_said() {
    let made = in_some(2000.0, |_| true).level("throughput_limit", &DATA, 131_072_000.0);
    let verdict = first(&made, &KnownFacts::nothing(view()));
    assert_eq!(verdict.kind, FindingKind::CannotTell);
    assert!(verdict.says.contains("the limits that its series tell"), "{}", verdict.says);
}

#[test]
fn a_link_that_carries_more_than_it_can_is_not_that_of_the_instance_that_was_said() {
    let known = on("gp3:500GiB,16000iops,1000MiB/s");
    let verdict = first(&in_some(3900.0, |_| true), &known);
    assert_eq!((verdict.kind, verdict.subject.scope), (FindingKind::CannotTell, FindingScope::Instance));
    for words in ["instance-throughput-use of n1 is at 172 %", "m5.2xlarge", "--instance"] {
        assert!(verdict.says.contains(words), "{words} in {}", verdict.says);
    }
}

#[test]
fn what_needs_no_limit_is_told_all_the_same_and_what_was_drawn_from_the_wrong_ones_is_not() {
    let labels = [("disk", "data"), ("limit", "volume_throughput"), ("node", "n1")];
    // 30 ms at 3.8 times the limit: it would be full, and compaction and flushes near what it can.
    let queued = || Made::seconds(60).disk("data", 1900.0, 256.0, 0.2, 30.0);
    let of_unknown = [FindingKind::Saturated, FindingKind::WriteThroughputNear, FindingKind::CannotTell];
    assert_eq!(kinds(&queued(), &said("gp3:256GiB")), of_unknown);
    // Our own disks count what held requests up, whatever the limit was.
    let counted = queued().rate("bound_time", &labels, 0.95);
    assert_eq!(kinds(&counted, &said("gp3:256GiB"))[..2], [FindingKind::VolumeThroughput, FindingKind::CannotTell]);
    let verdict = first(&counted, &said("gp3:256GiB"));
    assert_eq!((verdict.predicted, verdict.monthly), (None, None), "nothing is reckoned from a disk that it is not");
}

#[test]
fn what_a_read_cache_answers_reaches_no_limit() {
    let mut known = said("gp2:400GiB+cache(nvme:200GiB)");
    known.instance = Some("m5d.2xlarge".to_owned());
    assert!(!kinds(&in_some(3900.0, |_| true), &known).contains(&FindingKind::CannotTell));
}
