//! A machine, its metadata server and a cluster on one virtual clock, with a pilot that may be killed at any moment.

use std::rc::Rc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use maintenance::emulator::{AnnouncedEvent, MetadataEmulator, MetadataTwin as Metadata};
use maintenance::{
    HeardNotices as Told, MachineCloud, MaintenanceError, MetadataService, NoticeBoard, NoticeSource, aws, azure, gcp,
};
use pilot::maintenance::{HeardEvents, MachineList, MaintenanceController};
use pilot::twin::{ClusterTwin, MemoryAudit, MemoryLines, TwinState};
use pilot::{ClusterWorld, Journal, JournalReplay, Pilot, PilotError, StepSubject};
use serde_json::json;

pub(crate) const LIMIT: &str = "schedule.leader-schedule-limit";
pub(crate) const MIGRATE: &str = "MIGRATE_ON_HOST_MAINTENANCE";
/// The machine of all drills, and what runs on it.
pub(crate) const MACHINE: &str = "vm-1=tikv:2,pd:pd1,tidb:db/tidb-0@node-1";
/// Where the listener writes to on the board.
const LISTENER: &str = "listener";

pub(crate) fn node() -> StepSubject {
    StepSubject::Node { node: "node-1".to_owned() }
}

pub(crate) fn pod() -> StepSubject {
    StepSubject::Pod { namespace: "db".to_owned(), pod: "tidb-0".to_owned() }
}

pub(crate) fn limit() -> StepSubject {
    StepSubject::PdConfig { key: LIMIT.to_owned() }
}

/// A healthy cluster of three stores, a member of PD and a TiDB on the machine.
pub(crate) fn cluster() -> ClusterTwin {
    let twin = ClusterTwin::new(3, &[]);
    twin.with(|state| {
        state.values.insert(node(), json!(false));
        state.values.insert(pod(), json!("uid-1"));
    });
    twin
}

/// A program: a pilot and its listener, which die together.
struct Program {
    pilot: Pilot,
    board: NoticeBoard,
    source: Box<dyn NoticeSource>,
    /// An answer on its way, which comes when its time has come.
    coming: Option<(Timestamp, Result<Told, MaintenanceError>)>,
}

/// A rehearsal.
pub(crate) struct Drill {
    pub(crate) cluster: ClusterTwin,
    pub(crate) metadata: Rc<Metadata>,
    /// Whether events may be let begin.
    pub(crate) approves: bool,
    pub(crate) lines: MemoryLines,
    pub(crate) audit: MemoryAudit,
    /// Seconds from a kill to the next pilot.
    pub(crate) downtime: u64,
    pub(crate) machines: Vec<&'static str>,
    /// Second by second: what the cluster was like.
    pub(crate) seen: Vec<TwinState>,
    /// Whether peers other than PD are reached.
    pub(crate) world: fn(&ClusterTwin) -> ClusterWorld,
    cloud: MachineCloud,
    program: Option<Program>,
    start: Timestamp,
}

impl Drill {
    /// On a machine of that cloud, with nothing planned.
    pub(crate) fn new(cloud: MachineCloud) -> Self {
        let cluster = cluster();
        let start = cluster.now().wall;
        let mut emulator = MetadataEmulator::new("vm-1");
        emulator.azure_takes(Duration::from_secs(1));
        Self {
            lines: MemoryLines::of(&cluster),
            audit: MemoryAudit::default(),
            downtime: 3,
            machines: vec![MACHINE],
            seen: Vec::new(),
            world: |twin| ClusterWorld { tikv: None, ..twin.world() },
            metadata: Rc::new(Metadata::new(cloud, emulator, start)),
            approves: false,
            cloud,
            cluster,
            program: None,
            start,
        }
    }

    /// An event, told at that second; with this notice if the cloud gives none.
    pub(crate) fn plan(&self, word: &str, announced: u64, lead: Option<u64>, takes: u64) -> AnnouncedEvent {
        let [announced, takes] = [announced, takes].map(Duration::from_secs);
        let lead = lead.map(Duration::from_secs);
        let planned = AnnouncedEvent::usual(self.cloud, word, self.start + announced, lead, takes).unwrap();
        self.metadata.with(|emulator| emulator.plan(planned.clone()));
        planned
    }

    /// The second of an instant.
    pub(crate) fn second(&self, at: Timestamp) -> usize {
        at.duration_since(self.start).as_secs() as usize
    }

    fn launch(&mut self) -> Result<(), PilotError> {
        let (replay, whole) = JournalReplay::read("journal", self.lines.text())?;
        self.lines.truncate(whole);
        let now = self.cluster.now();
        let journal = Journal::open(Box::new(self.lines.clone()), replay, "7001", "p", now.wall)?;
        let board = NoticeBoard::default();
        board.expect(LISTENER);
        let web = self.approves.then(|| self.metadata.clone() as Rc<dyn MetadataService>);
        let heard = HeardEvents::of(board.clone()).approving(web);
        let world = ClusterWorld { events: Some(Box::new(heard.clone())), ..(self.world)(&self.cluster) };
        let machines = MachineList(self.machines.iter().map(|machine| machine.parse().unwrap()).collect());
        let pilot = Pilot::new(world, journal, Box::new(self.audit.clone()), now)?
            .controller(Box::new(MaintenanceController::new(machines).approving(self.approves)))
            .source(Box::new(heard));
        let source: Box<dyn NoticeSource> = match self.cloud {
            MachineCloud::Gcp => Box::new(gcp::KeyListener::new(gcp::MetadataKey::Maintenance)),
            MachineCloud::Aws => Box::new(aws::Imds::new()),
            MachineCloud::Azure => Box::new(azure::ScheduledEvents::new()),
        };
        self.program = Some(Program { pilot, board, source, coming: None });
        Ok(())
    }

    /// Kills the pilot now, as a machine that goes down does.
    pub(crate) fn kill(&mut self) {
        self.program = None;
    }

    /// Lets seconds pass; a pilot that is killed is started again after a while.
    pub(crate) fn run(&mut self, seconds: u64) {
        let mut down = 0;
        for _ in 0..seconds {
            self.cluster.pass(1);
            let now = self.cluster.now();
            if self.program.is_none() && down == 0 {
                self.cluster.revive();
                // A kill in the header's line is one before anything was meant.
                if self.launch().is_err() {
                    assert!(self.cluster.is_dead());
                    down = self.downtime;
                }
            }
            down = u64::saturating_sub(down, 1);
            if let Some(program) = &mut self.program {
                program.listen(&self.metadata, now.wall);
                let ticked = program.pilot.tick(now, None);
                assert!(ticked.is_ok() || self.cluster.is_dead(), "{ticked:?}");
            }
            if self.program.is_some() && self.cluster.is_dead() {
                self.kill();
                down = self.downtime;
            }
            self.seen.push(self.cluster.state());
        }
    }

    /// Whether nothing is under way.
    pub(crate) fn is_idle(&self) -> bool {
        self.program.as_ref().is_some_and(|program| program.pilot.is_idle())
    }

    /// The lines of the log that hold these words.
    pub(crate) fn said(&self, words: &str) -> Vec<String> {
        self.audit.sentences().into_iter().filter(|line| line.contains(words)).collect()
    }
}

impl Program {
    fn listen(&mut self, metadata: &Metadata, now: Timestamp) {
        let (at, heard) = match self.coming.take() {
            Some(coming) => coming,
            None => {
                metadata.wait_until(now);
                let heard = self.source.look(metadata, "vm-1");
                (metadata.now(), heard)
            }
        };
        if at > now + SignedDuration::from_millis(1) {
            self.coming = Some((at, heard));
        } else {
            self.board.hear(LISTENER, heard);
        }
    }
}

/// What must be as before when all is over: settings, cordons, evictions. PD may be led by another, and a pod be a new one.
pub(crate) fn restored(state: &TwinState) -> TwinState {
    let mut state = state.clone();
    state.values.retain(|subject, _| !matches!(subject, StepSubject::PdLeader | StepSubject::Pod { .. }));
    state.health.stores.values_mut().for_each(|store| store.leaders = 0);
    state
}
