//! Which account, as whom, where.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// How to reach AWS; what is not given comes from the environment and `~/.aws`, as every AWS tool reads them.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct AwsOptions {
    /// A profile of `~/.aws/config`; it counts before keys in the environment.
    pub profile: Option<String>,
    /// A file to read in place of `~/.aws/config`.
    pub config_file: Option<PathBuf>,
    /// `us-west-2`.
    pub region: Option<String>,
    /// The URL of another endpoint for all services, such as that of moto or LocalStack.
    pub endpoint: Option<String>,
    /// The ARN of a role to take on.
    pub role: Option<String>,
    /// Whether signed requests, with the token of temporary credentials in them, may go to an endpoint in plain HTTP beyond this
    /// machine.
    pub insecure: bool,
    /// How long a call may take.
    pub patience: CallTimeouts,
}

/// How long a call may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallTimeouts {
    /// One try, with the whole of its answer.
    pub attempt: Duration,
    /// All tries together, with the pauses between them.
    pub call: Duration,
}

impl CallTimeouts {
    /// For who asks again soon in any case.
    pub const SHORT: Self = Self { attempt: Duration::from_secs(5), call: Duration::from_secs(10) };
}

impl Default for CallTimeouts {
    /// CloudWatch reads years before it answers, and throttles who asks for much.
    fn default() -> Self {
        Self { attempt: Duration::from_secs(60), call: Duration::from_secs(180) }
    }
}

impl fmt::Debug for AwsOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { profile, config_file, region, endpoint, role, insecure, patience } = self;
        let endpoint = endpoint.as_deref().map(shown);
        let all = (profile, config_file, region, endpoint, role, insecure, patience);
        f.debug_tuple("Options").field(&all).finish()
    }
}

/// An endpoint fit to be shown: without a user's name, password and query, which may be secret.
pub(crate) fn shown(endpoint: &str) -> String {
    let (scheme, rest) = endpoint.split_once("://").unwrap_or(("", endpoint));
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    if scheme.is_empty() { host.to_owned() } else { format!("{scheme}://{host}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shown_endpoint_has_no_secrets() {
        assert_eq!(shown("http://user:hush@127.0.0.1:5000/path?token=hush"), "http://127.0.0.1:5000");
        assert_eq!(shown("hush@host"), "host");
        let options = AwsOptions { endpoint: Some("https://user:hush@host/hush".to_owned()), ..AwsOptions::default() };
        assert!(!format!("{options:?}").contains("hush"));
    }
}
