//! Whether a draft is the incident that it was made to be: what the simulator saw hold it up, and, where several things look
//! alike, whether the remedy helps.

use catalog::CatalogView;
use diagnose::FindingKind;
use simulate::{EventScript, SimulationRun, simulate};
use units::BytesPerSec;

use crate::make::Draft;

/// A remedy that makes this much of the latency, or this much more throughput, is one.
const HELPS: f64 = 0.8;

/// Whether a run is of its cause.
pub(crate) fn is_true(draft: &Draft, run: &SimulationRun, view: &CatalogView) -> bool {
    let share = |what: &str| {
        let of = run.summary.bound.iter().filter(|bound| bound.what.contains(what));
        of.map(|bound| bound.share).fold(0.0, f64::max)
    };
    let volume = share("data disk: volume IOPS").max(share("data disk: volume throughput"));
    let instance = share("data disk: instance IOPS").max(share("data disk: instance throughput"));
    let engine = share("flow control").max(share("write stall"));
    let threads = share("CPU").max(share("threads"));
    let log = share("log disk");
    let calm = run.summary.saturated.is_none() && run.summary.full.is_none();
    match draft.truth {
        FindingKind::Healthy | FindingKind::OverProvisioned | FindingKind::BurstEnding => {
            calm && [volume, instance, engine, threads, log].iter().all(|share| *share < 0.05)
        }
        FindingKind::DiskStalled | FindingKind::DiskSlow => {
            share("data disk: fault") > 0.0 && [instance, engine, threads].iter().all(|share| *share < 0.05)
                // A disk that is degraded to more than is asked of it is none that anyone would notice.
                && helps(draft, run, view, |draft| draft.options.script = EventScript::default())
        }
        FindingKind::VolumeIops | FindingKind::BurstExhausted => {
            share("data disk: volume IOPS") > 0.6 && instance < 0.2 && threads < 0.2
        }
        FindingKind::VolumeThroughput => {
            share("data disk: volume throughput") > 0.6 && share("data disk: volume IOPS") < 0.2 && instance < 0.2
        }
        FindingKind::InstanceIops => {
            share("data disk: instance IOPS") > 0.6 && volume < 0.2 && share("data disk: instance throughput") < 0.2
        }
        FindingKind::InstanceThroughput => {
            share("data disk: instance throughput") > 0.6 && volume < 0.2 && share("data disk: instance IOPS") < 0.2
        }
        FindingKind::InstanceBurstSpent => instance > 0.6 && volume < 0.2,
        FindingKind::CompactionDebt => engine > 0.1 && volume < 0.2 && instance < 0.1 && threads < 0.3,
        FindingKind::ThreadPool => share("threads") > 0.6 && share("CPU") < 0.1 && volume < 0.2 && instance < 0.2,
        FindingKind::Cpu => share("CPU") > 0.6 && volume < 0.2,
        FindingKind::RaftLogContention => {
            let apart = |draft: &mut Draft| {
                draft.deployment.nodes[0].log = Some("gp3:30GiB,12000iops,500MiB/s".parse().expect("a disk"))
            };
            (0.1..0.6).contains(&volume) && instance < 0.1 && helps(draft, run, view, apart)
        }
        FindingKind::CompactionUnthrottled => {
            let limited = |draft: &mut Draft| {
                let data = draft.deployment.nodes[0].data.as_ref().and_then(|disk| disk.volume.throughput);
                draft.deployment.settings.rate_limit = data.map(|BytesPerSec(most)| BytesPerSec(most * 0.4));
            };
            (0.1..0.5).contains(&volume)
                && instance < 0.1
                && log < 0.1
                && threads < 0.3
                && helps(draft, run, view, limited)
        }
        FindingKind::BlockCacheLarge => {
            volume > 0.4 && helps(draft, run, view, |draft| draft.deployment.settings.block_cache = None)
        }
        FindingKind::BlockSize => {
            let smaller = |draft: &mut Draft| draft.deployment.settings.block_size = Some(units::Bytes::kib(16));
            share("data disk: volume throughput") > 0.6 && helps(draft, run, view, smaller)
        }
        _ => false,
    }
}

/// Whether a change makes operations faster or more.
fn helps(draft: &Draft, run: &SimulationRun, view: &CatalogView, change: impl Fn(&mut Draft)) -> bool {
    let mut changed = draft.clone();
    change(&mut changed);
    let Ok(other) = simulate(&changed.deployment, &changed.task, view, &changed.options) else { return false };
    let p99 = |run: &SimulationRun| run.summary.latency.map_or(f64::INFINITY, |latency| latency.p99.as_secs_f64());
    p99(&other) < HELPS * p99(run) || other.summary.operations_per_second * HELPS > run.summary.operations_per_second
}
