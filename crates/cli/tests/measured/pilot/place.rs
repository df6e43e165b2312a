//! A reference cluster of one test's own, and a folder for its pilot; both are cleared away whatever the test did.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::MutexGuard;

use cluster::{ClusterOptions, ClusterPrograms, RegionLayout, RunningCluster, TestBed};
use deployment::Deployment;
use mount::MountHome;
use serde_json::Value;
use textfile::Text;

/// Raft in a hurry, so that leaders change within a second.
const KEYS: &str = r#"
[raftstore]
raft-base-tick-interval = "50ms"
raft-heartbeat-ticks = 2
raft-election-timeout-ticks = 10
raft-store-max-leader-lease = "400ms"
[rocksdb]
rate-limiter-auto-tuned = false
"#;

/// Disks that are never waited for: the pilot is tested, not they.
const DEPLOYMENT: &str = r#"
engine = "tikv"
region = "us-west-2"
zones = 3
[[nodes]]
role = "storage"
count = 3
instance = "m5d.2xlarge"
data = "unlimited:20GiB"
log = "unlimited:5GiB"
"#;

/// Where a test runs.
pub(crate) struct Place {
    /// Only empty while it is cleared away.
    cluster: Option<RunningCluster>,
    lab: Option<TestBed>,
    root: PathBuf,
    _turn: MutexGuard<'static, ()>,
}

impl Place {
    /// Three nodes that lead all of twelve regions, spread evenly.
    pub(crate) fn start() -> Self {
        Self::with_regions(12)
    }

    /// The same with so many regions.
    pub(crate) fn with_regions(regions: u32) -> Self {
        let turn = crate::the_machine();
        let memory = Path::new("/dev/shm");
        let parent = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
        let root = tempfile::Builder::new().prefix("piloted-").tempdir_in(parent).unwrap().keep();
        // From here on the folder goes with this, also if the start panics.
        let mut place = Self { cluster: None, lab: None, root, _turn: turn };
        let lab = TestBed {
            home: MountHome::open(place.root.join("run"), env!("CARGO_BIN_EXE_diskwright")).unwrap(),
            scratch: place.root.join("scratch"),
            programs: ClusterPrograms::find().unwrap_or_else(|error| panic!("{error}")),
        };
        let deployment =
            Deployment::from_text(&Text::new("piloted.toml", DEPLOYMENT)).unwrap_or_else(|e| panic!("{e}"));
        let options = ClusterOptions {
            keys: KEYS.parse().unwrap(),
            regions: RegionLayout::Even(regions),
            ..ClusterOptions::default()
        };
        let cluster = RunningCluster::start(&lab, &deployment, &options, &mut |_| {});
        place.cluster = Some(cluster.unwrap_or_else(|error| panic!("{error}")));
        place.lab = Some(lab);
        place
    }

    /// What the cluster was started with.
    pub(crate) fn lab(&self) -> &TestBed {
        self.lab.as_ref().expect("it is there since the start")
    }

    /// Three nodes and PD.
    pub(crate) fn cluster(&self) -> &RunningCluster {
        self.cluster.as_ref().expect("it runs until the place is dropped")
    }

    /// The folder of everything.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The pilot's folder.
    pub(crate) fn journal(&self) -> PathBuf {
        self.root.join("pilot")
    }

    /// The arguments that name the cluster and the folder.
    pub(crate) fn reach(&self) -> String {
        format!("--pd http://{} --journal {}", self.cluster().pd().addr(), self.journal().display())
    }

    /// The number that PD knows a node by.
    pub(crate) fn store(&self, node: usize) -> u64 {
        let stores = self.ask("stores");
        let at = self.status(node).to_string();
        let stores = stores["stores"].as_array().unwrap();
        let found = stores.iter().find(|store| store["store"]["status_address"] == at.as_str());
        found
            .and_then(|store| store["store"]["id"].as_u64())
            .unwrap_or_else(|| panic!("no store is at {at}: {stores:?}"))
    }

    /// Where a node tells of itself.
    pub(crate) fn status(&self, node: usize) -> SocketAddr {
        self.cluster().node(node).status_addr()
    }

    /// The folder that a node's disks are mounted in.
    pub(crate) fn disks(&self, node: usize) -> PathBuf {
        let data = self.cluster().node(node).data_dir();
        data.ancestors().find(|folder| folder.ends_with("data")).expect("the data disk is called so").to_owned()
    }

    /// A setting of a node as it is in effect.
    pub(crate) fn setting(&self, node: usize, key: &str) -> Value {
        let config = self.cluster().node(node).config().unwrap_or_else(|error| panic!("{error}"));
        pilot::at(&config, key).cloned().unwrap_or_else(|| panic!("no {key}"))
    }

    /// A setting of PD.
    pub(crate) fn pd_config(&self, section: &str, key: &str) -> Value {
        self.ask("config")[section][key].clone()
    }

    /// How many regions a store leads.
    pub(crate) fn leaders(&self, store: u64) -> u64 {
        let stores = self.cluster().pd().stores().unwrap_or_else(|error| panic!("{error}"));
        stores.iter().find(|other| other.id == store).map_or(0, |store| store.leaders)
    }

    /// Stores that leaders are evicted from.
    pub(crate) fn evicted(&self) -> Vec<String> {
        let payload = self.ask("config")["schedule"]["schedulers-payload"]["evict-leader-scheduler"].clone();
        payload["store-id-ranges"].as_object().into_iter().flatten().map(|(store, _)| store.clone()).collect()
    }

    /// The task that holds PD's maintenance lock, if one does.
    pub(crate) fn lock(&self) -> Option<Value> {
        let url = format!("http://{}/pd/api/v2/maintenance", self.cluster().pd().addr());
        match ureq::get(&url).call() {
            Err(ureq::Error::StatusCode(404)) => None,
            answer => serde_json::from_str(&answer.unwrap().into_body().read_to_string().unwrap()).unwrap(),
        }
    }

    /// Takes PD's maintenance lock as a task of that type and name.
    pub(crate) fn lock_as(&self, task: &str) {
        let url = format!("http://{}/pd/api/v2/maintenance/{task}", self.cluster().pd().addr());
        ureq::put(&url).send("a test").unwrap_or_else(|error| panic!("{url}: {error}"));
    }

    /// Tells PD something.
    pub(crate) fn tell(&self, path: &str, body: &str) {
        let url = format!("http://{}/pd/api/v1/{path}", self.cluster().pd().addr());
        ureq::post(&url).send(body).unwrap_or_else(|error| panic!("{url}: {error}"));
    }

    fn ask(&self, path: &str) -> Value {
        let url = format!("http://{}/pd/api/v1/{path}", self.cluster().pd().addr());
        let text = ureq::get(&url).call().unwrap_or_else(|error| panic!("{url}: {error}"));
        serde_json::from_str(&text.into_body().read_to_string().unwrap()).unwrap()
    }

    /// Takes it down.
    pub(crate) fn end(mut self) {
        let cluster = self.cluster.take().expect("it runs until the place is dropped");
        let said = cluster.stop().unwrap_or_else(|error| panic!("{error}"));
        assert!(said.is_empty(), "not all nodes ended well: {}", said.join("\n"));
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        drop(self.cluster.take());
        let _ = std::fs::remove_dir_all(&self.root);
    }
}
