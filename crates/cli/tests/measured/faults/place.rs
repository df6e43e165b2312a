//! A cluster of one test's own: three nodes in three zones, with a data disk and a raft disk each, cleared away whatever the
//! test did.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, MutexGuard};
use std::time::{Duration, Instant};

use cluster::{ClusterNode, ClusterOptions, ClusterPrograms, RegionLayout, RunningCluster, TestBed};
use deployment::Deployment;
use mount::MountHome;
use nix::unistd::Uid;
use textfile::Text;

/// Raft in a hurry, so that leaders change within a second; a log so short that a node that was away needs a snapshot;
/// log files and write buffers so small that they are full within seconds.
const KEYS: &str = r#"
[raftstore]
raft-base-tick-interval = "50ms"
raft-heartbeat-ticks = 2
raft-election-timeout-ticks = 10
raft-store-max-leader-lease = "400ms"
raft-log-gc-tick-interval = "300ms"
raft-log-gc-threshold = 10
raft-log-gc-count-limit = 300
[raft-engine]
target-file-size = "2MiB"
purge-threshold = "8MiB"
[rocksdb.defaultcf]
write-buffer-size = "2MiB"
"#;

/// So many regions, cut evenly by the keys' first bytes.
pub(crate) const REGIONS: u32 = 6;

/// Where a test runs.
pub(crate) struct Place {
    /// Only empty while it is cleared away.
    cluster: Option<RunningCluster>,
    /// The numbers that PD knows the nodes by: a node whose power was cut has no disk to read its own from.
    stores: Vec<u64>,
    root: PathBuf,
    _turn: MutexGuard<'static, ()>,
}

impl Place {
    /// A cluster on these disks, with these settings over those of all tests.
    pub(crate) fn start(data: &str, raft: &str, settings: &str) -> Self {
        let turn = crate::the_machine();
        assert!(Uid::effective().is_root(), "these tests mount filesystems: run them as root");
        let memory = Path::new("/dev/shm");
        let parent = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
        let root = tempfile::Builder::new().prefix("faults-").tempdir_in(parent).unwrap().keep();
        // From here on the folder goes with this, also if the start panics.
        let mut place = Self { cluster: None, stores: Vec::new(), root, _turn: turn };
        let lab = TestBed {
            home: MountHome::open(place.root.join("run"), env!("CARGO_BIN_EXE_diskwright")).unwrap(),
            scratch: place.root.join("scratch"),
            programs: ClusterPrograms::find().unwrap_or_else(|error| panic!("{error}")),
        };
        let text = format!(
            "engine = \"tikv\"\nregion = \"us-west-2\"\nzones = 3\n[[nodes]]\nrole = \"storage\"\ncount = 3\n\
             instance = \"m5d.2xlarge\"\ndata = \"{data}\"\nlog = \"{raft}\"\n[settings]\nzone-round-trip = \"200us\"\n"
        );
        let deployment = Deployment::from_text(&Text::new("faults.toml", text)).unwrap_or_else(|e| panic!("{e}"));
        let mut keys: toml::Table = KEYS.parse().unwrap();
        keys.extend(settings.parse::<toml::Table>().unwrap());
        let options = ClusterOptions { keys, regions: RegionLayout::Even(REGIONS), ..ClusterOptions::default() };
        let cluster = RunningCluster::start(&lab, &deployment, &options, &mut |_| {});
        place.cluster = Some(cluster.unwrap_or_else(|error| panic!("{error}")));
        let store =
            |node: &Arc<ClusterNode>| node.store_id().unwrap_or_else(|| panic!("{} has no number", node.name()));
        place.stores = place.cluster().nodes().iter().map(store).collect();
        place
    }

    /// The cluster.
    pub(crate) fn cluster(&self) -> &RunningCluster {
        self.cluster.as_ref().expect("it runs until the place is dropped")
    }

    /// A node, counted from 0.
    pub(crate) fn node(&self, index: usize) -> &ClusterNode {
        self.cluster().node(index)
    }

    /// Where a disk of a node is mounted.
    pub(crate) fn mounted(&self, node: usize, disk: &str) -> PathBuf {
        let data = self.node(node).data_dir().parent().expect("the data folder lies on a disk");
        data.with_file_name(disk)
    }

    /// The number that PD knows a node by.
    pub(crate) fn store(&self, node: usize) -> u64 {
        self.stores[node]
    }

    /// Regions by number.
    pub(crate) fn regions(&self) -> Vec<u64> {
        let store = self.store(0);
        let told = self.ask(&format!("regions/store/{store}"));
        let regions = told["regions"].as_array().unwrap_or_else(|| panic!("PD tells no regions: {told}"));
        regions.iter().map(|region| region["id"].as_u64().unwrap()).collect()
    }

    fn ask(&self, path: &str) -> serde_json::Value {
        let url = format!("http://{}/pd/api/v1/{path}", self.cluster().pd().addr());
        let text = ureq::get(&url).call().unwrap_or_else(|error| panic!("{url}: {error}"));
        serde_json::from_str(&text.into_body().read_to_string().unwrap()).unwrap()
    }

    /// A client that knows the cluster.
    pub(crate) fn client(&self, options: rawkv::RawClientOptions) -> rawkv::RawClient {
        rawkv::RawClient::connect(&self.cluster().pd().addr().to_string(), options)
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// Waits for something that must happen, half a minute at most.
    #[track_caller]
    pub(crate) fn wait_for(&self, what: &str, done: impl Fn() -> bool) -> Duration {
        let from = Instant::now();
        while !done() {
            assert!(from.elapsed() < Duration::from_secs(30), "waited half a minute for {what}");
            std::thread::sleep(Duration::from_millis(20));
        }
        from.elapsed()
    }

    /// Takes it down and asserts that nothing is left.
    pub(crate) fn end(mut self) {
        let cluster = self.cluster.take().expect("it runs until the place is dropped");
        let said = cluster.stop().unwrap_or_else(|error| panic!("{error}"));
        assert!(said.is_empty(), "not all nodes ended well: {}", said.join("\n"));
        let root = self.root.to_str().unwrap();
        let mounts = fs::read_to_string("/proc/mounts").unwrap();
        let mounts: Vec<&str> = mounts.lines().filter(|line| line.contains(root)).collect();
        assert!(mounts.is_empty(), "left mounted:\n{}", mounts.join("\n"));
        let processes = fs::read_dir("/proc").unwrap().flatten();
        let processes = processes.filter_map(|entry| fs::read_to_string(entry.path().join("cmdline")).ok());
        let processes: Vec<String> = processes.filter(|line| line.contains(root)).collect();
        assert!(processes.is_empty(), "left running:\n{}", processes.join("\n"));
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if std::thread::panicking()
            && let Some(cluster) = &self.cluster
        {
            eprintln!("--- leaders by store: {:?}", cluster.pd().leaders());
            for node in cluster.nodes() {
                eprintln!("--- {:?}\n{}", node.status(), node.said());
            }
        }
        // First what runs, then what it stood on.
        drop(self.cluster.take());
        if let Err(error) = fs::remove_dir_all(&self.root) {
            eprintln!("{} cannot be removed: {error}", self.root.display());
        }
    }
}

/// Whether the long form was asked for.
pub(crate) fn is_long() -> bool {
    std::env::var_os("DISKWRIGHT_LONG").is_some_and(|v| v == "1")
}

/// The seed of all that is drawn.
pub(crate) fn seed() -> u64 {
    std::env::var("DISKWRIGHT_SEED").map_or(1, |seed| seed.parse().expect("DISKWRIGHT_SEED is a number"))
}
