//! EBS volumes of an AWS account with CloudWatch's metrics of their use. Its clock counts from 1970.

use std::sync::Arc;

use aws::{AwsError, AwsSession, EbsModification, MetricRange, VolumeFacts};
use disk::Disk;
use jiff::Timestamp;
use timeline::{SeriesPoints, Timeline};
use units::Nanos;
use volume_control::{CloudError, ManagedVolume, ModificationProgress, VolumeChange, VolumeCloud};

use super::VolumeFleet;
use crate::WallClock;

/// CloudWatch is read in steps of so long, and not again sooner: it charges by the series.
const STEP: Nanos = Nanos::secs(300);

/// Some volumes of an account.
pub struct EbsFleet {
    session: AwsSession,
    clock: Arc<dyn WallClock + Send + Sync>,
    names: Vec<String>,
    /// When CloudWatch was read, from when on, and what it said.
    read: Option<(Nanos, Nanos, Timeline)>,
}

impl EbsFleet {
    /// Those volumes.
    pub fn new(session: AwsSession, clock: Arc<dyn WallClock + Send + Sync>, names: Vec<String>) -> Self {
        Self { session, clock, names, read: None }
    }
}

impl VolumeCloud for EbsFleet {
    fn describe(&mut self, volumes: &[String]) -> Result<Vec<ManagedVolume>, CloudError> {
        let facts = self.session.facts(volumes).map_err(|error| cloud("", error))?;
        let found = |id: &String| facts.iter().find(|facts| facts.id == *id);
        let missing = |id: &String| CloudError::NotFound { volume: id.clone() };
        volumes.iter().map(|id| found(id).ok_or_else(|| missing(id)).and_then(volume)).collect()
    }

    fn modify(&mut self, volume: &str, to: &Disk) -> Result<(), CloudError> {
        self.session.modify_volume(volume, to).map(drop).map_err(|error| cloud(volume, error))
    }
}

impl VolumeFleet for EbsFleet {
    fn names(&self) -> Vec<String> {
        self.names.clone()
    }

    fn now(&mut self) -> Result<Nanos, CloudError> {
        Ok(since_1970(self.clock.now().wall))
    }

    fn used(&mut self, since: Nanos) -> Result<Timeline, CloudError> {
        let now = self.now()?;
        if let Some((read, from, timeline)) = &self.read
            && now < *read + STEP
            && since + STEP >= *from
        {
            return Ok(timeline.clone());
        }
        let range = MetricRange::last(now - since, self.clock.now().wall).and_then(|range| range.in_steps_of(STEP));
        let range = range.map_err(|error| cloud("", error))?;
        let mut all = Timeline::default();
        for name in &self.names {
            match self.session.volume(name, range) {
                Ok((one, _)) => all.series.extend(from_1970(one).series),
                // A volume that is not attached has no use.
                Err(AwsError::NoData { .. }) => {}
                Err(error) => return Err(cloud(name, error)),
            }
        }
        self.read = Some((now, since, all.clone()));
        Ok(all)
    }
}

fn volume(facts: &VolumeFacts) -> Result<ManagedVolume, CloudError> {
    let changes = facts.modifications.iter().map(change).collect::<Result<Vec<VolumeChange>, _>>()?;
    let pending =
        facts.modifications.last().filter(|_| changes.last().is_some_and(|change| change.progress.under_way()));
    // EC2 shows the new provisioning while the old one still holds.
    let disk = pending.and_then(|change| change.before.clone()).unwrap_or_else(|| facts.disk.clone());
    Ok(ManagedVolume { id: facts.id.clone(), node: String::new(), disk, changes, intended: None })
}

/// A modification whose state is not known is not taken for one that is over.
fn change(told: &EbsModification) -> Result<VolumeChange, CloudError> {
    let strange =
        |what: &str| CloudError::Lost { why: format!("EC2 tells {what} of a modification of {}", told.volume) };
    let progress = match told.state.as_str() {
        "modifying" => ModificationProgress::Modifying,
        "optimizing" => ModificationProgress::Optimizing,
        "failed" => ModificationProgress::Failed,
        "completed" => ModificationProgress::Completed,
        other => {
            let expected = "expected modifying, optimizing, completed or failed";
            return Err(strange(&format!("the state `{}`, {expected},", other.escape_debug())));
        }
    };
    let started = told.started.map(since_1970).ok_or_else(|| strange("no beginning"))?;
    let to = told.after.clone().ok_or_else(|| strange("no target"))?;
    Ok(VolumeChange { started, to, progress, ends: told.ended.map(since_1970) })
}

fn cloud(volume: &str, error: AwsError) -> CloudError {
    let volume = volume.to_owned();
    match error {
        AwsError::NotNow { code, .. } if code == "IncorrectModificationState" => CloudError::UnderWay { volume },
        AwsError::NotNow { .. } => CloudError::TooOften { volume, until: None },
        AwsError::Invalid { .. } => CloudError::Invalid { volume, why: error.to_string() },
        AwsError::Unknown { name, .. } => CloudError::NotFound { volume: name },
        AwsError::Denied { action } => CloudError::Denied { action: action.to_string() },
        AwsError::Throttled { .. } => CloudError::Throttled,
        error => CloudError::Lost { why: error.to_string() },
    }
}

fn since_1970(at: Timestamp) -> Nanos {
    Nanos(u64::try_from(at.as_nanosecond()).unwrap_or(0))
}

/// The same, its times counted from 1970.
fn from_1970(mut timeline: Timeline) -> Timeline {
    let start = timeline.about.start.map_or(Nanos(0), since_1970);
    for series in &mut timeline.series {
        if let SeriesPoints::Values(_, points) = &mut series.points {
            points.iter_mut().for_each(|point| (point.from, point.until) = (point.from + start, point.until + start));
        }
    }
    timeline.about.start = None;
    timeline
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(state: &str) -> EbsModification {
        let disk = |text: &str| Some(text.parse().unwrap());
        EbsModification {
            volume: "vol-1".to_owned(),
            before: disk("gp3:100GiB,3000iops,125MiB/s"),
            after: disk("gp3:100GiB,6000iops,125MiB/s"),
            state: state.to_owned(),
            started: Some(Timestamp::from_second(1000).unwrap()),
            ended: None,
        }
    }

    #[test]
    fn a_volume_that_is_being_modified_is_still_what_it_was() {
        for (state, is) in [("optimizing", 3000.0), ("completed", 6000.0)] {
            let facts = VolumeFacts {
                id: "vol-1".to_owned(),
                name: None,
                zone: "us-west-2a".to_owned(),
                disk: told(state).after.unwrap(),
                state: "in-use".to_owned(),
                created: None,
                multi_attach: false,
                attachments: Vec::new(),
                modifications: vec![told(state)],
            };
            let volume = volume(&facts).unwrap();
            assert_eq!(volume.disk.volume.iops, Some(units::Iops(is)));
            assert_eq!(
                (volume.changes[0].started, volume.pending().is_some()),
                (Nanos::secs(1000), state == "optimizing")
            );
        }
    }

    #[test]
    fn a_modification_that_is_not_understood_is_not_over() {
        let undated = EbsModification { started: None, ..told("completed") };
        let aimless = EbsModification { after: None, ..told("completed") };
        for strange in [told(""), told("verifying"), undated, aimless] {
            let error = change(&strange).unwrap_err();
            assert!(matches!(&error, CloudError::Lost { why } if why.contains("vol-1")), "{error}");
        }
        for state in ["modifying", "optimizing", "completed", "failed"] {
            assert!(change(&told(state)).is_ok(), "{state}");
        }
    }

    #[test]
    fn refusals_for_now_are_told_from_those_for_good() {
        let not_now = |code: &str| AwsError::NotNow { volume: "v".to_owned(), code: code.to_owned() };
        assert!(matches!(cloud("v", not_now("IncorrectModificationState")), CloudError::UnderWay { .. }));
        assert!(matches!(cloud("v", not_now("VolumeModificationRateExceeded")), CloudError::TooOften { .. }));
        let invalid = AwsError::Invalid { volume: "v".to_owned(), code: "InvalidParameterCombination".to_owned() };
        assert!(!cloud("v", invalid).passes());
    }
}
