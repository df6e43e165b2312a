//! Files of runs, written as each run ends: a session that is interrupted keeps what was done.

use std::path::{Path, PathBuf};

use bench::{BenchReport, RunReport};
use reference_store::StoreSpec;
use timeline::Timeline;
use workload::operations::OperationRecipe;

use crate::failure::Failure;
use crate::inputs;

/// The runs that are over, and the files that hold them.
#[derive(Debug)]
pub(crate) struct Kept {
    out: Vec<PathBuf>,
    /// How many runs there are to be.
    wanted: u32,
    report: BenchReport,
    written: Vec<PathBuf>,
}

impl Kept {
    /// No run is over yet: `report` has none. There are to be `wanted`.
    pub(super) fn new(out: &[PathBuf], wanted: u32, report: BenchReport) -> Self {
        Self { out: out.to_vec(), wanted, report, written: Vec::new() }
    }

    /// The same of a run on raw keys, with its workload's recipe.
    pub(super) fn of(out: &[PathBuf], wanted: u32, spec: &StoreSpec, recipe: &OperationRecipe) -> Self {
        let report = spec.plan.report(recipe, Vec::new());
        Self::new(out, wanted, BenchReport { data_over_memory: spec.settings.data_over_memory(recipe), ..report })
    }

    /// A run is over: writes the report of all until now, and its Timeline.
    pub(super) fn keep(&mut self, run: &RunReport, timeline: &Timeline) -> Result<(), Failure> {
        self.report.runs.push(run.clone());
        for out in &self.out {
            let is_report = out.extension().is_some_and(|extension| extension == "json");
            let file = if is_report { out.clone() } else { of_run(out, run.run, self.wanted) };
            if is_report {
                let text = serde_json::to_string_pretty(&self.report);
                let text = text.map_err(|error| Failure::input(error.to_string()))?;
                inputs::write(&file, &(text + "\n"))?;
            } else {
                timeline.write(&file)?;
            }
            if !self.written.contains(&file) {
                self.written.push(file);
            }
        }
        Ok(())
    }

    /// Of all runs that are over.
    pub(super) fn report(&self) -> &BenchReport {
        &self.report
    }

    /// The files that are there now.
    pub(super) fn written(&self) -> &[PathBuf] {
        &self.written
    }
}

/// The file of a run's Timeline: `x.parquet` of a run that is the only one, else `x-1.parquet`, `x-2.parquet` …
fn of_run(out: &Path, run: u32, wanted: u32) -> PathBuf {
    match (out.file_stem(), out.extension()) {
        (Some(stem), Some(extension)) if wanted > 1 => {
            let mut name = stem.to_owned();
            name.push(format!("-{run}."));
            name.push(extension);
            out.with_file_name(name)
        }
        _ => out.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use bench::{CpuUsage, LoopKind, RunLimits, RunPlan, SteadyStateJudge};
    use units::Nanos;

    use super::*;

    /// Keeps runs that measured nothing; gives the names of the files, sorted, and the runs of the report after each.
    fn kept(wanted: u32, over: u32) -> (Vec<String>, Vec<usize>) {
        let folder = tempfile::tempdir().unwrap();
        let out = ["x.csv", "x.json"].map(|name| folder.path().join(name));
        let plan = RunPlan::new("t", "w", LoopKind::Closed { clients: 1, think: Nanos(0) }, Duration::from_secs(1));
        let mut kept = Kept::new(&out, wanted, plan.report_of(0, Vec::new()));
        let limits = RunLimits::default();
        let mut runs = Vec::new();
        for number in 1..=over {
            let run = RunReport::of(number, &SteadyStateJudge::new(limits, 1), &[], &limits, CpuUsage::default(), None);
            kept.keep(&run, &Timeline::default()).unwrap();
            let report = std::fs::read_to_string(&out[1]).unwrap();
            let report: serde_json::Value = serde_json::from_str(&report).unwrap();
            runs.push(report["runs"].as_array().unwrap().len());
        }
        let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
        let files = std::fs::read_dir(folder.path()).unwrap().map(|entry| name(&entry.unwrap().path()));
        let mut files: Vec<_> = files.collect();
        files.sort();
        let mut written: Vec<_> = kept.written().iter().map(|path| name(path)).collect();
        written.sort();
        assert_eq!(files, written);
        (files, runs)
    }

    #[test]
    fn each_of_several_runs_has_a_timeline_of_its_own_and_the_report_grows_with_them() {
        let files = ["x-1.csv", "x-2.csv", "x.json"].map(str::to_owned).to_vec();
        assert_eq!(kept(3, 2), (files, vec![1, 2]), "interrupted in the third");
    }

    #[test]
    fn one_run_is_written_under_the_name_that_was_given() {
        assert_eq!(kept(1, 1), (["x.csv", "x.json"].map(str::to_owned).to_vec(), vec![1]));
    }
}
