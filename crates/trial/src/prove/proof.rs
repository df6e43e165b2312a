//! A plan run on this machine, and what came of it.

use bench::RunReport;
use cluster::Lab;
use timeline::Series;
use units::{BytesPerSec, Nanos};

use crate::prove::figures::{DiskFigures, DiskLimit, DiskRole, Felt, Figures};
use crate::prove::staged::Staged;
use crate::{Found, Ground, Stage, TrialError};

/// A plan run on this machine.
#[derive(Debug, Clone)]
pub struct Proof {
    /// What was run, and what was expected of it.
    pub staged: Staged,
    /// What was measured.
    pub measured: Figures,
    /// The limit that held requests up for the largest share of the time, if any did noticeably.
    pub bound: Option<Felt>,
    /// The driver's report.
    pub run: RunReport,
    /// What people should know of how it went.
    pub notes: Vec<String>,
}

/// Of the operations offered, so many must be carried: arrivals by chance differ by a per cent in a minute.
const CARRIED: f64 = 0.97;

/// A limit that held requests up for a smaller share of the time held up nothing that anybody notices.
const NOTICED: f64 = 0.01;

impl Proof {
    /// Whether the run carried the load that it was offered.
    pub fn carried(&self) -> bool {
        self.measured.throughput >= CARRIED * self.staged.scaling.rate
    }
}

impl Staged {
    /// Runs it: starts a cluster, loads, scales the disks' limits, measures, takes all down.
    ///
    /// # Errors
    /// When it cannot be started, loaded or measured; then nothing is left of it.
    pub fn prove(self, lab: &Lab, tell: &mut dyn FnMut(Stage<'_>)) -> Result<Proof, TrialError> {
        let ground = Ground::prepare(Some(lab), self.order.clone(), tell)?;
        for disk in &self.predicted.disks {
            ground.degrade(disk.role.disk(), self.shares.of(disk.role))?;
        }
        let found = ground.run(1, tell)?;
        let mut notes = ground.notes().to_vec();
        let measured = measured(&found, &self);
        notes.extend(ground.end()?);
        Ok(Proof { bound: bound(&found), measured, run: found.report, notes, staged: self })
    }
}

fn measured(found: &Found, staged: &Staged) -> Figures {
    let seconds = found.used.seconds.max(f64::MIN_POSITIVE);
    let latencies = found.latencies();
    let at = |share: f64| (!latencies.is_empty()).then(|| Nanos(latencies.value_at_quantile(share)));
    let nodes = f64::from(staged.scaling.nodes);
    let disk = |role: DiskRole| {
        let of = |name: &str| -> f64 { values(found, name, role).map(|(_, value)| value).sum() };
        let per_node = |name: &str| BytesPerSec(of(name) / seconds / nodes);
        let used = |name: &str| of(name) / nodes / 100.0 / staged.shares.of(role);
        DiskFigures {
            role,
            iops: used("iops_utilisation"),
            throughput: used("throughput_utilisation"),
            read: per_node("read_bytes"),
            written: per_node("write_bytes"),
        }
    };
    Figures {
        throughput: found.report.operations as f64 / found.report.measured_s.max(f64::MIN_POSITIVE),
        p50: at(0.5),
        p99: at(0.99),
        disks: staged.predicted.disks.iter().map(|predicted| disk(predicted.role)).collect(),
        write_amplification: found.used.write_amplification(),
        cache_misses: cache_misses(found),
        cache_hit_rate: found.used.cache_hit_rate,
    }
}

/// Blocks of an operation that the block cache lacked.
fn cache_misses(found: &Found) -> Option<f64> {
    let series = found.timeline.series.iter().filter(|series| series.name == "block_cache_misses");
    let missed: f64 = series.filter_map(|series| series.value(found.from, found.until)).sum();
    (found.report.operations > 0).then(|| missed / found.report.operations as f64)
}

/// The series of a name on the disks of a role, each with what it amounts to while it was measured.
fn values<'f>(found: &'f Found, name: &'f str, role: DiskRole) -> impl Iterator<Item = (&'f Series, f64)> {
    let of = move |series: &&Series| {
        series.name == name && series.labels.get("disk").map(String::as_str) == Some(role.disk())
    };
    let value = |series: &'f Series| Some((series, series.value(found.from, found.until)?));
    found.timeline.series.iter().filter(of).filter_map(value)
}

/// The limit that held requests up longest, on whichever node it did.
fn bound(found: &Found) -> Option<Felt> {
    let seconds = found.used.seconds.max(f64::MIN_POSITIVE);
    let felt = [DiskRole::Data, DiskRole::Log].into_iter().flat_map(|role| {
        values(found, "bound_time", role).filter_map(move |(series, time)| {
            let name = series.labels.get("limit")?;
            let limit = observe::Limit::ALL.into_iter().find(|limit| limit.name() == name)?;
            Some((DiskLimit { role, limit }, time / seconds))
        })
    });
    felt.max_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, share)| *share >= NOTICED)
}
