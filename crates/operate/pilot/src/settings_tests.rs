use std::cell::RefCell;
use std::rc::Rc;

use diagnose::{Evidence, FindingKind, Remedy};
use jiff::Timestamp;
use timeline::Timeline;

use super::*;
use crate::twin::{ClusterTwin, MemoryAudit, MemoryLines, well};
use crate::{Journal, JournalReplay, Pilot, SnapshotSource, WorldError};

fn verdict(kind: FindingKind, node: &str, text: &str) -> Finding {
    Finding {
        kind,
        subject: diagnose::FindingSubject { scope: FindingScope::Node, node: node.to_owned(), disk: String::new() },
        from: Nanos(0),
        to: Nanos::secs(60),
        says: String::new(),
        evidence: Evidence::default(),
        confidence: 0.9,
        remedy: Some(Remedy { text: text.to_owned(), what: "setting", from: None, to: None }),
        monthly: None,
        predicted: None,
        episodes: Vec::new(),
    }
}

fn seen(verdict: Finding) -> ClusterSnapshot {
    let config = json!({ "raftstore": { "store-pool-size": 2 }, "server": { "grpc-concurrency": 5 } });
    let configs = (1..=3).map(|id| (id, config.clone())).collect();
    ClusterSnapshot { health: Some(well(3)), configs, verdicts: vec![verdict], ..ClusterSnapshot::default() }
}

fn at_minute(minute: u64) -> ClockReading {
    ClockReading { wall: Timestamp::UNIX_EPOCH, mono: Nanos::secs(60 * minute) }
}

const RAISE: &str = "raise raftstore.store-pool-size: processors are idle";

#[test]
fn a_verdict_must_hold_before_anything_is_changed_and_its_effect_is_waited_for() {
    let mut settings = SettingsController::default();
    let seen = seen(verdict(FindingKind::ThreadPool, "127.0.0.1:20182", RAISE));
    let minutes: Vec<u64> = (0..60).filter(|minute| !settings.decide(at_minute(*minute), &seen).is_empty()).collect();
    assert_eq!(minutes, [10, 40]);
    // A verdict that comes and goes never holds.
    let mut settings = SettingsController::default();
    let proposed = (0..60).any(|minute| {
        let seen = if minute % 5 == 0 { ClusterSnapshot::default() } else { seen.clone() };
        !settings.decide(at_minute(minute), &seen).is_empty()
    });
    assert!(!proposed);
}

#[test]
fn the_store_that_the_metrics_name_is_changed_and_no_other() {
    let mut settings = SettingsController::default();
    let seen = seen(verdict(FindingKind::ThreadPool, "127.0.0.1:20182", RAISE));
    settings.decide(at_minute(0), &seen);
    let proposals = settings.decide(at_minute(10), &seen);
    let steps: Vec<PilotStep> = proposals
        .iter()
        .flat_map(|proposal| {
            proposal.procedure.as_ref().unwrap().steps().map(|(_, step)| step.clone()).collect::<Vec<_>>()
        })
        .collect();
    assert_eq!(
        steps,
        [PilotStep::SetTikvConfig { store: 2, key: "raftstore.store-pool-size".to_owned(), value: json!(3) }]
    );
}

#[test]
fn a_node_that_is_not_one_store_is_told_and_not_guessed_at() {
    for (node, says) in [("127.0.0.1", "stores [1, 2, 3] are all at"), ("n7", "no store is at `n7`")] {
        let mut settings = SettingsController::default();
        let seen = seen(verdict(FindingKind::ThreadPool, node, RAISE));
        settings.decide(at_minute(0), &seen);
        let proposals = settings.decide(at_minute(10), &seen);
        assert!(proposals[0].procedure.is_none() && proposals[0].reason.contains(says), "{proposals:?}");
    }
}

#[test]
fn what_needs_a_restart_is_proposed_and_the_guard_says_so() {
    let mut settings = SettingsController::default();
    let seen =
        seen(verdict(FindingKind::ThreadPool, "127.0.0.1:20182", "raise server.grpc-concurrency: processors are idle"));
    settings.decide(at_minute(0), &seen);
    let proposal = settings.decide(at_minute(10), &seen).remove(0);
    let step = proposal.procedure.unwrap().steps().next().unwrap().1.clone();
    let why = crate::vet(&step, &well(3)).unwrap_err();
    assert!(why.contains("only when it starts"), "{why}");
}

#[test]
fn tidb_is_asked_only_for_what_a_verdict_may_change() {
    assert!(variables(&[]).is_empty());
    let pool = verdict(FindingKind::ThreadPool, "127.0.0.1:20182", RAISE);
    let tso = verdict(FindingKind::PdTso, "", "");
    assert!(variables(std::slice::from_ref(&pool)).is_empty());
    assert_eq!(variables(&[pool, tso]), ["tidb_tso_client_batch_max_wait_time"].into());
}

/// Says what it is told to; nothing where nobody knows.
#[derive(Clone, Default)]
struct Told(Rc<RefCell<Option<Vec<Finding>>>>);

impl SnapshotSource for Told {
    fn look(&mut self, _: ClockReading, seen: &mut ClusterSnapshot) -> Result<(), WorldError> {
        if let Some(verdicts) = &*self.0.borrow() {
            seen.verdicts.clone_from(verdicts);
            seen.timeline = Some(Timeline::default());
        }
        Ok(())
    }
}

/// A pilot of one store, driven from hour to hour.
struct Flown {
    pilot: Pilot,
    audit: MemoryAudit,
    told: Told,
    twin: ClusterTwin,
    minute: u64,
}

impl Flown {
    fn begin() -> Self {
        let twin =
            ClusterTwin::new(1, &[(POOL, json!(2)), (CACHE, json!("4GiB")), ("memory-usage-limit", json!("16GiB"))]);
        let (replay, _) = JournalReplay::read("journal", "").unwrap();
        let lines = Box::new(MemoryLines::default());
        let journal = Journal::open(lines, replay, "7001", "p", Timestamp::UNIX_EPOCH).unwrap();
        let (audit, told) = (MemoryAudit::default(), Told::default());
        let pilot = Pilot::new(twin.world(), journal, Box::new(audit.clone()), at_minute(0)).unwrap();
        let pilot = pilot.controller(Box::<SettingsController>::default()).source(Box::new(told.clone()));
        Self { pilot, audit, told, twin, minute: 0 }
    }

    /// The minutes, from now on, at which a setting is another; it is flown for so many hours.
    fn changes(&mut self, key: &str, told: Option<Vec<Finding>>, hours: u64) -> Vec<(u64, Value)> {
        *self.told.0.borrow_mut() = told;
        let (from, mut changes) = (self.minute, Vec::new());
        let mut is = setting(&self.twin, key);
        while self.minute < from + 60 * hours {
            self.pilot.tick(at_minute(self.minute), None).unwrap();
            let now = setting(&self.twin, key);
            if now != is {
                changes.push((self.minute - from, now.clone()));
                is = now;
            }
            self.minute += 1;
        }
        changes
    }
}

fn of_one(key: &str) -> StepSubject {
    StepSubject::TikvConfig { store: 1, key: key.to_owned() }
}

fn setting(twin: &ClusterTwin, key: &str) -> Value {
    twin.with(|state| state.values[&of_one(key)].clone())
}

const POOL: &str = "raftstore.store-pool-size";
const CACHE: &str = "storage.block-cache.capacity";

fn of_all(kind: FindingKind, text: &str) -> Option<Vec<Finding>> {
    let subject = diagnose::FindingSubject { scope: FindingScope::Cluster, node: String::new(), disk: String::new() };
    Some(vec![Finding { subject, ..verdict(kind, "", text) }])
}

#[test]
fn what_has_lost_its_reason_is_taken_back_and_stays_longer_when_it_is_called_for_again() {
    let mut flown = Flown::begin();
    let (busy, quiet) = (of_all(FindingKind::ThreadPool, RAISE), Some(Vec::new()));
    assert_eq!(flown.changes(POOL, busy.clone(), 1), [(10, json!(3)), (40, json!(4))]);
    // Two changes: the last goes first, and the effect of that is waited for.
    let after = 25 * 60;
    assert_eq!(flown.changes(POOL, quiet.clone(), 27), [(after, json!(3)), (after + 30, json!(2))]);
    let said = flown.audit.sentences().join("\n");
    assert!(said.contains("run 2 is undone: thread-pool of the cluster has been gone for 25h"), "{said}");
    assert_eq!(flown.changes(POOL, busy, 1)[0], (10, json!(3)));
    // Both were taken back once: what is called for again stays twice as long.
    assert_eq!(flown.changes(POOL, quiet, 60), [(2 * after, json!(3)), (2 * after + 30, json!(2))]);
}

#[test]
fn a_verdict_is_not_gone_while_nobody_tells_nor_before_its_busy_hour_has_come_again() {
    let mut flown = Flown::begin();
    let (busy, quiet) = (of_all(FindingKind::ThreadPool, RAISE), Some(Vec::new()));
    assert_eq!(flown.changes(POOL, busy.clone(), 1).len(), 2);
    assert_eq!(flown.changes(POOL, None, 100), []);
    // Each day it holds for some minutes: too short to change anything more, and no reason to take anything back.
    for _ in 0..4 {
        assert_eq!(flown.changes(POOL, quiet.clone(), 23), []);
        *flown.told.0.borrow_mut() = busy.clone();
        flown.pilot.tick(at_minute(flown.minute), None).unwrap();
    }
}

#[test]
fn a_cache_that_grew_is_not_shrunk_for_want_of_the_verdict_that_it_cured() {
    let mut flown = Flown::begin();
    assert_eq!(flown.changes(CACHE, of_all(FindingKind::BlockCacheSmall, ""), 1).len(), 2);
    assert_eq!(flown.changes(CACHE, Some(Vec::new()), 200), []);
}

#[test]
fn what_somebody_has_set_since_is_theirs() {
    let mut flown = Flown::begin();
    assert_eq!(flown.changes(POOL, of_all(FindingKind::ThreadPool, RAISE), 1).len(), 2);
    flown.twin.with(|state| drop(state.values.insert(of_one(POOL), json!(7))));
    assert_eq!(flown.changes(POOL, Some(Vec::new()), 60), []);
    assert!(flown.audit.sentences().iter().any(|said| said.contains("left as somebody else has set it since, 7")));
}
