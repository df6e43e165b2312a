//! A pilot that is killed, in a cluster that misbehaves: whatever happens, it ends as it was or as intended, never between.

use jiff::Timestamp;
use pilot::twin::{ClusterTwin, MemoryAudit, MemoryLines, RequestFault, TwinState};
use pilot::{
    ActionProposal, Journal, JournalReplay, LatePolicy, Pilot, PilotError, PilotStep, PilotWait, Procedure,
    ProcedureEnding, ProcedureStage, RunEnd, StepReversal, StepSubject, UnfinishedPolicy, WaitCondition,
};
use proptest::prelude::*;
use serde_json::json;
use units::Nanos;

const RATE: &str = "rocksdb.rate-bytes-per-sec";
const LIMIT: &str = "schedule.leader-schedule-limit";

/// Half an hour of the twin's time: more than all retries and waits of these procedures together.
const PATIENCE: u64 = 1800;

/// A TiDB on a node of Kubernetes, and what the cloud knows a store's disk by.
const POD: [&str; 2] = ["db", "tidb-0"];
const NODE: &str = "node-1";
const VOLUME: &str = "vol-0a1b2c3d";
const VARIABLES: [(&str, &str, &str); 2] =
    [("tidb_tso_client_batch_max_wait_time", "0", "2"), ("tidb_replica_read", "leader", "closest-adaptive")];

fn twin() -> ClusterTwin {
    let twin = ClusterTwin::new(3, &[(RATE, json!("10GiB")), ("storage.block-cache.capacity", json!("4GiB"))]);
    let [namespace, pod] = POD.map(str::to_owned);
    twin.with(|state| {
        state.values.insert(StepSubject::Pod { namespace, pod }, json!("uid-1"));
        state.values.insert(StepSubject::Node { node: NODE.to_owned() }, json!(false));
        state.values.insert(StepSubject::Volume { volume: VOLUME.to_owned() }, json!("gp3:500GiB"));
        for (name, is, _) in VARIABLES {
            state.values.insert(StepSubject::TidbVariable { name: name.to_owned() }, json!(is));
        }
    });
    twin
}

fn rate(ending: ProcedureEnding, found: UnfinishedPolicy) -> Procedure {
    let value = json!("100MB");
    let one = Procedure::of_one(PilotStep::SetTikvConfig { store: 1, key: RATE.to_owned(), value }, ending);
    Procedure { found, within: Nanos::secs(300), ..one }
}

/// What maintenance does: limits are raised, leaders leave, the event passes, and all comes back.
fn clear(found: UnfinishedPolicy) -> Procedure {
    let wait = |until, secs, late| ProcedureStage::Wait(PilotWait { until, within: Nanos::secs(secs), late });
    Procedure {
        name: "keep store 2 clear of leaders".to_owned(),
        stages: vec![
            ProcedureStage::Do(PilotStep::SetPdConfig { key: LIMIT.to_owned(), value: json!(64) }),
            ProcedureStage::Do(PilotStep::EvictLeaders { store: 2 }),
            wait(WaitCondition::LeadersGone { store: 2 }, 60, LatePolicy::GoOn),
            wait(WaitCondition::EventOver { event: "e1".to_owned() }, 600, LatePolicy::GoOn),
        ],
        ending: ProcedureEnding::Restore,
        afterwards: vec![PilotWait {
            until: WaitCondition::LeadersBack { store: 2, least: 9 },
            within: Nanos::secs(60),
            late: LatePolicy::GoOn,
        }],
        within: Nanos::secs(900),
        found,
    }
}

/// The same for a machine that runs all there is: what leads PD there leads it no more, and TiDB is made anew elsewhere.
fn machine(found: UnfinishedPolicy) -> Procedure {
    let [namespace, pod] = POD.map(str::to_owned);
    let mut clear = clear(found);
    let more = [
        PilotStep::ResignPdLeader { member: "pd1".to_owned() },
        PilotStep::CordonNode { node: NODE.to_owned() },
        PilotStep::DeletePod { namespace, pod },
    ];
    clear.stages.splice(2..2, more.map(ProcedureStage::Do));
    clear
}

/// Variables of TiDB.
fn variables(ending: ProcedureEnding, found: UnfinishedPolicy) -> Procedure {
    let step = |(name, _, to): (&str, _, &str)| PilotStep::SetTidbVariable { name: name.to_owned(), value: json!(to) };
    let stages = VARIABLES.map(step).map(ProcedureStage::Do).into();
    Procedure { name: "read from the nearest replica".to_owned(), stages, ..rate(ending, found) }
}

/// A disk that becomes faster.
fn volume(found: UnfinishedPolicy) -> Procedure {
    let to = "gp3:500GiB,6000iops".parse().unwrap();
    let one = Procedure::of_one(PilotStep::ModifyVolume { volume: VOLUME.to_owned(), to }, ProcedureEnding::Keep);
    Procedure { found, within: Nanos::secs(3600), ..one }
}

/// Three stores, one after the other.
fn all_stores() -> Procedure {
    let step =
        |store| ProcedureStage::Do(PilotStep::SetTikvConfig { store, key: RATE.to_owned(), value: json!("50MiB") });
    Procedure {
        name: "limit all".to_owned(),
        stages: (1..=3).map(step).collect(),
        ..rate(ProcedureEnding::Keep, UnfinishedPolicy::Undo)
    }
}

/// One pilot after the other, as each is killed, until nothing is under way. Gives the last's audit.
struct Life {
    twin: ClusterTwin,
    lines: MemoryLines,
    wanted: Option<Procedure>,
}

impl Life {
    fn new(twin: &ClusterTwin, procedure: Procedure) -> Self {
        Self { twin: twin.clone(), lines: MemoryLines::of(twin), wanted: Some(procedure) }
    }

    fn replay(&self) -> JournalReplay {
        let (replay, whole) = JournalReplay::read("journal", self.lines.text()).unwrap();
        self.lines.truncate(whole);
        replay
    }

    fn start(&self) -> Result<Pilot, PilotError> {
        let journal = Journal::open(Box::new(self.lines.clone()), self.replay(), "7001", "p", Timestamp::UNIX_EPOCH)?;
        Pilot::new(self.twin.world(), journal, Box::new(MemoryAudit::default()), self.twin.now())
    }

    /// Lives until killed, or until there is nothing to do.
    fn live(&mut self, mut jumps: impl Iterator<Item = i64>, left: &mut u64) -> Result<(), PilotError> {
        let mut pilot = self.start()?;
        if let Some(procedure) = self.wanted.take_if(|_| pilot.runs().is_empty()) {
            pilot.begin("maintenance", &ActionProposal::act("because", procedure), self.twin.now())?;
        }
        while !self.twin.is_dead() && !pilot.is_idle() && *left > 0 {
            self.twin.pass(1);
            self.twin.jump(jumps.next().unwrap_or(0));
            *left -= 1;
            pilot.drive(self.twin.now())?;
        }
        Ok(())
    }

    fn all_lives(&mut self, jumps: &[i64]) -> JournalReplay {
        let mut left = PATIENCE;
        let mut jumps = jumps.iter().copied();
        loop {
            self.twin.revive();
            let lived = self.live(&mut jumps, &mut left);
            assert!(left > 0, "it does not come to an end:\n{}", self.lines.text());
            if !self.twin.is_dead() {
                lived.unwrap_or_else(|error| panic!("{error}"));
                // What was late would be carried out now.
                self.twin.pass(60);
                return self.replay();
            }
        }
    }
}

/// The values that count: leaders move by themselves, and what cannot be undone is judged by [`lasting`].
fn told(state: TwinState) -> TwinState {
    let mut state = state;
    state.health.stores.values_mut().for_each(|store| store.leaders = 0);
    state.values.retain(|subject, _| !matches!(subject, StepSubject::PdLeader | StepSubject::Pod { .. }));
    state
}

/// Whether what cannot be undone is as it was, or as the procedure wants it.
fn lasting(procedure: &Procedure, before: &TwinState, after: &TwinState) -> bool {
    let steps = procedure.steps().map(|(_, step)| step).filter(|step| step.reversal() != StepReversal::Write);
    let values = |step: &PilotStep| [before, after].map(|state| state.values[&step.subject()].clone());
    steps.map(|step| (step, values(step))).all(|(step, [was, is])| was == is || step.reached(&was, &is))
}

fn intended(before: &TwinState, procedure: &Procedure) -> TwinState {
    let mut state = before.clone();
    if procedure.ending != ProcedureEnding::Restore {
        for (_, step) in procedure.steps() {
            state.values.insert(step.subject(), step.writes(&json!(null)));
        }
    }
    state
}

fn ends_well(twin: &ClusterTwin, procedure: &Procedure, jumps: &[i64]) -> Result<(), TestCaseError> {
    twin.with(|state| state.over.insert("e1".to_owned()));
    let was = twin.state();
    let mut life = Life::new(twin, procedure.clone());
    let replay = life.all_lives(jumps);
    let text = life.lines.text();
    prop_assert!(lasting(procedure, &was, &twin.state()), "{}", text);
    let (before, after) = (told(was), told(twin.state()));
    match replay.runs.get(&1).map(|run| run.ended) {
        // Killed before it began.
        None => prop_assert_eq!(&after, &before, "{}", text),
        Some(Some(RunEnd::Kept)) => prop_assert_eq!(&after, &intended(&before, procedure), "{}", text),
        Some(Some(RunEnd::Undone)) => prop_assert_eq!(&after, &before, "{}", text),
        Some(None) => prop_assert!(false, "it is under way for ever: {}", text),
    }
    Ok(())
}

fn faults() -> impl Strategy<Value = RequestFault> {
    prop_oneof![
        3 => Just(RequestFault::Silent),
        2 => Just(RequestFault::SilentDone),
        2 => (0_u64..9).prop_map(|secs| RequestFault::Late(Nanos::secs(secs))),
        2 => Just(RequestFault::Error),
        2 => Just(RequestFault::ErrorDone),
        2 => Just(RequestFault::Half),
        2 => Just(RequestFault::ErrorHalf),
        2 => Just(RequestFault::Kill),
        2 => Just(RequestFault::KillDone),
        2 => Just(RequestFault::Restart),
    ]
}

fn procedures() -> impl Strategy<Value = Procedure> {
    let found = prop_oneof![Just(UnfinishedPolicy::GoOn), Just(UnfinishedPolicy::Undo)];
    (0..9, found).prop_map(|(which, found)| match which {
        0 => rate(ProcedureEnding::Keep, found),
        1 => rate(ProcedureEnding::Restore, found),
        2 => all_stores(),
        3 => variables(ProcedureEnding::Keep, found),
        4 => variables(ProcedureEnding::Restore, found),
        5 => volume(found),
        6 => clear(found),
        _ => machine(found),
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn the_cluster_ends_as_it_was_or_as_intended(
        procedure in procedures(),
        faults in prop::collection::vec((0_u64..60, faults()), 0..12),
        cuts in prop::collection::vec(0_u64..25, 0..3),
        jumps in prop::collection::vec(prop_oneof![6 => Just(0_i64), 1 => -90_000_i64..90_000], 0..40),
    ) {
        let twin = twin();
        faults.iter().for_each(|(at, fault)| twin.fault(*at, *fault));
        cuts.iter().for_each(|line| twin.cut_line(*line));
        ends_well(&twin, &procedure, &jumps)?;
    }
}

#[test]
fn a_kill_at_every_request_and_every_line_leaves_nothing_between() {
    for procedure in [
        rate(ProcedureEnding::Keep, UnfinishedPolicy::Undo),
        rate(ProcedureEnding::Keep, UnfinishedPolicy::GoOn),
        all_stores(),
        clear(UnfinishedPolicy::GoOn),
        clear(UnfinishedPolicy::Undo),
        machine(UnfinishedPolicy::GoOn),
        machine(UnfinishedPolicy::Undo),
        variables(ProcedureEnding::Restore, UnfinishedPolicy::Undo),
        volume(UnfinishedPolicy::GoOn),
    ] {
        let calm = twin();
        ends_well(&calm, &procedure, &[]).unwrap();
        let (requests, lines) = (calm.ops().len() as u64, calm.lines());
        assert!(requests > 2 && lines > 3, "{requests} {lines}");
        for at in 0..requests {
            for fault in [RequestFault::Kill, RequestFault::KillDone] {
                let twin = twin();
                twin.fault(at, fault);
                ends_well(&twin, &procedure, &[]).unwrap();
                assert!(twin.ops().len() as u64 > at);
            }
        }
        for line in 0..lines {
            let twin = twin();
            twin.cut_line(line);
            ends_well(&twin, &procedure, &[]).unwrap();
        }
    }
}

#[test]
fn a_tikv_that_restarts_has_what_its_file_says_and_that_is_as_it_was() {
    let twin = twin();
    let before = told(twin.state());
    let mut life = Life::new(&twin, rate(ProcedureEnding::Keep, UnfinishedPolicy::Undo));
    life.all_lives(&[]);
    twin.fault(twin.ops().len() as u64, RequestFault::Restart);
    let mut pilot = life.start().unwrap();
    pilot.undo(1, "by hand", false, twin.now()).unwrap();
    (0..3).for_each(|_| pilot.drive(twin.now()).unwrap());
    assert!(pilot.is_idle());
    assert_eq!(told(twin.state()), before);
}

#[test]
fn what_somebody_else_has_set_since_is_left_unless_forced() {
    let twin = twin();
    let mut life = Life::new(&twin, rate(ProcedureEnding::Keep, UnfinishedPolicy::Undo));
    life.all_lives(&[]);
    let subject = StepSubject::TikvConfig { store: 1, key: RATE.to_owned() };
    twin.with(|state| state.values.insert(subject.clone(), json!("1GiB")));
    let mut pilot = life.start().unwrap();
    pilot.undo(1, "by hand", false, twin.now()).unwrap();
    pilot.drive(twin.now()).unwrap();
    assert!(pilot.is_idle());
    assert_eq!(twin.state().values[&subject], json!("1GiB"));
    pilot.undo(1, "by hand", true, twin.now()).unwrap();
    pilot.drive(twin.now()).unwrap();
    assert_eq!(twin.state().values[&subject], json!("10GiB"));
    let error = pilot.undo(1, "by hand", false, twin.now()).unwrap_err();
    assert!(matches!(error, PilotError::Refused(_)), "{error}");
}
