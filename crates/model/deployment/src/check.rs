//! Which limits a deployment is asked more of than they deliver.

use catalog::{CatalogError, CatalogView};
use disk::DiskLimits;
use limits::BindingLimit;
use units::BytesPerSec;
use workload::IoRates;

use crate::{CheckReport, Deployment, DeploymentError, LimitLine, NodeDemand, NodeGroup, burst};

/// Holds what each storage node is asked for against every limit of its volumes and its instance.
///
/// Buckets of credits are taken to be full at the start.
///
/// # Errors
/// When the deployment is not valid, or the catalogue lacks a limit.
pub fn check(deployment: &Deployment, view: &CatalogView, asks: &NodeDemand) -> Result<CheckReport, DeploymentError> {
    deployment.validate(view)?;
    let mut lines = Vec::new();
    for (i, group) in deployment.storage() {
        Node::new(view, i, group, asks)?.lines(asks, &mut lines);
    }
    Ok(CheckReport::new(lines))
}

/// I/O as limits count it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Load {
    /// I/Os a second.
    ops: f64,
    /// Bytes a second.
    bytes: f64,
}

impl Load {
    /// A request counts as one I/O for each unit begun; all of a direction are taken to be of its mean size.
    /// On local flash a write counts as the reads whose place it takes.
    fn counted(rates: &IoRates, limits: &DiskLimits) -> Self {
        let ops = |requests: f64, bytes: f64| {
            if requests > 0.0 { requests * (bytes / requests / limits.io_unit.as_f64()).ceil().max(1.0) } else { 0.0 }
        };
        Self {
            ops: ops(rates.reads, rates.read_bytes) + ops(rates.writes, rates.write_bytes) * limits.write_iops_cost,
            bytes: rates.read_bytes + rates.write_bytes * limits.write_bytes_cost,
        }
    }

    fn plus(self, other: Self) -> Self {
        Self { ops: self.ops + other.ops, bytes: self.bytes + other.bytes }
    }
}

/// A disk of a node, and what is asked of it.
struct Mounted {
    limits: DiskLimits,
    stripe: u32,
    load: Load,
}

/// A storage node, and what is asked of it.
struct Node<'a> {
    instance: &'a str,
    /// Cores in threads of an m5, in which the engines tell what they ask.
    cores: f64,
    data: Mounted,
    log: Option<Mounted>,
    /// The instance's limits; `None` if it has no network volume.
    caps: Option<catalog::InstanceCaps>,
}

impl<'a> Node<'a> {
    fn new(view: &CatalogView, i: usize, group: &'a NodeGroup, asks: &NodeDemand) -> Result<Self, DeploymentError> {
        let error = |key: &str, fault: crate::DeploymentFault| DeploymentError::new(format!("nodes.{i}.{key}"), fault);
        let instance = view.instance(&group.instance).map_err(|e| error("instance", e.into()))?;
        let mount = |key: &str, disk: &disk::Disk, streams: &[&IoRates]| {
            let limits = disk.limits(view, Some(instance)).map_err(|e| error(key, e.into()))?;
            let load = streams.iter().map(|rates| Load::counted(rates, &limits)).fold(Load::default(), Load::plus);
            Ok(Mounted { limits, stripe: disk.stripe, load })
        };
        let data = group.data.as_ref().ok_or_else(|| error("data", crate::DeploymentFault::NoDataDisk))?;
        let (data, log) = match &group.log {
            Some(log) => (mount("data", data, &[&asks.data])?, Some(mount("log", log, &[&asks.log])?)),
            None => (mount("data", data, &[&asks.data, &asks.log])?, None),
        };
        let threads = instance.sustained_threads().map_err(|missing| error("instance", missing.into()))?;
        let networked = data.limits.shares_instance_caps || log.as_ref().is_some_and(|l| l.limits.shares_instance_caps);
        let missing = || CatalogError::Missing {
            fact: "limits to network volumes",
            subject: group.instance.clone(),
            when: view.date().map_or_else(String::new, |date| format!(" on {date}")),
        };
        let caps =
            if networked { Some(instance.caps.ok_or_else(|| error("instance", missing().into()))?) } else { None };
        Ok(Self { instance: &group.instance, cores: threads * instance.thread_speed(), data, log, caps })
    }

    fn lines(&self, asks: &NodeDemand, lines: &mut Vec<LimitLine>) {
        let mut line = |limit, (asked, delivered): (f64, f64), unit, burst_seconds| {
            // What a disk does without limit cannot run out.
            if !f64::is_finite(delivered) {
                return;
            }
            let utilisation = if asked > 0.0 { asked / delivered } else { 0.0 };
            let instance = self.instance.to_owned();
            lines.push(LimitLine { limit, instance, asked, delivered, unit, utilisation, burst_seconds });
        };
        let mib = |rate: f64| BytesPerSec(rate).as_mib();
        let mb = |rate: f64| BytesPerSec(rate).as_mb();

        let disks = [
            (Some(&self.data), BindingLimit::VolumeIops, BindingLimit::VolumeThroughput),
            (self.log.as_ref(), BindingLimit::LogVolumeIops, BindingLimit::LogVolumeThroughput),
        ];
        for (disk, iops, throughput) in disks {
            let Some(Mounted { limits, stripe, load }) = disk else { continue };
            line(iops, (load.ops, limits.iops.0), "IOPS", burst::volume_iops(limits, *stripe, load.ops));
            let sustained = burst::sustained_throughput(limits, load.ops);
            let seconds = burst::volume_throughput(limits, *stripe, load.bytes, load.ops);
            line(throughput, (mib(load.bytes), sustained.as_mib()), "MiB/s", seconds);
        }
        if let Some(caps) = &self.caps {
            let load = [Some(&self.data), self.log.as_ref()]
                .into_iter()
                .flatten()
                .filter(|disk| disk.limits.shares_instance_caps)
                .fold(Load::default(), |sum, disk| sum.plus(disk.load));
            let full = caps.burst_time.as_secs_f64();
            let seconds = burst::timed(load.ops, caps.iops.0, caps.burst_iops.0, full);
            line(BindingLimit::InstanceIops, (load.ops, caps.iops.0), "IOPS", seconds);
            let seconds = burst::timed(load.bytes, caps.throughput.0, caps.burst_throughput.0, full);
            line(BindingLimit::InstanceThroughput, (mb(load.bytes), mb(caps.throughput.0)), "MB/s", seconds);
        }
        if let Some(stored) = asks.stored {
            line(BindingLimit::Capacity, (stored.as_gib(), self.data.limits.size.as_gib()), "GiB", None);
        }
        if let Some(cores) = asks.cores {
            line(BindingLimit::Cpu, (cores, self.cores), "cores", None);
        }
    }
}

#[cfg(test)]
mod tests {
    use catalog::{
        BurstBucket, Cloud, Date, InstanceCaps, IopsRule, Provenance, SizeBand, ThroughputRule, VolumeMedium,
        VolumeType,
    };
    use units::{Bytes, Iops, Nanos};

    use super::*;

    fn volume_type(name: &str, iops: IopsRule, throughput: ThroughputRule, burst: Option<BurstBucket>) -> VolumeType {
        VolumeType {
            name: name.to_owned(),
            cloud: Cloud::Aws,
            service: None,
            medium: VolumeMedium::Ssd,
            size: (Bytes::gib(1), Bytes::gib(16_384)),
            iops,
            throughput,
            burst,
            io_unit: Bytes::kib(256),
            durability: None,
            consistency: None,
            provenance: Provenance { source: "test", as_of: Date::constant(2023, 5, 31) },
        }
    }

    fn limits(text: &str) -> DiskLimits {
        let volume = text.parse::<disk::Disk>().unwrap().volume;
        let provisioned = ThroughputRule::Provisioned {
            min: BytesPerSec::mib(125.0),
            max: BytesPerSec::mib(1000.0),
            max_per_iops: Bytes::kib(256),
        };
        let band = |from, max| SizeBand {
            from: Bytes::gib(from),
            base: BytesPerSec::mib(max),
            per_gib: BytesPerSec(0.0),
            max: BytesPerSec::mib(max),
            burst: BytesPerSec::mib(250.0),
        };
        let kind = match volume.kind.as_str() {
            "gp2" => volume_type(
                "gp2",
                IopsRule::BySize { base: 0.0, per_gib: 3.0, min: Iops(100.0), max: Iops(16_000.0) },
                ThroughputRule::BySize(vec![band(1, 128.0), band(334, 250.0)]),
                Some(BurstBucket::IoCredits { iops: Iops(3000.0), capacity: 5.4e6 }),
            ),
            _ => volume_type(
                "gp3",
                IopsRule::Provisioned { min: Iops(3000.0), max: Iops(16_000.0), max_per_gib: Some(500.0) },
                provisioned,
                None,
            ),
        };
        DiskLimits::of(&kind, &volume, None).unwrap()
    }

    fn mounted(disk: &str, rates: &IoRates) -> Mounted {
        let limits = limits(disk);
        let load = Load::counted(rates, &limits);
        Mounted { limits, stripe: 1, load }
    }

    /// An instance that sustains 6,000 IOPS and 156.25 MB/s, and bursts to 40,000 and 1,250.
    fn node(data: Mounted, log: Option<Mounted>) -> Node<'static> {
        let caps = InstanceCaps {
            iops: Iops(6000.0),
            throughput: BytesPerSec::mb(156.25),
            burst_iops: Iops(40_000.0),
            burst_throughput: BytesPerSec::mb(1250.0),
            burst_time: Nanos::from_secs_f64(1800.0),
        };
        Node { instance: "r7a.xlarge", cores: 4.0, data, log, caps: Some(caps) }
    }

    fn reads(requests: f64, size: Bytes) -> IoRates {
        IoRates { reads: requests, read_bytes: requests * size.as_f64(), ..IoRates::default() }
    }

    fn report(node: &Node<'_>, asks: NodeDemand) -> CheckReport {
        let mut lines = Vec::new();
        node.lines(&asks, &mut lines);
        CheckReport::new(lines)
    }

    fn find(report: &CheckReport, limit: BindingLimit) -> &LimitLine {
        report.lines.iter().find(|line| line.limit == limit).unwrap()
    }

    #[test]
    fn throughput_and_the_instance_fail_where_volume_iops_hold() {
        let node = node(mounted("gp3:100GiB,13600iops", &reads(13_400.0, Bytes::kib(16))), None);
        let report = report(&node, NodeDemand::default());
        let violated: Vec<_> = report.violations().map(|line| line.limit.name()).collect();
        assert_eq!(violated, ["volume-throughput", "instance-iops", "instance-throughput"]);
        assert_eq!(find(&report, BindingLimit::VolumeThroughput).asked, 13_400.0 * 16.0 / 1024.0);
        // 30 minutes of 34,000 I/Os a second beyond the sustained 6,000, spent on 7,400 beyond.
        let seconds = find(&report, BindingLimit::InstanceIops).burst_seconds.unwrap();
        assert!((seconds - 1800.0 * 34_000.0 / 7400.0).abs() < 1e-9);
        assert_eq!(report.carried_seconds(), None, "nothing carries the volume's throughput");
    }

    #[test]
    fn a_request_of_one_mebibyte_counts_four_times() {
        let gp3 = limits("gp3:100GiB");
        assert_eq!(Load::counted(&reads(100.0, Bytes::mib(1)), &gp3).ops, 400.0);
        assert_eq!(Load::counted(&reads(100.0, Bytes::kib(4)), &gp3).ops, 100.0);
        assert_eq!(Load::counted(&IoRates::default(), &gp3), Load::default());
    }

    #[test]
    fn gp2_carries_2500_iops_on_credits_and_then_no_more() {
        let node = node(mounted("gp2:400GiB", &reads(2500.0, Bytes::kib(16))), None);
        let report = report(&node, NodeDemand::default());
        assert!(!report.deliverable);
        assert_eq!(find(&report, BindingLimit::VolumeIops).burst_seconds, Some(5.4e6 / 1300.0));
        assert_eq!(report.carried_seconds(), Some(5.4e6 / 1300.0));
    }

    #[test]
    fn a_small_gp2_moves_its_burst_throughput_as_long_as_it_has_credits() {
        // 240 MiB/s in 960 requests of 256 KiB: 200 GiB earn 600 credits a second, 360 fewer than are spent.
        let large = reads(960.0, Bytes::kib(256));
        let report = report(&node(mounted("gp2:200GiB", &large), None), NodeDemand::default());
        let throughput = find(&report, BindingLimit::VolumeThroughput);
        assert_eq!((throughput.delivered, throughput.burst_seconds), (128.0, Some(5.4e6 / 360.0)));
        let node = node(mounted("gp2:330GiB", &large), None);
        let mut lines = Vec::new();
        node.lines(&NodeDemand::default(), &mut lines);
        assert!(
            !find(&CheckReport::new(lines), BindingLimit::VolumeThroughput).violated(),
            "990 credits a second outlast 960"
        );
    }

    #[test]
    fn the_instance_sums_both_network_disks() {
        let data = mounted("gp3:100GiB,6000iops,250MiB/s", &reads(4000.0, Bytes::kib(4)));
        let log = mounted("gp3:100GiB", &reads(2500.0, Bytes::kib(4)));
        let report = report(&node(data, Some(log)), NodeDemand::default());
        assert_eq!(find(&report, BindingLimit::LogVolumeIops).asked, 2500.0);
        assert_eq!(find(&report, BindingLimit::InstanceIops).asked, 6500.0);
    }

    #[test]
    fn local_flash_does_not_pass_through_the_instances_link() {
        let mut data = mounted("gp3:1000GiB,16000iops", &reads(15_000.0, Bytes::kib(4)));
        data.limits.shares_instance_caps = false;
        let log = mounted("gp3:100GiB", &reads(100.0, Bytes::kib(4)));
        let report = report(&node(data, Some(log)), NodeDemand::default());
        assert_eq!(find(&report, BindingLimit::InstanceIops).asked, 100.0);
        assert!(report.deliverable);
    }

    #[test]
    fn space_and_cores_are_checked_when_they_are_asked() {
        let idle = || mounted("gp3:100GiB", &IoRates::default());
        assert!(
            report(&node(idle(), None), NodeDemand::default()).lines.iter().all(|l| l.limit != BindingLimit::Capacity)
        );
        let asks = NodeDemand { stored: Some(Bytes::gib(90)), cores: Some(5.0), ..NodeDemand::default() };
        let report = report(&node(idle(), None), asks);
        assert_eq!(report.warnings().map(|line| line.limit).collect::<Vec<_>>(), [BindingLimit::Capacity]);
        assert_eq!(report.violations().map(|line| line.limit).collect::<Vec<_>>(), [BindingLimit::Cpu]);
    }
}
