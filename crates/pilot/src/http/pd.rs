//! PD over HTTP (tikv/pd server/api/router.go).

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::peer::{Access, Answer, Peer};
use crate::{Health, Pd, PilotError, StoreHealth, WorldError};

const BASE: &str = "/pd/api/v1";
/// PD's lock of the whole cluster, since 8.5.7 (server/apiv2/handlers/maintenance.go); one task of a type at a time.
const LEASE: &str = "/pd/api/v2/maintenance/diskwright-pilot";
const EVICT: &str = "evict-leader-scheduler";
/// What PD answers with 500 while nobody leads it: asking again helps.
const LEADERLESS: [&str; 3] = ["redirect", "no leader", "not leader"];

/// PD.
#[derive(Debug, Clone)]
pub struct PdHttp(Peer);

/// Whether this pilot is the cluster's only one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lease {
    /// It holds PD's lock.
    Held,
    /// This PD has no such lock: only the folder's keeps others out.
    NotOffered,
    /// Another has it; PD's words.
    Other(String),
}

impl PdHttp {
    /// By the address of any member.
    ///
    /// # Errors
    /// When it is no address, may not be asked, or is not PD's.
    pub fn new(address: &str, access: &Access) -> Result<Self, PilotError> {
        let pd = Self(Peer::new("PD", address, access)?);
        pd.cluster_id()?;
        Ok(pd)
    }

    /// Takes PD's lock under a name.
    ///
    /// # Errors
    /// When PD does not answer.
    pub fn lease(&self, pilot: &str, says: &str) -> Result<Lease, WorldError> {
        let answer = self.0.send("PUT", &format!("{LEASE}/{pilot}"), Some(&json!(says)))?;
        match answer.status {
            200 => Ok(Lease::Held),
            404 | 405 => Ok(Lease::NotOffered),
            // A pilot that was killed holds it still.
            409 if answer.body.contains(pilot) => Ok(Lease::Held),
            409 => Ok(Lease::Other(answer.body.split_whitespace().collect::<Vec<_>>().join(" "))),
            _ => Err(self.refused(&answer)),
        }
    }

    /// Gives PD's lock back.
    ///
    /// # Errors
    /// When PD does not answer, or another has it.
    pub fn release(&self, pilot: &str) -> Result<(), WorldError> {
        let answer = self.0.send("DELETE", &format!("{LEASE}/{pilot}"), None)?;
        if matches!(answer.status, 200 | 404 | 405) { Ok(()) } else { Err(self.refused(&answer)) }
    }

    fn get(&self, path: &str) -> Result<Value, WorldError> {
        let answer = self.0.send("GET", &format!("{BASE}/{path}"), None)?;
        match answer.status {
            200 => serde_json::from_str(&answer.body).map_err(|_| {
                let why = format!("{BASE}/{path} answers no JSON: is it the address of a PD?");
                WorldError::Refused { peer: self.0.name().to_owned(), why }
            }),
            404 => Err(WorldError::Missing { peer: self.0.name().to_owned(), what: format!("`{BASE}/{path}`") }),
            _ => Err(self.refused(&answer)),
        }
    }

    fn send(&self, method: &str, path: &str, body: Option<&Value>) -> Result<Answer, WorldError> {
        let answer = self.0.send(method, &format!("{BASE}/{path}"), body)?;
        if matches!(answer.status, 200 | 404) { Ok(answer) } else { Err(self.refused(&answer)) }
    }

    fn refused(&self, answer: &Answer) -> WorldError {
        let passing = answer.status == 500 && LEADERLESS.iter().any(|words| answer.body.contains(words));
        if passing { self.0.silent(format!("500: {}", answer.body.trim())) } else { self.0.refused(answer) }
    }

    fn count(&self, path: &str) -> Result<u64, WorldError> {
        let answer = self.get(path)?;
        answer["count"].as_u64().ok_or_else(|| WorldError::Refused {
            peer: self.0.name().to_owned(),
            why: format!("{path} tells no count"),
        })
    }

    fn stores(&self, evicting: &BTreeSet<u64>) -> Result<BTreeMap<u64, StoreHealth>, WorldError> {
        let answer = self.get("stores")?;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        // In no stable order, and what is zero or empty is left out.
        let stores = answer["stores"].as_array().into_iter().flatten().filter_map(|told| {
            let (store, status) = (&told["store"], &told["status"]);
            let id = store["id"].as_u64()?;
            let health = StoreHealth {
                state: text(&store["state_name"]),
                address: text(&store["address"]),
                status_address: text(&store["status_address"]),
                version: text(&store["version"]),
                leaders: status["leader_count"].as_u64().unwrap_or_default(),
                regions: status["region_count"].as_u64().unwrap_or_default(),
                evicting: evicting.contains(&id),
            };
            Some((id, health))
        });
        Ok(stores.collect())
    }
}

impl Pd for PdHttp {
    fn cluster_id(&self) -> Result<String, WorldError> {
        let id = self.get("cluster").map(|cluster| match &cluster["id"] {
            Value::Number(id) => id.to_string(),
            Value::String(id) => id.clone(),
            _ => String::new(),
        });
        match id {
            Ok(id) if !id.is_empty() => Ok(id),
            Ok(_) | Err(WorldError::Missing { .. }) => Err(WorldError::Missing {
                peer: self.0.name().to_owned(),
                what: format!(
                    "`{BASE}/cluster`: it is the address of no PD; expected one such as http://127.0.0.1:2379"
                ),
            }),
            Err(error) => Err(error),
        }
    }

    fn health(&self) -> Result<Health, WorldError> {
        let mut evicting = self.evicting()?;
        evicting.extend(evicted_by_itself(&self.config()?));
        let stores = self.stores(&evicting)?;
        let members = self.get("health")?;
        let members = members.as_array().into_iter().flatten().filter_map(|member| {
            Some((member["name"].as_str()?.to_owned(), member["health"].as_bool().unwrap_or_default()))
        });
        Ok(Health {
            stores,
            missing: self.count("regions/check/miss-peer")?,
            down: self.count("regions/check/down-peer")?,
            pending: self.count("regions/check/pending-peer")?,
            members: members.collect(),
        })
    }

    fn config(&self) -> Result<Value, WorldError> {
        self.get("config")
    }

    fn set_config(&self, key: &str, value: &Value) -> Result<(), WorldError> {
        self.send("POST", "config", Some(&json!({ key: value }))).map(drop)
    }

    fn evicting(&self) -> Result<BTreeSet<u64>, WorldError> {
        // Without a store there is no scheduler, and no path.
        let ranges = match self.get(&format!("scheduler-config/{EVICT}/list")) {
            Err(WorldError::Missing { .. }) => return Ok(BTreeSet::new()),
            told => told?["store-id-ranges"].clone(),
        };
        Ok(ranges.as_object().into_iter().flatten().filter_map(|(store, _)| store.parse().ok()).collect())
    }

    fn set_evicting(&self, store: u64, evicting: bool) -> Result<(), WorldError> {
        // The number is a number: a text is no store to PD. Removing what is not there answers 404, and is done.
        let answer = match evicting {
            true => self.send("POST", "schedulers", Some(&json!({ "name": EVICT, "store_id": store })))?,
            false => self.send("DELETE", &format!("schedulers/{EVICT}-{store}"), None)?,
        };
        if evicting && answer.status != 200 { Err(self.refused(&answer)) } else { Ok(()) }
    }

    fn leaders(&self, store: u64) -> Result<u64, WorldError> {
        let answer = self.get(&format!("store/{store}"))?;
        // Zero may be left out, but not all of it.
        match &answer["status"] {
            Value::Object(status) => Ok(status.get("leader_count").and_then(Value::as_u64).unwrap_or_default()),
            _ => Err(WorldError::Refused {
                peer: self.0.name().to_owned(),
                why: format!("store/{store} tells no status"),
            }),
        }
    }

    fn leader(&self) -> Result<String, WorldError> {
        let answer = self.get("leader")?;
        let name = answer["name"].as_str().filter(|name| !name.is_empty());
        name.map(str::to_owned).ok_or_else(|| self.0.silent("nobody leads".to_owned()))
    }

    fn resign(&self) -> Result<(), WorldError> {
        let answer = self.send("POST", "leader/resign", None)?;
        if answer.status == 200 { Ok(()) } else { Err(self.refused(&answer)) }
    }
}

/// Stores that PD keeps leaders off of its own accord, for they are slow or stop: schedulers other than ours list them under keys such as
/// `evict-stores`, `evict-by-trend-stores` and `evicted-stores`. Their own lists leave them out up to 8.5, and the configuration has what
/// they keep (tikv/pd server/server.go, `SchedulersPayload`; pkg/schedule/schedulers/evict_slow_store.go and its siblings).
fn evicted_by_itself(config: &Value) -> BTreeSet<u64> {
    let schedulers = config["schedule"]["schedulers-payload"].as_object().into_iter().flatten();
    let kept = schedulers.filter(|(name, _)| name.starts_with("evict-") && *name != EVICT);
    let lists = kept.filter_map(|(_, kept)| kept.as_object()).flatten();
    let lists = lists.filter(|(key, _)| key.starts_with("evict") && key.ends_with("-stores"));
    lists.filter_map(|(_, stores)| stores.as_array()).flatten().filter_map(Value::as_u64).collect()
}

#[cfg(test)]
#[path = "pd_tests.rs"]
mod tests;
