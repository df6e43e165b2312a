//! What a workload asks of each node of a given deployment.

use catalog::View;
use deployment::{Asks, Deployment};
use engine::{Calibration, Cluster, IoDemand, Prepared};
use workload::{IoRates, Task};

use crate::failure::Failure;

/// The load of one storage node of the first group at the workload's target, growth included.
pub(crate) fn of(task: &Task, deployment: &Deployment, view: &View) -> Result<Asks, Failure> {
    let (_, group) = deployment
        .storage()
        .next()
        .ok_or_else(|| Failure::input("no node holds data; add a [[nodes]] table with `role = \"storage\"`"))?;
    let instance = view.instance(&group.instance)?;
    let cluster = Cluster {
        nodes: deployment.storage_nodes(),
        vcpu: instance.vcpu,
        memory: instance.memory,
        zones: deployment.zones,
    };
    let demand = Prepared::new(Calibration::embedded(), task).demand(&cluster, &deployment.settings);
    let rate = engine::target_rate(task);
    let rates = |io: IoDemand, syncs: f64| IoRates {
        reads: io.reads * rate,
        read_bytes: io.read_bytes * rate,
        writes: io.writes * rate,
        write_bytes: io.write_bytes * rate,
        flushes: syncs * rate,
    };
    Ok(Asks {
        data: rates(demand.data, 0.0),
        log: rates(demand.log, demand.syncs),
        stored: Some(demand.stored),
        cores: Some(demand.cpu * rate),
    })
}
