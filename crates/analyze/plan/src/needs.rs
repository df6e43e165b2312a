//! What a workload asks of each disk and of the instance, planning ceilings included.

use disk::{BeyondLimit, VolumeNeed, VolumeProvision};
use engine::{ClusterMachines, OperationDemand};
use units::{Bytes, BytesPerSec, Iops, Usd};

use crate::constraint::{LayoutConstraint, LayoutShortfall};
use crate::market::{InstanceOffer, LocalFlash, VolumeOffer};
use crate::problem::Problem;

/// The price of all nodes' disks.
pub(crate) fn disks(nodes: u32, data: Usd, stripe: u32, log: Usd) -> Usd {
    (data * f64::from(stripe) + log) * f64::from(nodes)
}

/// What each volume of a stripe must carry.
///
/// # Errors
/// When the type promises less than the targets ask.
pub(crate) fn data_need(
    problem: &Problem<'_>,
    demand: &OperationDemand,
    offer: &VolumeOffer,
    stripe: u32,
    shared_log: bool,
) -> Result<VolumeNeed, LayoutShortfall> {
    promised(problem, offer, stripe)?;
    let io = if shared_log { demand.data.plus(&demand.log) } else { demand.data };
    let (ceilings, n, rate) = (&problem.ceilings, f64::from(stripe), problem.rate());
    Ok(VolumeNeed {
        size: whole(data_bytes(problem, demand, shared_log) / n),
        iops: Iops(io.counted(offer.kind.io_unit.as_f64()) * rate / ceilings.volume_iops / n),
        throughput: BytesPerSec(io.bytes() * rate / ceilings.volume_throughput / n),
    })
}

/// The size that a node's data disk must have.
fn data_bytes(problem: &Problem<'_>, demand: &OperationDemand, shared_log: bool) -> f64 {
    let log = if shared_log { demand.log_stored.as_f64() } else { 0.0 };
    let wished = problem.task.targets.capacity.unwrap_or_default().as_f64();
    ((demand.stored.as_f64() + log) / problem.ceilings.capacity).max(wished)
}

/// What the log's own volume must carry.
///
/// # Errors
/// When the type promises less than the targets ask.
pub(crate) fn log_need(
    problem: &Problem<'_>,
    demand: &OperationDemand,
    offer: &VolumeOffer,
) -> Result<VolumeNeed, LayoutShortfall> {
    promised(problem, offer, 1)?;
    let (ceilings, rate) = (&problem.ceilings, problem.rate());
    Ok(VolumeNeed {
        size: whole((demand.log_stored.as_f64() / ceilings.capacity).max(problem.space.log_size.as_f64())),
        iops: Iops(demand.log.counted(offer.kind.io_unit.as_f64()) * rate / ceilings.volume_iops),
        throughput: BytesPerSec(demand.log.bytes() * rate / ceilings.volume_throughput),
    })
}

/// The least whole number of bytes that is no less.
fn whole(bytes: f64) -> Bytes {
    Bytes(bytes.ceil() as u64)
}

fn promised(problem: &Problem<'_>, offer: &VolumeOffer, stripe: u32) -> Result<(), LayoutShortfall> {
    let broken = offer.broken_promise(stripe, &problem.task.targets);
    broken.map_or(Ok(()), |(constraint, asked, available)| Err(LayoutShortfall { constraint, asked, available }))
}

/// Whether the nodes are as large as the engine's makers advise.
pub(crate) fn large_enough(problem: &Problem<'_>, cluster: &ClusterMachines) -> Result<(), LayoutShortfall> {
    let Some(least) = problem.space.of(problem.task.engine).least_node() else { return Ok(()) };
    let enough = |constraint, asked: f64, available: f64| {
        if available < asked { Err(LayoutShortfall { constraint, asked, available }) } else { Ok(()) }
    };
    enough(LayoutConstraint::Threads, f64::from(least.vcpu), f64::from(cluster.vcpu))?;
    enough(LayoutConstraint::NodeMemory, least.memory.as_f64(), cluster.memory.as_f64())
}

/// Whether the nodes cache as much as those on which a load was measured: its reads are what those caches missed.
pub(crate) fn remembers(problem: &Problem<'_>, cluster: &ClusterMachines) -> Result<(), LayoutShortfall> {
    let Some((nodes, memory)) = problem.task.measured.and_then(|m| Some((m.nodes, m.memory?))) else { return Ok(()) };
    let (asked, available) = (nodes * memory.as_f64(), f64::from(cluster.nodes) * cluster.memory.as_f64());
    if available < asked {
        Err(LayoutShortfall { constraint: LayoutConstraint::Memory, asked, available })
    } else {
        Ok(())
    }
}

/// A limit of one volume as a shortfall of the disk.
pub(crate) fn beyond(beyond: BeyondLimit, stripe: u32, of_log: bool) -> LayoutShortfall {
    let n = f64::from(stripe);
    let constraint = LayoutConstraint::of_volume(beyond.limit, of_log).expect("a volume is sized by its own limits");
    LayoutShortfall { constraint, asked: beyond.asked * n, available: beyond.most * n }
}

/// Whether the instance lets the network disks' load through. `units` are the bytes that count as one I/O of the data disk
/// (`None` on flash) and of the log's own disk (`None` if it is shared).
pub(crate) fn through_instance(
    problem: &Problem<'_>,
    instance: &InstanceOffer,
    demand: &OperationDemand,
    units: (Option<f64>, Option<f64>),
) -> Result<(), LayoutShortfall> {
    let Some(caps) = instance.kind.caps else { return Ok(()) };
    let data = if units.1.is_some() { demand.data } else { demand.data.plus(&demand.log) };
    let (mut iops, mut bytes) = units.0.map_or((0.0, 0.0), |unit| (data.counted(unit), data.bytes()));
    if let Some(unit) = units.1 {
        iops += demand.log.counted(unit);
        bytes += demand.log.bytes();
    }
    let short = |constraint, asked: f64, available: f64| {
        if asked > available { Err(LayoutShortfall { constraint, asked, available }) } else { Ok(()) }
    };
    let (Iops(most_iops), BytesPerSec(most_bytes)) = (caps.iops, caps.throughput);
    let rate = problem.rate();
    short(LayoutConstraint::InstanceIops, iops * rate / problem.ceilings.instance_iops, most_iops)?;
    short(LayoutConstraint::InstanceThroughput, bytes * rate / problem.ceilings.instance_throughput, most_bytes)
}

/// Whether the instance's flash carries the data, and the log if it is there too.
pub(crate) fn on_flash(
    problem: &Problem<'_>,
    flash: &LocalFlash,
    demand: &OperationDemand,
    shared_log: bool,
) -> Result<(), LayoutShortfall> {
    // Nothing is promised of flash: what was on it is lost with the instance.
    let targets = &problem.task.targets;
    let promises =
        [(targets.durability, LayoutConstraint::Durability), (targets.consistency, LayoutConstraint::Consistency)];
    if let Some((Some(asked), constraint)) = promises.into_iter().find(|(asked, _)| asked.is_some_and(|a| a.0 > 0.0)) {
        return Err(LayoutShortfall { constraint, asked: asked.0, available: 0.0 });
    }
    let io = if shared_log { demand.data.plus(&demand.log) } else { demand.data };
    let (ceilings, rate) = (&problem.ceilings, problem.rate());
    let (iops, throughput) = flash.rates_for(&io);
    let asked = [
        (LayoutConstraint::DataSize, data_bytes(problem, demand, shared_log), flash.size.as_f64()),
        (LayoutConstraint::DataIops, io.counted(flash.io_unit.as_f64()) * rate / ceilings.volume_iops, iops.0),
        (LayoutConstraint::DataThroughput, io.bytes() * rate / ceilings.volume_throughput, throughput.0),
    ];
    let short = asked.into_iter().find(|(_, asked, available)| asked > available);
    short.map_or(Ok(()), |(constraint, asked, available)| Err(LayoutShortfall { constraint, asked, available }))
}

/// The least volume of a stripe of a type, given at most `most_iops` I/Os a second.
///
/// # Errors
/// What no volume of the type reaches or promises.
pub(crate) fn least_data(
    problem: &Problem<'_>,
    demand: &OperationDemand,
    kind: usize,
    stripe: u32,
    shared_log: bool,
    most_iops: Option<u64>,
) -> Result<VolumeProvision, LayoutShortfall> {
    let offer = &problem.market.volumes[kind];
    let need = data_need(problem, demand, offer, stripe, shared_log)?;
    offer.least(need, most_iops).map_err(|b| beyond(b, stripe, false))
}

/// The least volume of a type for a log of its own, as [`least_data`].
///
/// # Errors
/// What no volume of the type reaches or promises.
pub(crate) fn least_log(
    problem: &Problem<'_>,
    demand: &OperationDemand,
    kind: usize,
    most_iops: Option<u64>,
) -> Result<VolumeProvision, LayoutShortfall> {
    let offer = &problem.market.volumes[kind];
    offer.least(log_need(problem, demand, offer)?, most_iops).map_err(|b| beyond(b, 1, true))
}
