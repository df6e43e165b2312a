//! The slow way: every layout, every setting, every whole GiB, I/O and MiB/s.

use std::collections::BTreeMap;

use catalog::{IopsRule, ThroughputRule};
use deployment::EngineSettings;
use disk::IoDirection;
use engine::{ClusterMachines, DiskCapacity, NodeCapacity, OperationDemand};
use plan::{
    EngineModel, InstanceOffer, LocalFlash, MONTH_HOURS, Market, PlanningCeilings, SearchSpace, SurvivalRule,
    VolumeOffer, VolumeProvision,
};
use units::{Bytes, BytesPerSec};
use workload::Task;

/// Instance, nodes, data disk type, log disk type.
pub(crate) type Place = (String, u32, String, Option<String>);

pub(crate) struct Brute<'a> {
    pub(crate) model: &'a dyn EngineModel,
    pub(crate) market: &'a Market,
    pub(crate) space: &'a SearchSpace,
    pub(crate) ceilings: PlanningCeilings,
    pub(crate) task: &'a Task,
}

/// What a disk of some kind and stripe may be: its capacity and its price, for each provisioning that exists.
type Choice = (DiskCapacity, f64, f64);

impl Brute<'_> {
    /// The cheapest price of every place in the ranking that can meet the targets.
    pub(crate) fn places(&self) -> BTreeMap<Place, f64> {
        let rule = SurvivalRule::of(self.task.engine, self.task.targets.availability);
        let mut best = BTreeMap::new();
        for instance in &self.market.instances {
            for nodes in self.space.nodes[0]..=self.space.nodes[1] {
                if nodes % rule.zones != 0 || nodes < rule.replicas {
                    continue;
                }
                let (vcpu, memory) = (instance.kind.vcpu, instance.kind.memory);
                let cluster = ClusterMachines { nodes, vcpu, memory, zones: rule.zones };
                for settings in self.space.settings(self.task, rule, memory) {
                    for cache in [None, instance.flash.as_ref()] {
                        let demand = self.demand(&cluster, &settings, cache);
                        self.try_disks(instance, &cluster, &demand, rule.local_flash && cache.is_none(), &mut best);
                    }
                }
            }
        }
        best
    }

    fn demand(
        &self,
        cluster: &ClusterMachines,
        settings: &EngineSettings,
        cache: Option<&LocalFlash>,
    ) -> OperationDemand {
        let prepared = self.model.prepare(self.task);
        let plain = prepared.demand(cluster, settings);
        let Some(flash) = cache else { return plain };
        let memory = Bytes(cluster.memory.0 + flash.size.0);
        let mut cached = prepared.demand(&ClusterMachines { memory, ..*cluster }, settings);
        let median = flash.service.median(IoDirection::Read, Bytes(cached.path.read_size as u64), 0.0);
        cached.path.delay += (plain.path.reads - cached.path.reads) * flash.service.mean(median);
        cached
    }

    fn try_disks(
        &self,
        instance: &InstanceOffer,
        cluster: &ClusterMachines,
        demand: &OperationDemand,
        local: bool,
        best: &mut BTreeMap<Place, f64>,
    ) {
        let mut disks: Vec<(String, u32, Vec<Choice>)> = Vec::new();
        for offer in &self.market.volumes {
            for stripe in 1..=self.space.stripes {
                disks.push((offer.kind.name.clone(), stripe, self.choices(offer, stripe, instance)));
            }
        }
        let promised = self.task.targets.durability.or(self.task.targets.consistency).is_some();
        if let Some(flash) = instance.flash.filter(|_| local && !promised) {
            let capacity = DiskCapacity {
                iops: flash.iops,
                throughput: flash.throughput,
                io_unit: flash.io_unit.as_f64(),
                service: flash.service,
                shares_instance_caps: false,
            };
            disks.push(("nvme".into(), 1, vec![(capacity, flash.size.as_f64(), 0.0)]));
        }
        let transfer = demand.cross_zone * self.task.targets.throughput * MONTH_HOURS * 3600.0 / 1e9
            * self.market.transfer.unwrap().0;
        let nodes = f64::from(cluster.nodes);
        let compute = instance.hourly.0 * MONTH_HOURS * nodes;
        for (kind, stripe, choices) in &disks {
            let logs = self.market.volumes.iter().map(|v| Some((v, self.choices(v, 1, instance))));
            for log in std::iter::once(None).chain(logs) {
                let place = (
                    instance.kind.name.clone(),
                    cluster.nodes,
                    kind.clone(),
                    log.as_ref().map(|(v, _)| v.kind.name.clone()),
                );
                let attached =
                    if kind == "nvme" { 0 } else { *stripe } + u32::from(log.is_some()) + self.space.root_volumes;
                if instance.kind.max_volumes.is_some_and(|most| attached > most) {
                    continue;
                }
                let none = vec![];
                let of_log = log.as_ref().map_or(&none, |(_, c)| c);
                let found = self.cheapest(demand, instance, choices, log.is_some().then_some(of_log));
                if let Some(disk_usd) = found {
                    let usd = compute + disk_usd * nodes + transfer;
                    let known = best.entry(place).or_insert(f64::INFINITY);
                    *known = known.min(usd);
                }
            }
        }
    }

    /// All provisionings of a stripe that keep the promises: capacity, bytes, price.
    fn choices(&self, offer: &VolumeOffer, stripe: u32, instance: &InstanceOffer) -> Vec<Choice> {
        let n = f64::from(stripe);
        let promise = |asked: Option<units::Ratio>, given: f64| asked.is_none_or(|a| given.powf(n) >= a.0 - 1e-12);
        let durable = promise(self.task.targets.durability, offer.kind.durability.unwrap().0);
        if !durable || !promise(self.task.targets.consistency, offer.kind.consistency.unwrap().of_the_time) {
            return vec![];
        }
        let most = self.space.nitro_only.iter().find(|r| r.kind == offer.kind.name && !instance.kind.nitro);
        let mut choices = Vec::new();
        for p in all_provisions(offer, most.map_or(u64::MAX, |r| r.over)) {
            let capacity = DiskCapacity {
                iops: offer.iops(p) * n,
                throughput: offer.throughput(p) * n,
                io_unit: offer.kind.io_unit.as_f64(),
                service: offer.service,
                shares_instance_caps: true,
            };
            choices.push((capacity, Bytes::gib(p.gib).as_f64() * n, offer.monthly(p).0 * n));
        }
        choices
    }

    /// The least price of a node's disks over all pairs of provisionings.
    fn cheapest(
        &self,
        demand: &OperationDemand,
        instance: &InstanceOffer,
        data: &[Choice],
        log: Option<&Vec<Choice>>,
    ) -> Option<f64> {
        let rate = self.task.targets.throughput * (1.0 + self.task.targets.growth);
        let cores = instance.cores;
        if demand.cpu * rate > self.ceilings.cpu * cores * (1.0 + 1e-12) {
            return None;
        }
        let on_data = if log.is_some() { demand.data } else { demand.data.plus(&demand.log) };
        let stored = demand.stored.as_f64() + if log.is_some() { 0.0 } else { demand.log_stored.as_f64() };
        let wished = self.task.targets.capacity.unwrap_or_default().as_f64();
        let mut data = data.to_vec();
        if let Some(flash) = instance.flash.filter(|_| data.iter().any(|d| !d.0.shares_instance_caps)) {
            // Writes to flash are dear: the same as a slower flash to which they are not.
            let (reads, writes) =
                (on_data.reads.max(on_data.read_bytes / 4096.0), on_data.writes.max(on_data.write_bytes / 4096.0));
            let (read, written) = (on_data.read_bytes, on_data.write_bytes);
            data[0].0.iops.0 = flash.iops.0 * (reads + writes) / (reads + 2.0 * writes);
            data[0].0.throughput.0 = flash.throughput.0 * (read + written) / (read + 1.5 * written);
        }
        let data = self.fitting(&data, &on_data, rate, (stored / self.ceilings.capacity).max(wished));
        let log_bytes = (demand.log_stored.as_f64() / self.ceilings.capacity).max(self.space.log_size.as_f64());
        let log: Vec<Option<(DiskCapacity, f64)>> = match log {
            None => vec![None],
            Some(choices) => self.fitting(choices, &demand.log, rate, log_bytes).into_iter().map(Some).collect(),
        };
        let mut best: Option<f64> = None;
        for (disk, usd) in &data {
            for own in &log {
                let caps = instance.kind.caps.unwrap();
                let mut through = (0.0, 0.0);
                if disk.shares_instance_caps {
                    through = (on_data.counted(disk.io_unit), on_data.bytes());
                }
                if let Some((own, _)) = own {
                    through.0 += demand.log.counted(own.io_unit);
                    through.1 += demand.log.bytes();
                }
                if through.0 * rate / self.ceilings.instance_iops > caps.iops.0
                    || through.1 * rate / self.ceilings.instance_throughput > caps.throughput.0
                {
                    continue;
                }
                let capacity = NodeCapacity {
                    data: *disk,
                    log: own.map(|(c, _)| c),
                    instance: Some((caps.iops, caps.throughput)),
                    cores,
                };
                let latency = self.model.latency(demand, &capacity, rate);
                let cycle = self.task.clients.map(|c| c / self.task.targets.throughput - demand.path.think);
                let late = self.task.targets.p99.is_some_and(|p99| latency.p99 > p99)
                    || cycle.is_some_and(|c| latency.mean.as_secs_f64() > c);
                if !late {
                    let usd = usd + own.map_or(0.0, |(_, usd)| usd);
                    best = Some(best.map_or(usd, |b| b.min(usd)));
                }
            }
        }
        best
    }

    /// The choices under the ceilings. Of those with the same throughput, which the engine cannot tell apart, the cheapest.
    fn fitting(&self, all: &[Choice], io: &engine::IoDemand, rate: f64, bytes: f64) -> Vec<(DiskCapacity, f64)> {
        let mut by_throughput: BTreeMap<u64, (DiskCapacity, f64)> = BTreeMap::new();
        for (disk, size, usd) in all {
            let BytesPerSec(throughput) = disk.throughput;
            let slack = 1.0 + 1e-12;
            let fits = *size * slack >= bytes
                && io.counted(disk.io_unit) * rate / self.ceilings.volume_iops <= disk.iops.0 * slack
                && io.bytes() * rate / self.ceilings.volume_throughput <= throughput * slack;
            if fits {
                let known = by_throughput.entry(throughput.to_bits()).or_insert((*disk, *usd));
                known.1 = known.1.min(*usd);
            }
        }
        by_throughput.into_values().collect()
    }
}

/// Every volume of a type that can be bought.
fn all_provisions(offer: &VolumeOffer, most_iops: u64) -> Vec<VolumeProvision> {
    let gib = |b: Bytes| b.0 >> 30;
    let iops = match offer.kind.iops {
        IopsRule::Provisioned { min, max, .. } => min.0 as u64..=(max.0 as u64).min(most_iops),
        _ => 0..=0,
    };
    let mib_s = match &offer.kind.throughput {
        ThroughputRule::Provisioned { min, max, .. } => min.as_mib().floor() as u64..=max.as_mib() as u64,
        _ => 0..=0,
    };
    let mut all = Vec::new();
    for size in gib(offer.kind.size.0)..=gib(offer.kind.size.1) {
        let fixed = &offer.price.fixed_sizes;
        if !fixed.is_empty() && !fixed.iter().any(|(s, _)| gib(*s) == size) {
            continue;
        }
        for iops in iops.clone() {
            for mib_s in mib_s.clone() {
                let p = VolumeProvision { gib: size, iops, mib_s };
                let sized = match offer.kind.iops {
                    IopsRule::Provisioned { min, max_per_gib: Some(per), .. } => {
                        iops as f64 <= (per * size as f64).max(min.0)
                    }
                    _ => true,
                };
                let coupled = match offer.kind.throughput {
                    ThroughputRule::Provisioned { min, max_per_iops, .. } => {
                        offer.throughput(p).0 <= (max_per_iops.as_f64() * iops as f64).max(min.0)
                    }
                    _ => true,
                };
                if sized && coupled {
                    all.push(p);
                }
            }
        }
    }
    all
}
