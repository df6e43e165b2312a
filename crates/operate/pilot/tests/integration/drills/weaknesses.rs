//! Each weakness of the script that clouds' users watch maintenance with (PingCAP-QE/tidb-google-maintenance, see
//! docs/design/pilot.md), as a test that it is none of ours.

use std::net::TcpListener;
use std::time::Duration;

use maintenance::{MachineCloud, MachineMetadata, MaintenanceError, MetadataQuery, MetadataService};
use pilot::maintenance::{ClusterMachine, MachineRole};
use pilot::{ClusterWorld, StepSubject};
use serde_json::json;

use crate::drills::drill::{Drill, MIGRATE, limit, node, restored};

#[test]
fn a_request_that_is_never_answered_ends() {
    // It takes connections, and says nothing.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let web =
        MachineMetadata::new(MachineCloud::Gcp, Some(&format!("http://{}", silent.local_addr().unwrap()))).unwrap();
    let error = web.ask(&MetadataQuery::get("/", Duration::from_millis(100))).unwrap_err();
    assert!(matches!(error, MaintenanceError::Busy { .. }), "{error}");
}

#[test]
fn leaders_are_waited_for_until_none_is_left() {
    let mut drill = Drill::new(MachineCloud::Gcp);
    drill.cluster.with(|state| state.health.stores.get_mut(&2).unwrap().leaders = 100);
    drill.plan(MIGRATE, 4, None, 20);
    drill.run(15);
    let waits = |drill: &Drill| drill.lines.text().contains(r#""entry":"waited","run":1"#);
    assert!(drill.cluster.state().health.stores[&2].leaders > 0 && !waits(&drill), "{}", drill.lines.text());
    drill.run(20);
    assert!(drill.cluster.state().health.stores[&2].leaders == 0 && waits(&drill), "{}", drill.lines.text());
}

#[test]
fn a_store_is_not_cleared_while_replicas_are_missing_or_another_store_is_down() {
    type Hurt = fn(&mut pilot::ClusterHealth);
    let hurts: [(&str, Hurt); 3] = [
        ("lack a replica", |health| health.missing = 1),
        ("store 3 is Down", |health| health.stores.get_mut(&3).unwrap().state = "Down".to_owned()),
        ("lags", |health| health.pending = 1),
    ];
    for (words, hurt) in hurts {
        let mut drill = Drill::new(MachineCloud::Gcp);
        drill.cluster.with(|state| hurt(&mut state.health));
        drill.plan(MIGRATE, 4, None, 20);
        drill.run(30);
        assert!(drill.cluster.state().evicting.is_empty(), "{words}");
        assert!(!drill.said(words).is_empty(), "{words}: {:?}", drill.audit.sentences());
    }
}

#[test]
fn two_stores_are_never_cleared_at_once() {
    let mut drill = Drill::new(MachineCloud::Gcp);
    drill.cluster.with(|state| state.evicting.insert(3));
    drill.plan(MIGRATE, 4, None, 20);
    drill.run(30);
    assert!(!drill.cluster.state().evicting.contains(&2));
    drill.cluster.with(|state| state.evicting.remove(&3));
    drill.run(10);
    assert!(
        drill.cluster.state().evicting.contains(&2),
        "it is cleared when the other is done: {}",
        drill.lines.text()
    );
}

#[test]
fn a_name_that_a_shell_would_run_is_refused_before_it_is_used() {
    for text in ["vm=tikv:$(reboot)", "vm=pd:a;b", "vm=tidb:db/../x@n", "vm;ls=tikv:1", "vm=tidb:db/a b@n", "vm=tikv:"]
    {
        assert!(text.parse::<ClusterMachine>().is_err(), "{text}");
    }
    assert_eq!("tikv:10.0.1.5:20160".parse::<MachineRole>().unwrap(), MachineRole::Tikv("10.0.1.5:20160".to_owned()));
}

#[test]
fn an_eviction_that_somebody_else_has_ended_is_no_failure() {
    let mut drill = Drill::new(MachineCloud::Gcp);
    let before = restored(&drill.cluster.state());
    let planned = drill.plan(MIGRATE, 4, None, 20);
    let ends = drill.second(planned.ends);
    drill.run(ends as u64 - 5);
    drill.cluster.with(|state| state.evicting.remove(&2));
    drill.run(60);
    assert!(drill.is_idle());
    assert_eq!(restored(&drill.cluster.state()), before);
}

#[test]
fn a_pilot_that_is_killed_with_the_pod_that_it_deletes_uncordons_the_node() {
    let mut drill = Drill::new(MachineCloud::Gcp);
    drill.machines = vec!["vm-1=tidb:db/tidb-0@node-1"];
    drill.downtime = 10;
    let planned = drill.plan(MIGRATE, 4, None, 20);
    let ends = drill.second(planned.ends);
    while drill.cluster.state().values[&crate::drills::drill::pod()] == json!("uid-1") {
        drill.run(1);
    }
    drill.kill();
    assert_eq!(drill.cluster.state().values[&node()], json!(true));
    drill.run(ends as u64 + 20);
    assert_eq!(drill.cluster.state().values[&node()], json!(false), "{}", drill.lines.text());
}

#[test]
fn a_node_that_somebody_else_has_cordoned_stays_cordoned() {
    let mut drill = Drill::new(MachineCloud::Gcp);
    drill.cluster.with(|state| state.values.insert(node(), json!(true)));
    drill.plan(MIGRATE, 4, None, 20);
    drill.run(150);
    assert!(drill.is_idle());
    assert_eq!(drill.cluster.state().values[&node()], json!(true));
}

#[test]
fn a_quiet_machine_changes_nothing_however_often_the_pilot_starts() {
    let mut drill = Drill::new(MachineCloud::Gcp);
    drill.cluster.with(|state| {
        // Somebody else's: no start of ours may remove or uncordon it.
        state.evicting.insert(3);
        state.values.insert(node(), json!(true));
    });
    let before = drill.cluster.state();
    for _ in 0..3 {
        drill.run(20);
        drill.kill();
    }
    let after = drill.cluster.state();
    assert_eq!((after.evicting, after.values), (before.evicting, before.values));
    assert!(!drill.cluster.ops().iter().any(|op| op.writes));
}

#[test]
fn an_error_of_the_metadata_server_ends_neither_pilot_nor_procedure() {
    let mut drill = Drill::new(MachineCloud::Aws);
    let before = restored(&drill.cluster.state());
    let planned = drill.plan("terminate", 4, None, 20);
    let from = planned.announced + Duration::from_secs(10);
    drill.metadata.with(|emulator| {
        emulator.busy(from, from + Duration::from_secs(30));
        emulator.expire_tokens();
    });
    let (starts, ends) = (drill.second(planned.starts), drill.second(planned.ends));
    drill.run(ends as u64 + 60);
    assert_eq!(drill.seen[starts - 1].health.stores[&2].leaders, 0);
    assert_eq!(restored(&drill.cluster.state()), before, "{}", drill.lines.text());
}

#[test]
fn limits_that_were_raised_for_the_minute_are_set_back_to_what_they_were() {
    let mut drill = Drill::new(MachineCloud::Gcp);
    drill.cluster.with(|state| {
        state.values.insert(limit(), json!(7));
        state.health.stores.get_mut(&2).unwrap().leaders = 2000;
    });
    drill.plan(MIGRATE, 4, None, 20);
    drill.run(50);
    assert_ne!(drill.cluster.state().values[&limit()], json!(7));
    // So many leaders need longer to come back than the pilot waits; the limit does not wait for them.
    drill.run(200);
    assert_eq!(drill.cluster.state().values[&limit()], json!(7), "{}", drill.lines.text());
}

#[test]
fn a_pilot_without_kubernetes_clears_the_store_all_the_same() {
    let mut drill = Drill::new(MachineCloud::Gcp);
    drill.world = |twin| ClusterWorld { tikv: None, kubernetes: None, ..twin.world() };
    let planned = drill.plan(MIGRATE, 4, None, 20);
    let starts = drill.second(planned.starts);
    drill.run(starts as u64);
    assert_eq!(drill.seen[starts - 1].health.stores[&2].leaders, 0);
    assert_ne!(drill.seen[starts - 1].values[&StepSubject::PdLeader], json!("pd1"));
}
