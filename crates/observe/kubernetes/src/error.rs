//! Why Kubernetes did not do something.

/// Why Kubernetes did not do something, or may not have done it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KubernetesError {
    /// An address, a file or a name that people mend.
    #[error("{0}")]
    Input(String),
    /// No answer, or one of a server in trouble: whether it was carried out is not known.
    #[error("Kubernetes does not answer: {0}")]
    Silent(String),
    /// It does not know us, or does not let us.
    #[error(
        "Kubernetes does not allow this: {0}; give the service account a role with nodes get, patch and pods get, \
             patch, delete and pods/eviction create"
    )]
    Denied(String),
    /// There is nothing of that name.
    #[error("Kubernetes knows no {0}")]
    Missing(String),
    /// It says no for now: a PodDisruptionBudget, or too many requests.
    #[error("Kubernetes refuses for now: {0}")]
    NotYet(String),
    /// It says no: the pod is another one by now, or the request is wrong.
    #[error("Kubernetes refuses: {0}")]
    Refused(String),
}
