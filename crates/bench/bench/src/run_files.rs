//! Files of runs, written as each run ends, so that an interruption loses no run that is over.

use std::path::{Path, PathBuf};

use timeline::Timeline;

use crate::{BenchError, BenchReport, RunReport};

/// The runs that are over, and the files that hold them: the report as JSON, a Timeline a run.
#[derive(Debug)]
pub struct RunFiles {
    out: Vec<PathBuf>,
    /// Number of runs that are planned.
    wanted: u32,
    report: BenchReport,
    written: Vec<PathBuf>,
}

impl RunFiles {
    /// Files `out` for `wanted` runs, of which none is over: `report` is without runs.
    pub fn new(out: &[PathBuf], wanted: u32, report: BenchReport) -> Self {
        Self { out: out.to_vec(), wanted, report, written: Vec::new() }
    }

    /// Adds a run that is over: writes its Timeline, and the report of all runs until now.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn add(&mut self, run: &RunReport, timeline: &Timeline) -> Result<(), BenchError> {
        self.report.runs.push(run.clone());
        for out in &self.out {
            let is_report = out.extension().is_some_and(|extension| extension == "json");
            let file = if is_report { out.clone() } else { of_run(out, run.run, self.wanted) };
            if is_report {
                let text = serde_json::to_string_pretty(&self.report).expect("a report has text keys only");
                textfile::write_atomically(&file, (text + "\n").as_bytes()).map_err(BenchError::NotWritten)?;
            } else {
                timeline.write(&file)?;
            }
            if !self.written.contains(&file) {
                self.written.push(file);
            }
        }
        Ok(())
    }

    /// The report of all runs that are over.
    pub fn report(&self) -> &BenchReport {
        &self.report
    }

    /// The files that were written.
    pub fn written(&self) -> &[PathBuf] {
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

    use units::Nanos;

    use super::*;
    use crate::{CpuUsage, LoopKind, RunLimits, RunPlan, SteadyStateJudge};

    /// Adds runs that measured nothing; returns the names of the files, sorted, and the runs of the report after each.
    fn added(wanted: u32, over: u32) -> (Vec<String>, Vec<usize>) {
        let folder = tempfile::tempdir().unwrap();
        let out = ["x.csv", "x.json"].map(|name| folder.path().join(name));
        let plan = RunPlan::new("t", "w", LoopKind::Closed { clients: 1, think: Nanos(0) }, Duration::from_secs(1));
        let mut writer = RunFiles::new(&out, wanted, plan.report_of(0, Vec::new()));
        let limits = RunLimits::default();
        let mut runs = Vec::new();
        for number in 1..=over {
            let run = RunReport::of(number, &SteadyStateJudge::new(limits, 1), &[], &limits, CpuUsage::default(), None);
            writer.add(&run, &Timeline::default()).unwrap();
            let report = std::fs::read_to_string(&out[1]).unwrap();
            let report: serde_json::Value = serde_json::from_str(&report).unwrap();
            runs.push(report["runs"].as_array().unwrap().len());
        }
        let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
        let files = std::fs::read_dir(folder.path()).unwrap().map(|entry| name(&entry.unwrap().path()));
        let mut files: Vec<_> = files.collect();
        files.sort();
        let mut written: Vec<_> = writer.written().iter().map(|path| name(path)).collect();
        written.sort();
        assert_eq!(files, written);
        (files, runs)
    }

    #[test]
    fn each_of_several_runs_has_a_timeline_of_its_own_and_the_report_grows_with_them() {
        let files = ["x-1.csv", "x-2.csv", "x.json"].map(str::to_owned).to_vec();
        assert_eq!(added(3, 2), (files, vec![1, 2]), "interrupted in the third");
    }

    #[test]
    fn one_run_is_written_under_the_name_that_was_given() {
        assert_eq!(added(1, 1), (["x.csv", "x.json"].map(str::to_owned).to_vec(), vec![1]));
    }
}
