//! Answers of a real PD, changed at one place: a gate does the same as before, or refuses.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::{Deref, DerefMut};

use http_client::{ApiError, decoded};
use pd_client::{EVICT_LEADERS as EVICT, PD_PROGRAM, PdSource};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::{ClusterHealth, PilotStep, WorldError, gate, vet};

/// Answers by path. What is not there is a 404.
#[derive(Debug, Clone)]
struct Answers(BTreeMap<String, Value>);

impl Deref for Answers {
    type Target = BTreeMap<String, Value>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for Answers {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

impl PdSource for Answers {
    fn name(&self) -> &str {
        "PD"
    }

    fn body(&self, path: &str) -> Result<String, ApiError> {
        let missing = || ApiError::Missing { peer: "PD".to_owned(), what: path.to_owned() };
        self.get(path).map(Value::to_string).ok_or_else(missing)
    }
}

fn health(answers: &Answers) -> Result<ClusterHealth, WorldError> {
    Ok(pd_client::health(answers)?)
}

fn evicting(answers: &Answers) -> Result<BTreeSet<u64>, WorldError> {
    Ok(pd_client::evicting(answers)?)
}

/// A store as a real PD 8.5.6 prints it.
fn store(id: u64) -> Value {
    json!({
        "store": {
            "id": id, "address": format!("127.0.0.1:2{id}160"),
            "labels": [{ "key": "zone", "value": format!("z{id}") }, { "key": "host", "value": format!("h{id}") }],
            "version": "8.5.6", "status_address": format!("127.0.0.1:2{id}180"), "start_timestamp": 1795232397,
            "last_heartbeat": 1795232443378979452_u64, "node_state": 1, "state_name": "Up"
        },
        "status": {
            "capacity": "1TiB", "available": "512GiB", "used_size": "256GiB", "leader_count": 0, "leader_weight": 1,
            "leader_score": 0, "leader_size": 0, "region_count": 30, "region_weight": 1,
            "region_score": 42.88286077010226, "region_size": 30, "start_ts": "2026-11-21T03:39:57Z",
            "last_heartbeat_ts": "2026-11-21T03:40:43.378979452Z", "uptime": "46.378979452s"
        }
    })
}

/// A healthy cluster of three stores and three members, as PD 8.5.6 answers.
fn healthy() -> Answers {
    let member =
        |name: &str| json!({ "name": name, "member_id": 7, "client_urls": ["http://127.0.0.1:12379"], "health": true });
    let none = || json!({ "count": 0, "regions": [] });
    let payload = json!({
        "balance-hot-region-scheduler": null,
        "balance-leader-scheduler": { "batch": 4, "ranges": [{ "end-key": "", "start-key": "" }] },
        "evict-slow-store-scheduler": {
            "recovery-duration": 600, "evict-stores": [], "enable-network-slow-store": false,
            "paused-network-slow-stores": [], "batch": 3
        },
        "evict-stopping-store-scheduler": { "evicted-stores": [], "batch": 3 }
    });
    let config = json!({ "schedule": { "leader-schedule-limit": 4, "schedulers-payload": payload } });
    let schedulers = [
        "balance-region-scheduler",
        "balance-leader-scheduler",
        "balance-hot-region-scheduler",
        "evict-slow-store-scheduler",
        "evict-stopping-store-scheduler",
    ];
    Answers(BTreeMap::from([
        ("schedulers".to_owned(), json!(schedulers)),
        ("config".to_owned(), config),
        ("stores".to_owned(), json!({ "count": 3, "stores": [store(1), store(2), store(3)] })),
        ("health".to_owned(), json!([member("pd1"), member("pd2"), member("pd3")])),
        ("regions/check/miss-peer".to_owned(), none()),
        ("regions/check/down-peer".to_owned(), none()),
        ("regions/check/pending-peer".to_owned(), none()),
    ]))
}

/// The same, with a store that leaders are evicted from.
fn evicted_by_hand() -> Answers {
    let mut answers = healthy();
    answers.get_mut("schedulers").unwrap().as_array_mut().unwrap().push(json!(EVICT));
    let list = json!({ "store-id-ranges": { "3": [{ "end-key": "", "start-key": "" }] }, "batch": 3 });
    answers.get_mut("config").unwrap()["schedule"]["schedulers-payload"][EVICT] = list.clone();
    answers.insert(format!("scheduler-config/{EVICT}/list"), list);
    answers
}

fn with(path: &str, pointer: &str, value: Value) -> Answers {
    let mut answers = healthy();
    *answers.get_mut(path).unwrap().pointer_mut(pointer).unwrap() = value;
    answers
}

/// Clusters of each kind that a gate tells apart: healthy, and with one trouble each.
fn clusters() -> Vec<Answers> {
    let region = json!({ "count": 1, "regions": [{ "id": 4 }] });
    let slow = "/schedule/schedulers-payload/evict-slow-store-scheduler/evict-stores";
    let stopping = "/schedule/schedulers-payload/evict-stopping-store-scheduler/evicted-stores";
    vec![
        healthy(),
        evicted_by_hand(),
        with("stores", "/stores/1/store/state_name", json!("Down")),
        with("stores", "/stores/2/store/state_name", json!("Disconnected")),
        with("health", "/1/health", json!(false)),
        with("regions/check/miss-peer", "", region.clone()),
        with("regions/check/down-peer", "", region.clone()),
        with("regions/check/pending-peer", "", region),
        with("config", slow, json!([3])),
        with("config", stopping, json!([3])),
        with("stores", "/stores/0/store/version", json!("9.9.9")),
    ]
}

fn steps() -> [PilotStep; 4] {
    [
        PilotStep::EvictLeaders { store: 1 },
        PilotStep::ResignPdLeader { member: "pd1".to_owned() },
        PilotStep::SetPdConfig { key: "schedule.leader-schedule-limit".to_owned(), value: json!(64) },
        PilotStep::SetTikvConfig { store: 2, key: "rocksdb.rate-bytes-per-sec".to_owned(), value: json!("1GB") },
    ]
}

/// Whether a gate lets a step through.
fn passes(answers: &Answers, step: &PilotStep) -> bool {
    let health = health(answers).map_err(|error| error.to_string());
    health.and_then(|health| vet(step, &health).and_then(|()| gate(step, &health))).is_ok()
}

/// Values of other types, and values of the same type that say nothing.
fn others() -> Vec<Value> {
    let object = json!({ "id": 1 });
    vec![
        json!(null),
        json!(true),
        json!(-1),
        json!(1.5),
        json!(7),
        json!("x"),
        json!("1"),
        json!([]),
        json!({}),
        object,
    ]
}

fn kind(value: &Value) -> u8 {
    match value {
        Value::Null => 0,
        Value::Bool(_) => 1,
        Value::Number(_) => 2,
        Value::String(_) => 3,
        Value::Array(_) => 4,
        Value::Object(_) => 5,
    }
}

/// All places in an answer, as pointers; the whole is the empty one.
fn places(value: &Value, at: String, all: &mut Vec<String>) {
    let escaped = |key: &str| key.replace('~', "~0").replace('/', "~1");
    match value {
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, item)| places(item, format!("{at}/{index}"), all));
        }
        Value::Object(fields) => {
            fields.iter().for_each(|(key, field)| places(field, format!("{at}/{}", escaped(key)), all));
        }
        _ => {}
    }
    all.push(at);
}

/// An answer without what lies at a place: a key less, or an item less.
fn dropped(answer: &Value, place: &str) -> Option<Value> {
    let (parent, key) = place.rsplit_once('/')?;
    let mut answer = answer.clone();
    match answer.pointer_mut(parent)? {
        Value::Object(fields) => drop(fields.remove(&key.replace("~1", "/").replace("~0", "~"))?),
        // Of a list nobody knows how long it was, but where it is counted.
        Value::Array(items) if parent == "/stores" => drop(items.remove(key.parse().ok()?)),
        _ => return None,
    }
    Some(answer)
}

/// What lies at a place, left out or of another type, in each way that there is.
fn changed_at(answer: &Value, place: &str) -> Vec<(String, Value)> {
    let was = kind(answer.pointer(place).unwrap());
    let put = |other: Value| {
        let mut answer = answer.clone();
        *answer.pointer_mut(place).unwrap() = other.clone();
        (format!(" with {other} at {place}"), answer)
    };
    let less = dropped(answer, place).map(|less| (format!(" without {place}"), less));
    less.into_iter().chain(others().into_iter().filter(|other| kind(other) != was).map(put)).collect()
}

fn all_places(answer: &Value) -> Vec<String> {
    let mut all = Vec::new();
    places(answer, String::new(), &mut all);
    all
}

/// Everything that one change at one place makes of a cluster's answers.
fn changed(answers: &Answers) -> Vec<(String, Answers)> {
    let mut all = Vec::new();
    for (path, answer) in answers.iter() {
        for (what, answer) in all_places(answer).iter().flat_map(|place| changed_at(answer, place)) {
            let mut changed = answers.clone();
            changed.insert(path.clone(), answer);
            all.push((format!("{path}{what}"), changed));
        }
        let mut without = answers.clone();
        without.remove(path);
        all.push((format!("{path} answered 404"), without));
    }
    all
}

#[test]
fn an_answer_that_is_changed_anywhere_never_lets_through_what_it_would_not_have() {
    let mut refused = 0;
    for answers in clusters() {
        let before = steps().map(|step| passes(&answers, &step));
        for (what, changed) in changed(&answers) {
            for (step, passed) in steps().iter().zip(before) {
                let passes = passes(&changed, step);
                assert!(passed || !passes, "{step} passes with {what}");
                refused += u32::from(passed && !passes);
            }
        }
    }
    assert!(refused > 1000, "{refused}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]
    #[test]
    fn several_changes_at_once_let_nothing_through_either(
        cluster in 1_usize..11,
        at in prop::collection::vec(any::<[prop::sample::Index; 3]>(), 2..5),
    ) {
        let mut answers = clusters().swap_remove(cluster);
        let before = steps().map(|step| passes(&answers, &step));
        // Each at a place of its own: one after the other at the same place could give it a value of its type that it never had.
        let mut done: Vec<(usize, String)> = Vec::new();
        for [path, place, way] in at {
            let path = path.index(answers.len());
            let answer = answers.values_mut().nth(path).unwrap();
            let place = place.get::<String>(&all_places(answer)).clone();
            if done.iter().any(|(of, other)| *of == path && (place.starts_with(other) || other.starts_with(&place))) {
                continue;
            }
            *answer = way.get(&changed_at(answer, &place)).1.clone();
            done.push((path, place));
        }
        for (step, passed) in steps().iter().zip(before) {
            prop_assert!(passed || !passes(&answers, step), "{} passes with {:?}", step, answers);
        }
    }

    #[test]
    fn any_text_is_refused_or_read(text in any::<String>()) {
        let _ = decoded::<Vec<Map<String, Value>>>("PD", "health", &text, PD_PROGRAM);
    }
}

#[test]
fn the_healthy_cluster_passes_and_each_trouble_is_one_of_the_gates() {
    let all = clusters();
    assert!(steps().iter().all(|step| passes(&all[0], step)));
    for trouble in &all[1..] {
        assert!(!passes(trouble, &PilotStep::EvictLeaders { store: 1 }), "{trouble:?}");
    }
}

#[test]
fn what_was_seen_and_what_was_expected_are_told() {
    let seen = |answers: &Answers| health(answers).unwrap_err().to_string();
    let object = with("health", "", json!({ "name": "pd1", "health": true }));
    let error = seen(&object);
    assert!(error.contains(r#"`health` with `{"health":true,"name":"pd1"}`"#), "{error}");
    assert!(error.contains("invalid type: map, expected a sequence") && error.contains("address of a PD"), "{error}");
    for (answers, expected) in [
        (with("stores", "/stores/1/store/id", json!("two")), "`stores[1].store.id` is not as expected: invalid type"),
        (with("stores", "/count", json!(4)), "counts 4 stores and lists 3"),
        (with("stores", "/stores/1/store/id", json!(1)), "lists two stores 1"),
        (with("health", "/0/health", json!("true")), "expected a boolean"),
        (with("health", "/0", json!({ "name": "pd1" })), "missing field `health`"),
        (with("regions/check/down-peer", "", json!({})), "missing field `count`"),
        (with("regions/check/down-peer", "/count", json!(2)), "counts 2 regions and lists 0"),
        (with("config", "/schedule/schedulers-payload", json!({})), "has nothing of evict-slow-store-scheduler"),
    ] {
        assert!(seen(&answers).contains(expected), "{}", seen(&answers));
    }
    let mut answers = evicted_by_hand();
    answers.insert(format!("scheduler-config/{EVICT}/list"), json!({ "batch": 3 }));
    assert!(evicting(&answers).unwrap_err().to_string().contains("missing field `store-id-ranges`"));
    answers.insert(format!("scheduler-config/{EVICT}/list"), json!({ "store-id-ranges": { "one": [] } }));
    assert!(evicting(&answers).is_err());
    answers.remove(&format!("scheduler-config/{EVICT}/list"));
    assert!(evicting(&answers).unwrap_err().is_passing(), "it may have ended meanwhile");
    // A name that stands twice is well only if both are.
    let both = with("health", "/1", json!({ "name": "pd1", "health": false }));
    assert!(!health(&both).unwrap().members["pd1"]);
    let nobody = health(&with("health", "", json!([]))).unwrap();
    assert!(nobody.trouble().unwrap().contains("PD tells of no member"));
    let _: Map<String, Value> = decoded("PD", "config", "{}", PD_PROGRAM).unwrap();
}
