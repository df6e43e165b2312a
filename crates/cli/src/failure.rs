//! Why there is no answer, and the exit code that says so.

/// One message for people, and the exit code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    /// What is wrong, where, what was expected, what to try.
    pub(crate) message: String,
    /// 1 for what is refused, 2 for what people can mend in their input, 3 for what surrounds the program.
    pub(crate) code: u8,
}

impl Failure {
    /// Wrong usage or input.
    pub(crate) fn input(message: impl Into<String>) -> Self {
        Self { message: message.into(), code: 2 }
    }

    /// As a value of JSON.
    pub(crate) fn document(&self) -> serde_json::Value {
        serde_json::json!({ "message": self.message, "exit_code": self.code })
    }

    /// The environment fails.
    pub(crate) fn environment(message: impl Into<String>) -> Self {
        Self { message: message.into(), code: 3 }
    }
}

/// An error whose like is always about what the program was given.
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
    textfile::InputError,
    plan::PlanError,
    plan::UncertainError,
    simulate::PatienceError,
    volume_control::PolicyError,
    timeline::TimelineError,
    units::ParseError,
    workload::WorkloadError,
);

impl From<private_dir::FolderError> for Failure {
    fn from(error: private_dir::FolderError) -> Self {
        Self::environment(error.to_string())
    }
}

impl From<::pilot::WorldError> for Failure {
    fn from(error: ::pilot::WorldError) -> Self {
        ::pilot::PilotError::from(error).into()
    }
}

impl From<::pilot::maintenance::ListenError> for Failure {
    fn from(error: ::pilot::maintenance::ListenError) -> Self {
        use ::pilot::maintenance::ListenError;
        match error {
            ListenError::Maintenance(error) => error.into(),
            ListenError::Thread(_) => Self::environment(error.to_string()),
            ListenError::Fleet { .. } | ListenError::Approve { .. } | ListenError::UnknownMachine { .. } => {
                Self::input(error.to_string())
            }
        }
    }
}

impl From<::pilot::maintenance::AdmissionError> for Failure {
    fn from(error: ::pilot::maintenance::AdmissionError) -> Self {
        match error {
            ::pilot::maintenance::AdmissionError::Kubernetes(error) => error.into(),
            lacking => Self::input(lacking.to_string()),
        }
    }
}

#[cfg(feature = "cloud")]
impl From<aws::AwsError> for Failure {
    fn from(error: aws::AwsError) -> Self {
        Self { code: error.exit_code(), message: error.to_string() }
    }
}

#[cfg(feature = "cloud")]
impl From<mysql::IamError> for Failure {
    fn from(error: mysql::IamError) -> Self {
        match error {
            mysql::IamError::Aws(error) => error.into(),
            mysql::IamError::Thread(_) => Self::environment(error.to_string()),
        }
    }
}

/// An error that tells its own exit code.
macro_rules! with_its_code {
    ($($error:ty),* $(,)?) => {
        $(impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Self { code: error.exit_code(), message: error.to_string() }
            }
        })*
    };
}

with_its_code!(
    bench::BenchError,
    cluster::ClusterError,
    ingest::GatherError,
    kubernetes::KubernetesError,
    maintenance::MaintenanceError,
    mount::MountError,
    ::pilot::PilotError,
    probe::ProbeError,
    render::WriteError,
    mysql::SqlError,
    reference_store::ReferenceStoreError
);
