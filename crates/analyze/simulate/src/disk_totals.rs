//! What all disks of a node have done, summed.

use limits::BindingLimit;
use metrics::NodeSample;

/// Counters of a node's disks at an instant.
#[derive(Debug, Clone, Default)]
pub(crate) struct DiskTotals {
    /// Of each disk, by limit, in seconds.
    bound: Vec<[f64; BindingLimit::OF_REQUESTS.len()]>,
    pub(crate) ios: f64,
    pub(crate) bytes: f64,
}

impl DiskTotals {
    pub(crate) fn of(sample: &NodeSample) -> Self {
        let disks = &sample.disks;
        Self {
            bound: disks
                .iter()
                .map(|disk| BindingLimit::OF_REQUESTS.map(|limit| disk.bound.get(limit).as_secs_f64()))
                .collect(),
            ios: disks.iter().map(|disk| (disk.read.count + disk.write.count) as f64).sum(),
            bytes: disks.iter().map(|disk| disk.read.bytes.as_f64() + disk.write.bytes.as_f64()).sum(),
        }
    }

    /// For which share of the seconds since `was` each limit bound each disk, and how that is called.
    pub(crate) fn bound_since<'a>(
        &'a self,
        was: &'a Self,
        sample: &'a NodeSample,
        seconds: f64,
    ) -> impl Iterator<Item = (BindingLimit, String, f64)> + 'a {
        sample.disks.iter().zip(was.bound.iter().zip(&self.bound)).flat_map(move |(disk, (was, is))| {
            let each = BindingLimit::OF_REQUESTS.into_iter().zip(was.iter().zip(is));
            each.map(move |(limit, (was, is))| (limit, format!("{} disk: {limit}", disk.name), (is - was) / seconds))
        })
    }
}
