use diagnose::{Evidence, Kind, Remedy};
use jiff::Timestamp;

use super::*;
use crate::twin::well;

fn verdict(kind: Kind, node: &str, text: &str) -> Verdict {
    Verdict {
        kind,
        subject: diagnose::Subject { scope: Scope::Node, node: node.to_owned(), disk: String::new() },
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

fn seen(verdict: Verdict) -> Seen {
    let config = json!({ "raftstore": { "store-pool-size": 2 }, "server": { "grpc-concurrency": 5 } });
    let configs = (1..=3).map(|id| (id, config.clone())).collect();
    Seen { health: Some(well(3)), configs, verdicts: vec![verdict], ..Seen::default() }
}

fn at_minute(minute: u64) -> Now {
    Now { wall: Timestamp::UNIX_EPOCH, mono: Nanos::secs(60 * minute) }
}

const RAISE: &str = "raise raftstore.store-pool-size: processors are idle";

#[test]
fn a_verdict_must_hold_before_anything_is_changed_and_its_effect_is_waited_for() {
    let mut settings = Settings::default();
    let seen = seen(verdict(Kind::ThreadPool, "127.0.0.1:20182", RAISE));
    let minutes: Vec<u64> = (0..60).filter(|minute| !settings.decide(at_minute(*minute), &seen).is_empty()).collect();
    assert_eq!(minutes, [10, 40]);
    // A verdict that comes and goes never holds.
    let mut settings = Settings::default();
    let proposed = (0..60).any(|minute| {
        let seen = if minute % 5 == 0 { Seen::default() } else { seen.clone() };
        !settings.decide(at_minute(minute), &seen).is_empty()
    });
    assert!(!proposed);
}

#[test]
fn the_store_that_the_metrics_name_is_changed_and_no_other() {
    let mut settings = Settings::default();
    let seen = seen(verdict(Kind::ThreadPool, "127.0.0.1:20182", RAISE));
    settings.decide(at_minute(0), &seen);
    let proposals = settings.decide(at_minute(10), &seen);
    let steps: Vec<Step> = proposals
        .iter()
        .flat_map(|proposal| {
            proposal.procedure.as_ref().unwrap().steps().map(|(_, step)| step.clone()).collect::<Vec<_>>()
        })
        .collect();
    assert_eq!(steps, [Step::SetTikvConfig { store: 2, key: "raftstore.store-pool-size".to_owned(), value: json!(3) }]);
}

#[test]
fn a_node_that_is_not_one_store_is_told_and_not_guessed_at() {
    for (node, says) in [("127.0.0.1", "stores [1, 2, 3] are all at"), ("n7", "no store is at `n7`")] {
        let mut settings = Settings::default();
        let seen = seen(verdict(Kind::ThreadPool, node, RAISE));
        settings.decide(at_minute(0), &seen);
        let proposals = settings.decide(at_minute(10), &seen);
        assert!(proposals[0].procedure.is_none() && proposals[0].reason.contains(says), "{proposals:?}");
    }
}

#[test]
fn what_needs_a_restart_is_proposed_and_the_guard_says_so() {
    let mut settings = Settings::default();
    let seen = seen(verdict(Kind::ThreadPool, "127.0.0.1:20182", "raise server.grpc-concurrency: processors are idle"));
    settings.decide(at_minute(0), &seen);
    let proposal = settings.decide(at_minute(10), &seen).remove(0);
    let step = proposal.procedure.unwrap().steps().next().unwrap().1.clone();
    let why = crate::vet(&step, &well(3)).unwrap_err();
    assert!(why.contains("only when it starts"), "{why}");
}

#[test]
fn tidb_is_asked_only_for_what_a_verdict_may_change() {
    assert!(variables(&[]).is_empty());
    let pool = verdict(Kind::ThreadPool, "127.0.0.1:20182", RAISE);
    let tso = verdict(Kind::PdTso, "", "");
    assert!(variables(std::slice::from_ref(&pool)).is_empty());
    assert_eq!(variables(&[pool, tso]), ["tidb_tso_client_batch_max_wait_time"].into());
}
