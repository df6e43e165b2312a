use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::json;

use super::*;
use crate::twin::well;
use crate::{ProcedureEnding, ProcedureRun};

fn now() -> ClockReading {
    ClockReading { wall: Timestamp::UNIX_EPOCH, mono: Nanos::secs(5) }
}

fn setting(key: &str) -> PilotStep {
    PilotStep::SetTikvConfig { store: 1, key: key.to_owned(), value: json!("1GB") }
}

fn admit(step: PilotStep, health: &ClusterHealth) -> Result<(), String> {
    let procedure = Procedure::of_one(step, ProcedureEnding::Keep);
    ActionGuard::default().admit("settings", &procedure, Some(health), &JournalReplay::default(), now())
}

#[test]
fn every_bound_has_its_reason() {
    let bounds = SettingBounds::embedded();
    assert!(bounds.controller.iter().all(|bound| bound.actions_per_hour > 0 && !bound.why.is_empty()));
    assert!(bounds.controller.iter().any(|bound| bound.name == "*"));
    assert!(bounds.step.iter().any(|bound| bound.name == "*"));
}

#[test]
fn a_cluster_in_trouble_is_not_touched() {
    let fine = admit(setting("rocksdb.rate-bytes-per-sec"), &well(3));
    assert_eq!(fine, Ok(()));
    type Make = fn(&mut ClusterHealth);
    let troubles: [(&str, Make); 5] = [
        ("2 regions lack a replica", |health| health.missing = 2),
        ("1 regions have a replica that is down", |health| health.down = 1),
        ("1 regions have a replica that lags", |health| health.pending = 1),
        ("store 2 is Down", |health| health.stores.get_mut(&2).unwrap().state = "Down".to_owned()),
        ("PD's pd1 is not well", |health| _ = health.members.insert("pd1".to_owned(), false)),
    ];
    for (trouble, make) in troubles {
        let mut health = well(3);
        make(&mut health);
        let why = admit(setting("rocksdb.rate-bytes-per-sec"), &health).unwrap_err();
        assert_eq!(why, format!("the cluster is in trouble already: {trouble}"));
    }
}

#[test]
fn never_two_stores_are_evicting() {
    let mut health = well(3);
    health.stores.get_mut(&2).unwrap().evicting = true;
    let why = admit(PilotStep::EvictLeaders { store: 1 }, &health).unwrap_err();
    assert!(why.contains("evicted from store 2 already"), "{why}");
    assert_eq!(admit(PilotStep::EvictLeaders { store: 2 }, &health), Ok(()));
    // Another run may be about to.
    let other = Procedure::of_one(PilotStep::EvictLeaders { store: 3 }, ProcedureEnding::Restore);
    let run = ProcedureRun::new(7, Timestamp::UNIX_EPOCH, "maintenance", "", &other, &json!(null));
    let replay = JournalReplay { runs: BTreeMap::from([(7, run)]), ..JournalReplay::default() };
    let procedure = Procedure::of_one(PilotStep::EvictLeaders { store: 1 }, ProcedureEnding::Restore);
    let why = ActionGuard::default().admit("maintenance", &procedure, Some(&well(3)), &replay, now()).unwrap_err();
    assert!(why.starts_with("run 7 evicts leaders from store 3"), "{why}");
}

#[test]
fn one_subject_is_changed_by_one_run_at_a_time() {
    let procedure = Procedure::of_one(setting("rocksdb.rate-bytes-per-sec"), ProcedureEnding::Keep);
    let run = ProcedureRun::new(1, Timestamp::UNIX_EPOCH, "limiter", "", &procedure, &json!(null));
    let replay = JournalReplay { runs: BTreeMap::from([(1, run)]), ..JournalReplay::default() };
    let why = ActionGuard::default().admit("settings", &procedure, Some(&well(3)), &replay, now()).unwrap_err();
    assert_eq!(why, "run 1 is changing the rocksdb.rate-bytes-per-sec of store 1");
}

#[test]
fn a_setting_that_needs_a_restart_says_so() {
    let why = admit(setting("raft-engine.dir"), &well(3)).unwrap_err();
    assert!(why.contains("reads `raft-engine.dir` only when it starts"), "{why}");
    let why = admit(setting("rocksdb.rate-byte-per-sec"), &well(3)).unwrap_err();
    assert!(why.contains("rocksdb.rate-bytes-per-sec"), "it says what was probably meant: {why}");
}

#[test]
fn whether_a_setting_changes_online_is_asked_of_the_patch_that_the_store_runs() {
    let of = |version: &str| {
        let mut health = well(3);
        health.stores.values_mut().for_each(|store| store.version = version.to_owned());
        admit(setting("storage.flow-control.l0-files-threshold"), &health)
    };
    for version in ["7.5.7", "v8.5.0", "8.5.99"] {
        assert_eq!(of(version), Ok(()), "{version}");
    }
    for version in ["7.5.6", "8.1.2"] {
        assert!(of(version).unwrap_err().contains("only when it starts"), "{version}");
    }
}

#[test]
fn a_version_that_is_not_known_is_not_guessed_at() {
    for (version, says) in [("9.9.9", "says `9.9.9`"), ("", "says nothing"), ("None", "says `None`")] {
        let mut health = well(3);
        health.stores.get_mut(&3).unwrap().version = version.to_owned();
        let why = admit(setting("rocksdb.rate-bytes-per-sec"), &health).unwrap_err();
        assert!(why.starts_with(&format!("store 3: {says}")) && why.ends_with("acts on no guess"), "{why}");
    }
}

#[test]
fn who_has_acted_often_enough_waits_an_hour() {
    let procedure = Procedure::of_one(setting("rocksdb.rate-bytes-per-sec"), ProcedureEnding::Keep);
    let (most, _) = SettingBounds::embedded().actions("settings");
    let mut guard = ActionGuard::default();
    (0..most).for_each(|_| guard.count("settings", now()));
    let asked = |at: ClockReading| guard.admit("settings", &procedure, Some(&well(3)), &JournalReplay::default(), at);
    assert!(asked(now()).unwrap_err().contains("in the last hour"));
    // The wall may jump a day ahead: that is no hour.
    let jumped = ClockReading { wall: "1970-01-02T00:00:00Z".parse().unwrap(), mono: now().mono + Nanos::secs(60) };
    assert!(asked(jumped).is_err());
    assert_eq!(asked(ClockReading { mono: now().mono + HOUR + Nanos(1), ..now() }), Ok(()));
}

#[test]
fn a_procedure_that_changes_a_thing_twice_is_unsound() {
    let step = || ProcedureStage::Do(setting("rocksdb.rate-bytes-per-sec"));
    let twice = Procedure { stages: vec![step(), step()], ..Procedure::of_one(setting("x"), ProcedureEnding::Keep) };
    assert!(sound(&twice).unwrap_err().contains("twice"));
    assert!(sound(&Procedure { stages: vec![], ..twice }).is_err());
}
