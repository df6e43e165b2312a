//! What a plan must keep free, and what each promise of availability asks of a layout: tables, not code.

use std::sync::LazyLock;

use workload::{AvailabilityTarget, Engine};

/// How full a plan lets each resource get: `tables/ceilings.toml`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlanningCeilings {
    /// Of the cores.
    pub cpu: f64,
    /// Of a volume's sustained I/O rate.
    pub volume_iops: f64,
    /// Of a volume's sustained throughput.
    pub volume_throughput: f64,
    /// Of the instance's sustained I/O rate to network volumes.
    pub instance_iops: f64,
    /// Of the instance's sustained throughput to network volumes.
    pub instance_throughput: f64,
    /// Of a data disk's bytes.
    pub capacity: f64,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Ceiling {
    value: f64,
    reason: String,
    source: String,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct CeilingTable {
    cpu: Ceiling,
    volume_iops: Ceiling,
    volume_throughput: Ceiling,
    instance_iops: Ceiling,
    instance_throughput: Ceiling,
    capacity: Ceiling,
}

impl PlanningCeilings {
    /// The ceilings that ship with the program.
    pub fn embedded() -> Self {
        static TABLE: LazyLock<PlanningCeilings> = LazyLock::new(|| {
            let table: CeilingTable =
                toml::from_str(include_str!("../tables/ceilings.toml")).expect("tested: ceilings.toml is complete");
            let stated = |ceiling: Ceiling| {
                assert!(
                    !ceiling.reason.is_empty() && !ceiling.source.is_empty(),
                    "tested: each ceiling has its reason"
                );
                ceiling.value
            };
            PlanningCeilings {
                cpu: stated(table.cpu),
                volume_iops: stated(table.volume_iops),
                volume_throughput: stated(table.volume_throughput),
                instance_iops: stated(table.instance_iops),
                instance_throughput: stated(table.instance_throughput),
                capacity: stated(table.capacity),
            }
        });
        *TABLE
    }
}

/// What a promise of availability asks of a layout: a row of `tables/availability.toml`.
#[derive(Debug, Clone, PartialEq, Eq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SurvivalRule {
    /// The database.
    pub engine: Engine,
    /// The promise.
    pub survives: AvailabilityTarget,
    /// Copies of each range, or servers with all the data (InnoDB).
    pub replicas: u32,
    /// Zones over which nodes are spread, the same number in each.
    pub zones: u32,
    /// Whether data may lie on flash that is lost with its host.
    pub local_flash: bool,
    /// Why that is enough.
    pub why: String,
}

impl SurvivalRule {
    /// The rule for an engine and a promise.
    pub fn of(engine: Engine, survives: AvailabilityTarget) -> &'static Self {
        #[derive(serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Table {
            rule: Vec<SurvivalRule>,
        }
        static RULES: LazyLock<Vec<SurvivalRule>> = LazyLock::new(|| {
            let table: Table = toml::from_str(include_str!("../tables/availability.toml"))
                .expect("tested: availability.toml is complete");
            table.rule
        });
        let rule = RULES.iter().find(|r| r.engine == engine && r.survives == survives);
        rule.expect("tested: availability.toml has every engine and promise")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_engine_and_promise_has_a_rule_with_a_reason() {
        for engine in Engine::ALL {
            for promise in [AvailabilityTarget::Node, AvailabilityTarget::Zone, AvailabilityTarget::ZoneAndNode] {
                let rule = SurvivalRule::of(engine, promise);
                assert!(!rule.why.is_empty() && rule.replicas >= rule.zones.min(3), "{rule:?}");
            }
        }
    }

    #[test]
    fn ceilings_are_shares_with_reasons() {
        let c = PlanningCeilings::embedded();
        for share in [c.cpu, c.volume_iops, c.volume_throughput, c.instance_iops, c.instance_throughput, c.capacity] {
            assert!(share > 0.0 && share <= 1.0);
        }
    }
}
