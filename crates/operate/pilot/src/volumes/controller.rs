//! The controller of volumes: what crate `resize` decides, as procedures, and its predictions in the ledger.

use diagnose::KnownFacts;
use disk::Disk;
use serde_json::json;
use units::{Nanos, Usd};
use volume_control::{ChangeLedger, KeepReason, VolumeDecision, VolumePolicy};

use super::LedgerStore;
use crate::volumes_seen::VolumesSeen;
use crate::{
    ActionProposal, ClockReading, ClusterSnapshot, Controller, LatePolicy, PilotError, PilotStep, PilotWait, Procedure,
    ProcedureEnding, ProcedureStage, UnfinishedPolicy, WaitCondition,
};

/// A modification of a large volume takes longer than a day (EC2 user guide); then it goes on without the pilot.
const LONGEST: Nanos = Nanos::secs(36 * 3600);

/// Grows and shrinks volumes.
pub struct VolumeController {
    policy: VolumePolicy,
    known: KnownFacts,
    book: Box<dyn LedgerStore>,
    ledger: ChangeLedger,
    seed: u64,
}

impl VolumeController {
    /// One that keeps to a policy. `known` has the prices and the instances.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn new(
        policy: VolumePolicy,
        known: KnownFacts,
        book: Box<dyn LedgerStore>,
        seed: u64,
    ) -> Result<Self, PilotError> {
        let ledger = book.load()?;
        Ok(Self { policy, known, book, ledger, seed })
    }

    /// Predictions and what came of them.
    pub fn ledger(&self) -> &ChangeLedger {
        &self.ledger
    }

    /// What every volume should be, and why; also those that stay.
    pub fn decisions(&self, at: &VolumesSeen, changing: &[PilotStep]) -> Vec<VolumeDecision> {
        let mut volumes = at.volumes.clone();
        for volume in &mut volumes {
            let meant = changing.iter().filter_map(|step| match step {
                PilotStep::ModifyVolume { volume: name, to } if *name == volume.id => Some(to),
                _ => None,
            });
            // What is under way may still be undone: the dearer of the two is what the budget must pay for, and one whose price is not
            // known may be the dearer.
            let price = |disk: &Disk| self.known.monthly(disk).map_or(f64::INFINITY, |price| price.0);
            volume.intended = meant.max_by(|a, b| price(a).total_cmp(&price(b))).cloned();
        }
        volume_control::decide(at.now, &volumes, &at.timeline, &self.known, &self.policy, self.seed)
    }

    /// Takes note of what became of changes, and of new proposals.
    fn note(&mut self, at: &VolumesSeen, decisions: &[VolumeDecision]) -> Result<(), PilotError> {
        let before = self.ledger.clone();
        self.ledger.follow(at.now, &at.volumes);
        self.ledger.look(at.now, &at.timeline, &self.known, &self.policy, self.seed);
        decisions.iter().filter_map(VolumeDecision::change).for_each(|proposal| self.ledger.propose(proposal, at.now));
        if self.ledger == before { Ok(()) } else { self.book.save(&self.ledger) }
    }
}

impl Controller for VolumeController {
    fn name(&self) -> &'static str {
        "volumes"
    }

    fn decide(&mut self, _: ClockReading, seen: &ClusterSnapshot) -> Vec<ActionProposal> {
        let Some(at) = &seen.volumes else { return Vec::new() };
        let decisions = self.decisions(at, &seen.changing);
        if let Err(error) = self.note(at, &decisions) {
            // What cannot be held against its prediction later is not done.
            return vec![ActionProposal::tell(error.to_string())];
        }
        decisions.iter().filter_map(|decision| proposal(decision, at.now)).collect()
    }
}

fn proposal(decision: &VolumeDecision, now: Nanos) -> Option<ActionProposal> {
    match decision {
        VolumeDecision::Change { proposal } => {
            let step = PilotStep::ModifyVolume { volume: proposal.volume.clone(), to: proposal.to.clone() };
            let until = WaitCondition::VolumeSettled { volume: proposal.volume.clone() };
            let procedure = Procedure {
                name: format!("make {} {}", proposal.volume, proposal.to),
                stages: vec![
                    ProcedureStage::Do(step),
                    ProcedureStage::Wait(PilotWait { until, within: LONGEST, late: LatePolicy::GoOn }),
                ],
                ending: ProcedureEnding::Keep,
                afterwards: Vec::new(),
                within: LONGEST + Nanos::secs(3600),
                // A modification cannot be called off: who finds one under way waits for it.
                found: UnfinishedPolicy::GoOn,
            };
            let expects = json!({
                "monthly_usd_delta": proposal.monthly.0,
                "predicted": proposal.predicted,
                "undo_to": proposal.undo.to,
                "undo_in_s": (proposal.undo.from - now).as_secs_f64(),
            });
            Some(ActionProposal { expects, ..ActionProposal::act(reason(proposal, now), procedure) })
        }
        VolumeDecision::Later { at, proposal } => {
            let when =
                at.map_or_else(|| "when its modification is done".to_owned(), |at| format!("in {}", rough(at - now)));
            let (volume, to) = (&proposal.volume, &proposal.to);
            Some(ActionProposal::tell(format!(
                "{volume} becomes {to} {when}, as its cloud allows: {}",
                proposal.reason
            )))
        }
        VolumeDecision::Keep { volume, keep } => match keep {
            KeepReason::NotTheVolume(_)
            | KeepReason::OverBudget(_)
            | KeepReason::MostOfItsKind
            | KeepReason::AsksForSize(_)
            | KeepReason::Unknown(_) => Some(ActionProposal::tell(format!("{volume} stays as it is: {keep}"))),
            KeepReason::Fits | KeepReason::TooLittleKnown | KeepReason::Rests | KeepReason::UnderWay => None,
        },
    }
}

/// Why, for how much, with what to expect, and from when on it can be taken back.
fn reason(proposal: &volume_control::ChangeProposal, now: Nanos) -> String {
    let mut text = format!("{} ({} a month", proposal.reason, signed(proposal.monthly));
    if let Some(predicted) = &proposal.predicted {
        text += &format!(
            "; predicted {:.0} IOPS at {:.2} ms, {:.0} % of its limits used",
            predicted.iops.0,
            predicted.latency.as_millis_f64(),
            predicted.iops_use.max(predicted.throughput_use) * 100.0
        );
    }
    let wait = proposal.undo.from - now;
    text += &format!("; it can be taken back in {} and not before)", rough(wait));
    text
}

fn signed(usd: Usd) -> String {
    if usd.0 > 0.0 { format!("+{usd}") } else { usd.to_string() }
}

/// Nobody waits to the second.
fn rough(span: Nanos) -> String {
    let seconds = span.as_secs_f64();
    match seconds {
        s if s >= 5400.0 => format!("{:.0} h", s / 3600.0),
        s if s >= 90.0 => format!("{:.0} min", s / 60.0),
        s => format!("{s:.0} s"),
    }
}

#[cfg(test)]
#[path = "controller_tests.rs"]
mod tests;
