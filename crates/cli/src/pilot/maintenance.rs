//! What `pilot run` listens to beside the cluster: the metadata server of the machine, and Kubernetes' API.

use std::path::PathBuf;

use ::pilot::maintenance::{AccountEvents, ClusterMachine, ListenError, MaintenanceSources, check_admission};
use ::pilot::{Attention, Pilot};
use kubernetes::{KubernetesAccess, KubernetesApi, TokenSource};
use maintenance::{ListenerThread, MachineCloud};

use super::drill::Whose;
use super::volumes::{Account, Volumes};
use crate::failure::Failure;
use crate::inputs;

/// Maintenance of machines.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Maintenance")]
pub(crate) struct Listen {
    /// Listen to the maintenance notices of this machine's cloud, and prepare for them
    #[arg(long, value_enum, value_name = "CLOUD", requires = "machine")]
    maintenance: Option<Whose>,
    /// Machine by its cloud's name, and its roles: vm-1=tikv:1,pd:pd-0 or
    /// vm-2=tidb:NAMESPACE/POD@NODE; may be repeated
    #[arg(long, value_name = "NAME=ROLES", requires = "maintenance")]
    machine: Vec<ClusterMachine>,
    /// Metadata server on this machine, as `pilot drill` serves one
    #[arg(long, value_name = "URL", requires = "maintenance")]
    metadata: Option<String>,
    /// Ask EC2 for the events of each --machine; the metadata server knows this machine only
    #[arg(long, requires = "maintenance")]
    fleet: bool,
    /// Approve an Azure event of this machine alone as soon as the machine is ready
    #[arg(long, requires = "maintenance")]
    approve: bool,
    /// Kubernetes API: an address, or `pod` for the service account of this pod
    #[arg(long, value_name = "URL")]
    kubernetes: Option<String>,
    /// PEM file of the authority of Kubernetes' certificate
    #[arg(long, value_name = "FILE", requires = "kubernetes")]
    kubernetes_ca: Option<PathBuf>,
    /// File with the token for Kubernetes, read for each request
    #[arg(long, value_name = "FILE", requires = "kubernetes")]
    kubernetes_token: Option<PathBuf>,
    /// PEM file of the pilot's certificate for Kubernetes, in place of a token
    #[arg(long, value_name = "FILE", requires_all = ["kubernetes", "kubernetes_key"])]
    kubernetes_cert: Option<PathBuf>,
    /// PEM file of that certificate's key
    #[arg(long, value_name = "FILE", requires = "kubernetes_cert")]
    kubernetes_key: Option<PathBuf>,
}

/// Events that EC2 has scheduled for other machines.
#[cfg(feature = "cloud")]
fn account_events(volumes: &Volumes, account: &Account) -> Result<AccountEvents, Failure> {
    let session = volumes.session(account)?;
    Ok(Box::new(move |machines| Box::new(::pilot::maintenance::Ec2Events::new(session, machines))))
}

#[cfg(not(feature = "cloud"))]
fn account_events(_: &Volumes, _: &Account) -> Result<AccountEvents, Failure> {
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

    /// Lets a pilot hear announcements and act on them, for as long as the returned threads live.
    pub(crate) fn join(
        &self,
        pilot: Pilot,
        volumes: &Volumes,
        account: &Account,
        attention: &Attention,
    ) -> Result<(Pilot, Vec<ListenerThread>), Failure> {
        let pilot = match self.api(attention)? {
            Some(api) => {
                if !pilot.only_looks() {
                    check_admission(&self.machine, &api)?;
                }
                pilot.in_kubernetes(api)
            }
            None => pilot,
        };
        let Some(whose) = self.maintenance else { return Ok((pilot, Vec::new())) };
        // Another cloud is refused before its account is asked.
        let ours = whose.cloud() == MachineCloud::Aws;
        let account: Option<AccountEvents> = match (self.fleet, ours) {
            (false, _) => None,
            (true, true) => Some(account_events(volumes, account)?),
            (true, false) => return Err(ListenError::Fleet { cloud: whose.cloud() }.into()),
        };
        let sources = MaintenanceSources {
            cloud: whose.cloud(),
            machines: self.machine.clone(),
            metadata: self.metadata.clone(),
            account,
            approve: self.approve,
        };
        Ok(pilot.listening(sources, attention.stop())?)
    }
}
