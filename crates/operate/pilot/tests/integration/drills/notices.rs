//! Every kind of notice: leaders are gone before the deadline, and all is as before afterwards.

use maintenance::MachineCloud;
use serde_json::json;

use crate::drills::drill::{Drill, LIMIT, MIGRATE, limit, node, pod, restored};

/// The words of each cloud that come with a notice, and the notice where the cloud has none of its own.
const NOTICES: [(MachineCloud, &str, Option<u64>); 9] = [
    (MachineCloud::Gcp, MIGRATE, None),
    (MachineCloud::Gcp, "TERMINATE_ON_HOST_MAINTENANCE", None),
    (MachineCloud::Aws, "system-reboot", Some(3600)),
    (MachineCloud::Aws, "instance-retirement", Some(900)),
    (MachineCloud::Aws, "terminate", None),
    (MachineCloud::Azure, "Freeze", None),
    (MachineCloud::Azure, "Redeploy", None),
    (MachineCloud::Azure, "Preempt", None),
    (MachineCloud::Azure, "Terminate", None),
];

#[test]
fn leaders_are_gone_before_the_deadline_and_all_is_as_before_afterwards() {
    for (cloud, word, lead) in NOTICES {
        let mut drill = Drill::new(cloud);
        drill.cluster.with(|state| state.health.stores.values_mut().for_each(|store| store.leaders = 40));
        let before = restored(&drill.cluster.state());
        let planned = drill.plan(word, 40, lead, 20);
        let (starts, ends) = (drill.second(planned.starts), drill.second(planned.ends));
        drill.run(ends as u64 + 120);
        assert!(drill.is_idle(), "{word}: {}", drill.lines.text());
        let at_start = &drill.seen[starts - 1];
        assert_eq!(at_start.health.stores[&2].leaders, 0, "{word}: {}", drill.lines.text());
        assert_ne!(at_start.values[&pilot::StepSubject::PdLeader], json!("pd1"), "{word}");
        assert_eq!(at_start.values[&node()], json!(true), "{word}");
        assert_ne!(at_start.values[&pod()], json!("uid-1"), "{word}");
        let during = &drill.seen[ends - 2];
        assert!(during.evicting.contains(&2), "{word}: they stay away until the event is over");
        assert_eq!(restored(&drill.cluster.state()), before, "{word}");
        assert!(drill.cluster.state().health.stores[&2].leaders >= 30, "{word}: leaders come back");
        assert!(drill.said("nothing is left to undo").is_empty(), "{word}: {:?}", drill.audit.sentences());
    }
}

#[test]
fn an_event_of_azure_is_let_begin_once_all_is_ready_for_it() {
    let mut drill = Drill::new(MachineCloud::Azure);
    drill.approves = true;
    let before = restored(&drill.cluster.state());
    let planned = drill.plan("Freeze", 40, None, 20);
    drill.run(1100);
    let begun = drill.metadata.with(|emulator| emulator.happenings()[0].clone());
    let at = drill.second(begun.approved.expect("it was approved"));
    let starts = drill.second(planned.starts);
    assert!(at + 20 < starts, "its time is not waited for: {at} of {starts}");
    let then = &drill.seen[at - 1];
    assert_eq!(then.health.stores[&2].leaders, 0, "{}", drill.lines.text());
    assert_ne!(then.values[&pilot::StepSubject::PdLeader], json!("pd1"));
    assert_ne!(then.values[&pod()], json!("uid-1"));
    assert_eq!(drill.said("all is ready for it").len(), 1, "{:?}", drill.audit.sentences());
    assert!(drill.is_idle(), "{}", drill.lines.text());
    assert_eq!(restored(&drill.cluster.state()), before);
}

#[test]
fn an_event_of_azure_that_takes_the_machine_away_is_not_hurried() {
    for word in ["Preempt", "Terminate"] {
        let mut drill = Drill::new(MachineCloud::Azure);
        drill.approves = true;
        drill.plan(word, 40, None, 20);
        drill.run(1100);
        assert_eq!(drill.metadata.with(|emulator| emulator.happenings()[0].approved), None, "{word}");
    }
}

#[test]
fn with_days_left_a_store_keeps_its_leaders_until_it_is_time() {
    let mut drill = Drill::new(MachineCloud::Aws);
    let planned = drill.plan("system-reboot", 10, Some(7200), 60);
    let starts = drill.second(planned.starts);
    drill.run(starts as u64);
    let evicted = drill.seen.iter().position(|state| !state.evicting.is_empty()).unwrap();
    assert!(evicted > starts - 600, "leaders left {} s before", starts - evicted);
    assert_eq!(drill.said("is made ready from").len(), 3, "told once for each role: {:?}", drill.audit.sentences());
    assert!(drill.seen.iter().all(|state| state.values[&limit()] == json!(4)), "{LIMIT} is not raised without need");
}

#[test]
fn limits_are_raised_when_the_notice_is_short() {
    let mut drill = Drill::new(MachineCloud::Gcp);
    drill.cluster.with(|state| state.health.stores.get_mut(&2).unwrap().leaders = 2000);
    let planned = drill.plan(MIGRATE, 10, None, 20);
    let starts = drill.second(planned.starts);
    drill.run(starts as u64);
    let leaders = drill.seen[9].health.stores[&2].leaders;
    let raised = pilot::maintenance::raised(leaders, units::Nanos::secs(50), 4);
    assert!(raised > 4);
    assert_eq!(drill.seen[starts - 1].values[&limit()], json!(raised));
}

#[test]
fn advice_and_unknown_words_change_nothing() {
    let mut drill = Drill::new(MachineCloud::Aws);
    drill.plan("noticeTime", 5, None, 60);
    let before = drill.cluster.state();
    drill.run(100);
    assert_eq!(drill.cluster.state(), before);
    assert_eq!(drill.said("nothing is decided yet").len(), 3, "{:?}", drill.audit.sentences());
}

#[test]
fn a_machine_of_which_nothing_is_known_is_told_of() {
    let mut drill = Drill::new(MachineCloud::Gcp);
    drill.machines = vec!["vm-2=tikv:2"];
    drill.plan(MIGRATE, 5, None, 10);
    let before = drill.cluster.state();
    drill.run(100);
    assert_eq!(drill.cluster.state(), before);
    let said = drill.said("nothing is known to run there");
    assert_eq!(said.len(), 2, "when it is announced, and when it begins: {said:?}");
}

#[test]
fn a_server_that_goes_silent_ends_no_event() {
    let mut drill = Drill::new(MachineCloud::Gcp);
    let planned = drill.plan(MIGRATE, 10, None, 120);
    drill.metadata.with(|emulator| emulator.busy(planned.starts, planned.starts + std::time::Duration::from_secs(60)));
    let ends = drill.second(planned.ends);
    drill.run(ends as u64 - 1);
    assert!(drill.cluster.state().evicting.contains(&2));
    drill.run(60);
    assert!(drill.cluster.state().evicting.is_empty());
}
