//! The board of notices and the API of Kubernetes as the pilot's peers.

use kubernetes::{Api, KubernetesError};
use maintenance::Board;

use crate::{Events, Kubernetes, Now, Pilot, Seen, Source, WorldError};

/// What the clouds said, by a board that listeners write to.
#[derive(Debug, Clone)]
pub struct Heard(pub Board);

impl Events for Heard {
    fn over(&self, event: &str) -> Result<bool, WorldError> {
        self.0.over(event).map_err(|why| WorldError::Silent { peer: "the cloud".to_owned(), why })
    }
}

impl Source for Heard {
    fn look(&mut self, _: Now, seen: &mut Seen) -> Result<(), WorldError> {
        seen.notices.extend(self.0.notices());
        let complaints = self.0.complaints();
        if complaints.is_empty() {
            return Ok(());
        }
        Err(WorldError::Silent { peer: "the cloud".to_owned(), why: complaints.join("; ") })
    }
}

impl Pilot {
    /// The same, hearing what is written to a board.
    #[must_use]
    pub fn hears(mut self, board: Board) -> Self {
        self.world.events = Some(Box::new(Heard(board.clone())));
        self.source(Box::new(Heard(board)))
    }

    /// The same, in a Kubernetes.
    #[must_use]
    pub fn in_kubernetes(mut self, api: Api) -> Self {
        self.world.kubernetes = Some(Box::new(api));
        self
    }
}

fn told(error: KubernetesError) -> WorldError {
    let peer = "Kubernetes".to_owned();
    let why = error.to_string();
    match error {
        KubernetesError::Silent(why) => WorldError::Silent { peer, why },
        KubernetesError::Denied(why) => WorldError::Denied { peer, why },
        KubernetesError::Missing(what) => WorldError::Missing { peer, what },
        KubernetesError::NotYet(why) => WorldError::NotYet { peer, why, until: None },
        KubernetesError::Input(_) | KubernetesError::Refused(_) => WorldError::Refused { peer, why },
    }
}

impl Kubernetes for Api {
    fn cordoned(&self, node: &str) -> Result<bool, WorldError> {
        self.node(node).map(|node| node.cordoned).map_err(told)
    }

    fn set_cordoned(&self, node: &str, cordoned: bool) -> Result<(), WorldError> {
        self.cordon(node, cordoned).map_err(told)
    }

    fn pod(&self, namespace: &str, pod: &str) -> Result<Option<String>, WorldError> {
        Api::pod(self, namespace, pod).map(|pod| pod.map(|pod| pod.uid)).map_err(told)
    }

    /// By eviction, so that a PodDisruptionBudget is heeded.
    fn delete_pod(&self, namespace: &str, pod: &str, uid: &str) -> Result<(), WorldError> {
        self.evict(namespace, pod, uid).map_err(told)
    }
}
