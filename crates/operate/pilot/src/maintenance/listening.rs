//! Lets a pilot hear what the clouds of its machines announce.

use std::rc::Rc;

use kubernetes::{KubernetesApi, KubernetesError};
use maintenance::{
    ListenerThread, MachineCloud, MachineMetadata, MaintenanceError, MetadataService, NoticeBoard, NoticeSource, aws,
    azure, gcp,
};
use signals::StopSignal;

use super::{ClusterMachine, HeardEvents, MachineList, MachineRole, MaintenanceController};
use crate::Pilot;

/// Makes a source of what the account has planned for the machines of these names.
pub type AccountEvents = Box<dyn FnOnce(Vec<String>) -> Box<dyn NoticeSource + Send>>;

/// Where announcements come from, and what they are about.
pub struct MaintenanceSources {
    /// The cloud of this machine.
    pub cloud: MachineCloud,
    /// The machines, and what runs on them.
    pub machines: Vec<ClusterMachine>,
    /// Another metadata server in place of the cloud's.
    pub metadata: Option<String>,
    /// What the account has planned for other machines; AWS only.
    pub account: Option<AccountEvents>,
    /// Whether events begin as soon as the machine is ready; Azure only.
    pub approve: bool,
}

/// Why announcements cannot be heard.
#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    /// The metadata server.
    #[error(transparent)]
    Maintenance(#[from] MaintenanceError),
    /// A thread that listens.
    #[error("a thread to listen: {0}")]
    Thread(#[from] std::io::Error),
    /// Only AWS tells of other machines.
    #[error("--fleet is for AWS: {cloud} tells no machine of others")]
    Fleet {
        /// The cloud.
        cloud: MachineCloud,
    },
    /// Only Azure takes approvals.
    #[error("--approve is for Azure: {cloud} takes no approval")]
    Approve {
        /// The cloud.
        cloud: MachineCloud,
    },
    /// The machine is not among those that were named.
    #[error(
        "this machine is `{name}`, and no --machine is called so: say what runs on it with --machine {name}=tikv:1",
        name = .name.escape_debug()
    )]
    UnknownMachine {
        /// Its name in the cloud.
        name: String,
    },
}

/// Why a pilot may not move pods.
#[derive(Debug, thiserror::Error)]
pub enum AdmissionError {
    /// Kubernetes was asked.
    #[error(transparent)]
    Kubernetes(#[from] KubernetesError),
    /// Permissions are missing.
    #[error(
        "--kubernetes: it would not let us move {namespace}/{pod}: give our service account `{}`, as \
         docs/design/pilot.md has it",
        .lacking.join("`, `")
    )]
    Lacking {
        /// The pod's namespace.
        namespace: String,
        /// The pod.
        pod: String,
        /// The permissions.
        lacking: Vec<String>,
    },
}

/// Checks that Kubernetes allows to move each pod of the machines: a minute's notice is no time to find that out.
///
/// # Errors
/// When it does not, or does not answer.
pub fn check_admission(machines: &[ClusterMachine], api: &KubernetesApi) -> Result<(), AdmissionError> {
    for role in machines.iter().flat_map(|machine| &machine.roles) {
        let MachineRole::Tidb { namespace, pod, .. } = role else { continue };
        let lacking = api.lacks_to_move(namespace)?;
        if !lacking.is_empty() {
            return Err(AdmissionError::Lacking { namespace: namespace.clone(), pod: pod.clone(), lacking });
        }
    }
    Ok(())
}

impl Pilot {
    /// Lets the pilot hear announcements and act on them, for as long as the returned threads live.
    ///
    /// # Errors
    /// When the metadata server does not answer, or this machine is not among those named.
    pub fn listening(
        self,
        sources: MaintenanceSources,
        stop: StopSignal,
    ) -> Result<(Self, Vec<ListenerThread>), ListenError> {
        let MaintenanceSources { cloud, machines, metadata, account, approve } = sources;
        if account.is_some() && cloud != MachineCloud::Aws {
            return Err(ListenError::Fleet { cloud });
        }
        if approve && cloud != MachineCloud::Azure {
            return Err(ListenError::Approve { cloud });
        }
        let web = MachineMetadata::new(cloud, metadata.as_deref())?.stop(stop);
        let board = NoticeBoard::default();
        let approver = approve.then(|| Rc::new(web.clone()) as Rc<dyn MetadataService>);
        let machines = MachineList(machines);
        let mut listening = Vec::new();
        let mut here = None;
        for mut source in metadata_sources(cloud) {
            let name = source.identify(&web)?;
            if machines.named(&name).is_none() {
                return Err(ListenError::UnknownMachine { name });
            }
            listening.push(ListenerThread::start(source, Box::new(web.clone()), &name, &board)?);
            here = Some(name);
        }
        if let Some(account) = account {
            // Of this machine the metadata server tells sooner, and once is enough.
            let others = machines.0.iter().map(|machine| machine.name.clone());
            let others = others.filter(|name| here.as_deref().is_none_or(|here| !here.eq_ignore_ascii_case(name)));
            listening.push(ListenerThread::start(account(others.collect()), Box::new(web), "", &board)?);
        }
        let controller = MaintenanceController::new(machines).approving(approve);
        let pilot = self.hears(HeardEvents::of(board).approving(approver)).controller(Box::new(controller));
        Ok((pilot, listening))
    }
}

/// What a machine's metadata server is asked for.
fn metadata_sources(cloud: MachineCloud) -> Vec<Box<dyn NoticeSource + Send>> {
    match cloud {
        MachineCloud::Gcp => {
            gcp::MetadataKey::ALL.map(|key| Box::new(gcp::KeyListener::new(key)) as Box<dyn NoticeSource + Send>).into()
        }
        MachineCloud::Aws => vec![Box::new(aws::Imds::new())],
        MachineCloud::Azure => vec![Box::new(azure::ScheduledEvents::new())],
    }
}
