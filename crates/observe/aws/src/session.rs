//! An account and region to read from.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use disk::Disk;
use signals::StopSignal;
use timeline::Timeline;

use crate::api::Api;
use crate::assemble::{self, Types};
use crate::fleet;
use crate::metrics;
use crate::range::MetricRange;
use crate::sdk::Sdk;
use crate::{AwsError, AwsOptions, DbFacts, EbsModification, InstanceEvent, VolumeFacts};

/// An account and region to read from. Calls block, so they are not for tasks of an async runtime; the threads and sockets that
/// they need are its own.
pub struct AwsSession {
    api: Box<dyn Api>,
    types: Types,
}

impl AwsSession {
    /// Finds profile, region and how to get credentials; those are fetched with the first call.
    ///
    /// # Errors
    /// When the profile does not exist, no region is set, or this machine gives no threads.
    pub fn new(options: &AwsOptions) -> Result<Self, AwsError> {
        Self::heeding(options, StopSignal::default())
    }

    /// The same, its waits given up when told so.
    ///
    /// # Errors
    /// The same as of [`Session::new`].
    pub fn heeding(options: &AwsOptions, stop: StopSignal) -> Result<Self, AwsError> {
        Ok(Self::over(Box::new(Sdk::new(options, stop)?)))
    }

    pub(crate) fn over(api: Box<dyn Api>) -> Self {
        Self { api, types: Types::default() }
    }

    /// The region, as prices need it.
    pub fn region(&self) -> &str {
        self.api.region()
    }

    /// A volume, and what CloudWatch has of it and of the instances that it is attached to. Times count from the start of
    /// the range. A series that was never published is missing, and so is a period without a point: neither is zero.
    ///
    /// # Errors
    /// When there is no such volume, CloudWatch has nothing of it in that time, or AWS cannot be asked.
    pub fn volume(&self, id: &str, range: MetricRange) -> Result<(Timeline, VolumeFacts), AwsError> {
        let api = self.api.as_ref();
        let unknown = || AwsError::Unknown { what: "volume", name: id.to_owned(), region: api.region().to_owned() };
        let mut volumes = api.volumes(Some(id), None)?.items;
        volumes.retain(|volume| volume.id == id);
        volumes.truncate(1);
        assemble::complete(api, &self.types, &mut volumes)?;
        let timeline = assemble::timelines(api, &volumes, range)?.pop().ok_or_else(unknown)?;
        let volume = volumes.pop().ok_or_else(unknown)?;
        if !timeline.series.iter().any(|series| series.labels.contains_key("VolumeId")) {
            return Err(no_data(&volume.id, range, "the volume is attached to an instance that runs"));
        }
        timeline.validate()?;
        Ok((timeline, volume))
    }

    /// Volumes as they are, with their modifications and without metrics; one that is not there is left out.
    ///
    /// # Errors
    /// When AWS cannot be asked.
    pub fn facts(&self, ids: &[String]) -> Result<Vec<VolumeFacts>, AwsError> {
        let mut all = Vec::new();
        for id in ids {
            match self.api.volumes(Some(id), None) {
                Ok(page) => all.extend(page.items.into_iter().filter(|volume| volume.id == *id)),
                Err(AwsError::Unknown { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        assemble::complete(self.api.as_ref(), &self.types, &mut all)?;
        Ok(all)
    }

    /// Begins a modification: type, size, IOPS and throughput in one call, each as it is written out. Needs
    /// [`Action::ModifyVolume`](crate::Action), which reading does not. What comes of it, [`Session::facts`] tells.
    ///
    /// # Errors
    /// When the disk is a stripe or has a cache, AWS refuses it for now or for good, or cannot be asked: then it may have begun.
    pub fn modify_volume(&self, id: &str, to: &Disk) -> Result<EbsModification, AwsError> {
        if to.stripe != 1 || to.cache.is_some() {
            let code = format!("{to} is not one volume");
            return Err(AwsError::Invalid { volume: id.to_owned(), code });
        }
        self.api.modify(id, &to.volume)
    }

    /// Looks at every volume of the region as [`Session::volume`] gives it, several at a time, and shows what was seen of them in
    /// AWS's order, until told to stop; one of which CloudWatch has nothing comes with an empty Timeline. Memory does not grow
    /// with their number. CloudWatch charges by the series asked for, some twenty a volume, and lets some 90,000 points a second
    /// through (CloudWatch service quotas, of starts more than three hours ago): many volumes are better asked for in longer
    /// steps, [`Range::in_steps_of`].
    ///
    /// # Errors
    /// When AWS cannot be asked; what was shown before remains true.
    pub fn each_volume<T: Send>(
        &self,
        range: MetricRange,
        look: impl Fn(Timeline, VolumeFacts) -> T + Sync,
        show: impl FnMut(T) -> ControlFlow<()>,
    ) -> Result<(), AwsError> {
        fleet::each_volume(self.api.as_ref(), &self.types, range, look, show)
    }

    /// A database instance of RDS, and what CloudWatch has of it.
    ///
    /// # Errors
    /// When there is no such instance, CloudWatch has nothing of it in that time, or AWS cannot be asked.
    pub fn db_instance(&self, id: &str, range: MetricRange) -> Result<(Timeline, DbFacts), AwsError> {
        let api = self.api.as_ref();
        let facts = api.db_instance(id)?;
        let mut notes = BTreeMap::from([(format!("{}.type", facts.id), facts.class.clone())]);
        notes.extend(facts.disk.as_ref().map(|disk| (format!("{}.disk", facts.id), disk.to_string())));
        let wanted = metrics::of_database(&facts.id, range);
        let title = format!("{} in {}", facts.id, api.region());
        let timeline = assemble::timeline_of(api, &title, &wanted, range, notes)?;
        if timeline.series.is_empty() {
            return Err(no_data(&facts.id, range, "the instance runs"));
        }
        timeline.validate()?;
        Ok((timeline, facts))
    }

    /// What EC2 has planned for all instances of the region, with what was done or called off in the last week.
    ///
    /// # Errors
    /// When AWS cannot be asked.
    pub fn events(&self) -> Result<Vec<InstanceEvent>, AwsError> {
        let (mut all, mut token) = (Vec::new(), None);
        loop {
            let page = self.api.events(token)?;
            all.extend(page.items);
            token = page.next;
            if token.is_none() {
                return Ok(all);
            }
        }
    }

    /// What a user of a database of RDS logs in with in place of a password, for fifteen minutes from now; it goes over TLS only.
    /// IAM must allow `rds-db:connect`, which is asked for when it is used.
    ///
    /// # Errors
    /// When there are no credentials, or the host or the user is none.
    pub fn db_token(&self, host: &str, port: u16, user: &str) -> Result<String, AwsError> {
        self.api.db_token(host, port, user)
    }
}

impl std::fmt::Debug for AwsSession {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").field("region", &self.region()).finish_non_exhaustive()
    }
}

fn no_data(name: &str, range: MetricRange, reports: &'static str) -> AwsError {
    AwsError::NoData { name: name.to_owned(), from: range.from(), until: range.until(), reports }
}

#[cfg(test)]
mod tests;
