//! Answers made by hand for tests: they need no catalogue and no search.

use std::collections::BTreeMap;

use deployment::{Deployment, EngineSettings, NodeGroup, NodeRole};
use disk::{Disk, Volume};
use engine::Resource;
use plan::{MonthlyCosts, Plan, PlanResult, PlanUncertainty, PredictedRun, RejectedCandidate, RejectionReason, WhyNot};
use units::{Bytes, BytesPerSec, Iops, Nanos, Usd};

use crate::PageQuestion;

fn disk(kind: &str, gib: u64, iops: f64, mib: f64) -> Disk {
    let volume = Volume {
        kind: kind.into(),
        size: Bytes::gib(gib),
        iops: (iops > 0.0).then_some(Iops(iops)),
        throughput: (mib > 0.0).then_some(BytesPerSec::mib(mib)),
    };
    Disk { stripe: 1, volume, cache: None }
}

fn plan(compute: f64, data: Disk, log: Option<Disk>, throughput: f64) -> Plan {
    let group = NodeGroup { role: NodeRole::Storage, count: 3, instance: "m5.4xlarge".into(), data: Some(data), log };
    Plan {
        usd: MonthlyCosts { compute: Usd(compute), disks: Usd(234.0), transfer: Usd(80.5) },
        predicted: PredictedRun { throughput, unit: "tpmC", p50: Nanos::micros(12_345), p99: Nanos::micros(48_700) },
        bottleneck: Resource::Cpu,
        headroom: 0.23,
        utilisation: vec![
            (Resource::Cpu, 0.77),
            (Resource::DataIops, 0.41),
            (Resource::DataThroughput, 0.93),
            (Resource::InstanceThroughput, 0.32),
        ],
        deployment: Deployment {
            name: "sample".into(),
            engine: workload::Engine::TiKv,
            region: "us-west-2".into(),
            as_of: None,
            zones: 3,
            nodes: vec![group],
            settings: EngineSettings::default(),
            asks: None,
        },
    }
}

pub(crate) fn asked() -> PageQuestion {
    PageQuestion {
        facts: vec![("Workload".into(), "tpcc, 5000 warehouses".into()), ("Region".into(), "us-west-2".into())],
        target: Some(50_000.0),
        not_covered: vec!["TiDB & PD nodes.".into()],
    }
}

pub(crate) fn answer() -> PlanResult {
    let log = || Some(disk("gp3", 20, 0.0, 0.0));
    let plans = vec![
        plan(919.5, disk("gp3", 1000, 6000.0, 250.0), log(), 55_730.0),
        plan(990.0, disk("gp3", 1000, 8000.0, 400.0), None, 58_200.0),
        plan(1100.0, disk("io2", 1000, 6000.0, 0.0), log(), 56_000.0),
    ];
    let dear = plan(2400.0, disk("io1", 1000, 6000.0, 0.0), log(), 61_000.0);
    PlanResult {
        considered: 1_234_567,
        pruned: 45_678,
        plans,
        why_not: vec![
            WhyNot {
                subject: RejectedCandidate::Disk("io1".into()),
                reason: RejectionReason::Costs { more: Usd(1480.5), best: Box::new(dear) },
            },
            WhyNot {
                subject: RejectedCandidate::Family("t3".into()),
                reason: RejectionReason::RuledOut {
                    constraint: "instance throughput: 87 MB/s of the 209 MB/s asked".into(),
                },
            },
        ],
        closest: None,
        shortfalls: vec![],
        assumed: Vec::new(),
        not_considered: Vec::new(),
        uncertainty: Some(PlanUncertainty {
            futures: 1000,
            cheapest: 0,
            least_regret: 1,
            odds_of_missing: vec![0.31, 0.004, 0.0],
            regret: vec![Usd(210.0), Usd(12.5), Usd(99.0)],
            inputs: BTreeMap::from([("warehouses".into(), "2000..9000".into())]),
        }),
    }
}

pub(crate) fn out_of_reach() -> PlanResult {
    let closest = answer().plans.remove(0);
    PlanResult {
        plans: vec![],
        why_not: vec![],
        closest: Some(closest),
        shortfalls: vec!["p99 48.7 ms of the 1 ms asked".into()],
        uncertainty: None,
        ..answer()
    }
}
