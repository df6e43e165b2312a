use std::cell::Cell;

use jiff::Timestamp;
use units::Nanos;

use super::*;
use crate::JournalReplay;
use crate::compactions::{DiskSource, LimitedStore, StoreDiskView, StoreMetrics, StoreSet};
use crate::twin::{ClusterTwin, MemoryAudit, MemoryLines};

struct Quiet;

impl SnapshotSource for Quiet {
    fn look(&mut self, _: ClockReading, _: &mut ClusterSnapshot) -> Result<(), WorldError> {
        Ok(())
    }
}

struct Silent(&'static str);

impl SnapshotSource for Silent {
    fn look(&mut self, _: ClockReading, _: &mut ClusterSnapshot) -> Result<(), WorldError> {
        Err(WorldError::Silent { peer: self.0.to_owned(), why: "it rests".to_owned() })
    }
}

#[test]
fn each_source_that_is_silent_is_told_once_however_many_there_are() {
    let (mut pilot, audit) = began(&ClusterTwin::new(1, &[]));
    for name in ["one", "two", "three", "four"] {
        pilot = pilot.source(Box::new(Silent(name))).source(Box::new(Quiet));
    }
    (1..10).for_each(|second| drop(pilot.look(now(1000 * second))));
    let said = audit.sentences();
    let times = |name: &str| said.iter().filter(|said| said.contains(&format!("{name} does not answer"))).count();
    assert_eq!(["one", "two", "three", "four"].map(times), [1, 1, 1, 1], "{said:?}");
}

/// Disks whose counters rise by so much with each look, until they are silent; and how often a store's metrics were asked for.
#[derive(Clone, Default)]
struct Peers {
    looks: Rc<Cell<u32>>,
    metrics: Rc<Cell<u32>>,
    silent: Rc<Cell<bool>>,
}

impl DiskSource for Peers {
    fn look(&self, _: ClockReading) -> Result<StoreDiskView, WorldError> {
        if self.silent.get() {
            return Err(WorldError::Silent { peer: "the host".to_owned(), why: "it rests".to_owned() });
        }
        self.looks.set(self.looks.get() + 1);
        let done = compaction_control::CompletedIo {
            ios: f64::from(self.looks.get()),
            ..compaction_control::CompletedIo::default()
        };
        Ok(StoreDiskView { volume_done: done, instance_done: done, ..StoreDiskView::default() })
    }
}

impl StoreMetrics for Peers {
    fn metrics(&self, _: u64) -> Result<String, WorldError> {
        self.metrics.set(self.metrics.get() + 1);
        let flow = |metric: &str, kind: &str| format!("tikv_engine_{metric}_bytes{{db=\"kv\",type=\"{kind}\"}} 0\n");
        Ok(flow("flow", "flush_write_bytes")
            + &flow("compaction_flow", "bytes_read")
            + &flow("compaction_flow", "bytes_written")
            + "tikv_engine_pending_compaction_bytes{db=\"kv\"} 0\ntikv_engine_num_files_at_level{db=\"kv\",level=\"0\"} 0\n"
            + "tikv_engine_num_immutable_mem_table{db=\"kv\"} 0\n")
    }
}

/// Keeps what it is asked with, and sets the cache anew when it is told to.
#[derive(Clone, Default)]
struct Noting {
    glances: bool,
    asked: Rc<Cell<u32>>,
    ios: Rc<Cell<Option<f64>>>,
    sets: Rc<Cell<u32>>,
}

impl Controller for Noting {
    fn name(&self) -> &'static str {
        "limiter"
    }

    fn decide(&mut self, _: ClockReading, seen: &ClusterSnapshot) -> Vec<ActionProposal> {
        self.asked.set(self.asked.get() + 1);
        self.ios.set(seen.signals.get(&1).map(|signals| signals.volume_done.ios));
        let key = "rocksdb.rate-bytes-per-sec".to_owned();
        let to = self.sets.replace(0);
        let step = PilotStep::SetTikvConfig { store: 1, key, value: serde_json::json!(format!("{to}MiB")) };
        let procedure = Procedure::of_one(step, crate::ProcedureEnding::WithPilot);
        (to > 0).then(|| ActionProposal::act("it is told to", procedure)).into_iter().collect()
    }

    fn glances(&self) -> bool {
        self.glances
    }
}

fn now(millis: u64) -> ClockReading {
    ClockReading { wall: Timestamp::UNIX_EPOCH, mono: Nanos::millis(millis) }
}

fn began(twin: &ClusterTwin) -> (Pilot, MemoryAudit) {
    let audit = MemoryAudit::default();
    let (replay, _) = JournalReplay::read("journal", "").unwrap();
    let journal = Journal::open(Box::new(MemoryLines::default()), replay, "7001", "p", Timestamp::UNIX_EPOCH).unwrap();
    (Pilot::new(twin.world(), journal, Box::new(audit.clone()), now(0)).unwrap(), audit)
}

fn glancing(peers: &Peers, controllers: &[&Noting]) -> (Pilot, ClusterTwin, MemoryAudit) {
    let settings = [
        ("rocksdb.rate-bytes-per-sec", serde_json::json!("100MiB")),
        ("storage.flow-control.soft-pending-compaction-bytes-limit", serde_json::json!("192GiB")),
        ("storage.flow-control.l0-files-threshold", serde_json::json!(20)),
        ("storage.flow-control.memtables-threshold", serde_json::json!(5)),
    ];
    let twin = ClusterTwin::new(1, &settings);
    let (pilot, audit) = began(&twin);
    let limited = vec![LimitedStore { store: 1, disks: Box::new(peers.clone()) }];
    let pilot = pilot.source(Box::new(StoreSet::new(peers.clone(), limited)));
    let pilot = controllers.iter().fold(pilot, |pilot, one| pilot.controller(Box::new((*one).clone())));
    (pilot, twin, audit)
}

#[test]
fn a_glance_asks_for_the_disks_alone_and_only_who_decides_by_them() {
    let (peers, quick, slow) = (Peers::default(), Noting { glances: true, ..Noting::default() }, Noting::default());
    let (mut pilot, twin, _) = glancing(&peers, &[&quick, &slow]);
    pilot.tick(now(1000), None).unwrap();
    let asked = twin.ops().len();
    for glance in 1..4 {
        pilot.glance(now(1000 + 250 * glance)).unwrap();
    }
    assert_eq!((peers.looks.get(), peers.metrics.get()), (4, 1));
    assert_eq!((quick.asked.get(), slow.asked.get()), (4, 1));
    assert_eq!(quick.ios.get(), Some(4.0), "it is told what was seen at the glance");
    assert_eq!(twin.ops().len(), asked, "neither PD nor TiKV is asked");
}

#[test]
fn after_a_change_a_glance_is_a_whole_look() {
    let (peers, quick) = (Peers::default(), Noting { glances: true, ..Noting::default() });
    let (mut pilot, ..) = glancing(&peers, &[&quick]);
    pilot.tick(now(1000), None).unwrap();
    quick.sets.set(50);
    pilot.glance(now(1250)).unwrap();
    assert_eq!((pilot.runs().len(), peers.metrics.get()), (1, 1));
    pilot.glance(now(1500)).unwrap();
    assert_eq!(peers.metrics.get(), 2, "what holds now is not what was seen");
    pilot.glance(now(1750)).unwrap();
    assert_eq!(peers.metrics.get(), 2);
}

#[test]
fn disks_that_fall_silent_between_two_looks_are_told_once_and_not_taken_for_idle() {
    let (peers, quick) = (Peers::default(), Noting { glances: true, ..Noting::default() });
    let (mut pilot, _, audit) = glancing(&peers, &[&quick]);
    pilot.tick(now(1000), None).unwrap();
    peers.silent.set(true);
    for glance in 1..8 {
        let at = now(1000 + 250 * glance);
        if glance % 4 == 0 {
            pilot.tick(at, None).unwrap()
        } else {
            pilot.glance(at).unwrap()
        }
        assert_eq!(quick.ios.get(), None);
    }
    let said = audit.sentences();
    assert_eq!(said.iter().filter(|said| said.contains("does not answer")).count(), 1, "{said:?}");
    peers.silent.set(false);
    pilot.tick(now(3000), None).unwrap();
    assert!(quick.ios.get().is_some());
}
