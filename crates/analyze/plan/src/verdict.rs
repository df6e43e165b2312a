//! What a deployment already chosen lacks under another workload.

use disk::{BeyondLimit, VolumeNeed, VolumeProvision};
use engine::{ClusterMachines, OperationDemand};
use limits::BindingLimit;

use crate::constraint::{LayoutConstraint, LayoutShortfall};
use crate::fit;
use crate::layout::{Candidate, Data, Log};
use crate::market::VolumeOffer;
use crate::needs;
use crate::problem::Problem;

/// Every target and planning ceiling that a candidate misses under the problem's workload.
pub(crate) fn missed(problem: &Problem<'_>, candidate: &Candidate, demand: &OperationDemand) -> Vec<LayoutShortfall> {
    let (market, layout) = (problem.market, candidate.layout);
    let instance = &market.instances[candidate.instance];
    let (vcpu, memory) = (instance.kind.vcpu, instance.kind.memory);
    let cluster = ClusterMachines { nodes: candidate.nodes, vcpu, memory, zones: problem.rule.zones };
    let mut all: Vec<LayoutShortfall> = Vec::new();
    all.extend(needs::remembers(problem, &cluster).err());
    let cores = demand.cpu * problem.rate() / problem.ceilings.cpu;
    if cores > instance.cores {
        all.push(LayoutShortfall { constraint: LayoutConstraint::Cpu, asked: cores, available: instance.cores });
    }
    all.extend(needs::through_instance(problem, instance, demand, fit::units(problem, layout)).err());
    let shared = layout.log == Log::Shared;
    match layout.data {
        Data::Flash => {
            all.extend(instance.flash.as_ref().and_then(|flash| needs::on_flash(problem, flash, demand, shared).err()));
        }
        Data::Network { kind, stripe } => {
            match needs::data_need(problem, demand, &market.volumes[kind], stripe, shared) {
                Ok(need) => all.extend(lacking(&market.volumes[kind], candidate.data, need, stripe, false)),
                Err(short) => all.push(short),
            }
        }
    }
    if let Log::Own(kind) = layout.log {
        match needs::log_need(problem, demand, &market.volumes[kind]) {
            Ok(need) => all.extend(lacking(&market.volumes[kind], candidate.log, need, 1, true)),
            Err(short) => all.push(short),
        }
    }
    let latency = problem.model.latency(demand, &candidate.capacity(market, demand), problem.rate());
    all.extend(problem.late(demand, latency));
    all
}

/// What a provisioned volume lacks of a need.
fn lacking(
    offer: &VolumeOffer,
    p: VolumeProvision,
    need: VolumeNeed,
    stripe: u32,
    of_log: bool,
) -> impl Iterator<Item = LayoutShortfall> {
    let limits = [
        (BindingLimit::Capacity, need.size.as_f64(), units::Bytes::gib(p.gib).as_f64()),
        (BindingLimit::VolumeIops, need.iops.0, offer.iops(p).0),
        (BindingLimit::VolumeThroughput, need.throughput.0, offer.throughput(p).0),
    ];
    // The closed form and this comparison may differ by rounding where one was derived from the other.
    let lacking = limits.into_iter().filter(|(_, asked, available)| *asked > *available * (1.0 + 1e-9));
    lacking.map(move |(limit, asked, most)| needs::beyond(BeyondLimit { limit, asked, most }, stripe, of_log))
}
