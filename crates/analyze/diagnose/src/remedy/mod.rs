//! What to do about a verdict: the cheapest change that removes the limit, what it adds to a month's price, and what the disk
//! model says it does.

mod instance;
mod over;
mod raise;
mod setting;
mod volume;
mod words;

use std::ops::Range;

use finding::{Remedy, RemedyEffect};
use units::Usd;

use crate::facts::{DiagnosisSignal, SubjectFacts};
use crate::rules::thresholds;
use crate::{FindingKind, KnownFacts};

pub(crate) use over::over_provisioned;
use raise::Sides;

/// What to do, its price and its effect.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Advice {
    pub(crate) remedy: Option<Remedy>,
    pub(crate) monthly: Option<Usd>,
    pub(crate) predicted: Option<RemedyEffect>,
}

impl Advice {
    /// A sentence and nothing else.
    pub(crate) fn text(what: &'static str, text: impl Into<String>) -> Self {
        let remedy = Remedy { text: text.into(), what, from: None, to: None };
        Self { remedy: Some(remedy), ..Self::default() }
    }
}

/// I/Os and bytes a second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Need {
    pub(crate) iops: f64,
    pub(crate) bytes: f64,
}

impl Need {
    /// What was delivered in the mean over a window.
    pub(crate) fn delivered(facts: &SubjectFacts, within: Range<usize>) -> Self {
        let mean = |signal| facts.mean(signal, within.clone()).unwrap_or(0.0);
        let iops = counted(facts, within.clone()).unwrap_or(mean(DiagnosisSignal::Iops));
        Self { iops, bytes: mean(DiagnosisSignal::Throughput) }
    }

    /// What the limits should carry: a closed loop that waits so many times the model's latency would send that much more,
    /// within reason.
    fn raised(self, more: f64, sides: Sides) -> Self {
        let of = |is_full: bool, value: f64| value * if is_full { more } else { thresholds().headroom };
        Self { iops: of(sides.iops, self.iops), bytes: of(sides.bytes, self.bytes) }
    }
}

/// I/Os a second as the volume counts them.
fn counted(facts: &SubjectFacts, within: Range<usize>) -> Option<f64> {
    Some(facts.mean(DiagnosisSignal::IopsPaid, within)? * facts.limits.as_ref()?.iops.0)
}

/// What to do about a verdict that held `within` some intervals. `disks` are those of the node, where it is about one.
pub(crate) fn advice(
    kind: FindingKind,
    facts: &SubjectFacts,
    within: Range<usize>,
    disks: &[&SubjectFacts],
    known: &KnownFacts,
) -> Advice {
    let raise = raise::Raise { facts, disks, within: within.clone(), known };
    match kind {
        FindingKind::VolumeIops => {
            setting::read_ahead(facts, within.clone(), known, raise.volume(Sides::of_volume(kind, facts, within)))
        }
        FindingKind::BurstExhausted | FindingKind::BurstEnding => {
            let mut advice = raise.volume(Sides::of_volume(kind, facts, within));
            if let Some(remedy) = &mut advice.remedy {
                let balance = thresholds().alarm_balance * 100.0;
                remedy.text +=
                    &format!("; until then let an alarm tell of a balance under {balance:.0} % for two periods");
            }
            advice
        }
        FindingKind::VolumeThroughput => raise.volume(Sides::of_volume(kind, facts, within)),
        FindingKind::InstanceIops | FindingKind::InstanceThroughput | FindingKind::InstanceBurstSpent => {
            raise.link(Sides::of_link(kind, facts, within))
        }
        FindingKind::SpaceEnding => volume::larger(facts, disks, known),
        FindingKind::Cpu => instance::more_processors(facts, known),
        FindingKind::RaftLogContention => volume::own_log(disks, within, &facts.subject.node, known),
        kind => setting::advice(kind, facts, within, disks),
    }
}

#[cfg(test)]
mod property_tests;
