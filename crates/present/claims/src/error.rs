//! Reasons for which a claim has no answer.

use std::path::PathBuf;
use std::sync::Arc;

use crate::rung::Rung;

/// Why a claim has no answer.
#[derive(Debug, thiserror::Error)]
pub enum ClaimError {
    /// The catalogue lacks a fact.
    #[error(transparent)]
    Catalog(#[from] catalog::CatalogError),
    /// A disk cannot be had.
    #[error(transparent)]
    Disk(#[from] disk::DiskError),
    /// A cluster's shape cannot be assessed.
    #[error(transparent)]
    Shape(#[from] availability::ScenarioError),
    /// A file of the ledger is wrong.
    #[error(transparent)]
    Input(#[from] textfile::InputError),
    /// A workload has no middle.
    #[error(transparent)]
    Workload(#[from] workload::WorkloadError),
    /// A deployment cannot be priced.
    #[error(transparent)]
    Deployment(#[from] deployment::DeploymentError),
    /// The market has nothing to plan with.
    #[error(transparent)]
    Plan(#[from] plan::PlanError),
    /// A setting of a simulated run is unknown.
    #[error(transparent)]
    Sweep(#[from] simulate::SweepError),
    /// A deployment cannot be simulated.
    #[error(transparent)]
    Simulate(#[from] simulate::SimulateError),
    /// A run that several claims share failed.
    #[error(transparent)]
    Shared(#[from] Arc<ClaimError>),
    /// A disk cannot be mounted.
    #[error(transparent)]
    Mount(#[from] mount::MountError),
    /// fio failed.
    #[error(transparent)]
    Fio(#[from] probe::fio::FioError),
    /// A deployment cannot be rendered.
    #[error(transparent)]
    Render(#[from] render::RenderError),
    /// A run of the reference store failed.
    #[error(transparent)]
    Trial(#[from] reference_store::ReferenceStoreError),
    /// A run of a SQL database failed.
    #[error(transparent)]
    Sql(#[from] mysql::SqlError),
    /// The pilot ended a rehearsal with an error.
    #[error("rehearsal of `{part}`: {source}")]
    Rehearsal {
        /// The part of the cluster.
        part: String,
        /// The pilot's error.
        source: Box<pilot::PilotError>,
    },
    /// The scratch folder is not this user's alone.
    #[error(transparent)]
    Folder(#[from] private_dir::FolderError),
    /// The caller asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// The evaluator measures, and was given no machine.
    #[error("rung {rung} measures on this machine; run `diskwright claims --run {rung}`")]
    NoTestBed {
        /// The rung of the claim.
        rung: Rung,
    },
    /// An iostat file has no device of that name.
    #[error("{}: no device is called `{device}`; the file has {}", file.display(), known.join(", "))]
    UnknownDevice {
        /// The iostat file.
        file: PathBuf,
        /// The name that the recipe gives.
        device: String,
        /// Names in the file.
        known: Vec<String>,
    },
    /// The catalogue has no durability of a volume type.
    #[error("the catalogue has no durability of {volume}; expected a row of its table `volumes` with one")]
    NoDurability {
        /// The volume type.
        volume: String,
    },
    /// The lost nodes of a shape take no quorum with them.
    #[error("a zone and a node elsewhere take no quorum with them; expected as many zones as replicas, or fewer")]
    QuorumSurvives,
    /// No plan meets the workload.
    #[error("no plan meets the workload: {}", shortfalls.join("; "))]
    NoPlan {
        /// The planner's reasons.
        shortfalls: Vec<String>,
    },
    /// The cheapest plan has no data volume.
    #[error("the cheapest plan has no data volume; expected a node group with `data`")]
    NoDataVolume,
    /// No volume type keeps its provisioned rate for that share of the time.
    #[error("none of {} keeps its provisioned rate for {of_the_time} of the time", among.join(", "))]
    NoSuchPromise {
        /// The volume types.
        among: Vec<String>,
        /// The share of the time.
        of_the_time: f64,
    },
    /// A rendered file does not read back.
    #[error("{format} does not read back as YAML: {why}")]
    RenderedUnreadable {
        /// The format.
        format: &'static str,
        /// The reader's words.
        why: String,
    },
    /// A rendered file lacks a key.
    #[error("{format} has no `{path}`")]
    RenderedLacks {
        /// The format.
        format: &'static str,
        /// The path in the file.
        path: String,
    },
    /// A disk has no I/O credits.
    #[error("{disk} has no I/O credits; expected a volume that bursts on them, such as gp2:400GiB")]
    NoCredits {
        /// The disk.
        disk: String,
    },
    /// Nothing was diagnosed.
    #[error("the Timeline was diagnosed as nothing")]
    NoFinding,
    /// Rows were still missing at the end of a simulated load.
    #[error("the rows were not all added after {span}; give the recipe a longer `span`")]
    Unfinished {
        /// The simulated time.
        span: units::Nanos,
    },
    /// fio completed no request.
    #[error("fio completed no request on {disk}")]
    NothingCompleted {
        /// The disk.
        disk: String,
    },
    /// No operation of a run succeeded.
    #[error("no operation succeeded")]
    NoOperation,
    /// Burst credits never were in the state that is compared.
    #[error("the credits of the first side were never {state} while it was measured; measure longer")]
    CreditsNeverSeen {
        /// `left` or `spent`.
        state: &'static str,
    },
}

impl ClaimError {
    /// Exit code of a program that ends with this error.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Mount(error) => error.exit_code(),
            Self::Trial(error) => error.exit_code(),
            Self::Sql(error) => error.exit_code(),
            Self::Shared(error) => error.exit_code(),
            Self::Fio(_) | Self::Folder(_) => 3,
            // A shell reports the same of a program that Ctrl-C ended.
            Self::Interrupted => 130,
            _ => 2,
        }
    }
}
