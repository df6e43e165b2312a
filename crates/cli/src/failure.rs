//! Why there is no answer, and the exit code that says so: the one place that turns errors of the libraries into exit codes.

use ::pilot::maintenance::{AdmissionError, ListenError};
use ::pilot::{PilotError, WorldError};
use ingest::GatherError;
use kubernetes::KubernetesError;
use maintenance::MaintenanceError;
use mount::MountError;
use probe::ProbeError;
use render::WriteError;

/// One message for people, and the exit code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    /// Message: fault, place, expectation, advice.
    pub(crate) message: String,
    /// The exit code.
    pub(crate) code: u8,
}

/// Negative answer: a target out of reach, a limit exceeded, a claim that does not hold, a disk in use.
pub(crate) const REFUSED: u8 = 1;
/// Wrong usage or input.
pub(crate) const INPUT: u8 = 2;
/// Something missing in the environment: root, FUSE, a program, a server, room on a disk.
pub(crate) const ENVIRONMENT: u8 = 3;
/// Interrupted by Ctrl-C, as shells report it.
pub(crate) const INTERRUPTED: u8 = 130;

impl Failure {
    /// Wrong usage or input.
    pub(crate) fn input(message: impl Into<String>) -> Self {
        Self { message: message.into(), code: INPUT }
    }

    /// JSON document of the failure.
    pub(crate) fn document(&self) -> serde_json::Value {
        serde_json::json!({ "message": self.message, "exit_code": self.code })
    }

    /// The environment fails.
    pub(crate) fn environment(message: impl Into<String>) -> Self {
        Self { message: message.into(), code: ENVIRONMENT }
    }
}

/// Errors that are always about the input.
macro_rules! about_input {
    ($($error:ty),* $(,)?) => {
        $(impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Self::input(error.to_string())
            }
        })*
    };
}

about_input!(
    availability::ScenarioError,
    catalog::CatalogError,
    claims::LedgerError,
    deployment::DeploymentError,
    disk::DiskError,
    disk::ParseDiskError,
    ::import::ImportError,
    textfile::InputError,
    plan::PlanError,
    plan::UncertainError,
    run::PatienceError,
    volume_control::PolicyError,
    timeline::TimelineError,
    units::ParseError,
    workload::WorkloadError,
);

/// The exit codes of an error's variants.
macro_rules! exit_codes {
    ($error:ty { $($variants:pat => $code:expr),+ $(,)? }) => {
        impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                let code = match &error { $($variants => $code),+ };
                Self { message: error.to_string(), code }
            }
        }
    };
}

exit_codes!(private_dir::FolderError { _ => ENVIRONMENT });

exit_codes!(MountError {
    MountError::Refused(_) | MountError::Busy { .. } => REFUSED,
    MountError::Input(_) => INPUT,
    MountError::Environment(_) => ENVIRONMENT,
});

exit_codes!(ProbeError {
    ProbeError::NoTarget { .. }
    | ProbeError::InUse { .. }
    | ProbeError::HoldsData { .. }
    | ProbeError::NoRoom { .. }
    | ProbeError::TooSmall { .. } => INPUT,
    ProbeError::Fio(_) | ProbeError::System { .. } | ProbeError::Nothing { .. } => ENVIRONMENT,
});

exit_codes!(GatherError {
    GatherError::Input(_) | GatherError::NoInterval { .. } | GatherError::Asked(_) | GatherError::Timeline(_) => INPUT,
    GatherError::Server(_) | GatherError::Refused(_) | GatherError::Environment(_) => ENVIRONMENT,
    GatherError::Interrupted => INTERRUPTED,
});

exit_codes!(KubernetesError {
    KubernetesError::NotYet(_) | KubernetesError::Refused(_) => REFUSED,
    KubernetesError::Input(_) | KubernetesError::Missing(_) => INPUT,
    KubernetesError::Silent(_) | KubernetesError::Denied(_) => ENVIRONMENT,
});

exit_codes!(MaintenanceError {
    MaintenanceError::Input(_) => INPUT,
    MaintenanceError::Busy { .. }
    | MaintenanceError::Stranger { .. }
    | MaintenanceError::Account(_)
    | MaintenanceError::Answer { .. } => ENVIRONMENT,
});

exit_codes!(WriteError {
    WriteError::Differs { .. } => REFUSED,
    WriteError::Folder { .. } | WriteError::File(_) => ENVIRONMENT,
});

exit_codes!(WorldError {
    WorldError::Silent { .. } | WorldError::Denied { .. } => ENVIRONMENT,
    WorldError::Unnamed { .. } | WorldError::Missing { .. } => INPUT,
    WorldError::Refused { .. } | WorldError::NotYet { .. } | WorldError::Strange { .. } | WorldError::DryRun { .. } => {
        REFUSED
    }
});

impl From<PilotError> for Failure {
    fn from(error: PilotError) -> Self {
        let code = match error {
            PilotError::World(error) => return error.into(),
            PilotError::Refused(_) | PilotError::LockHeld { .. } | PilotError::Stopped { .. } => REFUSED,
            PilotError::Input(_) => INPUT,
            PilotError::Environment(_) => ENVIRONMENT,
        };
        Self { message: error.to_string(), code }
    }
}

impl From<ListenError> for Failure {
    fn from(error: ListenError) -> Self {
        let code = match error {
            ListenError::Maintenance(error) => return error.into(),
            ListenError::Thread(_) => ENVIRONMENT,
            ListenError::Fleet { .. } | ListenError::Approve { .. } | ListenError::UnknownMachine { .. } => INPUT,
        };
        Self { message: error.to_string(), code }
    }
}

impl From<AdmissionError> for Failure {
    fn from(error: AdmissionError) -> Self {
        match error {
            AdmissionError::Kubernetes(error) => error.into(),
            AdmissionError::Lacking { .. } => Self::input(error.to_string()),
        }
    }
}

#[cfg(feature = "cloud")]
mod cloud {
    use aws::AwsError;
    use mysql::IamError;

    use super::{ENVIRONMENT, Failure, INPUT, INTERRUPTED, REFUSED};

    exit_codes!(AwsError {
        AwsError::NotNow { .. } => REFUSED,
        AwsError::Profile { .. }
        | AwsError::Invalid { .. }
        | AwsError::NoRegion { .. }
        | AwsError::Unknown { .. }
        | AwsError::Range { .. }
        | AwsError::NoData { .. }
        | AwsError::Endpoint(_) => INPUT,
        AwsError::Interrupted => INTERRUPTED,
        _ => ENVIRONMENT,
    });

    impl From<IamError> for Failure {
        fn from(error: IamError) -> Self {
            match error {
                IamError::Aws(error) => error.into(),
                IamError::Thread(_) => Self::environment(error.to_string()),
            }
        }
    }
}

/// Errors of databases under test, which delegate to each other through several crates.
macro_rules! with_its_code {
    ($($error:ty),* $(,)?) => {
        $(impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Self { code: error.exit_code(), message: error.to_string() }
            }
        })*
    };
}

with_its_code!(bench::BenchError, cluster::ClusterError, mysql::SqlError, reference_store::ReferenceStoreError);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_that_a_pilot_passes_on_has_its_own_code() {
        let silent = || WorldError::Silent { peer: "PD".to_owned(), why: "no answer".to_owned() };
        assert_eq!(Failure::from(PilotError::from(silent())), Failure::from(silent()));
        assert_eq!(Failure::from(silent()).code, ENVIRONMENT);
        let missing = WorldError::Missing { peer: "PD".to_owned(), what: "store 9".to_owned() };
        assert_eq!(Failure::from(missing).code, INPUT);
        assert_eq!(Failure::from(GatherError::Interrupted).code, INTERRUPTED);
        assert_eq!(Failure::from(MountError::Refused("no".to_owned())).code, REFUSED);
    }
}
