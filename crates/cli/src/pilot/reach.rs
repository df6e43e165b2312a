//! Arguments of the cluster and of the pilot's folder.

use std::path::PathBuf;
use std::time::Duration;

use ::pilot::{
    Attention, ClusterConnections, LockHolder, OpenedPilot, PdHttp, PdLock, PilotAccess, PilotFolder, StopMode,
};
use http_client::Secret;
use ingest::prometheus::PrometheusServer;
use mysql::{Password, SqlTarget};

use crate::failure::Failure;
use crate::{inputs, on_signal};

/// Secrets never come from arguments, which others on the machine can read.
const PD_TOKEN: &str = "DISKWRIGHT_PD_TOKEN";
const TIKV_TOKEN: &str = "DISKWRIGHT_TIKV_TOKEN";
const PROMETHEUS_TOKEN: &str = "DISKWRIGHT_PROMETHEUS_TOKEN";

/// How long the pilot waits for each answer of Prometheus, as for those of all others.
const PATIENCE: Duration = Duration::from_secs(5);

/// The folder of a pilot.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Place {
    /// Folder of the journal, log and lock, one for each cluster [default: DISKWRIGHT_PILOT, or
    /// /var/lib/diskwright/pilot]
    #[arg(long, value_name = "DIR")]
    journal: Option<PathBuf>,
}

impl Place {
    /// The folder's path.
    pub(crate) fn path(&self) -> PathBuf {
        let named = || std::env::var_os("DISKWRIGHT_PILOT").map(PathBuf::from);
        self.journal.clone().or_else(named).unwrap_or_else(|| PathBuf::from("/var/lib/diskwright/pilot"))
    }

    /// Catches signals from now on, and looks at them and the folder's switch, unless that is as it `stood`.
    pub(crate) fn attention(&self, stood: Option<StopMode>) -> Result<Attention, Failure> {
        Ok(Attention::new(on_signal::catch()?, PilotFolder::at(self.path())?).despite(stood))
    }
}

/// Where the cluster is, and how the pilot is let in.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Reach {
    /// Any member of PD
    #[arg(long, value_name = "URL")]
    pub(crate) pd: String,
    /// Status server of a TiKV; those on this machine are found without it; may be repeated
    #[arg(long, value_name = "[STORE=]URL")]
    pub(crate) tikv_status: Vec<String>,
    /// TiDB whose variables may be changed: mysql://USER@HOST:4000, password in DISKWRIGHT_DB_PASSWORD
    #[arg(long, value_name = "URL")]
    tidb: Option<String>,
    /// PEM file of the only certificate authority to trust
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,
    /// PEM file of the pilot's certificate
    #[arg(long, value_name = "FILE", requires = "key")]
    cert: Option<PathBuf>,
    /// PEM file of the certificate's key
    #[arg(long, value_name = "FILE", requires = "cert")]
    key: Option<PathBuf>,
    /// Allow plain HTTP beyond this machine, which anybody on the way can read and change
    #[arg(long)]
    insecure: bool,
}

/// A PD that is only asked.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct AskedPd {
    /// Ask any member of PD who holds its maintenance lock
    #[arg(long, value_name = "URL")]
    pd: Option<String>,
    /// PEM file of the only certificate authority to trust
    #[arg(long, value_name = "FILE", requires = "pd")]
    ca: Option<PathBuf>,
    /// PEM file of the pilot's certificate
    #[arg(long, value_name = "FILE", requires_all = ["pd", "key"])]
    cert: Option<PathBuf>,
    /// PEM file of the certificate's key
    #[arg(long, value_name = "FILE", requires = "cert")]
    key: Option<PathBuf>,
    /// Allow plain HTTP beyond this machine, which anybody on the way can read and change
    #[arg(long, requires = "pd")]
    insecure: bool,
}

impl AskedPd {
    /// How it is reached, if it is to be asked.
    pub(crate) fn reach(&self) -> Option<Reach> {
        let Self { pd, ca, cert, key, insecure } = self.clone();
        Some(Reach { pd: pd?, tikv_status: Vec::new(), tidb: None, ca, cert, key, insecure })
    }
}

impl Reach {
    /// How the pilot is let in, with the token of that variable.
    pub(crate) fn access(&self, token: &str, attention: &Attention) -> Result<PilotAccess, Failure> {
        let mut access = PilotAccess::default().insecure(self.insecure).stop(attention.stop());
        if let Some(path) = &self.ca {
            access = access.ca(&inputs::bytes("--ca", path)?)?;
        }
        if let Some((certificate, key)) = self.identity()? {
            access = access.identity(&certificate, &key)?;
        }
        Ok(match std::env::var(token) {
            Ok(token) => access.token(&token)?,
            Err(_) => access,
        })
    }

    /// The pilot's certificate and key.
    fn identity(&self) -> Result<Option<inputs::Identity>, Failure> {
        inputs::identity(("--cert", self.cert.as_deref()), ("--key", self.key.as_deref()))
    }

    /// Whether plain HTTP beyond this machine is wanted.
    #[cfg(feature = "cloud")]
    pub(crate) fn is_insecure(&self) -> bool {
        self.insecure
    }

    /// A Prometheus, trusted as the cluster is.
    pub(crate) fn prometheus(&self, url: &str, attention: &Attention) -> Result<PrometheusServer, Failure> {
        let input = |error: http_client::PeerError| Failure::input(error.to_string());
        let mut access = http_client::ClientAccess::default().insecure(self.insecure).stop(attention.stop());
        if let Some(path) = &self.ca {
            access = access.ca("CA", &inputs::bytes("--ca", path)?).map_err(input)?;
        }
        if let Some((certificate, key)) = self.identity()? {
            access = access.identity(&certificate, &key).map_err(input)?;
        }
        if let Ok(token) = std::env::var(PROMETHEUS_TOKEN) {
            access = access.secret(Secret::Bearer(token)).map_err(input)?;
        }
        let server = PrometheusServer::new(url, access)?.patience(PATIENCE)?;
        // Its answers decide what the pilot does.
        if server.is_exposed() && !self.insecure {
            let message = "--prometheus: it is beyond this machine and not encrypted: use https with --ca, or --insecure if the \
                           network is trusted";
            return Err(Failure::input(message));
        }
        Ok(server)
    }

    /// The task that holds PD's lock, by PD's own word; `None` where none does.
    pub(crate) fn holder(&self, place: &Place, pilot: &str) -> Result<Option<LockHolder>, Failure> {
        // A switch stops no one who only asks.
        let stood = PilotFolder::at(place.path())?.stop();
        let pd = PdHttp::new(&self.pd, &self.access(PD_TOKEN, &place.attention(stood)?)?)?;
        Ok(PdLock::new(pd, pilot).holder()?)
    }

    fn tidb(&self) -> Result<Option<SqlTarget>, Failure> {
        let Some(url) = &self.tidb else { return Ok(None) };
        let mut target = SqlTarget::server("--tidb", url)?;
        (target.tls_ca, target.password) = (self.ca.clone(), Password::from_environment());
        target.admit_only_safe("--tidb", self.insecure)?;
        target.tls_identity = self.cert.clone().zip(self.key.clone());
        Ok(Some(target))
    }

    /// Opens the cluster and the folder. Without `act` no lock is taken and nothing is written.
    pub(crate) fn open(
        &self,
        place: &Place,
        act: bool,
        attention: Attention,
        tell: Box<dyn FnMut(&str)>,
    ) -> Result<OpenedPilot, Failure> {
        // Nothing is under way yet that would have to be undone.
        let open = || {
            let connections = ClusterConnections {
                pd: (self.pd.clone(), self.access(PD_TOKEN, &attention)?),
                tikv_status: self.tikv_status.clone(),
                tikv: self.access(TIKV_TOKEN, &attention)?,
                tidb: self.tidb()?,
            };
            Ok(OpenedPilot::open(connections, &place.path(), act, attention, tell)?)
        };
        open().map_err(on_signal::told)
    }
}
