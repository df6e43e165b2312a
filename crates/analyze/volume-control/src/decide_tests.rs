use diagnose::margins;
use units::{Bytes, Iops, Usd};

use super::*;
use crate::testing::{ID, Load, changed, known, limits, view, volume};
use crate::{ModificationProgress, VolumeChange};

const DAY: u64 = 86_400;

fn budget(usd: f64) -> VolumePolicy {
    VolumePolicy { budget: Some(Usd(usd)), ..VolumePolicy::default() }
}

fn one(volume: &ManagedVolume, load: &Load, policy: &VolumePolicy) -> VolumeDecision {
    let known = known(&volume.disk.to_string());
    let all = decide(load.now(), std::slice::from_ref(volume), &load.timeline, &known, policy, 1);
    all.into_iter().next().unwrap()
}

fn proposed(decision: &VolumeDecision) -> &ChangeProposal {
    decision.change().unwrap_or_else(|| panic!("{decision:?}"))
}

fn kept(decision: &VolumeDecision) -> &KeepReason {
    let VolumeDecision::Keep { keep, .. } = decision else { panic!("{decision:?}") };
    keep
}

/// A gp3 without anything added at its I/O limit, in points of five minutes.
fn full() -> Load {
    Load::every(300).of(12, 3000.0, 4.0, 20.0)
}

/// A week in which next to nothing was asked.
fn quiet() -> Load {
    Load::every(300).of(8 * DAY / 300, 200.0, 4.0, 1.0)
}

#[test]
fn a_volume_that_is_held_up_grows_to_what_its_clients_would_ask_for() {
    let decision = one(&volume("gp3:400GiB"), &full(), &budget(1000.0));
    let proposal = proposed(&decision);
    assert_eq!(proposal.direction, ChangeDirection::Grow);
    assert_eq!(proposal.to.volume.size, Bytes::gib(400));
    assert_eq!(proposal.to.volume.iops, Some(Iops(3000.0 * margins().most_raise)));
    let known = known("gp3:400GiB");
    let price = |disk| known.monthly(disk).unwrap().0;
    assert!((proposal.monthly.0 - (price(&proposal.to) - price(&proposal.from))).abs() < 1e-9);
    let predicted = proposal.predicted.unwrap();
    assert!(predicted.latency < proposal.load.unwrap().latency.unwrap() && predicted.iops.0 > 3000.0, "{predicted:?}");
    assert_eq!(proposal.undo.to.to_string(), "gp3:400GiB,3000iops,125MiB/s");
}

#[test]
fn what_cannot_be_taken_back_for_hours_says_so() {
    let patient = VolumePolicy { cooldown: Some(Nanos::secs(6 * 3600)), ..budget(1000.0) };
    for policy in [budget(1000.0), patient.clone()] {
        let load = full();
        let decision = one(&volume("gp3:400GiB"), &load, &policy);
        let proposal = proposed(&decision);
        assert_eq!(proposal.undo.from, proposal.done.max(load.now() + policy.cooldown.unwrap_or_default()));
    }
}

#[test]
fn without_a_budget_only_what_saves_is_proposed() {
    assert!(matches!(kept(&one(&volume("gp3:400GiB"), &full(), &VolumePolicy::default())), KeepReason::OverBudget(_)));
    let gp2 = Load::every(300).of(12, 1200.0, 4.0, 30.0);
    let decision = one(&volume("gp2:400GiB"), &gp2, &VolumePolicy::default());
    let proposal = proposed(&decision);
    assert!(proposal.monthly.0 < 0.0 && proposal.direction == ChangeDirection::Convert, "{proposal:?}");
}

#[test]
fn a_small_budget_pays_for_part_of_the_way() {
    let price = known("gp3:400GiB").monthly(&"gp3:400GiB".parse().unwrap()).unwrap();
    let policy = budget(price.0 + 10.0);
    let decision = one(&volume("gp3:400GiB"), &full(), &policy);
    let proposal = proposed(&decision);
    assert!(proposal.monthly.0 <= 10.0 && proposal.to.volume.iops.unwrap().0 > 3000.0, "{proposal:?}");
    assert!(proposal.reason.contains("the budget pays for"), "{}", proposal.reason);
}

#[test]
fn a_volume_that_was_not_needed_becomes_smaller_but_not_under_its_peak() {
    let load = quiet().of(12, 4000.0, 16.0, 1.0).of(12, 100.0, 4.0, 1.0);
    let decision = one(&volume("gp3:400GiB,16000iops,500MiB/s"), &load, &VolumePolicy::default());
    let proposal = proposed(&decision);
    assert_eq!(proposal.direction, ChangeDirection::Shrink);
    let after = limits(&proposal.to.to_string());
    assert!(after.iops.0 >= 4000.0 * margins().headroom && after.iops.0 < 16_000.0, "{proposal:?}");
    assert!(proposal.monthly.0 <= -margins().least_saving.0);
}

#[test]
fn a_volume_of_which_little_is_known_or_that_was_changed_lately_does_not_become_smaller() {
    let (large, day) = ("gp3:400GiB,16000iops", Load::every(300).of(DAY / 300, 200.0, 4.0, 1.0));
    assert_eq!(kept(&one(&volume(large), &day, &VolumePolicy::default())), &KeepReason::TooLittleKnown);
    let load = quiet();
    let mut rests = volume(large);
    rests.changes = vec![changed(load.now().0 / 1_000_000_000 - DAY / 2, large)];
    assert_eq!(kept(&one(&rests, &load, &VolumePolicy::default())), &KeepReason::Rests);
}

#[test]
fn a_gp2_becomes_a_gp3_that_has_all_that_it_bursts_to_before_more_is_known() {
    let day = Load::every(300).of(DAY / 300, 200.0, 4.0, 1.0);
    let decision = one(&volume("gp2:900GiB"), &day, &VolumePolicy::default());
    let proposal = proposed(&decision);
    let gp2 = limits("gp2:900GiB");
    assert_eq!(proposal.to.to_string(), "gp3:900GiB,3000iops,250MiB/s");
    assert_eq!(limits(&proposal.to.to_string()).throughput, gp2.burst_throughput);
    assert!(proposal.monthly.0 < 0.0);
}

#[test]
fn nothing_is_done_while_a_modification_is_under_way() {
    let mut busy = volume("gp3:400GiB");
    busy.changes = vec![VolumeChange {
        progress: ModificationProgress::Optimizing,
        ends: None,
        ..changed(0, "gp3:400GiB,6000iops")
    }];
    assert_eq!(kept(&one(&busy, &full(), &budget(1000.0))), &KeepReason::UnderWay);
}

#[test]
fn a_change_that_the_cloud_does_not_allow_yet_is_for_later() {
    let load = full();
    let mut often = volume("gp3:400GiB");
    let most = ModificationRules::of(catalog::Cloud::Aws).unwrap().per_day.unwrap();
    often.changes = (0..u64::from(most)).map(|i| changed(i * 100, "gp3:400GiB")).collect();
    let decision = one(&often, &load, &budget(1000.0));
    let VolumeDecision::Later { at, .. } = decision else { panic!("{decision:?}") };
    assert_eq!(at, Some(Nanos::secs(DAY)), "a day after the first of them");
}

#[test]
fn the_last_modification_of_a_day_is_kept_for_growth() {
    let load = quiet();
    let start = load.now().0 / 1_000_000_000;
    let most = u64::from(ModificationRules::of(catalog::Cloud::Aws).unwrap().per_day.unwrap());
    let mut often = volume("gp2:400GiB");
    often.changes = (1..most).map(|i| changed(start - DAY + i * 1000, "gp2:400GiB")).collect();
    let decision = one(&often, &load, &VolumePolicy::default());
    let VolumeDecision::Later { at, proposal } = decision else { panic!("{decision:?}") };
    assert_eq!((proposal.direction, at), (ChangeDirection::Convert, Some(Nanos::secs(start + 1000))));
}

#[test]
fn two_volumes_share_a_budget_and_the_one_that_waits_longer_comes_first() {
    let load = Load::every(300).on("a", 12, 3000.0, 4.0, 4.0).on("b", 12, 3000.0, 4.0, 20.0);
    let volumes = ["a", "b"].map(|id| ManagedVolume { id: id.to_owned(), ..volume("gp3:400GiB") });
    let known = known("gp3:400GiB");
    let now = known.monthly(&volumes[0].disk).unwrap().0 * 2.0;
    let decisions = decide(load.now(), &volumes, &load.timeline, &known, &budget(now + 31.0), 1);
    let more = |decision: &VolumeDecision| decision.change().map_or(0.0, |proposal| proposal.monthly.0);
    assert!(more(&decisions[0]) + more(&decisions[1]) <= 31.0);
    assert!(more(&decisions[1]) > more(&decisions[0]), "{decisions:?}");
}

#[test]
fn a_budget_that_pays_for_a_volume_whose_price_is_not_known_buys_nothing_dearer() {
    let load = Load::every(300).on("a", 12, 3000.0, 4.0, 20.0).on("b", 12, 100.0, 4.0, 1.0);
    let known = known("gp3:400GiB");
    // A disk of another cloud has no price in this region.
    let unpriced = ManagedVolume { id: "b".to_owned(), ..volume("pd-ssd:400GiB") };
    assert_eq!(known.monthly(&unpriced.disk), None);
    let growing = ManagedVolume { id: "a".to_owned(), ..volume("gp3:400GiB") };
    let decide = |volumes: &[ManagedVolume]| {
        let decided = decide(load.now(), volumes, &load.timeline, &known, &budget(1000.0), 1);
        decided.into_iter().next().unwrap()
    };
    assert!(decide(std::slice::from_ref(&growing)).change().is_some());
    let kept_back = decide(&[growing.clone(), unpriced.clone()]);
    assert!(matches!(kept(&kept_back), KeepReason::Unknown(what) if what.contains("the price of b")), "{kept_back:?}");
    let intended = ManagedVolume { id: "b".to_owned(), intended: Some(unpriced.disk), ..volume("gp3:400GiB") };
    assert!(matches!(kept(&decide(&[growing, intended])), KeepReason::Unknown(_)));
}

#[test]
fn a_volume_that_another_would_not_help_is_left_alone() {
    // Slow, and neither it nor its instance's link full: sick. Behind a link that is not known it may be that.
    let sick = Load::every(300).of(12, 300.0, 4.0, 60.0);
    let volume_of = [volume("gp3:400GiB")];
    let mut known = known("gp3:400GiB");
    let mut decided = |instance: Option<&str>| {
        known.instance = instance.map(str::to_owned);
        decide(sick.now(), &volume_of, &sick.timeline, &known, &budget(1000.0), 1).remove(0)
    };
    assert!(matches!(kept(&decided(Some("m5.4xlarge"))), KeepReason::NotTheVolume(_)));
    assert!(decided(None).change().is_none());
    let nothing = Load::every(300).on("another", 12, 300.0, 4.0, 1.0);
    assert!(matches!(kept(&one(&volume("gp3:400GiB"), &nothing, &budget(1000.0))), KeepReason::Unknown(_)));
    let local = one(&volume("nvme:100GiB"), &full(), &budget(1000.0));
    assert!(matches!(kept(&local), KeepReason::Unknown(_)), "{local:?}");
}

#[test]
fn an_instance_that_lets_no_more_through_keeps_its_volume() {
    let mut known = known("gp3:400GiB,16000iops");
    known.instance = Some("m5.large".to_owned());
    let caps = view().instance("m5.large").unwrap().caps.unwrap();
    assert!(caps.iops.0 < 16_000.0);
    let load = Load::every(300).of(12, 16_000.0, 4.0, 20.0);
    let volume = volume("gp3:400GiB,16000iops");
    let decisions = decide(load.now(), &[volume], &load.timeline, &known, &budget(9999.0), 1);
    assert!(matches!(kept(&decisions[0]), KeepReason::NotTheVolume(_)), "{decisions:?}");
}

#[test]
fn a_decision_reads_back_from_json() {
    let decision = one(&volume("gp3:400GiB"), &full(), &budget(1000.0));
    let json = serde_json::to_string(&decision).unwrap();
    assert_eq!(serde_json::from_str::<VolumeDecision>(&json).unwrap(), decision);
    assert_eq!(decision.volume(), ID);
}
