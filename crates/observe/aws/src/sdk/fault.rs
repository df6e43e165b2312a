//! What the SDK reports, as errors for people. Answers and requests are only searched, never shown.

use std::error::Error;
use std::fmt::Debug;

use aws_credential_types::provider::error::CredentialsError;
use aws_sdk_ec2::error::{ProvideErrorMetadata, SdkError};

use super::bounded::{Refusal, TOO_LONG};
use crate::{AwsError, IamAction};

const NOT_OF_THE_SERVICE: &str = "it is not in the form of that service";

/// What messages say of the session.
#[derive(Debug)]
pub(super) struct Faults {
    pub(super) profile: Option<String>,
    /// Where all services are, if not at AWS; without secrets.
    pub(super) endpoint: Option<String>,
    pub(super) region: String,
    /// A request that was not sent.
    pub(super) refusal: Refusal,
}

impl Faults {
    /// A call that failed.
    pub(super) fn of<E>(&self, action: IamAction, error: &SdkError<E>) -> AwsError
    where
        E: ProvideErrorMetadata + Error + 'static,
    {
        if let Some(refusal) = self.refusal.get() {
            return AwsError::Endpoint(refusal.clone());
        }
        if let SdkError::ServiceError(service) = error {
            return match (service.err().code(), service.raw().status().as_u16()) {
                (Some(code), _) => by_code(action, code),
                // A gateway on the way, or a service whose words the SDK does not know.
                (None, 401 | 403) => AwsError::Denied { action },
                (None, 200..300) => AwsError::answer(action, NOT_OF_THE_SERVICE),
                (None, status) => AwsError::Service { action, code: format!("HTTP status {status}") },
            };
        }
        if let Some(error) = credentials_error(error) {
            return self.of_credentials(action, error);
        }
        match error {
            SdkError::TimeoutError(_) => self.unreachable(action, "it takes too long"),
            SdkError::DispatchFailure(failure) if failure.is_timeout() => self.unreachable(action, "it takes too long"),
            SdkError::DispatchFailure(failure) if failure.is_io() => self.unreachable(action, "no connection"),
            SdkError::DispatchFailure(failure) if format!("{failure:?}").contains("TimedOutError") => {
                self.unreachable(action, "the credentials take too long")
            }
            SdkError::DispatchFailure(_) => {
                self.unreachable(action, "no connection, or its certificate is not trusted")
            }
            SdkError::ResponseError(error) if format!("{error:?}").contains(TOO_LONG) => {
                AwsError::answer(action, "it is longer than any answer of that service")
            }
            SdkError::ResponseError(_) => AwsError::answer(action, NOT_OF_THE_SERVICE),
            _ => AwsError::answer(action, "the request could not be made"),
        }
    }

    /// The code of an error that a call itself gave a meaning to, such as `InvalidVolume.NotFound`.
    pub(super) fn code<E: ProvideErrorMetadata>(error: &SdkError<E>) -> Option<&str> {
        error.as_service_error().and_then(ProvideErrorMetadata::code)
    }

    pub(super) fn unknown(&self, what: &'static str, name: &str) -> AwsError {
        AwsError::Unknown { what, name: name.to_owned(), region: self.region.clone() }
    }

    fn unreachable(&self, action: IamAction, why: &'static str) -> AwsError {
        let service = action.name().split(':').next().unwrap_or_default();
        let endpoint = self.endpoint.clone().unwrap_or_else(|| format!("{service} in {}", self.region));
        AwsError::Unreachable { action, endpoint, why }
    }

    /// A role, a login or a process that gives no credentials. The SDK keeps what its services answered as text only.
    pub(super) fn of_credentials(&self, action: IamAction, error: &CredentialsError) -> AwsError {
        if let Some(refusal) = self.refusal.get() {
            return AwsError::Endpoint(refusal.clone());
        }
        let told = format!("{error:?}");
        let has = |words: &[&str]| words.iter().any(|word| told.contains(word));
        match error {
            CredentialsError::CredentialsNotLoaded(_) => AwsError::NoCredentials { profile: self.profile.clone() },
            _ if has(&["ExpiredToken", "Expired", "expired"]) => AwsError::Expired { action },
            _ if has(&["AccessDenied"]) => AwsError::Denied { action: IamAction::AssumeRole },
            _ if has(&["InvalidClientTokenId", "SignatureDoesNotMatch", "UnrecognizedClient"]) => {
                AwsError::Refused { action: IamAction::AssumeRole, code: "InvalidClientTokenId".to_owned() }
            }
            _ if has(&["DispatchFailure", "ConnectorError"]) => {
                self.unreachable(IamAction::AssumeRole, "no connection")
            }
            CredentialsError::InvalidConfiguration(_) | CredentialsError::ProviderError(_) => match &self.profile {
                Some(profile) => AwsError::Profile { profile: profile.clone() },
                None => AwsError::NoCredentials { profile: None },
            },
            CredentialsError::ProviderTimedOut(_) => self.unreachable(action, "no credentials in time"),
            _ => AwsError::NoCredentials { profile: self.profile.clone() },
        }
    }
}

/// The reason in credentials for a call that was never made.
fn credentials_error<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e CredentialsError> {
    let mut next: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref::<CredentialsError>() {
            return Some(found);
        }
        next = error.source();
    }
    None
}

/// EC2, CloudWatch, RDS and STS name the same things differently.
fn by_code(action: IamAction, code: &str) -> AwsError {
    match code {
        "AccessDenied" | "AccessDeniedException" | "UnauthorizedOperation" | "Client.UnauthorizedOperation" => {
            AwsError::Denied { action }
        }
        "ExpiredToken" | "ExpiredTokenException" | "RequestExpired" | "TokenRefreshRequired" => {
            AwsError::Expired { action }
        }
        "AuthFailure"
        | "InvalidClientTokenId"
        | "InvalidAccessKeyId"
        | "UnrecognizedClientException"
        | "SignatureDoesNotMatch"
        | "InvalidSignatureException"
        | "IncompleteSignature"
        | "MissingAuthenticationToken"
        | "MissingAuthenticationTokenException"
        | "OptInRequired" => AwsError::Refused { action, code: code.to_owned() },
        "Throttling"
        | "ThrottlingException"
        | "ThrottledException"
        | "RequestThrottled"
        | "RequestThrottledException"
        | "RequestLimitExceeded"
        | "BandwidthLimitExceeded"
        | "LimitExceededException"
        | "TooManyRequestsException" => AwsError::Throttled { action },
        _ => AwsError::Service { action, code: word(code) },
    }
}

/// A code as AWS writes them; anything else was written by something that is not AWS.
fn word(code: &str) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ' ');
    if code.len() <= 80 && code.chars().all(fits) { code.to_owned() } else { "an unknown code".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_service_is_understood_when_it_denies() {
        for code in ["AccessDenied", "AccessDeniedException", "UnauthorizedOperation"] {
            let message = by_code(IamAction::DescribeVolumes, code).to_string();
            assert!(message.starts_with("AWS denies ec2:DescribeVolumes"), "{message}");
        }
    }

    #[test]
    fn a_code_that_is_no_code_is_not_shown() {
        let message = by_code(IamAction::GetMetricData, "<html>AKIAHUSH</html>").to_string();
        assert!(!message.contains("HUSH"), "{message}");
    }
}
