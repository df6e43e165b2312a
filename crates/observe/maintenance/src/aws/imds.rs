//! Asking with a token that expires.

use std::time::Duration;

use jiff::Timestamp;

use super::{ACTION, DATA, REBALANCE, SCHEDULED, TOKEN, TOKEN_HEADER, TTL_HEADER, read};
use crate::watch::{HeardNotices, NoticeSource};
use crate::{MachineCloud, MaintenanceError, MaintenanceNotice, MetadataAnswer, MetadataQuery, MetadataService};

/// The server is on the machine's host: it answers in milliseconds, or not at all.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long a token is asked for; the longest that is given is six hours.
const TTL: Duration = Duration::from_secs(3600);
/// A token is renewed that long before it ends.
const EARLY: Duration = Duration::from_secs(60);

/// EC2's metadata server, version 2.
#[derive(Debug)]
pub struct Imds {
    token: Option<(String, Timestamp)>,
    last: Option<Timestamp>,
    rest: Duration,
}

impl Default for Imds {
    /// Asks every five seconds, as AWS recommends for spot notices.
    fn default() -> Self {
        Self { token: None, last: None, rest: Duration::from_secs(5) }
    }
}

impl Imds {
    /// Without a token yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same, asking in such intervals.
    #[must_use]
    pub fn every(self, rest: Duration) -> Self {
        Self { rest, ..self }
    }

    fn token(&mut self, web: &dyn MetadataService) -> Result<String, MaintenanceError> {
        let fresh = |(_, until): &&(String, Timestamp)| self.last.is_none_or(|last| last + EARLY < *until);
        if let Some((token, _)) = self.token.as_ref().filter(fresh) {
            return Ok(token.clone());
        }
        let ask = MetadataQuery {
            method: "PUT",
            ..MetadataQuery::get(TOKEN, PATIENCE).header(TTL_HEADER, TTL.as_secs().to_string())
        };
        let answer = web.ask(&ask)?;
        let is_token = |text: &str| !text.is_empty() && text.len() < 1024 && text.bytes().all(|b| b.is_ascii_graphic());
        let token = answer.body.trim();
        if answer.status != 200 || !is_token(token) {
            return Err(failed(&answer, TOKEN));
        }
        self.token = Some((token.to_owned(), answer.at + TTL));
        Ok(token.to_owned())
    }

    /// What is at a path; none if there is nothing.
    fn get(&mut self, web: &dyn MetadataService, key: &str) -> Result<Option<MetadataAnswer>, MaintenanceError> {
        let path = format!("{DATA}{key}");
        // A second time when the token has become invalid: its machine was moved, or the clock jumped.
        for again in [true, false] {
            let token = self.token(web)?;
            let answer = web.ask(&MetadataQuery::get(&path, PATIENCE).header(TOKEN_HEADER, token))?;
            self.last = Some(answer.at);
            match answer.status {
                200 => return Ok(Some(answer)),
                404 => return Ok(None),
                401 if again => self.token = None,
                _ => return Err(failed(&answer, &path)),
            }
        }
        Ok(None)
    }
}

fn failed(answer: &MetadataAnswer, path: &str) -> MaintenanceError {
    let cloud = MachineCloud::Aws;
    match answer.status {
        429 | 500..=599 => MaintenanceError::Busy { cloud, what: format!("answered {}", answer.status) },
        status => MaintenanceError::Stranger { cloud, what: format!("{path} answered {status}") },
    }
}

impl NoticeSource for Imds {
    fn name(&self, machine: &str) -> String {
        format!("AWS events of {}", machine.escape_debug())
    }

    fn identify(&mut self, web: &dyn MetadataService) -> Result<String, MaintenanceError> {
        let answer = self.get(web, "instance-id")?.map(|answer| answer.body.trim().to_owned());
        let what = || format!("{DATA}instance-id answered 404");
        answer.ok_or_else(|| MaintenanceError::Stranger { cloud: MachineCloud::Aws, what: what() })
    }

    fn look(&mut self, web: &dyn MetadataService, machine: &str) -> Result<HeardNotices, MaintenanceError> {
        let (mut notices, mut complaints) = (Vec::new(), Vec::new());
        if let Some(answer) = self.get(web, SCHEDULED)? {
            (notices, complaints) = read::scheduled(&answer.body, machine)?;
        }
        let mut one = |notice: Result<MaintenanceNotice, MaintenanceError>| match notice {
            Ok(notice) => notices.push(notice),
            Err(error) => complaints.push(error.to_string()),
        };
        if let Some(answer) = self.get(web, ACTION)? {
            one(read::instance_action(&answer.body, machine));
        }
        if let Some(answer) = self.get(web, REBALANCE)? {
            one(read::rebalance(&answer.body, machine));
        }
        let at = self.last.unwrap_or(Timestamp::UNIX_EPOCH);
        Ok(HeardNotices { at, notices, complaints })
    }

    fn rest(&self) -> Duration {
        self.rest
    }
}
