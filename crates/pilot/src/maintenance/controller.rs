//! Decides what the notices call for.

use std::collections::BTreeMap;

use units::Nanos;

use super::bounds::bounds;
use super::procedures::Moment;
use super::{Machines, Role};
use crate::{Controller, Now, Proposal, Seen};

/// Makes machines ready for what their clouds announce.
#[derive(Debug, Default)]
pub struct Maintenance {
    machines: Machines,
    /// When something was last proposed, by notice and role.
    proposed: BTreeMap<(String, Role), Nanos>,
}

impl Maintenance {
    /// For these machines.
    pub fn new(machines: Machines) -> Self {
        Self { machines, proposed: BTreeMap::new() }
    }
}

impl Controller for Maintenance {
    fn name(&self) -> &'static str {
        "maintenance"
    }

    fn decide(&mut self, now: Now, seen: &Seen) -> Vec<Proposal> {
        let mut proposals = Vec::new();
        // The nearest first: only one store is cleared at a time.
        let mut notices: Vec<_> = seen.notices.iter().collect();
        notices.sort_by_key(|notice| (notice.deadline, notice.id.as_str()));
        for notice in notices {
            let Some(machine) = self.machines.named(&notice.subject) else {
                proposals.push(Proposal::tell(format!("{notice}: nothing is known to run there")));
                continue;
            };
            for role in &machine.roles {
                let key = (notice.id.clone(), role.clone());
                if self.proposed.get(&key).is_some_and(|last| now.since(*last) < bounds().again.value) {
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
