//! Messages that are lost, doubled, late and out of order, nodes that are cut off, crash and lose what was not synced: no
//! write that was acknowledged is lost, no read is older than what was acknowledged or read before it, and all end alike.

use crate::common;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use common::rough::{Dice, Rough, deliver_late};
use common::{Nodes, eventually, read};
use crossbeam_channel::{bounded, unbounded};
use parking_lot::{Mutex, RwLock};
use proto::kvrpcpb::Context;
use raftstore::testing::{self, MemoryState};
use raftstore::{
    ApplyResult, ColumnFamily, KeyScan, OnlineRaftSettings, RaftRouter, Refusal, StateStore, WriteCommand,
};

/// What clients know of the nodes.
struct World {
    routers: RwLock<HashMap<u64, RaftRouter>>,
    /// Held by who reads: a process that has crashed reads nothing, so while a state forgets, nobody may.
    reading: RwLock<()>,
    contexts: HashMap<u64, Context>,
    states: HashMap<u64, Arc<MemoryState>>,
    over: AtomicBool,
    dice: Arc<Dice>,
    /// The greatest count that a client was told, or read.
    counted: AtomicU64,
    /// Swaps that were acknowledged, and those of which nobody knows.
    swaps: (AtomicU64, AtomicU64),
    puts: Mutex<Vec<String>>,
    reads: AtomicU64,
}

const COUNTER: &[u8] = b"zcounter";

fn number(value: Option<&Bytes>) -> u64 {
    value.map_or(0, |value| std::str::from_utf8(value).unwrap().parse().unwrap())
}

impl World {
    fn some_node(&self) -> Option<(u64, RaftRouter)> {
        let id = self.dice.roll(3) + 1;
        Some((id, self.routers.read().get(&id)?.clone()))
    }

    fn write(&self, command: WriteCommand) -> Option<Result<ApplyResult, Refusal>> {
        let (id, router) = self.some_node()?;
        let (done, outcome) = bounded(1);
        router.write(&self.contexts[&id], command, Box::new(move |outcome| drop(done.send(outcome))));
        // A client does not wait for ever; what it has not heard, it does not know.
        Some(outcome.recv_timeout(Duration::from_millis(500)).unwrap_or(Err(Refusal::Unknown("late".to_owned()))))
    }

    fn count(&self) {
        let mut known = 0;
        while !self.over.load(Ordering::Relaxed) {
            let text = |number: u64| Bytes::from(number.to_string());
            let expected = (known > 0).then(|| text(known));
            let swap = WriteCommand::CompareAndSwap { key: COUNTER.into(), expected, value: text(known + 1) };
            match self.write(swap) {
                Some(Ok(ApplyResult::Swapped { succeeded: true, .. })) => {
                    known += 1;
                    self.swaps.0.fetch_add(1, Ordering::SeqCst);
                    self.counted.fetch_max(known, Ordering::SeqCst);
                }
                Some(Ok(ApplyResult::Swapped { previous, .. })) => known = number(previous.as_ref()),
                Some(Err(Refusal::Unknown(_))) => {
                    self.swaps.1.fetch_add(1, Ordering::SeqCst);
                }
                _ => std::thread::sleep(Duration::from_millis(1)),
            }
        }
    }

    fn put(&self, client: usize) {
        for n in 0.. {
            if self.over.load(Ordering::Relaxed) {
                return;
            }
            let key = format!("{client}-{n}");
            match self.write(common::put_command(&key, &key)) {
                Some(Ok(_)) => self.puts.lock().push(key),
                _ => std::thread::sleep(Duration::from_millis(1)),
            }
        }
    }

    fn read(&self) {
        while !self.over.load(Ordering::Relaxed) {
            let reading = self.reading.read();
            let Some((id, router)) = self.some_node() else { continue };
            let mut context = self.contexts[&id].clone();
            context.replica_read = self.dice.roll(2) == 0;
            let before = self.counted.load(Ordering::SeqCst);
            let wipes = router.wipes();
            if read(&router, &context).is_err() {
                drop(reading);
                std::thread::sleep(Duration::from_millis(1));
                continue;
            }
            let value = self.states[&id].get(ColumnFamily::Default, COUNTER).unwrap();
            if router.wipes() == wipes {
                let seen = number(value.as_ref());
                assert!(seen >= before, "store {id} read {seen}, but {before} was acknowledged or read before");
                self.counted.fetch_max(seen, Ordering::SeqCst);
                self.reads.fetch_add(1, Ordering::Relaxed);
            }
        }
    }
}

fn chaos(seed: u64, lasting: Duration) {
    let dice = Arc::new(Dice::new(seed));
    let rough = Arc::new(AtomicBool::new(true));
    let (late, to_deliver) = unbounded();
    let deliverer = std::thread::spawn(move || deliver_late(&to_deliver));
    // Others before it, so that it goes from thread to thread when pools change their sizes.
    let regions = vec![
        testing::region(2, b"\xf0", b"\xf1", &[1, 2, 3]),
        testing::region(3, b"\xf1", b"", &[1, 2, 3]),
        testing::region(1, b"", b"\xf0", &[1, 2, 3]),
    ];
    let mut nodes = Nodes::new(regions, |_| {});
    nodes.online.gc_count_limit = 200;
    nodes.online.gc_threshold = 20;
    {
        let (dice, rough) = (Arc::clone(&dice), Arc::clone(&rough));
        nodes.wrap = Box::new(move |_, inner| {
            let (dice, rough, late) = (Arc::clone(&dice), Arc::clone(&rough), late.clone());
            Arc::new(Rough { inner, dice, late, rough })
        });
    }
    (1..=3).for_each(|id| nodes.start(id));
    let world = World {
        routers: RwLock::new((1..=3).map(|id| (id, nodes.router(id))).collect()),
        contexts: (1..=3).map(|id| (id, nodes.context(1, id))).collect(),
        reading: RwLock::default(),
        states: nodes.states.clone(),
        over: AtomicBool::new(false),
        dice: Arc::clone(&dice),
        counted: AtomicU64::new(0),
        swaps: Default::default(),
        puts: Mutex::default(),
        reads: AtomicU64::new(0),
    };
    let (mut crashes, mut cuts, mut transfers, mut resizes) = (0, 0, 0, 0);
    std::thread::scope(|scope| {
        (0..2).for_each(|_| drop(scope.spawn(|| world.count())));
        (0..3).for_each(|client| {
            drop(scope.spawn({
                let world = &world;
                move || world.put(client)
            }))
        });
        (0..2).for_each(|_| drop(scope.spawn(|| world.read())));
        let begun = Instant::now();
        while begun.elapsed() < lasting {
            std::thread::sleep(Duration::from_millis(20 + dice.roll(150)));
            let id = dice.roll(3) + 1;
            match dice.roll(6) {
                0 => {
                    crashes += 1;
                    world.routers.write().remove(&id);
                    nodes.stop(id);
                    let nobody_reads = world.reading.write();
                    nodes.states[&id].power_cut();
                    drop(nobody_reads);
                    std::thread::sleep(Duration::from_millis(dice.roll(400)));
                    nodes.start(id);
                    world.routers.write().insert(id, nodes.router(id));
                }
                1 => {
                    cuts += 1;
                    nodes.network.cut(id, true);
                    std::thread::sleep(Duration::from_millis(dice.roll(400)));
                    nodes.network.cut(id, false);
                }
                2 | 3 => {
                    resizes += 1;
                    let size = || dice.roll(4) as usize + 1;
                    let (store_pool_size, store_io_pool_size, apply_pool_size) = (size(), size(), size());
                    let sizes =
                        OnlineRaftSettings { store_pool_size, store_io_pool_size, apply_pool_size, ..nodes.online };
                    nodes.router(id).change(sizes).unwrap();
                }
                _ => {
                    transfers += 1;
                    let to = nodes.peer(1, dice.roll(3) + 1);
                    (1..=3).for_each(|id| nodes.router(id).transfer_leader(1, to));
                }
            }
        }
        world.over.store(true, Ordering::Relaxed);
    });
    rough.store(false, Ordering::Relaxed);
    let leader = nodes.leader(1);
    nodes.put_somewhere(1, "last", "last");
    let all = |id: u64| {
        let scan = KeyScan {
            cf: ColumnFamily::Default,
            from: Bytes::new(),
            until: Bytes::new(),
            limit: usize::MAX,
            reverse: false,
            keys_only: false,
        };
        nodes.states[&id].scan(&scan).unwrap()
    };
    for id in 1..=3 {
        eventually("all states are alike", || {
            let (one, other) = (all(leader), all(id));
            (one == other && nodes.value(id, "last").is_some()).then_some(())
        });
    }
    let puts = world.puts.lock();
    for key in puts.iter() {
        assert_eq!(nodes.value(leader, key).as_ref(), Some(key), "seed {seed}: an acknowledged put is lost");
    }
    let counted = number(nodes.states[&leader].get(ColumnFamily::Default, COUNTER).unwrap().as_ref());
    let (sure, unsure) = (world.swaps.0.load(Ordering::SeqCst), world.swaps.1.load(Ordering::SeqCst));
    assert!((sure..=sure + unsure).contains(&counted), "seed {seed}: {sure} swaps and {unsure} unknown made {counted}");
    let reads = world.reads.load(Ordering::Relaxed);
    let wipes: u64 = (1..=3).map(|id| nodes.router(id).wipes()).sum();
    println!(
        "seed {seed}: {} puts, {sure}+{unsure} swaps, {reads} reads, {crashes} crashes, {cuts} cuts, {transfers} transfers, \
         {resizes} resizes, {wipes} snapshots since restarts",
        puts.len()
    );
    assert!(!puts.is_empty() && sure > 0 && reads > 0, "seed {seed}: nothing was tested");
    drop(nodes);
    // The network's senders went with the nodes.
    deliverer.join().unwrap();
}

#[test]
fn nothing_acknowledged_is_lost_or_read_late() {
    let long = std::env::var_os("DISKWRIGHT_LONG").is_some();
    let (seeds, lasting) = if long { (1..=30, Duration::from_secs(10)) } else { (1..=2, Duration::from_secs(2)) };
    for seed in seeds {
        chaos(seed, lasting);
    }
}
