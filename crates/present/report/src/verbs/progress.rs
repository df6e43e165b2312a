//! Lines that show how far a run of `bench` is.

use bench::{RunPhase, RunStage};
use cluster::NodeActivity;
use units::{Bytes, Nanos};

/// The stage that a run is in: the share that is done, and a line for it, with one more for each node.
pub fn stage_line(stage: &RunStage<'_, NodeActivity>) -> (f64, String) {
    match stage {
        RunStage::Starting(what) => (0.0, (*what).to_owned()),
        RunStage::Loading(loading) => {
            let left = loading.left.map_or(String::new(), |left| format!(", about {} left", seconds(left)));
            let share = loading.rows as f64 / loading.all.max(1) as f64;
            (share, format!("loading {} of {} rows{left}", loading.rows, loading.all))
        }
        RunStage::Settling(bytes) => (1.0, format!("compacting what was loaded: {} to go", Bytes(*bytes as u64))),
        RunStage::Running { run, progress, nodes } => {
            let all = (progress.passed + progress.left).as_secs_f64().max(f64::MIN_POSITIVE);
            let what = if progress.phase == RunPhase::Warming { "warming up" } else { "measuring" };
            let known =
                progress.estimate.map_or(String::new(), |(mean, half)| format!(" ± {:.1} %", 100.0 * half / mean));
            let mut text = format!(
                "run {run}, {what}: {:.0}/s{known}, p99 {:.2} ms, about {} left",
                progress.throughput,
                progress.p99.as_millis_f64(),
                seconds(progress.left)
            );
            for node in *nodes {
                text += &format!("\n  {}", line(node));
            }
            (progress.passed.as_secs_f64() / all, text)
        }
    }
}

fn seconds(span: Nanos) -> String {
    format!("{:.0} s", span.as_secs_f64())
}

/// A node's disks, and what its engine has still to compact.
fn line(node: &NodeActivity) -> String {
    let mut line = node.node.clone();
    for disk in node.disks.iter().flat_map(|rates| &rates.disks) {
        let throughput = disk.read.throughput.as_mb() + disk.write.throughput.as_mb();
        let iops = disk.read.iops.0 + disk.write.iops.0;
        let binds = disk.binds.map_or(String::new(), |limit| format!(" ({limit})"));
        line += &format!("  {} {iops:.0} IOPS {throughput:.0} MB/s{binds}", disk.name);
    }
    if let Some((_, engine)) = &node.engine {
        let debt = engine.get("pending_compaction_bytes").unwrap_or_default();
        line += &format!("  to compact {:.0} MB", debt / 1e6);
    }
    line
}
