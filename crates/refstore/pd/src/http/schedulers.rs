//! `/schedulers` and `/scheduler-config`.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;
use serde_json::{Map, Value};

use super::Ask;
use super::reply::Reply;
use crate::cluster::Cluster;
use crate::record::EVICT_BATCH;

const EVICT: &str = "evict-leader-scheduler";
const NOT_FOUND: &str = "[PD:scheduler:ErrSchedulerNotFound]scheduler not found";
/// What else PD 8.5 starts by default and can be started again.
const OTHERS: [&str; 5] = [
    "balance-region-scheduler",
    "balance-leader-scheduler",
    "balance-hot-region-scheduler",
    "evict-slow-store-scheduler",
    "evict-stopping-store-scheduler",
];

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Evicted {
    store_id_ranges: BTreeMap<u64, [Range; 1]>,
    batch: u32,
}

/// In the order in which PD prints it.
#[derive(Serialize, Default)]
#[serde(rename_all = "kebab-case")]
struct Range {
    end_key: &'static str,
    start_key: &'static str,
}

pub(super) fn answer(cluster: &mut Cluster, now: Duration, ask: &Ask) -> Reply {
    match (ask.method, ask.path.as_slice()) {
        ("GET", ["schedulers"]) => list(cluster, now, ask),
        ("POST", ["schedulers"]) => add(cluster, ask),
        ("POST", ["schedulers", name]) => pause(cluster, now, ask, name),
        ("DELETE", ["schedulers", name]) => remove(cluster, name),
        (method, ["scheduler-config", EVICT, rest @ ..]) => {
            if !is_there(cluster) {
                return Reply::nowhere();
            }
            match (method, rest) {
                ("GET", ["list"]) => Reply::json(200, &evicted(cluster)),
                ("POST", ["config"]) => update(cluster, ask),
                ("DELETE", ["delete", id]) => delete(cluster, id),
                _ => Reply::nowhere(),
            }
        }
        _ => Reply::nowhere(),
    }
}

/// The scheduler exists as long as it has a store.
fn is_there(cluster: &Cluster) -> bool {
    !cluster.record.evicted.is_empty()
}

fn list(cluster: &Cluster, now: Duration, ask: &Ask) -> Reply {
    let evict = is_there(cluster).then_some(EVICT);
    let all = evict.into_iter().chain(cluster.record.schedulers.iter().map(String::as_str));
    let names: Vec<_> = match ask.query("status") {
        Some("paused") => all.filter(|name| cluster.is_paused(name, now)).collect(),
        Some("disabled") => Vec::new(),
        _ => all.collect(),
    };
    Reply::json(200, &names)
}

fn evicted(cluster: &Cluster) -> Evicted {
    let ranges = cluster.record.evicted.iter().map(|&store| (store, [Range::default()]));
    Evicted { store_id_ranges: ranges.collect(), batch: cluster.record.evict_batch }
}

fn add(cluster: &mut Cluster, ask: &Ask) -> Reply {
    let input = match ask.object() {
        Ok(input) => input,
        Err(reply) => return reply,
    };
    match input.get("name").and_then(Value::as_str) {
        None => Reply::text(400, "missing scheduler name"),
        Some(EVICT) => {
            let Some(store) = store_id(&input) else {
                return Reply::text(400, "missing store id");
            };
            if !cluster.record.stores.contains_key(&store) {
                // It is told of in a text within a text.
                let why = format!("\"[PD:core:ErrStoreNotFound]store {store} not found\"\n");
                return Reply::text(500, &why);
            }
            let created = !is_there(cluster);
            evict(cluster, store);
            Reply::text(
                200,
                if created { "The scheduler is created." } else { "The scheduler has been applied to the store." },
            )
        }
        Some(name) if OTHERS.contains(&name) => {
            if cluster.record.schedulers.iter().any(|other| other == name) {
                return Reply::text(500, "[PD:scheduler:ErrSchedulerExisted]scheduler existed");
            }
            cluster.record.schedulers.push(name.to_owned());
            cluster.unsaved = true;
            Reply::text(200, "The scheduler is created.")
        }
        Some(_) => Reply::text(400, "unknown scheduler"),
    }
}

fn store_id(input: &Map<String, Value>) -> Option<u64> {
    // PD takes any number; a text is none.
    input.get("store_id").and_then(Value::as_f64).map(|id| id as u64)
}

fn evict(cluster: &mut Cluster, store: u64) {
    if !is_there(cluster) {
        cluster.record.evict_batch = EVICT_BATCH;
    }
    cluster.record.evicted.insert(store);
    cluster.unsaved = true;
}

fn update(cluster: &mut Cluster, ask: &Ask) -> Reply {
    let input = match ask.object() {
        Ok(input) => input,
        Err(reply) => return reply,
    };
    let batch = match input.get("batch").map(|batch| batch.as_f64()) {
        None => None,
        Some(Some(batch)) if (1.0..=10.0).contains(&batch) => Some(batch as u32),
        Some(_) => return Reply::text(400, "batch is invalid, it should be in [1, 10]"),
    };
    if let Some(store) = store_id(&input) {
        if !cluster.record.stores.contains_key(&store) {
            return Reply::text(500, &format!("[PD:core:ErrStoreNotFound]store {store} not found"));
        }
        evict(cluster, store);
    }
    if let Some(batch) = batch {
        cluster.record.evict_batch = batch;
        cluster.unsaved = true;
    }
    Reply::text(200, "The scheduler has been applied to the store.")
}

fn pause(cluster: &mut Cluster, now: Duration, ask: &Ask, name: &str) -> Reply {
    let input = match ask.object() {
        Ok(input) => input,
        Err(reply) => return reply,
    };
    let Some(delay) = input.get("delay").and_then(Value::as_u64) else {
        return Reply::text(400, "missing pause time");
    };
    let known = (name == EVICT && is_there(cluster)) || cluster.record.schedulers.iter().any(|other| other == name);
    if !known && name != "all" {
        return Reply::text(500, NOT_FOUND);
    }
    let all: Vec<String> = match name {
        "all" => cluster.record.schedulers.iter().cloned().chain([EVICT.to_owned()]).collect(),
        _ => vec![name.to_owned()],
    };
    let until = now.saturating_add(Duration::from_secs(delay));
    all.iter().for_each(|name| cluster.pause(name, until));
    Reply::text(200, "Pause or resume the scheduler successfully.")
}

fn remove(cluster: &mut Cluster, name: &str) -> Reply {
    if name == EVICT {
        if !is_there(cluster) {
            return Reply::text(404, NOT_FOUND);
        }
        cluster.record.evicted.clear();
        cluster.unsaved = true;
        return Reply::text(200, "The scheduler is removed.");
    }
    if let Some(id) = name.strip_prefix(EVICT).and_then(|rest| rest.strip_prefix('-')) {
        let found = id.parse().is_ok_and(|id: u64| cluster.record.evicted.remove(&id));
        cluster.unsaved |= found;
        return Reply::json(if found { 200 } else { 404 }, &Value::Null);
    }
    let before = cluster.record.schedulers.len();
    cluster.record.schedulers.retain(|other| other != name);
    if cluster.record.schedulers.len() == before {
        return Reply::text(404, NOT_FOUND);
    }
    cluster.unsaved = true;
    Reply::text(200, "The scheduler is removed.")
}

fn delete(cluster: &mut Cluster, id: &str) -> Reply {
    let Ok(id) = id.parse::<u64>() else {
        return Reply::text(400, &format!("strconv.ParseUint: parsing \"{id}\": invalid syntax"));
    };
    if !cluster.record.evicted.remove(&id) {
        return Reply::text(404, "[PD:scheduler:ErrScheduleConfigNotExist]the config does not exist");
    }
    cluster.unsaved = true;
    match is_there(cluster) {
        true => Reply::json(200, &Value::Null),
        false => Reply::text(200, "The last store has been deleted"),
    }
}
