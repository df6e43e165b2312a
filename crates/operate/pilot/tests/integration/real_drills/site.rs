//! A machine with a store, its metadata server, and a pilot whose journal is on a disk.

use std::cell::Cell;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use kubernetes::{KubernetesAccess, KubernetesApi, TokenSource};
use maintenance::emulator::{AnnouncedEvent, MetadataEmulator, MetadataServer};
use maintenance::{ListenerThread, MachineCloud, MachineMetadata, NoticeBoard, NoticeSource, aws, azure, gcp};
use pilot::maintenance::{HeardEvents, MachineList, MaintenanceController};
use pilot::twin::MemoryAudit;
use pilot::{
    ClusterWorld, Journal, JournalSink, NextMove, PdHttp, Pilot, PilotError, PilotFolder, SystemClock, WaitCondition,
    WallClock,
};
use serde_json::{Value, json};

use crate::real_drills::programs::Cluster;

pub(crate) const LIMIT: &str = "leader-schedule-limit";

/// Ends a pilot before a line of the journal is written, as a kill does.
struct Mortal {
    lines: Box<dyn JournalSink>,
    left: std::rc::Rc<Cell<Option<u32>>>,
}

impl JournalSink for Mortal {
    fn append(&mut self, line: &str) -> Result<(), PilotError> {
        match self.left.get() {
            Some(0) => return Err(PilotError::Environment("killed".to_owned())),
            Some(left) => self.left.set(Some(left - 1)),
            None => {}
        }
        self.lines.append(line)
    }
}

/// A machine with a store on it.
pub(crate) struct Site<'c> {
    cluster: &'c Cluster,
    pub(crate) store: u64,
    /// Regions that it led before.
    pub(crate) led: u64,
    metadata: MetadataServer,
    kubernetes: kubernetes::twin::FakeApiServer,
    cloud: MachineCloud,
    folder: tempfile::TempDir,
    clock: SystemClock,
    left: std::rc::Rc<Cell<Option<u32>>>,
    killed: bool,
    program: Option<(Pilot, PilotFolder, Vec<ListenerThread>)>,
}

impl<'c> Site<'c> {
    /// The store that leads most.
    pub(crate) fn new(cluster: &'c Cluster, cloud: MachineCloud, planned: &AnnouncedEvent) -> Self {
        let store = cluster.leaders().into_iter().max_by_key(|(_, leaders)| *leaders);
        let (store, led) = store.unwrap();
        let mut emulator = MetadataEmulator::new("vm-1");
        emulator.azure_takes(Duration::from_millis(100));
        emulator.plan(planned.clone());
        let metadata = MetadataServer::start(emulator, "127.0.0.1:0".parse().unwrap()).unwrap();
        let mut state = kubernetes::twin::ApiServerState::default();
        ["node-1", "node-2"].iter().for_each(|node| state.node(node));
        state.pod("db", "tidb-0", "node-1");
        let kubernetes = kubernetes::twin::FakeApiServer::start(state).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let left = std::rc::Rc::default();
        let clock = SystemClock::new();
        let (killed, program) = (false, None);
        let mut site = Self { cluster, store, led, metadata, kubernetes, cloud, folder, clock, left, killed, program };
        site.launch();
        site
    }

    fn launch(&mut self) {
        let folder = PilotFolder::take(self.folder.path()).unwrap();
        let (lines, replay) = folder.lines().unwrap();
        let pd = PdHttp::new(&format!("http://{}", self.cluster.pd), &pilot::PilotAccess::default()).unwrap();
        let cluster = pilot::PdApi::cluster_id(&pd).unwrap();
        let now = self.clock.now();
        let lines = Box::new(Mortal { lines, left: self.left.clone() });
        let journal = Journal::open(lines, replay, &cluster, "drill", now.wall).unwrap();
        let board = NoticeBoard::default();
        let web = MachineMetadata::new(self.cloud, Some(&self.metadata.base())).unwrap();
        let source: Box<dyn NoticeSource + Send> = match self.cloud {
            MachineCloud::Gcp => Box::new(gcp::KeyListener::new(gcp::MetadataKey::Maintenance)),
            MachineCloud::Aws => Box::new(aws::Imds::new().every(Duration::from_millis(500))),
            MachineCloud::Azure => Box::new(azure::ScheduledEvents::new()),
        };
        let listening = vec![ListenerThread::start(source, Box::new(web), "vm-1", &board).unwrap()];
        let api = KubernetesApi::new(KubernetesAccess::new(&self.kubernetes.base(), TokenSource::None, None).unwrap());
        let world = ClusterWorld {
            pd: Some(Box::new(pd)),
            kubernetes: Some(Box::new(api)),
            events: Some(Box::new(HeardEvents::of(board.clone()))),
            ..ClusterWorld::default()
        };
        let machine = format!("vm-1=tikv:{},tidb:db/tidb-0@node-1", self.store).parse().unwrap();
        let pilot = Pilot::new(world, journal, Box::new(MemoryAudit::default()), now)
            .unwrap()
            .controller(Box::new(MaintenanceController::new(MachineList(vec![machine]))))
            .source(Box::new(HeardEvents::of(board)));
        self.program = Some((pilot, folder, listening));
    }

    /// Lets the event be over.
    pub(crate) fn finish(&self) {
        self.metadata.with(|emulator| emulator.finish(Timestamp::now()));
    }

    /// Kills the pilot when its journal has so many lines.
    pub(crate) fn kill_after(&self, lines: u32) {
        // The header is written by now.
        self.left.set(Some(lines - 1));
    }

    pub(crate) fn was_killed(&self) -> bool {
        self.killed
    }

    /// Lets the pilot work until that is so; when that was.
    pub(crate) fn until(&mut self, patience: Duration, is_so: impl Fn(&Self) -> bool) -> Timestamp {
        let from = Instant::now();
        loop {
            if self.program.is_none() {
                self.launch();
            }
            let now = self.clock.now();
            let ticked = self.program.as_mut().map(|(pilot, ..)| pilot.tick(now, None));
            if matches!(ticked, Some(Err(_))) {
                assert_eq!(self.left.get(), Some(0), "{ticked:?}");
                (self.killed, self.program) = (true, None);
                self.left.set(None);
            }
            if is_so(self) {
                return Timestamp::now();
            }
            assert!(from.elapsed() < patience, "{}", self.journal());
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    /// Waits until the leaders are spread again, for the next drill.
    pub(crate) fn balance(&mut self, patience: Duration, regions: u32) {
        self.until(patience, |site| site.cluster.is_spread(regions.into()));
    }

    /// The journal as it is on the disk.
    pub(crate) fn journal(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("journal.jsonl")).unwrap_or_default()
    }

    /// Regions that the machine's store leads.
    pub(crate) fn leaders(&self) -> u64 {
        self.cluster.leaders().into_iter().find(|(store, _)| *store == self.store).unwrap().1
    }

    /// Stores that leaders are kept off.
    pub(crate) fn evicted(&self) -> Vec<u64> {
        let names = self.cluster.get("schedulers");
        if !names.as_array().unwrap().contains(&json!("evict-leader-scheduler")) {
            return Vec::new();
        }
        let list = self.cluster.get("scheduler-config/evict-leader-scheduler/list");
        list["store-id-ranges"].as_object().unwrap().keys().map(|store| store.parse().unwrap()).collect()
    }

    /// What must be as before: PD's schedule, and the node.
    pub(crate) fn settings(&self) -> (Value, bool) {
        (self.cluster.config()["schedule"].clone(), self.kubernetes.state().nodes["node-1"])
    }

    /// Whether store and TiDB are ready for the event, and its end is waited for.
    pub(crate) fn is_ready(&self) -> bool {
        let Some((pilot, ..)) = &self.program else { return false };
        let waits = |run: &&pilot::ProcedureRun| match run.next() {
            NextMove::Await(_, wait) => matches!(wait.until, WaitCondition::EventOver { .. }),
            _ => false,
        };
        pilot.runs().values().filter(waits).count() == 2
    }

    /// Whether all is over, and all is as before.
    pub(crate) fn is_restored(&self, before: &(Value, bool)) -> bool {
        let idle = self.program.as_ref().is_some_and(|(pilot, ..)| pilot.is_idle());
        idle && self.evicted().is_empty() && self.settings() == *before
    }
}
