//! Candidates as plans for people: the deployment written out, and what to expect of it.

use deployment::{Deployment, NodeGroup, NodeRole};
use disk::{Disk, Volume};
use engine::{ClusterMachines, EnginePrediction, OfferedLoad, OperationDemand};
use workload::Task;

use crate::answer::{MonthlyCosts, Plan, PredictedRun};
use crate::layout::{Candidate, Data, Log};
use crate::market::FLASH;
use crate::problem::Problem;

impl Problem<'_> {
    /// The deployment of a candidate, with what each node is asked for at the target.
    fn deployment(&self, candidate: &Candidate) -> Deployment {
        let offer = &self.market.instances[candidate.instance];
        let flash = || {
            let size = offer.flash.map(|f| f.size).unwrap_or_default();
            Volume { kind: FLASH.to_owned(), size, iops: None, throughput: None }
        };
        let data = match candidate.layout.data {
            Data::Flash => Disk { stripe: 1, volume: flash(), cache: None },
            Data::Network { kind, stripe } => Disk {
                stripe,
                volume: self.market.volumes[kind].volume(candidate.data),
                cache: candidate.cached.then(flash),
            },
        };
        let log = match candidate.layout.log {
            Log::Shared => None,
            Log::Own(kind) => {
                Some(Disk { stripe: 1, volume: self.market.volumes[kind].volume(candidate.log), cache: None })
            }
        };
        Deployment {
            name: format!("{} x {} on {}", candidate.nodes, offer.kind.name, data.volume.kind),
            engine: self.task.engine,
            region: self.market.region.clone(),
            as_of: self.market.as_of,
            zones: self.rule.zones,
            nodes: vec![NodeGroup {
                role: NodeRole::Storage,
                count: candidate.nodes,
                instance: offer.kind.name.clone(),
                data: Some(data),
                log,
            }],
            settings: candidate.settings,
            asks: Some(self.demand_of(candidate).asks(self.target())),
        }
    }

    /// A candidate with the price that this problem's traffic makes.
    pub(crate) fn at_home(&self, candidate: &Candidate) -> Candidate {
        Candidate { transfer: self.transfer(&self.demand_of(candidate)), ..*candidate }
    }

    /// What `load` does to a candidate.
    fn predict(&self, candidate: &Candidate, load: OfferedLoad) -> EnginePrediction {
        let demand = self.demand_of(candidate);
        self.model.predict(&demand, &candidate.capacity(self.market, &demand), load)
    }

    /// What an operation asks of each node of a candidate.
    pub(crate) fn demand_of(&self, candidate: &Candidate) -> OperationDemand {
        let offer = &self.market.instances[candidate.instance];
        let cluster = ClusterMachines {
            nodes: candidate.nodes,
            vcpu: offer.kind.vcpu,
            memory: offer.kind.memory,
            zones: self.rule.zones,
        };
        let cache = offer.flash.as_ref().filter(|_| candidate.cached);
        self.demand(&cluster, &candidate.settings, cache)
    }

    /// A candidate as a plan, with what to expect today: growth is room, not load.
    pub(crate) fn plan(&self, candidate: &Candidate) -> Plan {
        let today = without_growth(self.task);
        let problem = Problem::new(self.model, self.market, self.space, self.ceilings, &today);
        let at_target = problem.predict(candidate, OfferedLoad::Open(self.target()));
        let most = match self.task.clients {
            Some(clients) => problem.predict(candidate, OfferedLoad::Closed(clients)).throughput,
            None => at_target.ceiling,
        };
        let fullest = at_target.utilisation.iter().map(|(_, share)| *share).fold(0.0, f64::max);
        let unit = self.task.profile.unit;
        Plan {
            usd: MonthlyCosts { compute: candidate.compute, disks: candidate.disks, transfer: candidate.transfer },
            predicted: PredictedRun {
                throughput: most * unit.per_operation,
                unit: unit.name,
                p50: at_target.p50,
                p99: at_target.p99,
            },
            bottleneck: at_target.bottleneck,
            headroom: 1.0 - fullest,
            utilisation: at_target.utilisation,
            deployment: problem.deployment(candidate),
        }
    }
}

/// The workload as it is before any growth.
pub(crate) fn without_growth(task: &Task) -> Task {
    let mut today = task.clone();
    today.targets.growth = 0.0;
    today
}
