//! AWS/EC2: what an instance sees of all its EBS volumes over one period.

use super::periods::Sample;
use super::table::{CloudWatchMetric, Metric};
use super::volume::mean_balance;
use crate::thresholds::THRESHOLDS;
use crate::{DiskSample, LimitShares};

/// The metric of the instance; `None` where CloudWatch would publish none, also if no EBS volume is attached.
pub(super) fn value(row: &CloudWatchMetric, period: &[Sample<'_>]) -> Option<f64> {
    let (first, last) = (period.first()?, period.last()?);
    let disks: Vec<(&DiskSample, &DiskSample)> = last
        .disks
        .iter()
        .filter(|disk| row.is_of(&disk.kind))
        .filter_map(|disk| Some((first.disk(&disk.name)?, disk)))
        .collect();
    if disks.is_empty() {
        return None;
    }
    let sum = |of: fn(&DiskSample) -> u64| {
        Some(disks.iter().map(|(before, after)| of(after).saturating_sub(of(before)) as f64).sum::<f64>())
    };
    // The counters are of each disk; as all share the cap, the one that waited longest stands for the instance.
    let exceeded = |of: fn(&LimitShares) -> f64| {
        let shares =
            disks.iter().map(|(before, after)| of(&LimitShares::of(&before.bound, &after.bound, last.at - first.at)));
        Some(f64::from(shares.fold(0.0, f64::max) >= THRESHOLDS.exceeded_share))
    };
    match row.metric {
        Metric::EBSReadOps => sum(|disk| disk.volume_read().count),
        Metric::EBSWriteOps => sum(|disk| disk.write.count),
        Metric::EBSReadBytes => sum(|disk| disk.volume_read().bytes.0),
        Metric::EBSWriteBytes => sum(|disk| disk.write.bytes.0),
        Metric::EBSIOBalance => mean_balance(period.iter().map(|sample| (sample.at, sample.instance_ios))),
        Metric::EBSByteBalance => mean_balance(period.iter().map(|sample| (sample.at, sample.instance_bytes))),
        Metric::InstanceEBSIOPSExceededCheck => exceeded(|bound| bound.instance_iops),
        Metric::InstanceEBSThroughputExceededCheck => exceeded(|bound| bound.instance_throughput),
        _ => None,
    }
}
