//! Decides what the notices call for.

use std::collections::{BTreeMap, BTreeSet};

use maintenance::{MaintenanceNotice, azure};
use units::Nanos;

use super::bounds::bounds;
use super::procedures::Moment;
use super::{ClusterMachine, MachineList, MachineRole};
use crate::{
    ActionProposal, ClockReading, ClusterSnapshot, Controller, PilotStep, Procedure, ProcedureEnding, UnfinishedPolicy,
};

/// An event that was let begin has begun within this; longer than `approve-event` of `tables/guard.toml` may take.
const APPROVED_WITHIN: Nanos = Nanos::secs(300);

/// Makes machines ready for what their clouds announce.
#[derive(Debug, Default)]
pub struct MaintenanceController {
    machines: MachineList,
    /// When something was last proposed, by notice and role; of no role: that the event begins.
    proposed: BTreeMap<(String, Option<MachineRole>), Nanos>,
    /// Whether an event is let begin as soon as all is ready for it.
    approves: bool,
}

impl MaintenanceController {
    /// For these machines.
    pub fn new(machines: MachineList) -> Self {
        Self { machines, ..Self::default() }
    }

    /// The same; if `so`, an event of Azure is let begin as soon as all is ready for it, rather than at its time: one that is of this machine
    /// alone, for only that is made ready here, and from which it comes back.
    #[must_use]
    pub fn approving(self, so: bool) -> Self {
        Self { approves: so, ..self }
    }

    /// Whether that was proposed a moment ago.
    fn was_proposed(&self, now: ClockReading, key: &(String, Option<MachineRole>)) -> bool {
        self.proposed.get(key).is_some_and(|last| now.since(*last) < bounds().again.value)
    }

    /// Lets an event begin, if it is time and nobody did.
    fn approval(
        &mut self,
        now: ClockReading,
        seen: &ClusterSnapshot,
        notice: &MaintenanceNotice,
        machine: &ClusterMachine,
    ) -> Option<ActionProposal> {
        let is_ready = seen.ready.get(&notice.id).is_some_and(|ready| *ready >= machine.roles.len());
        let alone = BTreeSet::from([notice.subject.clone()]);
        let wanted = self.approves && is_ready && notice.returns && azure::approves(notice, &alone);
        let key = (notice.id.clone(), None);
        if !wanted || self.was_proposed(now, &key) {
            return None;
        }
        self.proposed.insert(key, now.mono);
        let step = PilotStep::ApproveEvent { event: notice.id.clone() };
        let procedure = Procedure {
            found: UnfinishedPolicy::GoOn,
            within: APPROVED_WITHIN,
            ..Procedure::of_one(step, ProcedureEnding::Keep)
        };
        Some(ActionProposal::act(format!("{notice}: all is ready for it"), procedure))
    }
}

impl Controller for MaintenanceController {
    fn name(&self) -> &'static str {
        "maintenance"
    }

    fn decide(&mut self, now: ClockReading, seen: &ClusterSnapshot) -> Vec<ActionProposal> {
        let mut proposals = Vec::new();
        // The nearest first: only one store is cleared at a time.
        let mut notices: Vec<_> = seen.notices.iter().collect();
        notices.sort_by_key(|notice| (notice.deadline, notice.id.as_str()));
        for notice in notices {
            let Some(machine) = self.machines.named(&notice.subject).cloned() else {
                proposals.push(ActionProposal::tell(format!("{notice}: nothing is known to run there")));
                continue;
            };
            proposals.extend(self.approval(now, seen, notice, &machine));
            for role in &machine.roles {
                let key = (notice.id.clone(), Some(role.clone()));
                if self.was_proposed(now, &key) {
                    continue;
                }
                if let Some(proposal) = (Moment { now, seen, notice, role }).propose() {
                    if proposal.procedure.is_some() {
                        self.proposed.insert(key, now.mono);
                    }
                    proposals.push(proposal);
                }
            }
        }
        self.proposed.retain(|(id, _), _| seen.notices.iter().any(|notice| notice.id == *id));
        proposals
    }
}
