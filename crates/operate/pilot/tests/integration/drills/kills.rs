//! The pilot is killed at every request and every line of its journal.

use maintenance::MachineCloud;
use pilot::twin::RequestFault;

use crate::drills::drill::{Drill, MIGRATE, restored};

const ANNOUNCED: u64 = 4;
const TAKES: u64 = 8;

/// A drill with a kill; whether leaders were gone in time, and all was restored.
fn survive(prepare: impl Fn(&Drill)) -> Drill {
    let mut drill = Drill::new(MachineCloud::Gcp);
    prepare(&drill);
    let before = restored(&drill.cluster.state());
    let planned = drill.plan(MIGRATE, ANNOUNCED, None, TAKES);
    let (starts, ends) = (drill.second(planned.starts), drill.second(planned.ends));
    drill.run(ends as u64 + 40);
    if !drill.is_idle() {
        // It was killed in the last seconds.
        drill.run(2);
    }
    let text = drill.lines.text();
    assert!(drill.is_idle(), "it does not come to an end:\n{text}");
    assert_eq!(drill.seen[starts - 1].health.stores[&2].leaders, 0, "leaders at the deadline:\n{text}");
    assert_eq!(restored(&drill.cluster.state()), before, "not restored:\n{text}");
    drill
}

#[test]
fn a_kill_at_every_request_and_every_line_leaves_leaders_gone_in_time_and_all_restored() {
    let calm = survive(|_| {});
    let (ops, lines) = (calm.cluster.ops(), calm.cluster.lines());
    // A read that is repeated while nothing happens is one moment: of a row of the same, first and last are taken.
    let turns = |at: usize| {
        let beside = |other: Option<&pilot::twin::PilotRequest>| other.is_none_or(|other| other.what != ops[at].what);
        ops[at].writes || beside(at.checked_sub(1).and_then(|before| ops.get(before))) || beside(ops.get(at + 1))
    };
    let moments: Vec<u64> = (0..ops.len()).filter(|at| turns(*at)).map(|at| at as u64).collect();
    assert!(moments.len() > 50 && lines > 15, "{} {lines}", moments.len());
    for &at in &moments {
        for fault in [RequestFault::Kill, RequestFault::KillDone] {
            survive(|drill| drill.cluster.fault(at, fault));
        }
    }
    for line in 0..lines {
        survive(|drill| drill.cluster.cut_line(line));
    }
}

#[test]
fn a_pilot_that_goes_down_with_its_machine_restores_all_when_it_is_back() {
    let mut drill = Drill::new(MachineCloud::Gcp);
    let before = restored(&drill.cluster.state());
    let planned = drill.plan("TERMINATE_ON_HOST_MAINTENANCE", ANNOUNCED, None, 300);
    let (starts, ends) = (drill.second(planned.starts), drill.second(planned.ends));
    drill.run(starts as u64);
    drill.kill();
    // The machine is away for the whole event, and longer.
    drill.cluster.pass((ends - starts) as u64 + 30);
    assert!(drill.cluster.state().evicting.contains(&2));
    drill.run(60);
    assert!(drill.is_idle(), "{}", drill.lines.text());
    assert_eq!(restored(&drill.cluster.state()), before);
}
