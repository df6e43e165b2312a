//! PD's maintenance lock over HTTP, since 8.5.7: one task of the whole cluster at a time, whatever its type
//! (server/apiv2/handlers/maintenance.go, pkg/storage/endpoint/maintenance.go).

use http_client::{ApiError, HttpResponse, decoded};
use jiff::Timestamp;
use pd_client::PD_PROGRAM;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use super::PdHttp;
use crate::{ClusterLock, PilotLease, WorldError};

const LOCK: &str = "/pd/api/v2/maintenance";
/// The type of the pilot's tasks.
const TYPE: &str = "diskwright-pilot";

/// The task that holds PD's lock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockHolder {
    /// The type of the task, and its name.
    pub task: String,
    /// Since when.
    pub since: Timestamp,
    /// What it says of itself.
    pub says: String,
    /// Whether that is the pilot of the given name.
    pub is_ours: bool,
}

#[derive(Deserialize)]
struct Task {
    #[serde(rename = "type")]
    kind: String,
    id: String,
    start_timestamp: i64,
    description: String,
}

#[derive(Deserialize)]
struct Conflict {
    existing_task: Option<Task>,
}

impl Task {
    fn holder(&self, pilot: &str) -> LockHolder {
        LockHolder {
            is_ours: self.kind == TYPE && self.id == pilot,
            task: format!("{}/{}", self.kind, self.id),
            since: Timestamp::from_second(self.start_timestamp).unwrap_or_default(),
            // Ours are texts of JSON.
            says: serde_json::from_str(&self.description).unwrap_or_else(|_| self.description.clone()),
        }
    }
}

/// PD's lock under a pilot's name.
#[derive(Debug, Clone)]
pub struct PdLock {
    pd: PdHttp,
    pilot: String,
}

impl PdLock {
    /// Of this PD, for the pilot of this name.
    pub fn new(pd: PdHttp, pilot: impl Into<String>) -> Self {
        Self { pd, pilot: pilot.into() }
    }

    /// The task that holds the lock; `None` where none does, or PD offers no lock.
    ///
    /// # Errors
    /// When PD does not answer, or not as a PD does.
    pub fn holder(&self) -> Result<Option<LockHolder>, WorldError> {
        let answer = self.pd.0.server().send("GET", LOCK, None)?;
        match answer.status {
            200 => {
                let tasks: Vec<Task> = self.decoded(LOCK, &answer.body)?;
                Ok(tasks.first().map(|task| task.holder(&self.pilot)))
            }
            // PD says that there is none, or knows no such path.
            404 | 405 => Ok(None),
            _ => Err(self.refused(&answer)),
        }
    }

    fn decoded<T: DeserializeOwned>(&self, path: &str, body: &str) -> Result<T, WorldError> {
        Ok(decoded(self.pd.0.server().name(), path, body, PD_PROGRAM)?)
    }

    fn refused(&self, answer: &HttpResponse) -> WorldError {
        self.pd.0.refused(answer).into()
    }

    fn path(&self) -> String {
        format!("{LOCK}/{TYPE}/{}", self.pilot)
    }
}

impl ClusterLock for PdLock {
    fn take(&self, why: &str) -> Result<PilotLease, WorldError> {
        let path = self.path();
        let answer = self.pd.0.server().send("PUT", &path, Some(&json!(why)))?;
        match answer.status {
            // A text in JSON, as PD says it: whatever else answers 200 to everything holds no lock.
            200 => self.decoded::<String>(&path, &answer.body).map(|_| PilotLease::Held),
            404 | 405 => Ok(PilotLease::NotOffered),
            409 => match self.decoded::<Conflict>(&path, &answer.body)?.existing_task {
                None => Ok(PilotLease::Other("something that PD does not name".to_owned())),
                Some(task) => {
                    let holder = task.holder(&self.pilot);
                    // A pilot that was killed holds it still.
                    if holder.is_ours { Ok(PilotLease::Held) } else { Ok(PilotLease::Other(holder.to_string())) }
                }
            },
            _ => Err(self.refused(&answer)),
        }
    }

    fn release(&self) -> Result<(), WorldError> {
        let path = self.path();
        let answer = self.pd.0.server().send("DELETE", &path, None)?;
        match answer.status {
            200 => self.decoded::<String>(&path, &answer.body).map(drop),
            // What is not held, or is another's by now, is given back.
            404 | 405 => Ok(()),
            409 => match self.decoded::<Conflict>(&path, &answer.body)?.existing_task {
                Some(task) if !task.holder(&self.pilot).is_ours => Ok(()),
                _ => Err(ApiError::strange(
                    self.pd.0.server().name(),
                    &path,
                    &answer.body,
                    "PD does not give back what we hold".to_owned(),
                    PD_PROGRAM,
                )
                .into()),
            },
            _ => Err(self.refused(&answer)),
        }
    }
}

impl std::fmt::Display for LockHolder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} since {:.0} ({})", self.task, self.since, self.says.escape_debug())
    }
}

#[cfg(test)]
#[path = "lock_tests.rs"]
mod tests;
