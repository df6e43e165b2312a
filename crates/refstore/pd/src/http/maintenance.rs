//! `/maintenance`: the lock that lets one maintenance task work on the cluster at a time, whatever its type
//! (PD 8.5.7, server/apiv2/handlers/maintenance.go).

use std::time::Duration;

use serde_json::json;

use super::Ask;
use super::reply::Reply;
use crate::cluster::Cluster;
use crate::record::MaintenanceTask;

const NONE: &str = "No maintenance task is running";

pub(super) fn answer(cluster: &mut Cluster, now: Duration, ask: &Ask) -> Reply {
    let holds = |kind: &str| cluster.record.maintenance.as_ref().filter(|task| task.kind == kind);
    match (ask.method, ask.path.as_slice()) {
        ("GET", ["maintenance"]) => match &cluster.record.maintenance {
            Some(task) => Reply::v2(200, &[task]),
            None => Reply::v2(404, &NONE),
        },
        ("GET", ["maintenance", kind]) => match holds(kind) {
            Some(task) => Reply::v2(200, task),
            None => Reply::v2(404, &format!("{NONE} for this type")),
        },
        ("PUT", ["maintenance", kind, id]) => {
            if let Some(task) = &cluster.record.maintenance {
                let error = "Another maintenance task is already running";
                return Reply::v2(409, &json!({ "error": error, "existing_task": task }));
            }
            cluster.record.maintenance = Some(MaintenanceTask {
                kind: (*kind).to_owned(),
                id: (*id).to_owned(),
                start_timestamp: now.as_secs(),
                description: String::from_utf8_lossy(ask.body).into_owned(),
            });
            cluster.unsaved = true;
            Reply::v2(200, &"Maintenance task started successfully.")
        }
        ("DELETE", ["maintenance", kind, id]) => match holds(kind) {
            None => Reply::v2(404, &format!("{NONE} for this type")),
            Some(task) if task.id != *id => {
                let error = "Task ID does not match the current task";
                Reply::v2(409, &json!({ "error": error, "existing_task": task }))
            }
            Some(_) => {
                cluster.record.maintenance = None;
                cluster.unsaved = true;
                Reply::v2(200, &"Maintenance task deleted successfully.")
            }
        },
        _ => Reply::nowhere(),
    }
}
