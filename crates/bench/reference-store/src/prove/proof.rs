//! A plan run on this machine, and what came of it.

use bench::{PreparedDatabase, RunReport, StageListener};
use cluster::{NodeActivity, TestBed};
use run::{RunResult, RunRung};
use units::Nanos;

use crate::prove::figures::{DiskLimit, DiskRole, LimitPressure, ProofFigures};
use crate::prove::seen::Seen;
use crate::prove::staged::StagedPlan;
use crate::{ReferenceStore, ReferenceStoreError, StoreRun};

/// A plan run on this machine.
#[derive(Debug, Clone)]
pub struct PlanProof {
    /// What was run, and what was expected of it.
    pub staged: StagedPlan,
    /// What was measured.
    pub measured: ProofFigures,
    /// The limit that held requests up for the largest share of the time, if any did noticeably.
    pub bound: Option<LimitPressure>,
    /// The driver's report.
    pub run: RunReport,
    /// What people should know of how it went.
    pub notes: Vec<String>,
}

/// A limit that held requests up for a smaller share of the time held up nothing that anybody notices.
const NOTICED: f64 = 0.01;

impl PlanProof {
    /// Whether the run served the load that it was offered.
    pub fn carried(&self) -> bool {
        self.as_run().serves_offered_load()
    }

    /// The measured run.
    pub fn as_run(&self) -> RunResult {
        let failures = Some(self.run.failure_count());
        RunResult { failures, ..self.measured.as_run(RunRung::Measurement, self.staged.scaling.rate) }
    }
}

impl StagedPlan {
    /// Runs it: starts a cluster, loads, scales the disks' limits, measures, takes all down.
    ///
    /// # Errors
    /// When it cannot be started, loaded or measured; then nothing is left of it.
    pub fn prove(
        self,
        machine: &TestBed,
        tell: &mut StageListener<'_, NodeActivity>,
    ) -> Result<PlanProof, ReferenceStoreError> {
        let prepared = PreparedDatabase::<ReferenceStore>::prepare(Some(machine), self.spec.clone(), tell)?;
        for disk in &self.predicted.disks {
            prepared.database().degrade(disk.role.disk(), self.shares.of(disk.role))?;
        }
        let found = prepared.run(1, tell)?;
        let mut notes = prepared.notes().to_vec();
        let measured = measured(&found, &self);
        notes.extend(prepared.stop()?);
        Ok(PlanProof { bound: bound(&found), measured, run: found.report, notes, staged: self })
    }
}

fn seen(found: &StoreRun) -> Seen<'_> {
    Seen { timeline: &found.timeline, from: found.from, until: found.until, log: DiskRole::Log.disk() }
}

fn measured(found: &StoreRun, staged: &StagedPlan) -> ProofFigures {
    let latencies = found.latencies();
    let at = |share: f64| (!latencies.is_empty()).then(|| Nanos(latencies.value_at_quantile(share)));
    let disk = |role: DiskRole| seen(found).disk(role, f64::from(staged.scaling.nodes), &staged.shares);
    ProofFigures {
        throughput: found.throughput(),
        p50: at(0.5),
        p99: at(0.99),
        disks: staged.predicted.disks.iter().map(|predicted| disk(predicted.role)).collect(),
        write_amplification: found.used.write_amplification(),
        cache_misses: seen(found).cache_misses(found.report.operations as f64),
        cache_hit_rate: found.used.cache_hit_rate,
    }
}

/// The limit that held requests up longest, on whichever node it did.
fn bound(found: &StoreRun) -> Option<LimitPressure> {
    let seconds = seen(found).seconds();
    let felt = [DiskRole::Data, DiskRole::Log].into_iter().flat_map(|role| {
        seen(found).of_disks("bound_time", role).filter_map(move |(series, time)| {
            let name = series.labels.get("limit")?;
            let limit = limits::BindingLimit::named(name)?;
            Some((DiskLimit { role, limit }, time / seconds))
        })
    });
    felt.max_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, share)| *share >= NOTICED)
}
