//! DescribeDBInstances.

use aws_sdk_rds::Client;

use super::fault::Faults;
use crate::facts::Stated;
use crate::{Action, AwsError, DbFacts};

const ACTION: Action = Action::DescribeDbInstances;

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
