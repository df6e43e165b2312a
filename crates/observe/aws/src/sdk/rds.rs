//! DescribeDBInstances, and the tokens that stand for passwords.

use aws_config::SdkConfig;
use aws_credential_types::provider::error::CredentialsError;
use aws_sdk_rds::Client;
use aws_sdk_rds::auth_token::{AuthTokenGenerator, Config};

use super::fault::Faults;
use crate::facts::Stated;
use crate::{AwsError, DbFacts, IamAction};

const ACTION: IamAction = IamAction::DescribeDbInstances;

pub(super) async fn db_instance(client: &Client, faults: &Faults, id: &str) -> Result<DbFacts, AwsError> {
    let answer = client.describe_db_instances().db_instance_identifier(id).send().await.map_err(|error| {
        match Faults::code(&error) {
            Some("DBInstanceNotFound" | "DBInstanceNotFoundFault" | "InvalidParameterValue") => {
                faults.unknown("database", id)
            }
            _ => faults.of(ACTION, &error),
        }
    })?;
    let found = answer.db_instances.unwrap_or_default().into_iter().next();
    let found = found.ok_or_else(|| faults.unknown("database", id))?;
    let stated = Stated { gib: found.allocated_storage, iops: found.iops, mib_s: found.storage_throughput };
    let kind = found.storage_type.filter(|kind| !kind.starts_with("aurora"));
    Ok(DbFacts {
        id: found.db_instance_identifier.unwrap_or_else(|| id.to_owned()),
        class: found.db_instance_class.ok_or_else(|| AwsError::answer(ACTION, "it states no class"))?,
        engine: found.engine.unwrap_or_default(),
        disk: kind.and_then(|kind| stated.disk(&kind)),
        zone: found.availability_zone,
        multi_az: found.multi_az.unwrap_or(false),
        status: found.db_instance_status.unwrap_or_default(),
    })
}

/// Signed on this machine: nobody is asked but who gives the credentials.
pub(super) async fn token(
    config: &SdkConfig,
    faults: &Faults,
    host: &str,
    port: u16,
    user: &str,
) -> Result<String, AwsError> {
    const ACTION: IamAction = IamAction::Connect;
    const UNFIT: &str = "no token can be made of the host and the user";
    let plain = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "._-@".contains(c));
    if !plain(host) || !plain(user) {
        return Err(AwsError::answer(ACTION, UNFIT));
    }
    let of = Config::builder().hostname(host).port(port.into()).username(user).build();
    let generator = AuthTokenGenerator::new(of.map_err(|_| AwsError::answer(ACTION, UNFIT))?);
    match generator.auth_token(config).await {
        Ok(token) => Ok(token.to_string()),
        Err(error) => Err(match error.downcast_ref::<CredentialsError>() {
            Some(error) => faults.of_credentials(ACTION, error),
            None => AwsError::answer(ACTION, "the token could not be signed"),
        }),
    }
}
