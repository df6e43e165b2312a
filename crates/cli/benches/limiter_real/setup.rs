//! The simulated bench's node in small: all bytes and rates shrink with the disk, and time as the phases press it.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use bench::{ArrivalSpacing, LoopKind, RunLimits, RunPlan};
use deployment::{Deployment, EngineSettings, NodeGroup, NodeRole};
use reference_store::{LaunchedStore, REQUEST_TIMEOUT, StoreSettings, StoreSpec};
use textfile::Text;
use toml::{Table, Value};
use units::{Bytes, BytesPerSec, Nanos};
use workload::{Engine, Workload};

use crate::Trouble;
use crate::arms::Arm;
use crate::phases::MIX;

/// The disk: a gp3 as it comes, 125 MiB/s and 3,000 IOPS, of which the store gets a share. It lies in memory, and a volume takes
/// back no block that was written: it may fill it.
const DISK: &str = "gp3:14GiB";
/// An hour is pressed into ten minutes: what fills or waits does so in a sixth of the bytes.
const PRESSED: f64 = 6.0;
/// What `crates/analyze/simulate/benches/limiter` runs with: operations a second of the steady phase, rows, data.
const RATE: f64 = 200.0;
const ROW: Bytes = Bytes::kib(32);
const DATA: Bytes = Bytes::gib(150);
const ROWS_PER_SCAN: f64 = 8.0;
const SOFT_PENDING: Bytes = Bytes::gib(192);
/// TiKV's defaults, v8.5, and what its block cache is of the 32 GiB of an m5.2xlarge.
const SIZES: [(&str, Bytes); 4] = [
    ("rocksdb.defaultcf.write-buffer-size", Bytes::mib(128)),
    ("rocksdb.defaultcf.max-bytes-for-level-base", Bytes::mib(512)),
    ("storage.flow-control.soft-pending-compaction-bytes-limit", SOFT_PENDING),
    ("storage.flow-control.hard-pending-compaction-bytes-limit", Bytes::gib(1024)),
];
const LOG: Bytes = Bytes::gib(10);
/// A log of less than one file is none.
const LEAST_LOG: Bytes = Bytes::mib(128);
const MEMORY: Bytes = Bytes::gib(32);
const CACHE: f64 = 0.45;
/// A node takes so much beside its caches, however small its data are.
const RESIDENT: Bytes = Bytes::mib(256);
/// Files of a row or two would be mostly index.
const FILE: Bytes = Bytes::mib(1);
/// Regions elect their leader within a second after a restart, and the limiter is one that can be set.
const KEYS: &str = "[raftstore]\nraft-base-tick-interval = \"100ms\"\nraft-heartbeat-ticks = 2\n\
                    raft-election-timeout-ticks = 10\nraft-store-max-leader-lease = \"900ms\"\n\
                    [rocksdb]\nrate-limiter-auto-tuned = false\n";
/// Operations that the store may have at a time: others wait at the driver, in whose latency it counts.
const IN_FLIGHT: u32 = 512;
const WAITING: u32 = 1 << 20;
/// Not measured, from the start, at most.
const WARM_UP: Nanos = Nanos::secs(30);

/// How large and how long runs are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Setup {
    /// Share of the disk that the store gets, over 0 and up to 1.
    pub(crate) share: f64,
    /// Seconds of a run.
    pub(crate) seconds: u64,
}

impl Setup {
    /// What an arm is run with, in words that are kept beside its figures.
    pub(crate) fn of(&self, arm: &Arm) -> String {
        format!("{self:?} {arm:?}")
    }

    /// A rate as it is on the whole disk, on the share of it.
    pub(crate) fn rate(&self, mib: f64) -> BytesPerSec {
        BytesPerSec::mib(mib * self.share)
    }

    /// Pending bytes from which flow control holds writes up.
    pub(crate) fn soft_pending(&self) -> Bytes {
        self.size(SOFT_PENDING)
    }

    fn size(&self, whole: Bytes) -> Bytes {
        Bytes((whole.as_f64() * self.share / PRESSED) as u64)
    }

    /// Rows that are loaded.
    fn rows(&self) -> f64 {
        (self.size(DATA).as_f64() / ROW.as_f64()).round()
    }

    /// The run, with disks that deliver all until it is loaded.
    pub(crate) fn spec(&self, seed: u64, stop: &Arc<AtomicBool>) -> Result<StoreSpec, Trouble> {
        let workload = self.workload()?;
        let load = LoopKind::Open {
            rate: RATE * self.share,
            arrivals: ArrivalSpacing::Poisson,
            in_flight: IN_FLIGHT,
            backlog: WAITING,
        };
        let span = Nanos::secs(self.seconds);
        let warm_up = WARM_UP.min(Nanos(span.0 / 10));
        let plan = RunPlan {
            limits: RunLimits { warm_least: warm_up, measure_most: span - warm_up, ..RunLimits::default() },
            seed,
            ..RunPlan::new("limiter", &workload.name, load, REQUEST_TIMEOUT)
        };
        let memory = self.size(MEMORY);
        let options = cluster::ClusterOptions {
            memory: Some(memory + RESIDENT),
            keys: self.keys(memory)?,
            seed,
            interrupted: stop.clone(),
            ..cluster::ClusterOptions::default()
        };
        let launched = LaunchedStore { deployment: deployment()?, options, regions: 4, share: 1.0 };
        Ok(StoreSpec { stop: stop.clone(), ..StoreSettings::launched(workload, launched, plan) })
    }

    fn keys(&self, memory: Bytes) -> Result<Table, Trouble> {
        let mut keys: Table = KEYS.parse()?;
        let cache = Bytes((memory.as_f64() * CACHE) as u64);
        let scaled = SIZES.map(|(key, size)| (key, self.size(size)));
        let fixed = [
            ("storage.block-cache.capacity", cache),
            ("rocksdb.defaultcf.target-file-size-base", FILE),
            ("raft-engine.purge-threshold", self.size(LOG).max(LEAST_LOG)),
        ];
        scaled.into_iter().chain(fixed).for_each(|(key, size)| set(&mut keys, key, size.to_string().into()));
        Ok(keys)
    }

    fn workload(&self) -> Result<Workload, Trouble> {
        let [reads, scans, writes] = MIX;
        let text = format!(
            "name = \"phases\"\nengine = \"tikv\"\nregion = \"us-west-2\"\n[targets]\nthroughput = {:.1}\n[mix]\nrows = {}\n\
             row = \"{ROW}\"\ndistribution = \"uniform\"\ncompressed = \"60%\"\ntransactional = false\n\
             [[mix.operations]]\nname = \"read\"\nweight = {reads}\nreads = 1\n\
             [[mix.operations]]\nname = \"scan\"\nweight = {scans}\nscans = 1\nrows-per-scan = {ROWS_PER_SCAN}\n\
             [[mix.operations]]\nname = \"write\"\nweight = {writes}\nupdates = 1\n",
            RATE * self.share,
            self.rows(),
        );
        Ok(Workload::from_text(&Text::new("phases", text), &mut |path: &Path| {
            textfile::read_text(path, textfile::LIMIT)
        })?)
    }
}

/// Sets a key, written with dots.
pub(crate) fn set(table: &mut Table, key: &str, value: Value) {
    match key.split_once('.') {
        None => drop(table.insert(key.to_owned(), value)),
        Some((section, rest)) => {
            if let Value::Table(inner) = table.entry(section).or_insert_with(|| Table::new().into()) {
                set(inner, rest, value);
            }
        }
    }
}

fn deployment() -> Result<Deployment, Trouble> {
    let group = NodeGroup {
        role: NodeRole::Storage,
        count: 1,
        instance: "m5.2xlarge".to_owned(),
        data: Some(DISK.parse()?),
        log: None,
    };
    Ok(Deployment {
        name: "one node".to_owned(),
        engine: Engine::TiKv,
        region: "us-west-2".to_owned(),
        as_of: None,
        zones: 1,
        nodes: vec![group],
        settings: EngineSettings { replicas: Some(1), ..EngineSettings::default() },
        asks: None,
    })
}
