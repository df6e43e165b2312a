//! One announcement from its notice to its end, in virtual time on a cluster in memory: what the pilot does about it.

use std::time::Duration;

use jiff::Timestamp;
use maintenance::emulator::{AnnouncedEvent, MetadataEmulator, MetadataTwin as Server};
use maintenance::{MachineCloud, NoticeBoard, NoticeSource, gcp};
use serde_json::{Value, json};

use super::{ClusterMachine, HeardEvents, MachineList, MachineRole, MaintenanceController};
use crate::twin::{ClusterTwin, MemoryAudit, MemoryLines, TwinState};
use crate::{ClusterWorld, Journal, JournalReplay, Pilot, PilotError, PilotStep, StepSubject};

/// What came of a rehearsal.
#[derive(Debug, Clone, PartialEq)]
pub struct Rehearsal {
    /// What was done, in order, all of it before the event.
    pub steps: Vec<PilotStep>,
    /// Whether everything that can be undone was as before when the event was over.
    pub restored: bool,
}

/// The machine that is told about.
const MACHINE: &str = "vm-1";
/// When the migration is told, in seconds; a minute later it begins.
const ANNOUNCED: u64 = 5;
/// How long it takes, in seconds.
const TAKES: u64 = 20;
/// Seconds for all to come back.
const AFTER: u64 = 60;

/// Rehearses GCP's live migration of a machine on which that runs.
///
/// # Errors
/// When the pilot ends with one.
pub fn rehearse(role: &MachineRole) -> Result<Rehearsal, PilotError> {
    let cluster = cluster(role);
    let before = settings(cluster.state());
    let start = cluster.now().wall;
    let failed = |error: maintenance::MaintenanceError| PilotError::Input(error.to_string());
    let (announced, takes) = (start + Duration::from_secs(ANNOUNCED), Duration::from_secs(TAKES));
    let word = "MIGRATE_ON_HOST_MAINTENANCE";
    let planned = AnnouncedEvent::usual(MachineCloud::Gcp, word, announced, None, takes).map_err(failed)?;
    let seconds = planned.ends.duration_since(start).as_secs().unsigned_abs() + AFTER;
    let starts = planned.starts;
    let mut emulator = MetadataEmulator::new(MACHINE);
    emulator.plan(planned);
    let server = Server::new(MachineCloud::Gcp, emulator, start);
    let (board, mut listener) = (NoticeBoard::default(), gcp::KeyListener::new(gcp::MetadataKey::Maintenance));
    let name = listener.name(MACHINE);
    board.expect(&name);
    let lines = MemoryLines::of(&cluster);
    let journal =
        Journal::open(Box::new(lines), JournalReplay::default(), &cluster.state().cluster, "rehearsal", start)?;
    let heard = HeardEvents::of(board.clone());
    let world = ClusterWorld { tikv: None, events: Some(Box::new(heard.clone())), ..cluster.world() };
    let machine = ClusterMachine { name: MACHINE.to_owned(), roles: vec![role.clone()] };
    let mut pilot = Pilot::new(world, journal, Box::new(MemoryAudit::default()), cluster.now())?
        .controller(Box::new(MaintenanceController::new(MachineList(vec![machine]))))
        .source(Box::new(heard));
    let mut coming: Option<(Timestamp, _)> = None;
    let mut steps = Vec::new();
    for _ in 0..seconds {
        cluster.pass(1);
        let now = cluster.now();
        // An answer is on its way until its time has come.
        let (at, heard) = coming.take().unwrap_or_else(|| {
            server.wait_until(now.wall);
            let heard = listener.look(&server, MACHINE);
            (server.now(), heard)
        });
        if at > now.wall {
            coming = Some((at, heard));
        } else {
            board.hear(&name, heard);
        }
        pilot.tick(now, None)?;
        if now.wall < starts {
            let runs = pilot.runs().values();
            let made = |run: &crate::ProcedureRun| {
                let made = run.procedure.steps().filter(|(at, _)| run.steps.contains_key(at));
                made.map(|(_, step)| step.clone()).collect::<Vec<_>>()
            };
            steps = runs.flat_map(made).collect();
        }
    }
    Ok(Rehearsal { steps, restored: pilot.is_idle() && settings(cluster.state()) == before })
}

/// A healthy cluster of three stores in which there is what the role names.
fn cluster(role: &MachineRole) -> ClusterTwin {
    let twin = ClusterTwin::new(3, &[]);
    twin.with(|state| match role {
        MachineRole::Tikv(_) => {}
        MachineRole::Pd(member) => drop(state.values.insert(StepSubject::PdLeader, json!(member))),
        MachineRole::Tidb { namespace, pod, node } => {
            state.values.insert(StepSubject::Node { node: node.clone() }, json!(false));
            let (namespace, pod) = (namespace.clone(), pod.clone());
            state.values.insert(StepSubject::Pod { namespace, pod }, json!("uid-1"));
        }
    });
    twin
}

/// What can be undone: settings, cordons, evictions. PD may be led by another, and a pod be a new one.
fn settings(state: TwinState) -> (Vec<(StepSubject, Value)>, Vec<u64>) {
    let stays = |subject: &StepSubject| !matches!(subject, StepSubject::PdLeader | StepSubject::Pod { .. });
    let values = state.values.into_iter().filter(|(subject, _)| stays(subject)).collect();
    (values, state.evicting.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_is_made_ready_in_time_and_restored() {
        for (role, expected) in [("tikv:2", 1), ("pd:pd1", 1), ("tidb:db/tidb-0@node-1", 2)] {
            let rehearsal = rehearse(&role.parse().unwrap()).unwrap();
            assert_eq!(rehearsal.steps.len(), expected, "{role}: {rehearsal:?}");
            assert!(rehearsal.restored, "{role}");
        }
    }
}
