//! PD over HTTP (tikv/pd server/api/router.go).

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::{Value, json};

use super::answers::{self, Asked, EVICT, Store};
use super::peer::{HttpPeer, PeerAnswer, PilotAccess};
use crate::{ClusterHealth, PdApi, PilotError, WorldError};

const BASE: &str = "/pd/api/v1";
/// What PD answers with 500 while nobody leads it: asking again helps.
const LEADERLESS: [&str; 3] = ["redirect", "no leader", "not leader"];

/// PD.
#[derive(Debug, Clone)]
pub struct PdHttp(pub(super) HttpPeer);

#[derive(Deserialize)]
struct Leader {
    name: String,
}

#[derive(Deserialize)]
struct Cluster {
    id: ClusterId,
}

/// Numbers of clusters do not fit in a float: some versions write them as text.
#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a number, or its digits as text")]
enum ClusterId {
    Number(u64),
    Text(String),
}

impl PdHttp {
    /// By the address of any member.
    ///
    /// # Errors
    /// When it is no address, may not be asked, or is not PD's.
    pub fn new(address: &str, access: &PilotAccess) -> Result<Self, PilotError> {
        let pd = Self(HttpPeer::new("PD", address, access)?);
        pd.cluster_id()?;
        Ok(pd)
    }

    fn send(&self, method: &str, path: &str, body: Option<&Value>) -> Result<PeerAnswer, WorldError> {
        let answer = self.0.send(method, &format!("{BASE}/{path}"), body)?;
        if matches!(answer.status, 200 | 404) { Ok(answer) } else { Err(self.refused(&answer)) }
    }

    pub(super) fn refused(&self, answer: &PeerAnswer) -> WorldError {
        let passing = answer.status == 500 && LEADERLESS.iter().any(|words| answer.body.contains(words));
        if passing { self.0.silent(format!("500: {}", answer.body.trim())) } else { self.0.refused(answer) }
    }
}

impl Asked for PdHttp {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn body(&self, path: &str) -> Result<String, WorldError> {
        let answer = self.0.send("GET", &format!("{BASE}/{path}"), None)?;
        match answer.status {
            200 => Ok(answer.body),
            404 => Err(WorldError::Missing { peer: self.0.name().to_owned(), what: format!("`{BASE}/{path}`") }),
            _ => Err(self.refused(&answer)),
        }
    }
}

impl PdApi for PdHttp {
    fn cluster_id(&self) -> Result<String, WorldError> {
        match self.read("cluster") {
            Ok(Cluster { id: ClusterId::Number(id) }) => Ok(id.to_string()),
            Ok(Cluster { id: ClusterId::Text(id) }) if id.parse::<u64>().is_ok() => Ok(id),
            Ok(Cluster { id: ClusterId::Text(id) }) => {
                let why = format!("the cluster's number is `{id}`, expected digits");
                Err(answers::strange(self.0.name(), "cluster", &id, why))
            }
            Err(WorldError::Missing { .. }) => Err(WorldError::Missing {
                peer: self.0.name().to_owned(),
                what: format!(
                    "`{BASE}/cluster`: it is the address of no PD; expected one such as http://127.0.0.1:2379"
                ),
            }),
            Err(error) => Err(error),
        }
    }

    fn health(&self) -> Result<ClusterHealth, WorldError> {
        answers::health(self)
    }

    fn config(&self) -> Result<Value, WorldError> {
        self.read::<serde_json::Map<String, Value>>("config").map(Value::Object)
    }

    fn set_config(&self, key: &str, value: &Value) -> Result<(), WorldError> {
        let answer = self.send("POST", "config", Some(&json!({ key: value })))?;
        if answer.status == 200 { Ok(()) } else { Err(self.refused(&answer)) }
    }

    fn evicting(&self) -> Result<BTreeSet<u64>, WorldError> {
        answers::evicting(self)
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
        let path = format!("store/{store}");
        let body = self.body(&path)?;
        match answers::shaped::<Store>(self.0.name(), &path, &body)?.leaders() {
            (id, leaders) if id == store => Ok(leaders),
            (id, _) => Err(answers::strange(self.0.name(), &path, &body, format!("it is of store {id}"))),
        }
    }

    fn leader(&self) -> Result<String, WorldError> {
        let Leader { name } = self.read("leader")?;
        if name.is_empty() { Err(self.0.silent("nobody leads".to_owned())) } else { Ok(name) }
    }

    fn resign(&self) -> Result<(), WorldError> {
        let answer = self.send("POST", "leader/resign", None)?;
        if answer.status == 200 { Ok(()) } else { Err(self.refused(&answer)) }
    }
}

#[cfg(test)]
#[path = "pd_tests.rs"]
pub(super) mod tests;
