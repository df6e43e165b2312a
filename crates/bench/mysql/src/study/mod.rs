//! One workload on two deployments in turn, and what the second gains before and after the burst credits of the first are
//! gone: AWS's study of gp2 against io1, for any two.

mod phases;
mod table;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use bench::{EarlyEnd, LoopKind, RunLimits, RunPlan, RunStage, alternate};
use catalog::Catalog;
use cluster::NodeActivity;
use deployment::Deployment;
use textfile::{InputError, Text};
use units::{Nanos, Ratio, Usd};
use workload::Workload;

use crate::spec::PATIENCE;
use crate::{JobKind, LaunchedMariaDb, ServerMachine, SqlDatabase, SqlError, SqlJob, SqlRun, SqlSettings, SqlSpec};

pub use phases::{StudyGain, StudyPhases, exhausted, phases};
pub use table::{StudySlot, slots};

/// A study as people write it: a TOML file beside the files that it names.
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Document {
    /// Name of the study in reports.
    name: String,
    /// Sizes and rates that differ from the source's, and why.
    scaled: String,
    /// Workload file with `[inserts]`, relative to the study's.
    workload: PathBuf,
    /// Deployment files of the two sides, the one that bursts first.
    deployments: [PathBuf; 2],
    /// Runs of each side.
    pairs: u32,
    /// Burst credits of all disks at the start of a run, as a share of a full bucket.
    credits: Ratio,
    /// Clients of the load; the workload's if not given.
    clients: Option<u32>,
    /// Think time of a client between statements.
    #[serde(default)]
    think: Nanos,
    /// Load before the measurement.
    warm_up: Nanos,
    /// Length of the measurement.
    measure: Nanos,
    /// Time that a row of the result's table covers.
    slot: Nanos,
    /// Variables of both servers.
    #[serde(default)]
    set: BTreeMap<String, String>,
}

/// A workload, two deployments, and how they are run.
#[derive(Debug, Clone)]
pub struct Study {
    /// What it is, for people.
    pub name: String,
    /// What was made smaller than in the source, and why, for people.
    pub scaled: String,
    /// How often each side is run.
    pub pairs: u32,
    /// How much time a row of its table covers.
    pub slot: Nanos,
    /// Each side.
    pub sides: [SideSpec; 2],
}

/// One side of a study.
#[derive(Debug, Clone)]
pub struct SideSpec {
    /// The deployment's name.
    pub name: String,
    /// Its data disk, as text.
    pub disk: String,
    /// What its disks cost a month; `None` where the catalogue has no price.
    pub disks_monthly: Option<Usd>,
    spec: SqlSpec,
}

/// A stage of a side's run.
type Stage<'a> = RunStage<'a, NodeActivity>;

/// Most pairs of runs: each takes minutes, and what it found is kept to the end.
const MOST_PAIRS: u32 = 100;

/// Most rows of a study's table.
const MOST_SLOTS: u64 = 10_000;

impl Study {
    /// Reads a study from its text; `open` reads the files that it names, whose paths are relative to its own.
    ///
    /// # Errors
    /// When a file is not what it should be, or the workload runs on no SQL database.
    pub fn from_text(text: &Text, open: &mut dyn FnMut(&Path) -> Result<Text, InputError>) -> Result<Self, SqlError> {
        let document: Document = textfile::from_toml(text)?;
        let beside = |path: &Path| text.path().parent().map_or_else(|| path.to_owned(), |folder| folder.join(path));
        let workload = Workload::from_text(&open(&beside(&document.workload))?, open)?;
        if document.pairs == 0 || document.slot == Nanos(0) {
            let key = if document.pairs == 0 { "pairs" } else { "slot" };
            return Err(text.error_at_key(key, format!("`{key}` is 0; expected more")).into());
        }
        if document.pairs > MOST_PAIRS {
            let message = format!("`pairs` is {}; expected at most {MOST_PAIRS}", document.pairs);
            return Err(text.error_at_key("pairs", message).into());
        }
        if document.measure.0 / document.slot.0 > MOST_SLOTS {
            let message = format!(
                "`slot` is {}, for {} measured; expected {MOST_SLOTS} rows at most",
                document.slot, document.measure
            );
            return Err(text.error_at_key("slot", message).help("write a longer one, such as \"60s\"").into());
        }
        let mut side = |path: &Path| -> Result<SideSpec, SqlError> {
            let deployment = Deployment::from_text(&open(&beside(path))?)?;
            document.side(&workload, deployment)
        };
        let sides = [side(&document.deployments[0])?, side(&document.deployments[1])?];
        let Document { name, scaled, pairs, slot, .. } = document;
        Ok(Self { name, scaled: scaled.trim().to_owned(), pairs, slot, sides })
    }

    /// How long each run is measured.
    pub fn measured(&self) -> Nanos {
        self.sides[0].spec.plan.limits.measure_most
    }

    /// Runs both sides so often in turn, each on a server and disks of its own: A B, B A, A B …, so that a machine whose speed
    /// wanders favours neither. `tell` hears which side it is, `false` for A, and which pair. `stop` ends it.
    ///
    /// # Errors
    /// When a run fails or loses its server, a disk is full, or it is stopped; runs before are lost.
    pub fn run(
        &self,
        home: &mount::MountHome,
        scratch: &Path,
        stop: &Arc<AtomicBool>,
        tell: &mut dyn FnMut(bool, u32, Stage<'_>),
    ) -> Result<Vec<[SqlRun; 2]>, SqlError> {
        let machine = ServerMachine { home: home.clone(), scratch: scratch.to_owned() };
        let specs = self.sides.each_ref().map(|side| SqlSpec { stop: stop.clone(), ..side.spec.clone() });
        let mut keep = |side: usize, run: &SqlRun| self.sides[side].stands(run);
        let mut tell = |side: usize, pair: u32, stage: Stage<'_>| tell(side == 1, pair, stage);
        let sides =
            alternate::<SqlDatabase, 2, SqlError>(Some(&machine), specs.each_ref(), self.pairs, &mut tell, &mut keep)?;
        let [one, other] = sides;
        Ok(one.into_iter().zip(other).map(|(a, b)| [a, b]).collect())
    }
}

impl SideSpec {
    /// # Errors
    /// When a run failed, so that it makes no pair.
    fn stands(&self, run: &SqlRun) -> Result<(), SqlError> {
        let why = match (run.full(), &run.ended, run.report.rejected.first()) {
            (Some(full), ..) => format!("{full}; give it a larger disk, or measure for a shorter time"),
            (None, Some(EarlyEnd { reason: why, .. }), _) | (None, None, Some(why)) => {
                format!("the run of pair {} failed: {why}", run.report.run)
            }
            (None, None, None) => return Ok(()),
        };
        Err(SqlError::StudyRun { side: self.name.clone(), why })
    }
}

impl Document {
    fn side(&self, workload: &Workload, deployment: Deployment) -> Result<SideSpec, SqlError> {
        let job = SqlJob::new(workload, None)?;
        if !matches!(job.kind, JobKind::Inserts { .. }) {
            let why = "has no rows a minute, which a study counts; expected [inserts]";
            return Err(SqlError::WorkloadKind { kind: workload.kind.name(), why });
        }
        let clients = self.clients.or(job.clients).unwrap_or(64);
        let as_of = deployment.as_of;
        let costs = deployment.monthly(&Catalog::embedded().at(as_of)).ok();
        let limits = RunLimits {
            warm_least: self.warm_up,
            warm_most: self.warm_up + Nanos::secs(2),
            measure_least: self.measure,
            measure_most: self.measure,
            ..RunLimits::default()
        };
        let load = LoopKind::Closed { clients, think: self.think };
        let plan = RunPlan {
            limits,
            monthly: costs.map(|costs| costs.total()),
            ..RunPlan::new(&deployment.name, &workload.name, load, PATIENCE)
        };
        plan.check()?;
        let disk =
            deployment.nodes.iter().find_map(|node| node.data.as_ref()).map(ToString::to_string).unwrap_or_default();
        let name = if deployment.name.is_empty() { disk.clone() } else { deployment.name.clone() };
        let options = cluster::ClusterOptions { credits: Some(self.credits.0), ..cluster::ClusterOptions::default() };
        let variables = self.set.clone().into_iter().collect();
        let spec = SqlSettings::launched(job, LaunchedMariaDb { deployment, options, variables }, plan);
        Ok(SideSpec { name, disk, disks_monthly: costs.map(|costs| costs.disks), spec })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STUDY: &str = "name = \"n\"\nscaled = \"s\"\nworkload = \"w.toml\"\ndeployments = [\"a.toml\", \"b.toml\"]\n\
        pairs = 2\ncredits = \"1%\"\nwarm-up = \"1s\"\nmeasure = \"9s\"\nslot = \"3s\"\nthink = \"100ms\"\n";

    fn open(path: &Path) -> Result<Text, InputError> {
        let node = |data: &str| {
            format!(
                "name = \"{data}\"\nengine = \"innodb\"\nregion = \"us-west-2\"\nzones = 1\n[[nodes]]\nrole = \"storage\"\n\
                 count = 1\ninstance = \"m5.2xlarge\"\ndata = \"{data}\"\n"
            )
        };
        let text = match path.to_str() {
            Some("here/w.toml") => "engine = \"innodb\"\nregion = \"us-west-2\"\n[inserts]\nrow = \"176B\"\n\
                 rows-added = 10\nclients = 5\n[targets]\nthroughput = 1\n"
                .to_owned(),
            Some("here/a.toml") => node("gp2:400GiB"),
            Some("here/b.toml") => node("io1:400GiB,5000iops"),
            _ => panic!("{} was not named", path.display()),
        };
        Ok(Text::new(path, text))
    }

    #[test]
    fn a_study_is_two_runs_that_differ_in_the_deployment_only() {
        let study = Study::from_text(&Text::new("here/study.toml", STUDY), &mut open).unwrap();
        let [a, b] = &study.sides;
        assert_eq!(a.spec.plan.load, LoopKind::Closed { clients: 5, think: Nanos::millis(100) });
        assert_eq!((a.spec.plan.load, a.spec.plan.limits), (b.spec.plan.load, b.spec.plan.limits));
        assert_ne!(a.disk, b.disk);
        assert!(a.disks_monthly.unwrap().0 < b.disks_monthly.unwrap().0);
        assert_eq!(study.measured(), Nanos::secs(9));
    }

    #[test]
    fn what_makes_no_study_is_told_with_its_line() {
        let wrong = STUDY.replace("pairs = 2", "pairs = 0");
        let error = Study::from_text(&Text::new("here/study.toml", wrong), &mut open).unwrap_err();
        assert!(error.exit_code() == 2 && error.to_string().contains("pairs"), "{error}");
    }

    #[test]
    fn a_study_of_more_runs_or_rows_than_anybody_reads_is_refused_at_its_line() {
        for (number, expected) in
            [("pairs = 4294967295", "here/study.toml:5:"), ("slot = \"1ns\"", "10000 rows at most")]
        {
            let key = number.split(' ').next().unwrap();
            let line = STUDY.lines().find(|line| line.starts_with(key)).unwrap();
            let wrong = STUDY.replace(line, number);
            let error = Study::from_text(&Text::new("here/study.toml", wrong), &mut open).unwrap_err().to_string();
            assert!(error.contains(expected) && error.contains(key), "{error}");
        }
    }
}
