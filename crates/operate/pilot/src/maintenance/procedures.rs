//! A notice as a procedure: gate, intent, higher limits, no leaders, the event's end, and all as it was.

use maintenance::{DrainStart, MaintenanceNotice, begin};
use serde_json::json;
use units::Nanos;

use super::bounds::bounds;
use super::{ClusterMachine, MachineRole};
use crate::world::at;
use crate::{
    ActionProposal, ClockReading, ClusterSnapshot, LatePolicy, PilotStep, PilotWait, Procedure, ProcedureEnding,
    ProcedureStage, UnfinishedPolicy, WaitCondition,
};

/// How many leaders PD moves at once.
const LIMIT: &str = "schedule.leader-schedule-limit";
/// PD's default of it.
const USUAL_LIMIT: u64 = 4;

/// The machines whose notices are acted on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MachineList(pub Vec<ClusterMachine>);

impl MachineList {
    /// The machine of that name. Clouds' names do not tell capitals apart.
    pub fn named(&self, name: &str) -> Option<&ClusterMachine> {
        self.0.iter().find(|machine| machine.name.eq_ignore_ascii_case(name))
    }
}

/// The limit that lets so many leaders leave in a time, where `now` is set: never lower than that, nor higher than what is
/// known to be borne.
pub fn raised(leaders: u64, time: Nanos, now: u64) -> u64 {
    let bounds = bounds();
    let rounds = (time.0 / bounds.transfer.value.0.max(1)).max(1);
    leaders.div_ceil(rounds).clamp(now, bounds.most_transfers.value.max(now))
}

/// What is known at the moment of a proposal.
pub(super) struct Moment<'a> {
    pub(super) now: ClockReading,
    pub(super) seen: &'a ClusterSnapshot,
    pub(super) notice: &'a MaintenanceNotice,
    pub(super) role: &'a MachineRole,
}

impl Moment<'_> {
    /// What is to be done about it; what is only told is so in words that stay the same from look to look.
    pub(super) fn propose(&self) -> Option<ActionProposal> {
        let health = self.seen.health.as_ref()?;
        let Some(subject) = self.role.subject(health) else {
            return Some(ActionProposal::tell(format!("{}: PD knows no store `{}`", self.notice, self.role)));
        };
        if self.seen.changing.iter().any(|step| step.subject() == subject) {
            return None;
        }
        let margin = std(bounds().margin.value);
        match begin(self.notice, std(self.needs()), margin, self.now.wall) {
            DrainStart::Never(why) => {
                Some(ActionProposal::tell(format!("{}: {} stays as it is, {why}", self.notice, self.role)))
            }
            DrainStart::At(at) => {
                Some(ActionProposal::tell(format!("{}: {} is made ready from {at:.0} on", self.notice, self.role)))
            }
            DrainStart::Now => {
                self.procedure().map(|procedure| ActionProposal::act(self.notice.to_string(), procedure))
            }
        }
    }

    fn leaders(&self, store: u64) -> u64 {
        let stores = self.seen.health.as_ref().map(|health| &health.stores);
        stores.and_then(|stores| stores.get(&store)).map_or(0, |store| store.leaders)
    }

    fn limit(&self) -> Option<u64> {
        self.seen.pd_config.as_ref().and_then(|config| at(config, LIMIT)).and_then(|limit| limit.as_u64())
    }

    /// How long it takes where there is time: with the limit that is set.
    fn needs(&self) -> Nanos {
        let bounds = bounds();
        match self.role {
            MachineRole::Pd(_) => bounds.pd_needs.value,
            MachineRole::Tidb { .. } => bounds.tidb_needs.value,
            MachineRole::Tikv(_) => {
                let leaders = self.store().map_or(0, |store| self.leaders(store));
                let rounds = leaders.div_ceil(self.limit().unwrap_or(USUAL_LIMIT).max(1));
                Nanos(bounds.transfer.value.0.saturating_mul(2 * rounds)) + bounds.calm.value
            }
        }
    }

    fn store(&self) -> Option<u64> {
        self.seen.health.as_ref().and_then(|health| self.role.store(health))
    }

    /// How long until all must be done; not nothing, for what is done late is better than what is not.
    fn left(&self) -> Nanos {
        let bounds = bounds();
        let until =
            |at: jiff::Timestamp| u64::try_from(at.as_nanosecond() - self.now.wall.as_nanosecond()).unwrap_or(0);
        let left = self.notice.deadline.map_or(bounds.without_deadline.value, |at| Nanos(until(at)));
        (left - bounds.margin.value).max(bounds.margin.value)
    }

    /// How long the event is waited for.
    fn event(&self) -> PilotWait {
        let bounds = bounds();
        let longest = if self.notice.returns { bounds.longest_event.value } else { bounds.gone.value };
        let until = self.notice.until.or(self.notice.deadline).unwrap_or(self.now.wall);
        let planned = u64::try_from(until.as_nanosecond() - self.now.wall.as_nanosecond()).unwrap_or(0);
        let event = self.notice.id.clone();
        // When it does not end, what was raised for it is taken back all the same.
        PilotWait {
            until: WaitCondition::EventOver { event },
            within: Nanos(planned) + longest,
            late: LatePolicy::GoOn,
        }
    }

    fn procedure(&self) -> Option<Procedure> {
        let left = self.left();
        let mut afterwards = Vec::new();
        let mut stages = match self.role {
            MachineRole::Tikv(_) => {
                let store = self.store()?;
                let leaders = self.leaders(store);
                afterwards.extend(PilotWait::leaders_back(
                    store,
                    leaders,
                    self.seen.pd_config.as_ref(),
                    bounds().leaders_back.value,
                ));
                let limit = self.limit().map(|now| (now, raised(leaders, left, now)));
                let raise = limit
                    .filter(|(now, raised)| raised > now)
                    .map(|(_, raised)| PilotStep::SetPdConfig { key: LIMIT.to_owned(), value: json!(raised) });
                let gone =
                    PilotWait { until: WaitCondition::LeadersGone { store }, within: left, late: LatePolicy::GoOn };
                let evict = ProcedureStage::Do(PilotStep::EvictLeaders { store });
                raise.map(ProcedureStage::Do).into_iter().chain([evict, ProcedureStage::Wait(gone)]).collect::<Vec<_>>()
            }
            MachineRole::Pd(member) => {
                let by_other = WaitCondition::PdLedByOther { member: member.clone() };
                let wait = PilotWait { until: by_other, within: left, late: LatePolicy::GoOn };
                vec![
                    ProcedureStage::Do(PilotStep::ResignPdLeader { member: member.clone() }),
                    ProcedureStage::Wait(wait),
                ]
            }
            MachineRole::Tidb { namespace, pod, node } => {
                let (namespace, pod) = (namespace.clone(), pod.clone());
                vec![
                    ProcedureStage::Do(PilotStep::CordonNode { node: node.clone() }),
                    ProcedureStage::Do(PilotStep::DeletePod { namespace, pod }),
                ]
            }
        };
        let event = self.event();
        let within = left + event.within + bounds().longest_event.value;
        stages.push(ProcedureStage::Wait(event));
        let what = match self.role {
            MachineRole::Tikv(_) => "keep clear of leaders",
            MachineRole::Pd(_) => "keep from leading PD",
            MachineRole::Tidb { .. } => "move elsewhere",
        };
        Some(Procedure {
            name: format!("{what}: {} during {}", self.role, self.notice.id.escape_debug()),
            stages,
            ending: ProcedureEnding::Restore,
            afterwards,
            within,
            found: UnfinishedPolicy::GoOn,
        })
    }
}

fn std(span: Nanos) -> std::time::Duration {
    std::time::Duration::from_nanos(span.0)
}
