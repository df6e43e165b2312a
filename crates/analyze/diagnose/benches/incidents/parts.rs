//! What drafts are made of: chance, a deployment, a load.

use deployment::{BlockCompression, Deployment, EngineSettings, NodeGroup, NodeRole};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use units::Bytes;
use workload::{Engine, OperationProfile, Task};

/// Chance, from a seed.
pub(crate) struct Dice(Xoshiro256PlusPlus);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    pub(crate) fn between(&mut self, from: f64, to: f64) -> f64 {
        from + (to - from) * self.0.random::<f64>()
    }

    pub(crate) fn whole(&mut self, from: u64, to: u64) -> u64 {
        self.0.random_range(from..=to)
    }

    pub(crate) fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.0.random_range(0..of.len())]
    }
}

/// One node or three, without a limit that matters.
pub(crate) fn plain(d: &mut Dice) -> Deployment {
    let count = d.one(&[1, 1, 3]);
    Deployment {
        name: String::new(),
        engine: Engine::TiKv,
        region: d.one(&["us-west-2", "us-east-1", "eu-west-1"]).to_owned(),
        as_of: None,
        zones: count,
        nodes: vec![NodeGroup {
            role: NodeRole::Storage,
            count,
            instance: d.one(&["m5.2xlarge", "c5.2xlarge", "c5.4xlarge", "m6g.2xlarge"]).to_owned(),
            data: Some("gp3:500GiB".parse().expect("a disk")),
            log: None,
        }],
        settings: EngineSettings {
            replicas: Some(count),
            compression: Some(d.one(&[BlockCompression::Default, BlockCompression::Zstd])),
            block_size: Some(Bytes::kib(d.one(&[16, 32]))),
            ..EngineSettings::default()
        },
        asks: None,
    }
}

/// Point reads over more data than memory holds.
pub(crate) fn reads(d: &mut Dice, rate: f64) -> Task {
    task(d, rate, 1.0, 0.0)
}

/// Updates of so many bytes a second at each node, before the log and compaction.
pub(crate) fn writes(d: &mut Dice, bytes: f64) -> Task {
    let mut task = task(d, 1.0, 0.0, 1.0);
    task.targets.throughput = bytes / task.profile.row.as_f64();
    task
}

fn task(d: &mut Dice, rate: f64, point_reads: f64, updates: f64) -> Task {
    let (row, data) = (Bytes(d.whole(500, 2500)), Bytes::gib(d.whole(150, 220)));
    let profile = OperationProfile::raw_keys(row, data, d.between(0.5, 0.7));
    Task::open_loop(Engine::TiKv, OperationProfile { point_reads, updates, ..profile }, rate)
}
