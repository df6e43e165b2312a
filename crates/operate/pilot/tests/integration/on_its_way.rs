//! A request that is still on its way when its pilot is killed, and is carried out after the next one has undone its step.

use jiff::Timestamp;
use pilot::twin::{ClusterTwin, MemoryAudit, MemoryLines, RequestFault, TwinState};
use pilot::{
    ActionProposal, Journal, JournalReplay, Pilot, PilotStep, Procedure, ProcedureEnding, RunEnd, StepSubject,
    UnfinishedPolicy,
};
use serde_json::json;
use units::Nanos;

const RATE: &str = "rocksdb.rate-bytes-per-sec";
const VOLUME: &str = "vol-0a1b2c3d";

fn twin() -> ClusterTwin {
    let twin = ClusterTwin::new(3, &[(RATE, json!("10GiB"))]);
    twin.with(|state| {
        state.values.insert(StepSubject::Node { node: "node-1".to_owned() }, json!(false));
        state.values.insert(StepSubject::Volume { volume: VOLUME.to_owned() }, json!("gp3:500GiB"));
        state.values.insert(StepSubject::TidbVariable { name: "tidb_replica_read".to_owned() }, json!("leader"));
    });
    twin
}

/// A step of each kind that can be undone.
fn steps() -> Vec<PilotStep> {
    let limit = "schedule.leader-schedule-limit".to_owned();
    let volume = PilotStep::ModifyVolume { volume: VOLUME.to_owned(), to: "gp3:500GiB,6000iops".parse().unwrap() };
    vec![
        PilotStep::EvictLeaders { store: 2 },
        PilotStep::SetPdConfig { key: limit, value: json!(64) },
        PilotStep::SetTikvConfig { store: 1, key: RATE.to_owned(), value: json!("100MB") },
        PilotStep::CordonNode { node: "node-1".to_owned() },
        PilotStep::SetTidbVariable { name: "tidb_replica_read".to_owned(), value: json!("closest-adaptive") },
        volume,
    ]
}

struct Life {
    twin: ClusterTwin,
    lines: MemoryLines,
    audit: MemoryAudit,
}

impl Life {
    fn of(twin: &ClusterTwin) -> Self {
        Self { twin: twin.clone(), lines: MemoryLines::of(twin), audit: MemoryAudit::default() }
    }

    fn start(&self) -> Pilot {
        let (replay, _) = JournalReplay::read("journal", self.lines.text()).unwrap();
        let journal = Journal::open(Box::new(self.lines.clone()), replay, "7001", "p", Timestamp::UNIX_EPOCH).unwrap();
        Pilot::new(self.twin.world(), journal, Box::new(self.audit.clone()), self.twin.now()).unwrap()
    }

    fn begin(&self, pilot: &mut Pilot, step: &PilotStep) {
        let procedure =
            Procedure { found: UnfinishedPolicy::Undo, ..Procedure::of_one(step.clone(), ProcedureEnding::Keep) };
        pilot.begin("by-hand", &ActionProposal::act("because", procedure), self.twin.now()).unwrap();
    }

    fn drive(&self, pilot: &mut Pilot, seconds: u64) {
        for _ in 0..seconds {
            self.twin.pass(1);
            pilot.drive(self.twin.now()).unwrap();
        }
    }
}

/// The settings that count: leaders move by themselves.
fn told(twin: &ClusterTwin) -> TwinState {
    let mut state = twin.state();
    state.health.stores.values_mut().for_each(|store| store.leaders = 0);
    state
}

/// The number of the request that makes a step.
fn made_by(step: &PilotStep) -> u64 {
    let twin = twin();
    let life = Life::of(&twin);
    life.begin(&mut life.start(), step);
    twin.ops().iter().find(|op| op.writes).unwrap().number
}

#[test]
fn a_request_that_is_carried_out_after_its_pilot_was_killed_is_undone_all_the_same() {
    for step in steps() {
        let request = made_by(&step);
        for (late, away) in [(1, 0), (5, 1), (12, 0), (12, 1), (12, 11), (20, 3), (29, 0)] {
            let twin = twin();
            let (life, before) = (Life::of(&twin), told(&twin));
            twin.fault(request, RequestFault::Late(Nanos::secs(late)));
            let mut pilot = life.start();
            life.begin(&mut pilot, &step);
            // Killed: nothing is put in order.
            drop(pilot);
            twin.pass(away);
            let mut pilot = life.start();
            life.drive(&mut pilot, 90);
            let text = life.lines.text();
            assert!(pilot.is_idle(), "{step}, {late} s late: {text}");
            assert_eq!(pilot.runs()[&1].ended, Some(RunEnd::Undone), "{text}");
            assert_eq!(told(&twin), before, "{step}, {late} s late, {away} s away: {text}");
            if late > away {
                let said = life.audit.sentences();
                let told = said.iter().filter(|said| said.contains("which may be carried out yet")).count();
                assert_eq!(told, usize::from(late > away + 1), "{step}, {late} {away}: {said:?}");
            }
        }
    }
}

#[test]
fn what_was_before_is_written_once_more_although_it_is_there_but_for_volumes() {
    for step in steps() {
        let twin = twin();
        let life = Life::of(&twin);
        twin.fault(made_by(&step), RequestFault::Silent);
        let mut pilot = life.start();
        life.begin(&mut pilot, &step);
        drop(pilot);
        let mut pilot = life.start();
        life.drive(&mut pilot, 60);
        assert_eq!(pilot.runs()[&1].ended, Some(RunEnd::Undone));
        let writes = twin.ops().iter().filter(|op| op.writes).count();
        let is_volume = matches!(step, PilotStep::ModifyVolume { .. });
        assert_eq!(writes, if is_volume { 1 } else { 2 }, "{step}: a cloud counts each modification");
    }
}

#[test]
fn a_request_that_was_sent_again_may_arrive_twice_and_the_second_time_is_undone_too() {
    for step in steps() {
        let twin = twin();
        let (life, before) = (Life::of(&twin), told(&twin));
        twin.fault(made_by(&step), RequestFault::Late(Nanos::secs(15)));
        let mut pilot = life.start();
        life.begin(&mut pilot, &step);
        // It is sent again after ten seconds, and is done then.
        life.drive(&mut pilot, 12);
        assert_eq!(pilot.runs()[&1].ended, Some(RunEnd::Kept), "{step}: {}", life.lines.text());
        pilot.undo(1, "asked for by hand", false, twin.now()).unwrap();
        life.drive(&mut pilot, 60);
        assert_eq!((pilot.is_idle(), told(&twin)), (true, before.clone()), "{step}: {}", life.lines.text());
    }
}

#[test]
fn what_was_answered_is_undone_without_waiting() {
    for step in steps() {
        let twin = twin();
        let (life, before) = (Life::of(&twin), told(&twin));
        let mut pilot = life.start();
        life.begin(&mut pilot, &step);
        life.drive(&mut pilot, 1);
        drop(pilot);
        let mut pilot = life.start();
        pilot.undo(1, "asked for by hand", false, twin.now()).unwrap();
        life.drive(&mut pilot, 1);
        assert!(pilot.is_idle() && told(&twin) == before, "{step}: {}", life.lines.text());
    }
}
