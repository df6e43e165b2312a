//! Why nothing could be read, told to people. No message holds what a service answered beyond its error code: some answers
//! repeat the request with its signature and token.

use timeline::TimelineError;

use crate::IamAction;

/// Why nothing could be read.
#[derive(Debug, thiserror::Error)]
pub enum AwsError {
    /// There are no credentials.
    #[error(
        "no AWS credentials were found{}: run `aws sso login` or `aws configure`, set AWS_PROFILE, or name a profile of \
         ~/.aws/config", in_profile(.profile)
    )]
    NoCredentials {
        /// The profile that was asked for.
        profile: Option<String>,
    },
    /// The profile is not there, or its files cannot be read.
    #[error(
        "the AWS profile `{}` cannot be used: expected a `[profile {}]` in ~/.aws/config with keys, a role or a login; \
         `aws configure list-profiles` lists those that are there",
        .profile.escape_debug(), .profile.escape_debug()
    )]
    Profile {
        /// The profile that was asked for.
        profile: String,
    },
    /// No region is set anywhere.
    #[error("no AWS region is set{}: name one such as us-west-2, or set AWS_REGION", in_profile(.profile))]
    NoRegion {
        /// The profile that was asked for.
        profile: Option<String>,
    },
    /// The identity may not make that call.
    #[error(
        "AWS denies {action} to these credentials: attach the policy that diskwright prints, or use a role that has it"
    )]
    Denied {
        /// The call.
        action: IamAction,
    },
    /// Temporary credentials are over.
    #[error("the AWS credentials have expired (seen at {action}): log in again, such as with `aws sso login`")]
    Expired {
        /// The call.
        action: IamAction,
    },
    /// AWS does not know the keys, or the signature is wrong.
    #[error(
        "AWS does not accept these credentials ({code} at {action}): check the keys and the clock of this machine, and that \
         the region is enabled in the account"
    )]
    Refused {
        /// The call.
        action: IamAction,
        /// AWS's error code.
        code: String,
    },
    /// Nobody answers.
    #[error("{endpoint} does not answer {action}: {why}; check the network, the proxy, the region and the endpoint")]
    Unreachable {
        /// The call.
        action: IamAction,
        /// The endpoint, without secrets.
        endpoint: String,
        /// What happened.
        why: &'static str,
    },
    /// The service asks for fewer calls, after all retries.
    #[error("AWS keeps throttling {action}: try again later, over a shorter range or in longer steps")]
    Throttled {
        /// The call.
        action: IamAction,
    },
    /// Nothing has that name in the region.
    #[error("there is no {what} `{}` in {region}: check the name, the region and the account", .name.escape_debug())]
    Unknown {
        /// `volume` or `database`.
        what: &'static str,
        /// The name that was asked for.
        name: String,
        /// The region.
        region: String,
    },
    /// A time for which CloudWatch cannot have anything.
    #[error(
        "{what}: expected a range of whole periods that ended five minutes ago, within the last {longest_days} days"
    )]
    Range {
        /// What is wrong.
        what: String,
        /// How long CloudWatch keeps points.
        longest_days: i64,
    },
    /// The thing is there and CloudWatch has nothing of it.
    #[error(
        "CloudWatch has no point of {name} from {from} to {until}: it reports only while {reports}; ask for a time when it was"
    )]
    NoData {
        /// Volume or database.
        name: String,
        /// Start of the range.
        from: jiff::Timestamp,
        /// Its end.
        until: jiff::Timestamp,
        /// When it does report.
        reports: &'static str,
    },
    /// EC2 modifies the volume later, not now.
    #[error(
        "AWS does not modify {volume} for now ({code}): the modification before it must be completed, and a day has four"
    )]
    NotNow {
        /// The volume.
        volume: String,
        /// `IncorrectModificationState` or `VolumeModificationRateExceeded`.
        code: String,
    },
    /// EC2 sells no such volume.
    #[error("AWS does not make that of {volume} ({code}): check size, type, IOPS and throughput against each other")]
    Invalid {
        /// The volume.
        volume: String,
        /// AWS's error code.
        code: String,
    },
    /// Another failure of the service.
    #[error("{action} failed with {code}: try again; if it lasts, see https://health.aws.amazon.com")]
    Service {
        /// The call.
        action: IamAction,
        /// AWS's error code, or the HTTP status.
        code: String,
    },
    /// What answered is not the service, or an answer lacks what it must have.
    #[error("the answer to {action} cannot be used: {what}; check the endpoint")]
    Answer {
        /// The call.
        action: IamAction,
        /// What is wrong with it.
        what: String,
    },
    /// The endpoint that is given is none that may be asked.
    #[error("{0}")]
    Endpoint(String),
    /// The wait was given up.
    #[error("interrupted")]
    Interrupted,
    /// The series make no Timeline.
    #[error(transparent)]
    Timeline(#[from] TimelineError),
    /// Threads or sockets of this machine.
    #[error("cannot start to talk to AWS: {0}")]
    Machine(#[from] std::io::Error),
}

impl AwsError {
    pub(crate) fn answer(action: IamAction, what: impl Into<String>) -> Self {
        Self::Answer { action, what: what.into() }
    }
}

fn in_profile(profile: &Option<String>) -> String {
    profile.as_ref().map(|profile| format!(" in the profile `{}`", profile.escape_debug())).unwrap_or_default()
}
