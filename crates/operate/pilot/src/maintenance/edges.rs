//! The board of notices and the API of Kubernetes as the pilot's peers.

use std::rc::Rc;

use kubernetes::{KubernetesApi, KubernetesError};
use maintenance::{MaintenanceError, MetadataService, NoticeBoard, NoticeState, azure};

use crate::{ClockReading, CloudEvents, ClusterSnapshot, KubernetesClient, Pilot, SnapshotSource, WorldError};

/// The name of the peer that speaks by boards.
const CLOUD: &str = "the cloud";

fn silent(why: String) -> WorldError {
    WorldError::Silent { peer: CLOUD.to_owned(), why }
}

/// What the clouds said, by a board that listeners write to.
#[derive(Clone)]
pub struct HeardEvents {
    board: NoticeBoard,
    /// Where Azure is told that an event may begin; nowhere if none may.
    web: Option<Rc<dyn MetadataService>>,
}

impl HeardEvents {
    /// What is written to that board.
    pub fn of(board: NoticeBoard) -> Self {
        Self { board, web: None }
    }

    /// The same; events of Azure may be let begin, where there is a server to be told so.
    #[must_use]
    pub fn approving(self, web: Option<Rc<dyn MetadataService>>) -> Self {
        Self { web, ..self }
    }
}

impl CloudEvents for HeardEvents {
    fn state(&self, event: &str) -> Result<Option<NoticeState>, WorldError> {
        self.board.state(event).map_err(silent)
    }

    fn approve(&self, event: &str) -> Result<(), WorldError> {
        let web = self.web.as_deref().ok_or_else(|| WorldError::Unnamed {
            what: "approval of events".to_owned(),
            hint: "allow it with --approve".to_owned(),
        })?;
        azure::approve(web, event).map_err(|error| match error {
            MaintenanceError::Stranger { .. } => WorldError::Refused { peer: CLOUD.to_owned(), why: error.to_string() },
            error => silent(error.to_string()),
        })
    }
}

impl SnapshotSource for HeardEvents {
    fn look(&mut self, _: ClockReading, seen: &mut ClusterSnapshot) -> Result<(), WorldError> {
        seen.notices.extend(self.board.notices());
        let complaints = self.board.complaints();
        if complaints.is_empty() {
            return Ok(());
        }
        Err(silent(complaints.join("; ")))
    }
}

impl Pilot {
    /// The same, hearing what clouds say.
    #[must_use]
    pub fn hears(mut self, heard: HeardEvents) -> Self {
        self.world.events = Some(Box::new(heard.clone()));
        self.source(Box::new(heard))
    }

    /// The same, in a Kubernetes.
    #[must_use]
    pub fn in_kubernetes(mut self, api: KubernetesApi) -> Self {
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

impl KubernetesClient for KubernetesApi {
    fn cordoned(&self, node: &str) -> Result<bool, WorldError> {
        self.node(node).map(|node| node.cordoned).map_err(told)
    }

    fn set_cordoned(&self, node: &str, cordoned: bool) -> Result<(), WorldError> {
        self.cordon(node, cordoned).map_err(told)
    }

    fn pod(&self, namespace: &str, pod: &str) -> Result<Option<String>, WorldError> {
        KubernetesApi::pod(self, namespace, pod).map(|pod| pod.map(|pod| pod.uid)).map_err(told)
    }

    /// By eviction, so that a PodDisruptionBudget is heeded.
    fn delete_pod(&self, namespace: &str, pod: &str, uid: &str) -> Result<(), WorldError> {
        self.evict(namespace, pod, uid).map_err(told)
    }
}
