//! The twin as each of the pilot's peers.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::ClusterTwin;
use super::state::TwinState;
use crate::{
    CloudEvents, CloudVolumes, ClusterHealth, ClusterLock, KubernetesClient, PdApi, PilotLease, StepSubject, TidbApi,
    TikvApi, WorldError,
};

fn missing(peer: &str, what: &str) -> WorldError {
    WorldError::Missing { peer: peer.to_owned(), what: what.to_owned() }
}

fn value(state: &TwinState, peer: &str, subject: &StepSubject) -> Result<Value, WorldError> {
    state.values.get(subject).cloned().ok_or_else(|| missing(peer, &subject.to_string()))
}

/// Keys with dots as the nested object that configurations are.
fn nested<'v>(keys: impl Iterator<Item = (&'v str, &'v Value)>) -> Value {
    let mut root = Value::Object(Map::new());
    for (key, value) in keys {
        let mut place = &mut root;
        for part in key.split('.') {
            if !place.is_object() {
                *place = json!({});
            }
            place = &mut place[part];
        }
        *place = value.clone();
    }
    root
}

impl TikvApi for ClusterTwin {
    fn config(&self, store: u64) -> Result<Value, WorldError> {
        self.ask(&format!("store {store}"), "config", |state| {
            Ok(nested(state.values.iter().filter_map(|(subject, value)| match subject {
                StepSubject::TikvConfig { store: of, key } if *of == store => Some((key.as_str(), value)),
                _ => None,
            })))
        })
    }

    fn set_config(&self, store: u64, key: &str, value: &Value) -> Result<(), WorldError> {
        self.tell(&format!("store {store}"), &StepSubject::TikvConfig { store, key: key.to_owned() }, value.clone())
    }
}

impl PdApi for ClusterTwin {
    fn cluster_id(&self) -> Result<String, WorldError> {
        self.ask("PD", "cluster", |state| Ok(state.cluster.clone()))
    }

    fn health(&self) -> Result<ClusterHealth, WorldError> {
        self.ask("PD", "health", |state| {
            let mut health = state.health.clone();
            health.stores.iter_mut().for_each(|(id, store)| store.evicting = state.evicting.contains(id));
            Ok(health)
        })
    }

    fn config(&self) -> Result<Value, WorldError> {
        self.ask("PD", "config", |state| {
            Ok(nested(state.values.iter().filter_map(|(subject, value)| match subject {
                StepSubject::PdConfig { key } => Some((key.as_str(), value)),
                _ => None,
            })))
        })
    }

    fn set_config(&self, key: &str, value: &Value) -> Result<(), WorldError> {
        self.tell("PD", &StepSubject::PdConfig { key: key.to_owned() }, value.clone())
    }

    fn evicting(&self) -> Result<BTreeSet<u64>, WorldError> {
        self.ask("PD", "evicting", |state| Ok(state.evicting.clone()))
    }

    fn set_evicting(&self, store: u64, evicting: bool) -> Result<(), WorldError> {
        self.tell("PD", &StepSubject::Leaders { store }, json!(evicting))
    }

    fn leaders(&self, store: u64) -> Result<u64, WorldError> {
        self.ask("PD", "leaders", |state| {
            let store = state.health.stores.get(&store).ok_or_else(|| missing("PD", &format!("store {store}")))?;
            Ok(store.leaders)
        })
    }

    fn leader(&self) -> Result<String, WorldError> {
        self.ask("PD", "leader", |state| {
            Ok(value(state, "PD", &StepSubject::PdLeader)?.as_str().unwrap_or_default().to_owned())
        })
    }

    fn resign(&self) -> Result<(), WorldError> {
        let leader = self.with(|state| value(state, "PD", &StepSubject::PdLeader))?;
        self.tell("PD", &StepSubject::PdLeader, leader)
    }
}

impl KubernetesClient for ClusterTwin {
    fn cordoned(&self, node: &str) -> Result<bool, WorldError> {
        let subject = StepSubject::Node { node: node.to_owned() };
        self.ask("Kubernetes", "node", |state| Ok(state.values.get(&subject) == Some(&json!(true))))
    }

    fn set_cordoned(&self, node: &str, cordoned: bool) -> Result<(), WorldError> {
        self.tell("Kubernetes", &StepSubject::Node { node: node.to_owned() }, json!(cordoned))
    }

    fn pod(&self, namespace: &str, pod: &str) -> Result<Option<String>, WorldError> {
        let subject = StepSubject::Pod { namespace: namespace.to_owned(), pod: pod.to_owned() };
        self.ask("Kubernetes", "pod", |state| {
            Ok(state.values.get(&subject).and_then(|uid| uid.as_str()).map(str::to_owned))
        })
    }

    fn delete_pod(&self, namespace: &str, pod: &str, uid: &str) -> Result<(), WorldError> {
        let subject = StepSubject::Pod { namespace: namespace.to_owned(), pod: pod.to_owned() };
        let there = self.with(|state| state.values.get(&subject).cloned());
        if there != Some(json!(uid)) {
            let why = format!("the UID in the precondition ({uid}) does not match");
            return Err(WorldError::Refused { peer: "Kubernetes".to_owned(), why });
        }
        self.tell("Kubernetes", &subject, Value::Null)
    }
}

impl CloudVolumes for ClusterTwin {
    fn provisioned(&self, volume: &str) -> Result<String, WorldError> {
        let subject = StepSubject::Volume { volume: volume.to_owned() };
        self.ask("the cloud", "volume", |state| {
            Ok(value(state, "the cloud", &subject)?.as_str().unwrap_or_default().to_owned())
        })
    }

    fn settled(&self, _: &str) -> Result<bool, WorldError> {
        self.ask("the cloud", "modification", |_| Ok(true))
    }

    fn modify(&self, volume: &str, to: &str) -> Result<(), WorldError> {
        self.tell("the cloud", &StepSubject::Volume { volume: volume.to_owned() }, json!(to))
    }
}

impl TidbApi for ClusterTwin {
    fn variable(&self, name: &str) -> Result<Value, WorldError> {
        let subject = StepSubject::TidbVariable { name: name.to_owned() };
        self.ask("TiDB", "variable", |state| value(state, "TiDB", &subject))
    }

    fn set_variable(&self, name: &str, to: &Value) -> Result<(), WorldError> {
        self.tell("TiDB", &StepSubject::TidbVariable { name: name.to_owned() }, to.clone())
    }
}

impl CloudEvents for ClusterTwin {
    fn state(&self, event: &str) -> Result<Option<maintenance::NoticeState>, WorldError> {
        let subject = StepSubject::Event { event: event.to_owned() };
        self.ask("the cloud", "event", |state| {
            let told = state.values.get(&subject).and_then(|told| serde_json::from_value(told.clone()).ok());
            Ok((!state.over.contains(event)).then_some(told.unwrap_or(maintenance::NoticeState::Scheduled)))
        })
    }

    fn approve(&self, event: &str) -> Result<(), WorldError> {
        self.tell(
            "the cloud",
            &StepSubject::Event { event: event.to_owned() },
            json!(maintenance::NoticeState::Started),
        )
    }
}

/// PD's maintenance lock, under a pilot's name.
pub struct TwinLock {
    twin: ClusterTwin,
    pilot: String,
}

impl ClusterTwin {
    /// The lock as a pilot of this name takes it.
    pub fn lock(&self, pilot: &str) -> TwinLock {
        TwinLock { twin: self.clone(), pilot: pilot.to_owned() }
    }
}

impl ClusterLock for TwinLock {
    fn take(&self, why: &str) -> Result<PilotLease, WorldError> {
        self.twin.ask("PD", "lock", |_| Ok(()))?;
        self.twin.with(|state| match &state.lock {
            Some((holder, _)) if *holder != self.pilot => Ok(PilotLease::Other(holder.clone())),
            Some(_) => Ok(PilotLease::Held),
            None => {
                state.lock = Some((self.pilot.clone(), why.to_owned()));
                Ok(PilotLease::Held)
            }
        })
    }

    fn release(&self) -> Result<(), WorldError> {
        self.twin.ask("PD", "lock", |_| Ok(()))?;
        self.twin.with(|state| state.lock.take_if(|(holder, _)| *holder == self.pilot));
        Ok(())
    }
}
