//! The cluster as the pilot sees and changes it: one small trait for each kind of peer, and all of them as one.

use std::collections::BTreeSet;

use pd_client::ClusterHealth;
use serde_json::{Value, json};

use crate::procedure::WaitCondition;
use crate::{StepSubject, WorldError};

/// The status servers of TiKV.
pub trait TikvApi {
    /// The configuration of a store as it is in effect: `GET /config`.
    ///
    /// # Errors
    /// When it cannot be told.
    fn config(&self, store: u64) -> Result<Value, WorldError>;

    /// Sets one key online, in memory only: `POST /config?persist=false`. A yes does not mean that the value took effect.
    ///
    /// # Errors
    /// When it was refused, or perhaps not done.
    fn set_config(&self, store: u64, key: &str, value: &Value) -> Result<(), WorldError>;
}

/// The placement driver.
pub trait PdApi {
    /// The number of the cluster.
    ///
    /// # Errors
    /// When it cannot be told.
    fn cluster_id(&self) -> Result<String, WorldError>;

    /// What moves are safe: stores, replicas, members.
    ///
    /// # Errors
    /// When it cannot be told.
    fn health(&self) -> Result<ClusterHealth, WorldError>;

    /// All of its configuration.
    ///
    /// # Errors
    /// When it cannot be told.
    fn config(&self) -> Result<Value, WorldError>;

    /// Sets one item.
    ///
    /// # Errors
    /// When it was refused, or perhaps not done.
    fn set_config(&self, key: &str, value: &Value) -> Result<(), WorldError>;

    /// The stores that leaders are kept off.
    ///
    /// # Errors
    /// When it cannot be told.
    fn evicting(&self) -> Result<BTreeSet<u64>, WorldError>;

    /// Keeps leaders off a store, or lets them come back.
    ///
    /// # Errors
    /// When it was refused, or perhaps not done.
    fn set_evicting(&self, store: u64, evicting: bool) -> Result<(), WorldError>;

    /// How many regions a store leads.
    ///
    /// # Errors
    /// When it cannot be told.
    fn leaders(&self, store: u64) -> Result<u64, WorldError>;

    /// The name of the member that leads PD.
    ///
    /// # Errors
    /// When it cannot be told.
    fn leader(&self) -> Result<String, WorldError>;

    /// Makes the leader resign; it has resigned some time later, or, where it is the only member, never.
    ///
    /// # Errors
    /// When it was refused, or perhaps not done.
    fn resign(&self) -> Result<(), WorldError>;
}

/// Kubernetes' API.
pub trait KubernetesClient {
    /// Whether a node takes no pods.
    ///
    /// # Errors
    /// When it cannot be told.
    fn cordoned(&self, node: &str) -> Result<bool, WorldError>;

    /// Lets a node take pods, or not.
    ///
    /// # Errors
    /// When it was refused, or perhaps not done.
    fn set_cordoned(&self, node: &str, cordoned: bool) -> Result<(), WorldError>;

    /// The unique id of a pod, if there is one of this name.
    ///
    /// # Errors
    /// When it cannot be told.
    fn pod(&self, namespace: &str, pod: &str) -> Result<Option<String>, WorldError>;

    /// Deletes a pod if it still has this unique id.
    ///
    /// # Errors
    /// When it was refused, or perhaps not done.
    fn delete_pod(&self, namespace: &str, pod: &str, uid: &str) -> Result<(), WorldError>;
}

/// A cloud's volumes.
pub trait CloudVolumes {
    /// What a volume is provisioned as: the text of a [`disk::Disk`], every rate written out.
    ///
    /// # Errors
    /// When it cannot be told.
    fn provisioned(&self, volume: &str) -> Result<String, WorldError>;

    /// Whether no modification of a volume is under way.
    ///
    /// # Errors
    /// When it cannot be told.
    fn settled(&self, volume: &str) -> Result<bool, WorldError>;

    /// Begins a modification.
    ///
    /// # Errors
    /// When it was refused, perhaps only for now, or perhaps not done.
    fn modify(&self, volume: &str, to: &str) -> Result<(), WorldError>;
}

/// A TiDB.
pub trait TidbApi {
    /// A global variable.
    ///
    /// # Errors
    /// When it cannot be told.
    fn variable(&self, name: &str) -> Result<Value, WorldError>;

    /// Sets a global variable.
    ///
    /// # Errors
    /// When it was refused, or perhaps not done.
    fn set_variable(&self, name: &str, value: &Value) -> Result<(), WorldError>;
}

/// What a cloud says of its events.
pub trait CloudEvents {
    /// How far an event is, by the name that its notice had; nothing if it is over.
    ///
    /// # Errors
    /// When it cannot be told.
    fn state(&self, event: &str) -> Result<Option<maintenance::NoticeState>, WorldError>;

    /// Lets an event begin before its time.
    ///
    /// # Errors
    /// When it was refused, or perhaps not done.
    fn approve(&self, event: &str) -> Result<(), WorldError>;
}

/// All of a cluster that can be seen and changed. What is not named cannot be touched.
#[derive(Default)]
pub struct ClusterWorld {
    /// TiKV's status servers.
    pub tikv: Option<Box<dyn TikvApi>>,
    /// PD.
    pub pd: Option<Box<dyn PdApi>>,
    /// Kubernetes.
    pub kubernetes: Option<Box<dyn KubernetesClient>>,
    /// Volumes.
    pub volumes: Option<Box<dyn CloudVolumes>>,
    /// TiDB.
    pub tidb: Option<Box<dyn TidbApi>>,
    /// Events of a cloud.
    pub events: Option<Box<dyn CloudEvents>>,
    /// Whether writing is refused here, whatever was decided elsewhere.
    pub read_only: bool,
}

impl ClusterWorld {
    /// What a subject is read as; see [`Subject`].
    ///
    /// # Errors
    /// When it cannot be told.
    pub fn read(&self, subject: &StepSubject) -> Result<Value, WorldError> {
        match subject {
            StepSubject::TikvConfig { store, key } => {
                let config = self.tikv()?.config(*store)?;
                setting(&config, format!("store {store}"), key)
            }
            StepSubject::PdConfig { key } => setting(&self.pd()?.config()?, "PD".to_owned(), key),
            StepSubject::Leaders { store } => Ok(json!(self.pd()?.evicting()?.contains(store))),
            StepSubject::PdLeader => Ok(json!(self.pd()?.leader()?)),
            StepSubject::Node { node } => Ok(json!(self.kubernetes()?.cordoned(node)?)),
            StepSubject::Pod { namespace, pod } => Ok(json!(self.kubernetes()?.pod(namespace, pod)?)),
            StepSubject::Event { event } => Ok(json!(self.events()?.state(event)?)),
            StepSubject::Volume { volume } => Ok(json!(self.volumes()?.provisioned(volume)?)),
            StepSubject::TidbVariable { name } => self.tidb()?.variable(name),
        }
    }

    /// Writes to a subject what [`Step::writes`](crate::Step::writes) said, or what was read there before.
    ///
    /// # Errors
    /// When it was refused, or perhaps not done: only reading tells.
    pub fn write(&self, subject: &StepSubject, to: &Value) -> Result<(), WorldError> {
        if self.read_only {
            return Err(WorldError::DryRun { what: format!("changing {subject}") });
        }
        let truth = || to.as_bool().ok_or_else(|| unfit(subject, to));
        let text = || to.as_str().ok_or_else(|| unfit(subject, to));
        match subject {
            StepSubject::TikvConfig { store, key } => self.tikv()?.set_config(*store, key, to),
            StepSubject::PdConfig { key } => self.pd()?.set_config(key, to),
            StepSubject::Leaders { store } => self.pd()?.set_evicting(*store, truth()?),
            StepSubject::PdLeader => {
                let member = text()?;
                // Only who shall resign is made to: PD's request names nobody.
                if self.pd()?.leader()? == member { self.pd()?.resign() } else { Ok(()) }
            }
            StepSubject::Node { node } => self.kubernetes()?.set_cordoned(node, truth()?),
            StepSubject::Pod { namespace, pod } => self.kubernetes()?.delete_pod(namespace, pod, text()?),
            StepSubject::Event { event } => self.events()?.approve(event),
            StepSubject::Volume { volume } => self.volumes()?.modify(volume, text()?),
            StepSubject::TidbVariable { name } => self.tidb()?.set_variable(name, to),
        }
    }

    /// Whether what is waited for has come. [`Condition::Passed`] is the clock's to tell.
    ///
    /// # Errors
    /// When it cannot be told.
    pub fn met(&self, condition: &WaitCondition) -> Result<bool, WorldError> {
        match condition {
            WaitCondition::LeadersGone { store } => Ok(self.pd()?.leaders(*store)? == 0),
            WaitCondition::LeadersBack { store, least } => Ok(self.pd()?.leaders(*store)? >= *least),
            WaitCondition::PdLedByOther { member } => Ok(self.pd()?.leader()? != *member),
            WaitCondition::EventOver { event } => Ok(self.events()?.state(event)?.is_none()),
            WaitCondition::VolumeSettled { volume } => self.volumes()?.settled(volume),
            WaitCondition::PodGone { namespace, pod, uid } => {
                Ok(self.kubernetes()?.pod(namespace, pod)?.as_deref() != Some(uid.as_str()))
            }
            WaitCondition::Passed => Ok(false),
        }
    }

    /// What moves are safe.
    ///
    /// # Errors
    /// When it cannot be told.
    pub fn health(&self) -> Result<ClusterHealth, WorldError> {
        self.pd()?.health()
    }

    fn tikv(&self) -> Result<&dyn TikvApi, WorldError> {
        self.tikv.as_deref().ok_or_else(|| unnamed("TiKV", "name its status servers with --tikv-status"))
    }

    fn pd(&self) -> Result<&dyn PdApi, WorldError> {
        self.pd.as_deref().ok_or_else(|| unnamed("PD", "name it with --pd"))
    }

    fn kubernetes(&self) -> Result<&dyn KubernetesClient, WorldError> {
        self.kubernetes.as_deref().ok_or_else(|| unnamed("Kubernetes", "name its API with --kubernetes"))
    }

    fn volumes(&self) -> Result<&dyn CloudVolumes, WorldError> {
        self.volumes.as_deref().ok_or_else(|| unnamed("volumes", "name theirs with --volume or --mounted"))
    }

    fn tidb(&self) -> Result<&dyn TidbApi, WorldError> {
        self.tidb.as_deref().ok_or_else(|| unnamed("TiDB", "name one with --tidb"))
    }

    fn events(&self) -> Result<&dyn CloudEvents, WorldError> {
        self.events.as_deref().ok_or_else(|| unnamed("a cloud's events", "name the cloud with --maintenance"))
    }
}

fn unnamed(what: &str, hint: &str) -> WorldError {
    WorldError::Unnamed { what: what.to_owned(), hint: hint.to_owned() }
}

fn unfit(subject: &StepSubject, to: &Value) -> WorldError {
    WorldError::Refused { peer: "the pilot".to_owned(), why: format!("{to} cannot be written to {subject}") }
}

/// A setting as it is. What is no text, number or truth could not be written back.
fn setting(config: &Value, peer: String, key: &str) -> Result<Value, WorldError> {
    match at(config, key) {
        None => Err(WorldError::Missing { peer, what: format!("setting `{key}`") }),
        Some(value @ (Value::String(_) | Value::Number(_) | Value::Bool(_))) => Ok(value.clone()),
        Some(other) => Err(WorldError::Refused {
            peer,
            why: format!("its `{key}` is `{other}`; expected a text, a number or a truth, which could be written back"),
        }),
    }
}

/// What lies under a key with dots.
pub fn at<'v>(config: &'v Value, key: &str) -> Option<&'v Value> {
    key.split('.').try_fold(config, |within, part| within.get(part))
}
