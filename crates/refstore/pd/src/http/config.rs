//! `/config`.

use serde::Serialize;
use serde_json::{Value, json};

use super::Ask;
use super::reply::Reply;
use crate::cluster::Cluster;
use crate::settings::Settings;
use crate::shared::{About, VERSION};

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Config<'a> {
    client_urls: String,
    peer_urls: String,
    advertise_client_urls: String,
    name: &'a str,
    data_dir: &'a str,
    #[serde(flatten)]
    settings: Value,
    cluster_version: &'static str,
}

pub(super) fn answer(cluster: &mut Cluster, about: &About, ask: &Ask) -> Reply {
    match (ask.method, ask.path.as_slice()) {
        ("GET", ["config"]) => {
            let url = about.url();
            let mut settings = json!(cluster.record.settings);
            settings["schedule"]["schedulers-payload"] = payload(cluster);
            Reply::json(
                200,
                &Config {
                    client_urls: url.clone(),
                    peer_urls: url.clone(),
                    advertise_client_urls: url,
                    name: &about.name,
                    data_dir: &about.data_dir,
                    settings,
                    cluster_version: VERSION,
                },
            )
        }
        ("GET", ["config", "schedule"]) => Reply::json(200, &cluster.record.settings.schedule),
        ("GET", ["config", "replicate"]) => Reply::json(200, &cluster.record.settings.replication),
        ("GET", ["config", "pd-server"]) => Reply::json(200, &cluster.record.settings.pd_server),
        ("GET", ["config", "default"]) => Reply::json(200, &Settings::default()),
        ("POST", ["config"]) => set(cluster, ask, "", "The config is updated."),
        ("POST", ["config", "schedule"]) => set(cluster, ask, "schedule.", "The config is updated."),
        ("POST", ["config", "replicate"]) => set(cluster, ask, "replication.", "The config is updated."),
        _ => Reply::nowhere(),
    }
}

/// State that each scheduler keeps, by its name (PD 8.5, pkg/schedule/schedulers/utils.go, `ToPayload`).
fn payload(cluster: &Cluster) -> Value {
    let record = &cluster.record;
    let everywhere = json!([{ "start-key": "", "end-key": "" }]);
    let mut payload: serde_json::Map<String, Value> = record
        .schedulers
        .iter()
        .map(|name| {
            let kept = match name.as_str() {
                "evict-slow-store-scheduler" => {
                    let evicted: Vec<u64> = cluster.slow.store().into_iter().collect();
                    json!({ "recovery-duration": 600, "evict-stores": evicted, "batch": 3 })
                }
                "evict-stopping-store-scheduler" => json!({ "evicted-stores": [], "batch": 3 }),
                "balance-leader-scheduler" => json!({ "batch": 4, "ranges": everywhere }),
                _ => json!({ "name": name, "ranges": everywhere }),
            };
            (name.clone(), kept)
        })
        .collect();
    if !record.evicted.is_empty() {
        let ranges: serde_json::Map<String, Value> =
            record.evicted.iter().map(|store| (store.to_string(), everywhere.clone())).collect();
        let kept = json!({ "store-id-ranges": ranges, "batch": record.evict_batch });
        payload.insert("evict-leader-scheduler".to_owned(), kept);
    }
    Value::Object(payload)
}

/// One item after the other: as with PD, those before a wrong one stay changed.
fn set(cluster: &mut Cluster, ask: &Ask, prefix: &str, done: &str) -> Reply {
    let input: serde_json::Map<String, Value> = match ask.object() {
        Ok(input) => input,
        Err(reply) => return reply,
    };
    for (item, value) in &input {
        if let Err(why) = cluster.record.settings.set(&format!("{prefix}{item}"), value) {
            return Reply::text(400, &why);
        }
        cluster.unsaved = true;
    }
    Reply::text(200, done)
}
