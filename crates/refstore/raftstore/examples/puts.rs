//! How many puts a second three nodes of one process replicate: `cargo run --release --example puts -- [SECONDS] [REGIONS]
//! [CLIENTS] [FOLDER]`. The states are in memory, the logs in the folder, so that raft itself is what is measured.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use proto::kvrpcpb::Context;
use raftstore::testing::{self, MemoryNetwork};
use raftstore::{
    ColumnFamily, KeyScan, OnlineRaftSettings, RaftRouter, RaftSetup, Raftstore, StateChange, StateError, StateStore,
    WriteCommand,
};

/// Forgets everything: what is left is what raft costs.
#[derive(Default)]
struct Nowhere;

impl StateStore for Nowhere {
    fn get(&self, _: ColumnFamily, _: &[u8]) -> Result<Option<Bytes>, StateError> {
        Ok(None)
    }
    fn scan(&self, _: &KeyScan) -> Result<Vec<(Bytes, Bytes)>, StateError> {
        Ok(Vec::new())
    }
    fn write(&self, _: &[StateChange]) -> Result<(), StateError> {
        Ok(())
    }
    fn sync(&self) -> Result<(), StateError> {
        Ok(())
    }
    fn export(
        &self,
        _: &[(ColumnFamily, Bytes, Bytes)],
        _: &mut dyn FnMut(ColumnFamily, Bytes, Bytes) -> Result<(), StateError>,
    ) -> Result<(), StateError> {
        Ok(())
    }
}

struct Client {
    router: RaftRouter,
    context: Context,
    key: Bytes,
    value: Bytes,
    done: Arc<AtomicU64>,
}

/// The next put of a client begins when the one before is done.
fn put(client: Arc<Client>) {
    let next = Arc::clone(&client);
    let change = StateChange::Put(ColumnFamily::Default, client.key.clone(), client.value.clone());
    client.router.write(
        &client.context,
        WriteCommand::Write(vec![change]),
        Box::new(move |outcome| match outcome {
            Ok(_) => {
                next.done.fetch_add(1, Ordering::Relaxed);
                put(next);
            }
            Err(refusal) => eprintln!("{refusal:?}"),
        }),
    );
}

/// Seconds of processor time by thread.
fn threads() -> Vec<(String, f64)> {
    let mut all: std::collections::BTreeMap<String, f64> = Default::default();
    for task in std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten() {
        let stat = std::fs::read_to_string(task.path().join("stat")).unwrap_or_default();
        let Some((head, tail)) = stat.rsplit_once(')') else { continue };
        let name = head.split_once('(').map_or("", |(_, name)| name);
        let fields: Vec<&str> = tail.split_whitespace().collect();
        let ticks: f64 = fields[11..13].iter().filter_map(|ticks| ticks.parse::<f64>().ok()).sum();
        let kind = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '-');
        *all.entry(kind.to_owned()).or_default() += ticks / 100.0;
    }
    all.into_iter().collect()
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut number = |default: u64| arguments.next().and_then(|text| text.parse().ok()).unwrap_or(default);
    let (seconds, regions, clients) = (number(5), number(16), number(256));
    let parent = arguments.next().map_or(PathBuf::from("/dev/shm"), PathBuf::from);
    let folder = tempfile::tempdir_in(parent).expect("a folder for the logs");
    let network = MemoryNetwork::new();
    let bound = |n: u64| if n == 0 || n == regions { Vec::new() } else { (n as u32).to_be_bytes().to_vec() };
    let all: Vec<_> = (0..regions).map(|n| testing::region(n + 1, &bound(n), &bound(n + 1), &[1, 2, 3])).collect();
    let stores: Vec<Raftstore> = (1..=3)
        .map(|id| {
            let home = folder.path().join(id.to_string());
            let mut settings = testing::settings(&home.join("raft"));
            settings.tick = Duration::from_millis(100);
            let lease = Duration::from_millis(900);
            let gc_interval = Duration::from_secs(1);
            let store = Raftstore::start(RaftSetup {
                store_id: id,
                settings,
                online: OnlineRaftSettings { lease, gc_interval, ..testing::online() },
                snapshot_dir: home.join("snap"),
                state: Arc::new(Nowhere),
                transport: network.transport(id),
                regions: all.clone(),
                key_prefix: b'z',
                on_leader_change: Box::new(|_| {}),
            });
            let store = store.expect("a node");
            network.join(id, store.router());
            store
        })
        .collect();
    let led = || stores.iter().flat_map(|store| store.router().statuses()).filter(|status| status.leads).count();
    while led() < all.len() {
        std::thread::sleep(Duration::from_millis(10));
    }
    let idle = (threads(), Instant::now());
    std::thread::sleep(Duration::from_secs(2));
    let used: f64 = threads().iter().zip(&idle.0).map(|((_, after), (_, before))| after - before).sum();
    println!("idle: {:.2} % of a core a node, at ticks of 100 ms", used / idle.1.elapsed().as_secs_f64() / 3.0 * 100.0);

    let done = Arc::new(AtomicU64::new(0));
    for number in 0..clients {
        let region = &all[(number % regions) as usize];
        let leads = |store: &&Raftstore| store.router().statuses().iter().any(|s| s.leads && s.region.id == region.id);
        let place = stores.iter().position(|store| leads(&store)).expect("a leader");
        put(Arc::new(Client {
            router: stores[place].router(),
            context: Context {
                region_id: region.id,
                region_epoch: region.region_epoch,
                peer: Some(region.peers[place]),
                ..Context::default()
            },
            key: Bytes::from(format!("zkey{number}")),
            value: Bytes::from(vec![number as u8; 1024]),
            done: Arc::clone(&done),
        }));
    }
    std::thread::sleep(Duration::from_secs(1));
    let (before, begun, count) = (threads(), Instant::now(), done.load(Ordering::Relaxed));
    std::thread::sleep(Duration::from_secs(seconds));
    let elapsed = begun.elapsed().as_secs_f64();
    let rate = (done.load(Ordering::Relaxed) - count) as f64 / elapsed;
    println!("{rate:.0} puts/s, {:.2} ms each", clients as f64 / rate * 1e3);
    for ((name, after), (_, before)) in threads().iter().zip(&before).filter(|(a, b)| a.1 - b.1 > 0.01) {
        println!(
            "  {name}: {:.2} cores, {:.1} µs a put",
            (after - before) / elapsed,
            (after - before) / elapsed / rate * 1e6
        );
    }
    std::process::exit(0);
}
