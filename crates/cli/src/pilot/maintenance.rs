//! What `pilot run` listens to beside the cluster: the metadata server of the machine, and Kubernetes' API.

use std::path::PathBuf;
use std::rc::Rc;

use ::pilot::maintenance::{ClusterMachine, HeardEvents, MachineList, MachineRole, MaintenanceController};
use ::pilot::{Attention, Pilot};
use kubernetes::{KubernetesAccess, KubernetesApi, TokenSource};
use maintenance::{
    ListenerThread, MachineCloud, MachineMetadata, MetadataService, NoticeBoard, NoticeSource, aws, azure, gcp,
};

use super::drill::Whose;
use super::volumes::{Account, Volumes};
use crate::failure::Failure;
use crate::inputs;

/// Maintenance of machines.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Maintenance")]
pub(crate) struct Listen {
    /// Listen to what the cloud of this machine announces, and make ready for it
    #[arg(long, value_enum, value_name = "CLOUD", requires = "machine")]
    maintenance: Option<Whose>,
    /// A machine as its cloud names it, and what runs on it: vm-1=tikv:1,pd:pd-0 or
    /// vm-2=tidb:NAMESPACE/POD@NODE; may be repeated
    #[arg(long, value_name = "NAME=ROLES", requires = "maintenance")]
    machine: Vec<ClusterMachine>,
    /// Another metadata server on this machine, as `pilot drill` serves one
    #[arg(long, value_name = "URL", requires = "maintenance")]
    metadata: Option<String>,
    /// Ask EC2 what it has planned for each --machine, too: the metadata server tells of this one only
    #[arg(long, requires = "maintenance")]
    fleet: bool,
    /// Let an event of Azure begin as soon as this machine is ready, if it is of this machine alone
    #[arg(long, requires = "maintenance")]
    approve: bool,
    /// Kubernetes' API: an address, or `pod` for the service account of the pod that this runs in
    #[arg(long, value_name = "URL")]
    kubernetes: Option<String>,
    /// The authority of Kubernetes' certificate, a PEM file
    #[arg(long, value_name = "FILE", requires = "kubernetes")]
    kubernetes_ca: Option<PathBuf>,
    /// A file with the token for Kubernetes, read anew for each request
    #[arg(long, value_name = "FILE", requires = "kubernetes")]
    kubernetes_token: Option<PathBuf>,
    /// Or the pilot's certificate for Kubernetes, as in a kubeconfig, a PEM file
    #[arg(long, value_name = "FILE", requires_all = ["kubernetes", "kubernetes_key"])]
    kubernetes_cert: Option<PathBuf>,
    /// Its key, a PEM file
    #[arg(long, value_name = "FILE", requires = "kubernetes_cert")]
    kubernetes_key: Option<PathBuf>,
}

fn listener(error: std::io::Error) -> Failure {
    Failure::environment(format!("a thread to listen: {error}"))
}

#[cfg(feature = "cloud")]
fn events(
    volumes: &Volumes,
    account: &Account,
    machines: Vec<String>,
) -> Result<Box<dyn NoticeSource + Send>, Failure> {
    Ok(Box::new(::pilot::maintenance::Ec2Events::new(volumes.session(account)?, machines)))
}

#[cfg(not(feature = "cloud"))]
fn events(_: &Volumes, _: &Account, _: Vec<String>) -> Result<Box<dyn NoticeSource + Send>, Failure> {
    Err(crate::diagnose::cloud::without())
}

impl Listen {
    /// Whether something is listened to.
    pub(crate) fn is_on(&self) -> bool {
        self.maintenance.is_some()
    }

    fn api(&self, attention: &Attention) -> Result<Option<KubernetesApi>, Failure> {
        let access = match self.kubernetes.as_deref() {
            None => return Ok(None),
            Some("pod") => KubernetesAccess::in_cluster()?,
            Some(base) => {
                let ca = self.kubernetes_ca.as_ref().map(|path| inputs::bytes("--kubernetes-ca", path)).transpose()?;
                let token = self.kubernetes_token.clone().map_or(TokenSource::None, TokenSource::BearerFile);
                let access = KubernetesAccess::new(base, token, ca.as_deref())?;
                let certificate = ("--kubernetes-cert", self.kubernetes_cert.as_deref());
                match inputs::identity(certificate, ("--kubernetes-key", self.kubernetes_key.as_deref()))? {
                    Some((certificate, key)) => access.identity(&certificate, &key)?,
                    None => access,
                }
            }
        };
        Ok(Some(KubernetesApi::new(access.stop(attention.stop())?)))
    }

    /// Refuses to begin where Kubernetes would refuse what an announcement asks for: a minute's notice is no time to be told.
    fn admitted(&self, api: &KubernetesApi) -> Result<(), Failure> {
        for role in self.machine.iter().flat_map(|machine| &machine.roles) {
            let MachineRole::Tidb { namespace, pod, .. } = role else { continue };
            let lacking = api.lacks_to_move(namespace)?;
            if !lacking.is_empty() {
                return Err(Failure::input(format!(
                    "--kubernetes: it would not let us move {namespace}/{pod}: give our service account `{}`, as \
                     docs/maintenance.md has it",
                    lacking.join("`, `")
                )));
            }
        }
        Ok(())
    }

    /// Lets a pilot hear and act; it hears as long as what is given back lives.
    pub(crate) fn join(
        &self,
        pilot: Pilot,
        volumes: &Volumes,
        account: &Account,
        attention: &Attention,
    ) -> Result<(Pilot, Vec<ListenerThread>), Failure> {
        let mut pilot = match self.api(attention)? {
            Some(api) => {
                if !pilot.only_looks() {
                    self.admitted(&api)?;
                }
                pilot.in_kubernetes(api)
            }
            None => pilot,
        };
        let Some(whose) = self.maintenance else { return Ok((pilot, Vec::new())) };
        if self.fleet && whose.cloud() != MachineCloud::Aws {
            return Err(Failure::input(format!("--fleet is for AWS: {} tells no machine of others", whose.cloud())));
        }
        if self.approve && whose.cloud() != MachineCloud::Azure {
            return Err(Failure::input(format!("--approve is for Azure: {} takes no approval", whose.cloud())));
        }
        let sources: Vec<Box<dyn NoticeSource + Send>> = match whose.cloud() {
            MachineCloud::Gcp => gcp::MetadataKey::ALL
                .map(|key| Box::new(gcp::KeyListener::new(key)) as Box<dyn NoticeSource + Send>)
                .into(),
            MachineCloud::Aws => vec![Box::new(aws::Imds::new())],
            MachineCloud::Azure => vec![Box::new(azure::ScheduledEvents::new())],
        };
        let web = MachineMetadata::new(whose.cloud(), self.metadata.as_deref())?.stop(attention.stop());
        let board = NoticeBoard::default();
        let approver = self.approve.then(|| Rc::new(web.clone()) as Rc<dyn MetadataService>);
        let mut listening = Vec::new();
        let mut here = None;
        for mut source in sources {
            let name = source.identify(&web)?;
            let machines = MachineList(self.machine.clone());
            if machines.named(&name).is_none() {
                return Err(Failure::input(format!(
                    "this machine is `{}`, and no --machine is called so: say what runs on it with --machine {0}=tikv:1",
                    name.escape_debug()
                )));
            }
            let heard = ListenerThread::start(source, Box::new(web.clone()), &name, &board);
            listening.push(heard.map_err(listener)?);
            here = Some(name);
        }
        if self.fleet {
            // Of this machine the metadata server tells sooner, and once is enough.
            let others = self.machine.iter().map(|machine| machine.name.clone());
            let others = others.filter(|name| here.as_deref().is_none_or(|here| !here.eq_ignore_ascii_case(name)));
            let source = events(volumes, account, others.collect())?;
            listening.push(ListenerThread::start(source, Box::new(web), "", &board).map_err(listener)?);
        }
        let maintenance = MaintenanceController::new(MachineList(self.machine.clone())).approving(self.approve);
        pilot = pilot.hears(HeardEvents::of(board).approving(approver)).controller(Box::new(maintenance));
        Ok((pilot, listening))
    }
}
