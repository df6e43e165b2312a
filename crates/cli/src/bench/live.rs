//! What a run shows while it lasts.

use bench::{RunPhase, RunStage};
use cluster::NodeActivity;
use indicatif::{ProgressBar, ProgressStyle};
use units::{Bytes, Nanos};

use crate::progress;

/// A line of progress, and under it what each node does; only where people watch.
#[derive(Debug)]
pub(crate) struct Live {
    bar: ProgressBar,
    side: String,
}

impl Live {
    /// Nothing is shown yet.
    pub(crate) fn new() -> Self {
        // indicatif draws nothing where standard error is no terminal.
        let bar = ProgressBar::new(1000);
        let style = ProgressStyle::with_template("{bar:20} {elapsed}  {msg}");
        bar.set_style(style.expect("the template is a constant"));
        Self { bar, side: String::new() }
    }

    /// What is being run, where there are several.
    pub(crate) fn side(&mut self, side: String) {
        self.side = side;
    }

    /// What is being done now.
    pub(crate) fn show(&mut self, stage: &RunStage<'_, NodeActivity>) {
        let (share, text) = match stage {
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
        };
        self.bar.set_position((1000.0 * share.clamp(0.0, 1.0)) as u64);
        progress::show(&self.bar, &format!("{}{text}", self.side));
    }

    /// All is done, or given up.
    pub(crate) fn end(&self) {
        self.bar.finish_and_clear();
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
