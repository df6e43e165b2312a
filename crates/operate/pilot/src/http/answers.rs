//! PD's answers, read into types. An answer of another shape is refused with what was seen and what was expected: what is not
//! understood never counts as healthy, as evicted from nowhere, or as done.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::Value;

use crate::{ClusterHealth, StoreHealth, WorldError};

/// The scheduler that people and the pilot evict leaders with.
pub(super) const EVICT: &str = "evict-leader-scheduler";
/// Where PD's own schedulers list what they evict.
const LISTS: [(&str, &str); 3] = [
    ("evict-slow-store-scheduler", "evict-stores"),
    ("evict-slow-trend-scheduler", "evict-by-trend-stores"),
    ("evict-stopping-store-scheduler", "evicted-stores"),
];
const PROGRAM: &str = "PD of 7.5, 8.1 or 8.5";

/// Something that answers as PD does, below its API's root.
pub(super) trait Asked {
    /// What people call it, and its address.
    fn name(&self) -> &str;

    /// The body of a 200. A 404 is [`WorldError::Missing`].
    fn body(&self, path: &str) -> Result<String, WorldError>;

    /// An answer as a type.
    fn read<T: DeserializeOwned>(&self, path: &str) -> Result<T, WorldError> {
        shaped(self.name(), path, &self.body(path)?)
    }
}

#[derive(Deserialize)]
struct Stores {
    count: usize,
    stores: Vec<Store>,
}

/// PD leaves out texts that are empty, and no others (pkg/response/store.go).
#[derive(Deserialize)]
pub(super) struct Store {
    store: Meta,
    status: Status,
}

impl Store {
    /// Its number, and how many regions it leads.
    pub(super) fn leaders(&self) -> (u64, u64) {
        (self.store.id, self.status.leader_count)
    }
}

#[derive(Deserialize)]
struct Meta {
    id: u64,
    address: String,
    #[serde(default)]
    status_address: String,
    #[serde(default)]
    version: String,
    state_name: String,
}

#[derive(Deserialize)]
struct Status {
    leader_count: u64,
    region_count: u64,
}

#[derive(Deserialize)]
struct Member {
    name: String,
    health: bool,
}

#[derive(Deserialize)]
struct Regions {
    count: u64,
    #[serde(default)]
    regions: Option<Vec<IgnoredAny>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Evicted {
    store_id_ranges: BTreeMap<u64, Vec<IgnoredAny>>,
}

#[derive(Deserialize)]
struct Config {
    schedule: Schedule,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Schedule {
    schedulers_payload: BTreeMap<String, Value>,
}

/// How the cluster is.
pub(super) fn health(pd: &impl Asked) -> Result<ClusterHealth, WorldError> {
    let schedulers: Vec<String> = pd.read("schedulers")?;
    let mut evicting = by_hand(pd, &schedulers)?;
    evicting.extend(by_itself(pd, &schedulers)?);
    Ok(ClusterHealth {
        stores: stores(pd, &evicting)?,
        missing: count(pd, "regions/check/miss-peer")?,
        down: count(pd, "regions/check/down-peer")?,
        pending: count(pd, "regions/check/pending-peer")?,
        members: members(pd)?,
    })
}

/// The stores that people, or a pilot, keep leaders off.
pub(super) fn evicting(pd: &impl Asked) -> Result<BTreeSet<u64>, WorldError> {
    by_hand(pd, &pd.read::<Vec<String>>("schedulers")?)
}

fn by_hand(pd: &impl Asked, schedulers: &[String]) -> Result<BTreeSet<u64>, WorldError> {
    // Without a store there is no such scheduler, and no list.
    if !schedulers.iter().any(|name| name == EVICT) {
        return Ok(BTreeSet::new());
    }
    match pd.read::<Evicted>(&format!("scheduler-config/{EVICT}/list")) {
        Ok(evicted) if !evicted.store_id_ranges.is_empty() => Ok(evicted.store_id_ranges.into_keys().collect()),
        Ok(_) | Err(WorldError::Missing { .. }) => {
            let why = format!("{EVICT} is there and has no store: it may have ended between two questions");
            Err(WorldError::Silent { peer: pd.name().to_owned(), why })
        }
        Err(error) => Err(error),
    }
}

/// Stores that PD keeps leaders off of its own accord, for they are slow or stop: schedulers other than ours list them under keys such as
/// `evict-stores`, `evict-by-trend-stores` and `evicted-stores`. Their own lists leave them out up to 8.5, and the configuration has what
/// they keep (tikv/pd server/server.go, `SchedulersPayload`; pkg/schedule/schedulers/evict_slow_store.go and its siblings). Each
/// scheduler is written there when it is added (scheduler_controller.go, `SaveSchedulerConfig`).
fn by_itself(pd: &impl Asked, schedulers: &[String]) -> Result<BTreeSet<u64>, WorldError> {
    let body = pd.body("config")?;
    let payload = shaped::<Config>(pd.name(), "config", &body)?.schedule.schedulers_payload;
    let strange = |why: String| strange(pd.name(), "config", &body, why);
    let evicts = |name: &&String| name.starts_with("evict-") && *name != EVICT;
    if let Some(untold) = schedulers.iter().filter(evicts).find(|name| !payload.contains_key(*name)) {
        return Err(strange(format!("`schedule.schedulers-payload` has nothing of {untold}, which PD runs")));
    }
    let mut evicted = BTreeSet::new();
    // What people evict is told here, too: two sources that differ count together.
    if let Some(kept) = payload.get(EVICT) {
        let kept = Evicted::deserialize(kept);
        let what = |error| strange(format!("`schedule.schedulers-payload.{EVICT}` is not as expected: {error}"));
        evicted.extend(kept.map_err(what)?.store_id_ranges.into_keys());
    }
    for (name, kept) in payload.iter().filter(|(name, _)| evicts(name)) {
        evicted.extend(
            listed(name, kept).map_err(|what| strange(format!("`schedule.schedulers-payload.{name}` {what}")))?,
        );
    }
    Ok(evicted)
}

/// The stores of all lists of evicted ones that a scheduler keeps.
fn listed(scheduler: &str, kept: &Value) -> Result<BTreeSet<u64>, String> {
    let is_list = |key: &str| key.starts_with("evict") && key.ends_with("-stores");
    let lists: Vec<_> = kept.as_object().into_iter().flatten().filter(|(key, _)| is_list(key)).collect();
    let own = LISTS.iter().find(|(name, _)| *name == scheduler).map(|(_, list)| *list);
    if !lists.iter().any(|(key, stores)| own.is_none_or(|own| key.as_str() == own && stores.is_array())) {
        return Err(format!("lacks its list of stores, `{}`", own.unwrap_or("evict…-stores")));
    }
    let mut all = BTreeSet::new();
    for (key, stores) in lists {
        // Go writes a list that was not in an older version's file as null.
        let stores = Option::<Vec<u64>>::deserialize(stores);
        all.extend(stores.map_err(|error| format!("has no list of stores as `{key}`: {error}"))?.unwrap_or_default());
    }
    Ok(all)
}

fn stores(pd: &impl Asked, evicting: &BTreeSet<u64>) -> Result<BTreeMap<u64, StoreHealth>, WorldError> {
    let body = pd.body("stores")?;
    let Stores { count, stores } = shaped(pd.name(), "stores", &body)?;
    let strange = |why: String| strange(pd.name(), "stores", &body, why);
    if count != stores.len() {
        return Err(strange(format!("counts {count} stores and lists {}", stores.len())));
    }
    let mut all = BTreeMap::new();
    // In no stable order.
    for Store { store, status } in stores {
        let health = StoreHealth {
            state: store.state_name,
            address: store.address,
            status_address: store.status_address,
            version: store.version,
            leaders: status.leader_count,
            regions: status.region_count,
            evicting: evicting.contains(&store.id),
        };
        if all.insert(store.id, health).is_some() {
            return Err(strange(format!("lists two stores {}", store.id)));
        }
    }
    Ok(all)
}

/// A name that stands twice is well only if both are: members that never started have none.
fn members(pd: &impl Asked) -> Result<BTreeMap<String, bool>, WorldError> {
    let mut all = BTreeMap::new();
    for member in pd.read::<Vec<Member>>("health")? {
        *all.entry(member.name).or_insert(true) &= member.health;
    }
    Ok(all)
}

fn count(pd: &impl Asked, path: &str) -> Result<u64, WorldError> {
    let body = pd.body(path)?;
    let Regions { count, regions } = shaped(pd.name(), path, &body)?;
    match regions {
        Some(regions) if regions.len() as u64 != count => {
            let why = format!("counts {count} regions and lists {}", regions.len());
            Err(strange(pd.name(), path, &body, why))
        }
        _ => Ok(count),
    }
}

/// A body as a type, or where it is none of that type.
pub(super) fn shaped<T: DeserializeOwned>(peer: &str, path: &str, body: &str) -> Result<T, WorldError> {
    let mut json = serde_json::Deserializer::from_str(body);
    let read = serde_path_to_error::deserialize(&mut json).map_err(|error| match error.path().to_string().as_str() {
        "." => error.inner().to_string(),
        place => format!("`{place}` is not as expected: {}", error.inner()),
    });
    let read = read.and_then(|read| json.end().map(|()| read).map_err(|error| error.to_string()));
    read.map_err(|why| strange(peer, path, body, why))
}

pub(super) fn strange(peer: &str, path: &str, body: &str, why: String) -> WorldError {
    /// Enough to know an answer by.
    const SHOWN: usize = 160;
    let mut seen: String = body.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((cut, _)) = seen.char_indices().nth(SHOWN) {
        seen.truncate(cut);
        seen += "…";
    }
    WorldError::Strange { peer: peer.to_owned(), what: format!("`{path}`"), seen, why, program: PROGRAM }
}

#[cfg(test)]
#[path = "answers_tests.rs"]
mod tests;
