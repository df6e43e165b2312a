//! PD over HTTP.

use std::collections::{BTreeMap, BTreeSet};

use http_client::{ApiError, ApiServer, HttpResponse};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::answers::{self, EVICT_LEADERS, PdSource, StoreRow};
use crate::{ClusterHealth, StoreHealth};

/// What answers as is expected here.
pub const PD_PROGRAM: &str = "PD of 7.5, 8.1 or 8.5";

const BASE: &str = "/pd/api/v1";
/// What PD answers with 500 while nobody leads it: asking again helps.
const LEADERLESS: [&str; 3] = ["redirect", "no leader", "not leader"];

/// PD, by the address of any member.
#[derive(Debug, Clone)]
pub struct PdClient(ApiServer);

#[derive(Deserialize)]
struct Leader {
    name: String,
}

#[derive(Deserialize)]
struct Cluster {
    id: ClusterId,
}

#[derive(Deserialize)]
struct RegionCount {
    count: u64,
}

/// PD leaves stores out that lead nothing.
#[derive(Deserialize)]
struct RegionStats {
    #[serde(default)]
    store_leader_count: BTreeMap<u64, u64>,
}

/// Numbers of clusters do not fit in a float: some versions write them as text.
#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a number, or its digits as text")]
enum ClusterId {
    Number(u64),
    Text(String),
}

impl PdClient {
    /// PD behind an address.
    pub fn new(server: ApiServer) -> Self {
        Self(server)
    }

    /// The server itself, for paths that are not of this API.
    pub fn server(&self) -> &ApiServer {
        &self.0
    }

    /// A no of PD's; [`ApiError::Silent`] while nobody leads it, for asking again helps.
    pub fn refused(&self, answer: &HttpResponse) -> ApiError {
        let passing = answer.status == 500 && LEADERLESS.iter().any(|words| answer.body.contains(words));
        if passing { self.0.silent(format!("500: {}", answer.body.trim())) } else { self.0.refused(answer) }
    }

    /// Sends a request that 200 answers, or 404 where there is nothing to do it with.
    fn send(&self, method: &str, path: &str, body: Option<&Value>) -> Result<HttpResponse, ApiError> {
        let answer = self.0.send(method, &format!("{BASE}/{path}"), body)?;
        if matches!(answer.status, 200 | 404) { Ok(answer) } else { Err(self.refused(&answer)) }
    }

    /// Sends a request that only 200 answers.
    fn post(&self, path: &str, body: Option<&Value>) -> Result<(), ApiError> {
        let answer = self.send("POST", path, body)?;
        if answer.status == 200 { Ok(()) } else { Err(self.refused(&answer)) }
    }

    /// The cluster's number.
    ///
    /// # Errors
    /// When PD does not answer, or it is no PD.
    pub fn cluster_id(&self) -> Result<String, ApiError> {
        match self.read("cluster") {
            Ok(Cluster { id: ClusterId::Number(id) }) => Ok(id.to_string()),
            Ok(Cluster { id: ClusterId::Text(id) }) if id.parse::<u64>().is_ok() => Ok(id),
            Ok(Cluster { id: ClusterId::Text(id) }) => {
                let why = format!("the cluster's number is `{id}`, expected digits");
                Err(answers::strange(self.0.name(), "cluster", &id, why))
            }
            Err(ApiError::Missing { .. }) => Err(ApiError::Missing {
                peer: self.0.name().to_owned(),
                what: format!(
                    "`{BASE}/cluster`: it is the address of no PD; expected one such as http://127.0.0.1:2379"
                ),
            }),
            Err(error) => Err(error),
        }
    }

    /// How the cluster is.
    ///
    /// # Errors
    /// When PD does not answer, or not as a PD does.
    pub fn health(&self) -> Result<ClusterHealth, ApiError> {
        answers::health(self)
    }

    /// The stores, by number. Whether leaders are kept off them is not asked for.
    ///
    /// # Errors
    /// When PD does not answer, or not as a PD does.
    pub fn stores(&self) -> Result<BTreeMap<u64, StoreHealth>, ApiError> {
        answers::stores(self, &BTreeSet::new())
    }

    /// Number of regions.
    ///
    /// # Errors
    /// When PD does not answer, or not as a PD does.
    pub fn region_count(&self) -> Result<u64, ApiError> {
        self.read::<RegionCount>("regions/count").map(|regions| regions.count)
    }

    /// Regions that each store leads; stores that lead none may be missing.
    ///
    /// # Errors
    /// When PD does not answer, or not as a PD does.
    pub fn leaders_by_store(&self) -> Result<BTreeMap<u64, u64>, ApiError> {
        self.read::<RegionStats>("stats/region?start_key=&end_key=").map(|stats| stats.store_leader_count)
    }

    /// Regions that a store leads.
    ///
    /// # Errors
    /// When PD does not answer, or answers for another store.
    pub fn leaders_of(&self, store: u64) -> Result<u64, ApiError> {
        let path = format!("store/{store}");
        let body = self.body(&path)?;
        let row = answers::shaped::<StoreRow>(self.0.name(), &path, &body)?;
        match row.id() {
            id if id == store => Ok(row.leaders()),
            id => Err(answers::strange(self.0.name(), &path, &body, format!("it is of store {id}"))),
        }
    }

    /// PD's settings.
    ///
    /// # Errors
    /// When PD does not answer, or not as a PD does.
    pub fn config(&self) -> Result<Value, ApiError> {
        self.read::<Map<String, Value>>("config").map(Value::Object)
    }

    /// Sets one of PD's settings.
    ///
    /// # Errors
    /// When PD does not answer, or refuses.
    pub fn set_config(&self, key: &str, value: &Value) -> Result<(), ApiError> {
        self.post("config", Some(&json!({ key: value })))
    }

    /// The stores that people, or a pilot, keep leaders off.
    ///
    /// # Errors
    /// When PD does not answer, or not as a PD does.
    pub fn evicting(&self) -> Result<BTreeSet<u64>, ApiError> {
        answers::evicting(self)
    }

    /// Moves all leaderships off a store, and none to it, until [`PdClient::end_eviction`].
    ///
    /// # Errors
    /// When PD does not answer, or refuses.
    pub fn evict_leaders(&self, store: u64) -> Result<(), ApiError> {
        // The number is a number: a text is no store to PD.
        self.post("schedulers", Some(&json!({ "name": EVICT_LEADERS, "store_id": store })))
    }

    /// Ends [`PdClient::evict_leaders`]. Returns whether there was an eviction to end.
    ///
    /// # Errors
    /// When PD does not answer, or refuses.
    pub fn end_eviction(&self, store: u64) -> Result<bool, ApiError> {
        self.send("DELETE", &format!("schedulers/{EVICT_LEADERS}-{store}"), None).map(|answer| answer.status == 200)
    }

    /// Asks for the leadership of a region to move; it has moved a moment later.
    ///
    /// # Errors
    /// When PD does not answer, or refuses.
    pub fn transfer_leader(&self, region: u64, to_store: u64) -> Result<(), ApiError> {
        let body = json!({ "name": "transfer-leader", "region_id": region, "to_store_id": to_store });
        self.post("operators", Some(&body))
    }

    /// The member that leads PD.
    ///
    /// # Errors
    /// When PD does not answer; [`ApiError::Silent`] while nobody leads.
    pub fn leader(&self) -> Result<String, ApiError> {
        let Leader { name } = self.read("leader")?;
        if name.is_empty() { Err(self.0.silent("nobody leads".to_owned())) } else { Ok(name) }
    }

    /// Asks PD's leader to let another member lead.
    ///
    /// # Errors
    /// When PD does not answer, or refuses.
    pub fn resign(&self) -> Result<(), ApiError> {
        self.post("leader/resign", None)
    }
}

impl PdSource for PdClient {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn body(&self, path: &str) -> Result<String, ApiError> {
        let answer = self.0.send("GET", &format!("{BASE}/{path}"), None)?;
        match answer.status {
            200 => Ok(answer.body),
            404 => Err(ApiError::Missing { peer: self.0.name().to_owned(), what: format!("`{BASE}/{path}`") }),
            _ => Err(self.refused(&answer)),
        }
    }
}
