//! What the planner chooses among: node counts, stripes and engine settings, from `tables/space.toml`.

use std::sync::LazyLock;

use deployment::{BlockCompression, EngineSettings};
use units::Bytes;
use workload::{Engine, Task};

use crate::rules::SurvivalRule;

/// The choices besides those that the market gives.
#[derive(Debug, Clone, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchSpace {
    /// Fewest and most storage nodes of a TiKV cluster.
    pub nodes: [u32; 2],
    /// Widest stripe of network volumes.
    pub stripes: u32,
    /// Smallest disk for a log of its own.
    pub log_size: Bytes,
    /// Attachments of an instance that its root volume takes.
    pub root_volumes: u32,
    /// Settings of TiKV.
    pub tikv: TikvSpace,
    /// Settings of InnoDB.
    pub innodb: InnodbSpace,
    /// Rates that only Nitro instances reach.
    pub nitro_only: Vec<NitroOnly>,
}

/// Settings of TiKV to choose among; the first of each list is the default.
#[derive(Debug, Clone, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TikvSpace {
    /// Fewest hardware threads of a storage node.
    pub vcpu: u32,
    /// Least memory of a storage node.
    pub memory: Bytes,
    /// Sizes of a data block.
    pub block_size: Vec<Bytes>,
    /// Shares of memory for the block cache.
    pub block_cache: Vec<f64>,
    /// Compressions.
    pub compression: Vec<BlockCompression>,
    /// Size from which values are kept apart, besides not at all.
    pub value_separation: Bytes,
    /// Smallest row for which that is tried.
    pub separation_row: Bytes,
    /// Whether reads go to the replica in the client's zone.
    pub follower_read: Vec<bool>,
    /// Whether traffic between nodes is compressed.
    pub grpc_compression: Vec<bool>,
}

/// Settings of InnoDB to choose among.
#[derive(Debug, Clone, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InnodbSpace {
    /// Shares of memory for the buffer pool.
    pub block_cache: Vec<f64>,
}

/// A provisioned I/O rate that only Nitro instances reach.
#[derive(Debug, Clone, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NitroOnly {
    /// The volume type.
    pub kind: String,
    /// The most that other instances reach, for each volume.
    pub over: u64,
}

impl SearchSpace {
    /// The choices that ship with the program.
    pub fn embedded() -> &'static Self {
        static SPACE: LazyLock<SearchSpace> = LazyLock::new(|| {
            toml::from_str(include_str!("../tables/space.toml")).expect("tested: space.toml is complete")
        });
        &SPACE
    }

    /// The choices of an engine.
    pub(crate) fn of(&self, engine: Engine) -> &dyn EngineSpace {
        match engine {
            Engine::TiKv => &self.tikv,
            Engine::InnoDb => &self.innodb,
        }
    }

    /// The node counts to try, ascending: as many in each zone, and at least one for each replica; or one node for each copy of the
    /// data, where an engine does not spread them.
    pub fn node_counts(&self, rule: &SurvivalRule) -> Vec<u32> {
        if !rule.engine.facts().spreads_data {
            return vec![rule.replicas];
        }
        let [least, most] = self.nodes;
        (least.max(rule.replicas)..=most).filter(|n| n.is_multiple_of(rule.zones)).collect()
    }

    /// The settings to try on nodes of so much memory, the engine's defaults first.
    pub fn settings(&self, task: &Task, rule: &SurvivalRule, memory: Bytes) -> Vec<EngineSettings> {
        let plain = EngineSettings { replicas: Some(rule.replicas), ..EngineSettings::default() };
        self.of(task.engine).settings(task, rule.zones > 1, memory, plain)
    }

    /// The most I/Os a second of one volume of a type, where the instance is not on Nitro.
    pub fn most_iops(&self, kind: &str, nitro: bool) -> Option<u64> {
        self.nitro_only.iter().find(|n| !nitro && n.kind == kind).map(|n| n.over)
    }
}

/// What the planner chooses about one engine.
pub(crate) trait EngineSpace {
    /// `plain` with each choice of settings on nodes of so much memory, the defaults first.
    fn settings(&self, task: &Task, between_zones: bool, memory: Bytes, plain: EngineSettings) -> Vec<EngineSettings>;

    /// The smallest storage node that the engine's makers advise.
    fn least_node(&self) -> Option<LeastNode>;
}

/// The smallest storage node that an engine's makers advise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LeastNode {
    /// Hardware threads.
    pub(crate) vcpu: u32,
    /// Memory.
    pub(crate) memory: Bytes,
}

/// A share of the memory, in whole MiB.
fn share_of(memory: Bytes) -> impl Fn(&f64) -> Option<Bytes> {
    move |share| Some(Bytes::mib((memory.as_f64() * share) as u64 >> 20))
}

impl EngineSpace for InnodbSpace {
    fn settings(&self, _: &Task, _: bool, memory: Bytes, plain: EngineSettings) -> Vec<EngineSettings> {
        let share = share_of(memory);
        self.block_cache.iter().map(|s| EngineSettings { block_cache: share(s), ..plain }).collect()
    }

    fn least_node(&self) -> Option<LeastNode> {
        None
    }
}

impl EngineSpace for TikvSpace {
    fn settings(&self, task: &Task, between_zones: bool, memory: Bytes, plain: EngineSettings) -> Vec<EngineSettings> {
        let apart = (task.profile.row >= self.separation_row).then_some(Some(self.value_separation));
        let mut all = Vec::new();
        let traffic = self.traffic(between_zones, plain);
        for value_separation in std::iter::once(None).chain(apart) {
            for compression in self.compression.iter().copied().map(Some) {
                for block_size in self.block_size.iter().copied().map(Some) {
                    for block_cache in self.block_cache.iter().map(share_of(memory)) {
                        let of_traffic = |plain: &EngineSettings| EngineSettings {
                            block_size,
                            block_cache,
                            compression,
                            value_separation,
                            ..*plain
                        };
                        all.extend(traffic.iter().map(of_traffic));
                    }
                }
            }
        }
        all
    }

    fn least_node(&self) -> Option<LeastNode> {
        Some(LeastNode { vcpu: self.vcpu, memory: self.memory })
    }
}

impl TikvSpace {
    /// `plain` with each choice about traffic between zones; unset stands for the default, off.
    fn traffic(&self, between_zones: bool, plain: EngineSettings) -> Vec<EngineSettings> {
        if !between_zones {
            return vec![plain];
        }
        let set = |on: &bool| on.then_some(true);
        let with_reads = |reads: &bool| {
            let follower_read = set(reads);
            self.grpc_compression.iter().map(move |zip| EngineSettings {
                follower_read,
                grpc_compression: set(zip),
                ..plain
            })
        };
        self.follower_read.iter().flat_map(with_reads).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use workload::AvailabilityTarget;

    #[test]
    fn zones_have_the_same_number_of_nodes() {
        let counts = SearchSpace::embedded().node_counts(SurvivalRule::of(Engine::TiKv, AvailabilityTarget::Zone));
        assert_eq!(counts, (1..=10).map(|n| 3 * n).collect::<Vec<_>>());
        assert_eq!(
            SearchSpace::embedded().node_counts(SurvivalRule::of(Engine::InnoDb, AvailabilityTarget::Zone)),
            [2]
        );
    }

    #[test]
    fn io1_beyond_32000_needs_nitro() {
        assert_eq!(SearchSpace::embedded().most_iops("io1", false), Some(32_000));
        assert_eq!(SearchSpace::embedded().most_iops("io1", true), None);
        assert_eq!(SearchSpace::embedded().most_iops("gp3", false), None);
    }
}
