//! Every node of a cluster is killed and started again, one after the other, under clients that stay: they come back to all.

use crate::common;

mod checking;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use checking::CheckingClient;
use common::{Program, QUICK, pd, store, store_at};
use tikv_client::RawClient;

const NAMES: [&str; 3] = ["a", "b", "c"];
/// Puts at once.
const WORKERS: u8 = 4;
/// Patience for a slow machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Puts keys of all regions from several tasks, until the runtime ends, and counts those that are there.
#[derive(Clone, Default)]
struct Load {
    done: Arc<AtomicU64>,
}

impl Load {
    fn begin<F: Future<Output = bool> + Send + 'static>(put: impl Fn(Vec<u8>) -> F + Clone + Send + 'static) -> Self {
        let load = Self::default();
        for worker in 0..WORKERS {
            let (load, put) = (load.clone(), put.clone());
            tokio::spawn(async move {
                for count in 0_u64.. {
                    // The first byte goes round the regions.
                    let key = [&[(count % 256) as u8, worker][..], &count.to_be_bytes()].concat();
                    if put(key).await {
                        load.done.fetch_add(1, Ordering::SeqCst);
                    }
                }
            });
        }
        load
    }

    /// Puts in a second.
    async fn rate(&self) -> u64 {
        let before = self.done.load(Ordering::SeqCst);
        tokio::time::sleep(Duration::from_secs(1)).await;
        self.done.load(Ordering::SeqCst) - before
    }

    /// Waits for so many puts a second.
    async fn comes_back_to(&self, rate: u64) {
        let begun = Instant::now();
        loop {
            let now = self.rate().await;
            if now >= rate {
                return;
            }
            assert!(begun.elapsed() < PATIENCE, "{now} puts a second, {rate} expected, {PATIENCE:?} after the restart");
        }
    }
}

struct Cluster<'a> {
    dir: &'a Path,
    pd: Program,
    nodes: Vec<Program>,
}

impl<'a> Cluster<'a> {
    fn start(dir: &'a Path) -> Self {
        let pd = pd(dir, 3, 3, 4);
        let mut nodes: Vec<_> = NAMES.map(|name| Program::spawn(&mut store(dir, &pd, name, QUICK))).into();
        nodes.iter_mut().for_each(Program::wait_ready);
        Self { dir, pd, nodes }
    }

    /// SIGKILL, a while without the node, and the same node on the same port.
    async fn kill_and_restart(&mut self, at: usize) {
        let addr = self.nodes[at].addr("addr");
        drop(self.nodes.remove(at));
        tokio::time::sleep(Duration::from_secs(2)).await;
        let mut node = Program::spawn(&mut store_at(self.dir, &self.pd, NAMES[at], QUICK, &addr));
        node.wait_ready();
        self.nodes.insert(at, node);
    }
}

/// Kills each node in turn: after that a client that has lost every store that ever failed has none.
async fn each_dies_and_comes_back(cluster: &mut Cluster<'_>, load: &Load) {
    load.comes_back_to(1).await;
    let before = load.rate().await.max(1);
    for node in 0..NAMES.len() {
        cluster.kill_and_restart(node).await;
        // A third of it: other tests run beside this one.
        load.comes_back_to(before / 3).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_published_client_comes_back_to_nodes_that_were_killed() {
    let dir = tempfile::tempdir().unwrap();
    let mut cluster = Cluster::start(dir.path());
    let client = RawClient::new(vec![cluster.pd.addr("addr")]).await.unwrap();
    let load = Load::begin(move |key| {
        let client = client.clone();
        async move { client.put(key, b"v".to_vec()).await.is_ok() }
    });
    each_dies_and_comes_back(&mut cluster, &load).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_asks_the_health_of_stores_comes_back_to_nodes_that_were_killed() {
    let dir = tempfile::tempdir().unwrap();
    let mut cluster = Cluster::start(dir.path());
    let client = Arc::new(CheckingClient::connect(&cluster.pd.addr("addr")).await);
    let sums = Arc::clone(&client);
    let load = Load::begin(move |key| {
        let client = Arc::clone(&client);
        async move { client.try_put(&key).await }
    });
    load.comes_back_to(1).await;
    // One of each region: a store that does not know the request would be lost with it.
    for first in [0, 0x50, 0x90, 0xD0] {
        let begun = Instant::now();
        while !sums.try_checksum(&[first]).await {
            assert!(begun.elapsed() < PATIENCE, "no checksum within {PATIENCE:?}");
        }
    }
    each_dies_and_comes_back(&mut cluster, &load).await;
}
