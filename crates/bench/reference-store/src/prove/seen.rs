//! What a Timeline tells of a run's disks; measured and simulated runs have the same series.

use timeline::{Series, Timeline};
use units::{BytesPerSec, Nanos};

use crate::prove::figures::{DiskFigures, DiskRole};
use crate::prove::model::DiskShares;

/// A run's Timeline, and what of it was measured.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seen<'t> {
    pub(crate) timeline: &'t Timeline,
    pub(crate) from: Nanos,
    pub(crate) until: Nanos,
    /// What the log's own disk is called there.
    pub(crate) log: &'static str,
}

impl<'t> Seen<'t> {
    pub(crate) fn seconds(&self) -> f64 {
        (self.until - self.from).as_secs_f64().max(f64::MIN_POSITIVE)
    }

    /// The series of a name, each with what it amounts to.
    fn values(self, name: &'t str) -> impl Iterator<Item = (&'t Series, f64)> {
        let series = self.timeline.series.iter().filter(move |series| series.name == name);
        series.filter_map(move |series| Some((series, series.value(self.from, self.until)?)))
    }

    /// Those of the disks of a role.
    pub(crate) fn of_disks(self, name: &'t str, role: DiskRole) -> impl Iterator<Item = (&'t Series, f64)> {
        let disk = match role {
            DiskRole::Data => "data",
            DiskRole::Log => self.log,
        };
        self.values(name).filter(move |(series, _)| series.labels.get("disk").map(String::as_str) == Some(disk))
    }

    /// Those disks in the mean of so many nodes; shares are what they deliver of their limits.
    pub(crate) fn disk(self, role: DiskRole, nodes: f64, shares: &DiskShares) -> DiskFigures {
        let of = |name| -> f64 { self.of_disks(name, role).map(|(_, value)| value).sum() };
        let per_node = |name| BytesPerSec(of(name) / self.seconds() / nodes);
        let used = |name| of(name) / nodes / 100.0 / shares.of(role);
        DiskFigures {
            role,
            iops: used("iops_utilisation"),
            throughput: used("throughput_utilisation"),
            read: per_node("read_bytes"),
            written: per_node("write_bytes"),
        }
    }

    /// Blocks of an operation that the block cache lacked.
    pub(crate) fn cache_misses(self, operations: f64) -> Option<f64> {
        let missed: f64 = self.values("block_cache_misses").map(|(_, value)| value).sum();
        (operations > 0.0).then(|| missed / operations)
    }
}
