//! The few calls of Kubernetes' API that maintenance needs: a node cordoned, a pod evicted or deleted, an annotation of TiDB
//! Operator set. Names are checked before they become part of a path, and who a pod is is said with each call by its unique id.

#![forbid(unsafe_code)]

mod api;
mod error;
mod name;
mod send;
pub mod twin;

pub use api::{KubernetesApi, KubernetesNode, Pod, PodAnnotation};
pub use error::KubernetesError;
pub use send::{KubernetesAccess, TokenSource};
