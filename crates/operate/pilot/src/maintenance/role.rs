//! What runs on a machine.

use std::fmt;
use std::str::FromStr;

use crate::{ClusterHealth, StepSubject};

/// A part of the cluster that runs on a machine.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum MachineRole {
    /// A TiKV, by PD's number or by the address at which it serves.
    Tikv(String),
    /// A member of PD, by name.
    Pd(String),
    /// A TiDB in Kubernetes.
    Tidb {
        /// The pod's namespace.
        namespace: String,
        /// The pod's name.
        pod: String,
        /// The node that the machine is.
        node: String,
    },
}

/// A machine and what runs on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClusterMachine {
    /// As its cloud names it.
    pub name: String,
    /// What runs on it.
    pub roles: Vec<MachineRole>,
}

impl MachineRole {
    /// PD's number of a TiKV; none if PD knows no such store.
    pub(super) fn store(&self, health: &ClusterHealth) -> Option<u64> {
        let Self::Tikv(name) = self else { return None };
        match name.parse() {
            Ok(id) => health.stores.contains_key(&id).then_some(id),
            Err(_) => health.stores.iter().find(|(_, store)| store.address == *name).map(|(id, _)| *id),
        }
    }

    /// What a procedure for it changes before all else; none for a store that PD does not know.
    pub(super) fn subject(&self, health: &ClusterHealth) -> Option<StepSubject> {
        match self {
            Self::Tikv(_) => self.store(health).map(|store| StepSubject::Leaders { store }),
            Self::Pd(_) => Some(StepSubject::PdLeader),
            Self::Tidb { node, .. } => Some(StepSubject::Node { node: node.clone() }),
        }
    }
}

impl fmt::Display for MachineRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tikv(name) => write!(f, "tikv:{name}"),
            Self::Pd(name) => write!(f, "pd:{name}"),
            Self::Tidb { namespace, pod, node } => write!(f, "tidb:{namespace}/{pod}@{node}"),
        }
    }
}

/// Names that can stand in an address, a message or a path without meaning anything else there.
fn plain(name: &str) -> bool {
    let fits = |b: u8| b.is_ascii_alphanumeric() || b"-_.:[]".contains(&b);
    !name.is_empty() && name.len() <= 253 && name.bytes().all(fits)
}

impl FromStr for MachineRole {
    type Err = String;

    /// `tikv:1`, `tikv:10.0.1.5:20160`, `pd:pd-0`, `tidb:NAMESPACE/POD@NODE`.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            let shown: String = text.chars().take(60).collect();
            format!(
                "`{}` is no role: expected tikv:1, tikv:10.0.1.5:20160, pd:pd-0 or tidb:NAMESPACE/POD@NODE",
                shown.escape_debug()
            )
        };
        let role = match text.split_once(':').ok_or_else(wrong)? {
            ("tikv", name) if plain(name) => Self::Tikv(name.to_owned()),
            ("pd", name) if plain(name) => Self::Pd(name.to_owned()),
            ("tidb", rest) => {
                let (pod, node) = rest.split_once('@').ok_or_else(wrong)?;
                let (namespace, pod) = pod.split_once('/').ok_or_else(wrong)?;
                if ![namespace, pod, node].into_iter().all(plain) {
                    return Err(wrong());
                }
                let [namespace, pod, node] = [namespace, pod, node].map(str::to_owned);
                Self::Tidb { namespace, pod, node }
            }
            _ => return Err(wrong()),
        };
        Ok(role)
    }
}

impl FromStr for ClusterMachine {
    type Err = String;

    /// `NAME=ROLE[,ROLE…]`: `gke-pool-1a2b=tikv:1,pd:pd-0`.
    fn from_str(text: &str) -> Result<Self, String> {
        let (name, roles) = text.split_once('=').filter(|(name, _)| plain(name)).ok_or_else(|| {
            let shown: String = text.chars().take(60).collect();
            format!("`{}` is no machine: expected NAME=ROLE[,ROLE], such as vm-1=tikv:1,pd:pd-0", shown.escape_debug())
        })?;
        let roles = roles.split(',').map(str::parse).collect::<Result<Vec<MachineRole>, String>>()?;
        Ok(Self { name: name.to_owned(), roles })
    }
}
