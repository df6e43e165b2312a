//! What was measured of a row, kept so that a fit can be repeated without measuring.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

use timeline::{MergeRule, SeriesPoints, Timeline};
use units::Nanos;

use crate::grid::{Grid, Row};

/// What is compared, each a second.
#[derive(Debug, Clone, Copy, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Figures {
    /// Rows added.
    pub(crate) rows: f64,
    /// Bytes written to disks, and requests.
    pub(crate) write_bytes: f64,
    pub(crate) write_ops: f64,
    pub(crate) read_ops: f64,
    pub(crate) redo_bytes: f64,
    pub(crate) pages_read: f64,
    pub(crate) pages_written: f64,
    /// Groups of commits in the binary log.
    pub(crate) groups: f64,
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mib = self.write_bytes / 1_048_576.0;
        write!(
            f,
            "{:6.0} rows, {mib:6.1} MiB in {:5.0} writes, {:5.0} reads, ",
            self.rows, self.write_ops, self.read_ops
        )?;
        write!(f, "redo {:7.0} B/row, ", self.redo_bytes / self.rows.max(1.0))?;
        write!(
            f,
            "{:5.2} pages read and {:5.2} written a row, ",
            self.pages_read / self.rows.max(1.0),
            self.pages_written / self.rows.max(1.0)
        )?;
        write!(f, "{:4.0} groups", self.groups)
    }
}

impl Figures {
    /// From a Timeline, of the time between two instants.
    pub(crate) fn of(timeline: &Timeline, from: Nanos, until: Nanos) -> Self {
        let window = timeline.window(from, until);
        let mut all: BTreeMap<&str, f64> = BTreeMap::new();
        let seconds = (until - from).as_secs_f64();
        for series in &window.series {
            let SeriesPoints::Values(merge, points) = &series.points else { continue };
            let sum: f64 = match merge {
                MergeRule::Sum => points.iter().map(|point| point.value).sum(),
                _ => points.iter().map(|point| point.value * (point.until - point.from).as_secs_f64()).sum(),
            };
            *all.entry(&series.name).or_default() += sum / seconds;
        }
        let take = |name: &str| all.get(name).copied().unwrap_or(0.0);
        Self {
            rows: take("rows_added_per_second"),
            write_bytes: take("write_bytes"),
            write_ops: take("write_ops"),
            read_ops: take("read_ops"),
            redo_bytes: take("redo_bytes"),
            pages_read: take("pages_read"),
            pages_written: take("pages_written"),
            groups: take("binlog_group_commits"),
        }
    }
}

fn path(name: &str) -> PathBuf {
    Path::new("benches/innodb/kept").join(format!("{name}.json"))
}

/// What is kept of a row.
pub(crate) fn read(name: &str) -> Result<Option<Figures>, String> {
    let path = path(name);
    match std::fs::read_to_string(&path) {
        Ok(text) => serde_json::from_str(&text).map(Some).map_err(|error| format!("{}: {error}", path.display())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(format!("{}: {error}", path.display())),
    }
}

/// Keeps what was measured of a row.
pub(crate) fn write(name: &str, figures: &Figures) -> Result<(), String> {
    let text = serde_json::to_string_pretty(figures).map_err(|error| error.to_string())? + "\n";
    textfile::write_atomically(path(name), text.as_bytes()).map_err(|error| error.to_string())
}

/// Measures a row: the program starts a server on mounted disks, which wants root.
pub(crate) fn measure(grid: &Grid, row: &Row, program: &Path) -> Result<Figures, String> {
    let folder = tempfile::tempdir().map_err(|error| format!("a temporary folder: {error}"))?;
    let failed = |error: std::io::Error| format!("{}: {error}", folder.path().display());
    let [deployment, workload, out] =
        ["deployment.toml", "workload.toml", "out.csv"].map(|name| folder.path().join(name));
    std::fs::write(&deployment, grid.deployment(row)).map_err(failed)?;
    std::fs::write(&workload, grid.workload(row)).map_err(failed)?;
    let mut command = Command::new(program);
    command.arg("bench").arg(&workload).args(["--launch", "mariadb", "--on"]).arg(&deployment);
    command.args(["--credits", "0%", "--scratch", "/dev/shm/diskwright-validate-innodb", "--out"]).arg(&out);
    for (key, span) in [("--warm-up", grid.warm_up), ("--least", grid.measure), ("--most", grid.measure)] {
        command.arg(key).arg(format!("{}s", span.as_secs_f64()));
    }
    for set in grid.set(row) {
        command.args(["--set", set]);
    }
    let status = command.status().map_err(|error| format!("{}: {error}", program.display()))?;
    if !status.success() {
        return Err(format!("row {}: {} ended with {status}", row.name, program.display()));
    }
    let timeline = Timeline::read(&out).map_err(|error| error.to_string())?;
    drop(folder);
    let told = timeline.select("operations_per_second", &[]).next().and_then(|series| series.points().last());
    let until = told.ok_or_else(|| format!("row {}: nothing was measured", row.name))?.until;
    Ok(Figures::of(&timeline, until - grid.measure, until))
}
