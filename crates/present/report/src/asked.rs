//! What was asked, in words.

use catalog::Date;
use workload::{AvailabilityTarget, TargetIntervals, Workload, WorkloadKind};

use crate::words;

/// What was asked, for the top of a page.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PageQuestion {
    /// What was asked for, name and value: `("Region", "us-west-2")`.
    pub facts: Vec<(String, String)>,
    /// The throughput asked for, in the unit of the plans; for an interval its middle.
    pub target: Option<f64>,
    /// What the plan leaves out, a sentence each.
    pub not_covered: Vec<String>,
}

impl PageQuestion {
    /// The facts of a workload, planned in a region with the facts of a day (the newest without one); `unit` is that of
    /// its throughput.
    pub fn new(workload: &Workload, region: &str, as_of: Option<Date>, unit: &str) -> Self {
        let place = as_of.map_or_else(|| region.to_owned(), |day| format!("{region}, limits and prices of {day}"));
        let facts = [
            ("Workload", format!("{} on {}", kind(&workload.kind), words::engine(workload.engine))),
            ("Region", place),
            ("Targets", targets(&workload.targets, unit)),
        ];
        let mut facts: Vec<(String, String)> = facts.map(|(name, value)| (name.to_owned(), value)).into();
        if let Some(times) = workload.beyond_measured() {
            let text =
                format!("at least what was measured, for the disk was full then; up to {times:.1} times as much");
            facts.push(("Demand".to_owned(), text));
        }
        Self {
            facts,
            target: workload.targets.throughput.map(|throughput| throughput.middle()),
            not_covered: words::not_covered(workload.engine).into_iter().map(str::to_owned).collect(),
        }
    }
}

fn kind(kind: &WorkloadKind) -> String {
    match kind {
        WorkloadKind::Tpcc(tpcc) => format!("tpcc, {} warehouses", tpcc.warehouses),
        other => other.name().to_owned(),
    }
}

fn targets(wishes: &TargetIntervals, unit: &str) -> String {
    let availability = match wishes.availability {
        AvailabilityTarget::Node => "a node",
        AvailabilityTarget::Zone => "a zone",
        AvailabilityTarget::ZoneAndNode => "a zone and a node elsewhere",
    };
    let parts = [
        wishes
            .throughput
            .map(|throughput| format!("{} {unit}", range(throughput.low(), throughput.high(), words::count))),
        wishes.growth.map(|growth| format!("{} growth", range(growth.low().0, growth.high().0, words::percent))),
        wishes.p99.map(|p99| format!("p99 at most {p99}")),
        Some(format!("survives the loss of {availability}")),
        wishes.durability.map(|share| format!("durability {}", range(share.low().0, share.high().0, share_of_one))),
        wishes.consistency.map(|share| format!("consistency {}", range(share.low().0, share.high().0, share_of_one))),
        wishes.capacity.map(|capacity| format!("capacity {capacity}")),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// An interval, or its value where both ends are the same.
fn range(low: f64, high: f64, text: fn(f64) -> String) -> String {
    if low == high { text(low) } else { format!("{} to {}", text(low), text(high)) }
}

fn share_of_one(share: f64) -> String {
    format!("{} %", words::significant(share * 100.0))
}
