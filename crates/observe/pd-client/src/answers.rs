//! PD's answers, read into types. An answer of another shape is refused with what was seen and what was expected: what is not
//! understood never counts as healthy, as evicted from nowhere, or as done.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::Value;

use http_client::{ApiError, decoded};

use crate::{ClusterHealth, PD_PROGRAM, StoreHealth};

/// The scheduler that people and the pilot evict leaders with.
pub const EVICT_LEADERS: &str = "evict-leader-scheduler";
/// Where PD's own schedulers list what they evict.
const LISTS: [(&str, &str); 3] = [
    ("evict-slow-store-scheduler", "evict-stores"),
    ("evict-slow-trend-scheduler", "evict-by-trend-stores"),
    ("evict-stopping-store-scheduler", "evicted-stores"),
];

/// Something that answers as PD does, below its API's root.
pub trait PdSource {
    /// What people call it, and its address.
    fn name(&self) -> &str;

    /// The body of a 200.
    ///
    /// # Errors
    /// [`ApiError::Missing`] for a 404; when there is no answer, or a no.
    fn body(&self, path: &str) -> Result<String, ApiError>;

    /// An answer as a type.
    ///
    /// # Errors
    /// The same, and [`ApiError::Strange`] when it is of another shape.
    fn read<T: DeserializeOwned>(&self, path: &str) -> Result<T, ApiError> {
        shaped(self.name(), path, &self.body(path)?)
    }
}

#[derive(Deserialize)]
struct Stores {
    count: usize,
    stores: Vec<StoreRow>,
}

/// PD leaves out texts that are empty, and no others (pkg/response/store.go).
#[derive(Deserialize)]
pub struct StoreRow {
    store: Meta,
    status: Status,
}

impl StoreRow {
    /// Its number.
    pub fn id(&self) -> u64 {
        self.store.id
    }

    /// Regions that it leads.
    pub fn leaders(&self) -> u64 {
        self.status.leader_count
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
///
/// # Errors
/// When PD does not answer, or not as a PD does.
pub fn health(pd: &impl PdSource) -> Result<ClusterHealth, ApiError> {
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
///
/// # Errors
/// When PD does not answer, or not as a PD does.
pub fn evicting(pd: &impl PdSource) -> Result<BTreeSet<u64>, ApiError> {
    by_hand(pd, &pd.read::<Vec<String>>("schedulers")?)
}

fn by_hand(pd: &impl PdSource, schedulers: &[String]) -> Result<BTreeSet<u64>, ApiError> {
    // Without a store there is no such scheduler, and no list.
    if !schedulers.iter().any(|name| name == EVICT_LEADERS) {
        return Ok(BTreeSet::new());
    }
    match pd.read::<Evicted>(&format!("scheduler-config/{EVICT_LEADERS}/list")) {
        Ok(evicted) if !evicted.store_id_ranges.is_empty() => Ok(evicted.store_id_ranges.into_keys().collect()),
        Ok(_) | Err(ApiError::Missing { .. }) => {
            let why = format!("{EVICT_LEADERS} is there and has no store: it may have ended between two questions");
            Err(ApiError::Silent { peer: pd.name().to_owned(), why })
        }
        Err(error) => Err(error),
    }
}

/// Stores that PD keeps leaders off of its own accord, for they are slow or stop: schedulers other than ours list them under keys such as
/// `evict-stores`, `evict-by-trend-stores` and `evicted-stores`. Their own lists leave them out up to 8.5, and the configuration has what
/// they keep (tikv/pd server/server.go, `SchedulersPayload`; pkg/schedule/schedulers/evict_slow_store.go and its siblings). Each
/// scheduler is written there when it is added (scheduler_controller.go, `SaveSchedulerConfig`).
fn by_itself(pd: &impl PdSource, schedulers: &[String]) -> Result<BTreeSet<u64>, ApiError> {
    let body = pd.body("config")?;
    let payload = shaped::<Config>(pd.name(), "config", &body)?.schedule.schedulers_payload;
    let strange = |why: String| strange(pd.name(), "config", &body, why);
    let evicts = |name: &&String| name.starts_with("evict-") && *name != EVICT_LEADERS;
    if let Some(untold) = schedulers.iter().filter(evicts).find(|name| !payload.contains_key(*name)) {
        return Err(strange(format!("`schedule.schedulers-payload` has nothing of {untold}, which PD runs")));
    }
    let mut evicted = BTreeSet::new();
    // What people evict is told here, too: two sources that differ count together.
    if let Some(kept) = payload.get(EVICT_LEADERS) {
        let kept = Evicted::deserialize(kept);
        let what =
            |error| strange(format!("`schedule.schedulers-payload.{EVICT_LEADERS}` is not as expected: {error}"));
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

/// The stores, by number, and which of them leaders are kept off.
pub(crate) fn stores(pd: &impl PdSource, evicting: &BTreeSet<u64>) -> Result<BTreeMap<u64, StoreHealth>, ApiError> {
    let body = pd.body("stores")?;
    let Stores { count, stores } = shaped(pd.name(), "stores", &body)?;
    let strange = |why: String| strange(pd.name(), "stores", &body, why);
    if count != stores.len() {
        return Err(strange(format!("counts {count} stores and lists {}", stores.len())));
    }
    let mut all = BTreeMap::new();
    // In no stable order.
    for StoreRow { store, status } in stores {
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
fn members(pd: &impl PdSource) -> Result<BTreeMap<String, bool>, ApiError> {
    let mut all = BTreeMap::new();
    for member in pd.read::<Vec<Member>>("health")? {
        *all.entry(member.name).or_insert(true) &= member.health;
    }
    Ok(all)
}

fn count(pd: &impl PdSource, path: &str) -> Result<u64, ApiError> {
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

/// A body as a type.
pub(crate) fn shaped<T: DeserializeOwned>(peer: &str, path: &str, body: &str) -> Result<T, ApiError> {
    decoded(peer, path, body, PD_PROGRAM)
}

pub(crate) fn strange(peer: &str, path: &str, body: &str, why: String) -> ApiError {
    ApiError::strange(peer, path, body, why, PD_PROGRAM)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Map, Value};

    use super::*;

    #[test]
    fn an_empty_object_is_read_as_one() {
        let read: Map<String, Value> = shaped("PD", "config", "{}").unwrap();
        assert!(read.is_empty());
    }

    proptest! {
        #[test]
        fn any_text_is_refused_or_read(text in any::<String>()) {
            let read = shaped::<Vec<Member>>("PD", "health", &text);
            prop_assert_eq!(read.is_ok(), serde_json::from_str::<Vec<Member>>(&text).is_ok());
        }
    }
}
