//! The procedure of steps that a person asks for.

use serde_json::Value;
use units::Nanos;

use crate::{
    ClusterHealth, LatePolicy, PilotStep, PilotWait, Procedure, ProcedureEnding, ProcedureStage, UnfinishedPolicy,
    WaitCondition,
};

/// Leaders leave within seconds where PD is well; its tools wait ten minutes (`tiup --transfer-timeout`).
const LEADERS_GONE: Nanos = Nanos::secs(600);
/// How long leaders may take to come back before that is told.
const LEADERS_BACK: Nanos = Nanos::secs(120);

impl Procedure {
    /// Steps in order, undone after `last`; without it they stay. Evicted leaders are waited for.
    pub fn by_hand(
        steps: &[PilotStep],
        last: Option<Nanos>,
        health: &ClusterHealth,
        pd_config: Option<&Value>,
    ) -> Self {
        let (mut stages, mut afterwards) = (Vec::new(), Vec::new());
        for step in steps {
            stages.push(ProcedureStage::Do(step.clone()));
            if let PilotStep::EvictLeaders { store } = step {
                let until = WaitCondition::LeadersGone { store: *store };
                stages.push(ProcedureStage::Wait(PilotWait { until, within: LEADERS_GONE, late: LatePolicy::Undo }));
                let led = health.stores.get(store).map_or(0, |store| store.leaders);
                afterwards.extend(PilotWait::leaders_back(*store, led, pd_config, LEADERS_BACK));
            }
        }
        let ending = match last {
            Some(within) => {
                let until = WaitCondition::Passed;
                stages.push(ProcedureStage::Wait(PilotWait { until, within, late: LatePolicy::GoOn }));
                ProcedureEnding::Restore
            }
            None => ProcedureEnding::Keep,
        };
        let name = steps.iter().map(PilotStep::to_string).collect::<Vec<_>>().join(", ");
        let within = Self::by_hand_within(last);
        Self { name, stages, ending, afterwards, within, found: UnfinishedPolicy::Undo }
    }

    /// The longest that such a procedure may take.
    pub fn by_hand_within(last: Option<Nanos>) -> Nanos {
        LEADERS_GONE + LEADERS_GONE + last.unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_stay_without_a_time_and_evicted_leaders_are_waited_for() {
        let steps = ["pd/schedule.leader-schedule-limit=64", "evict/2"].map(|step| step.parse().unwrap());
        let kept = Procedure::by_hand(&steps, None, &ClusterHealth::default(), None);
        assert_eq!((kept.ending, kept.stages.len(), kept.within), (ProcedureEnding::Keep, 3, Nanos::secs(1200)));
        let undone = Procedure::by_hand(&steps[..1], Some(Nanos::secs(60)), &ClusterHealth::default(), None);
        assert_eq!((undone.ending, undone.within), (ProcedureEnding::Restore, Nanos::secs(1260)));
        assert!(matches!(&undone.stages[1], ProcedureStage::Wait(wait) if wait.within == Nanos::secs(60)));
    }
}
