//! What is paid for and not used.

use limits::BindingLimit;
use units::Usd;

use super::volume::cheapest;
use super::{Advice, Need, Remedy, RemedyEffect};
use crate::KnownFacts;
use crate::facts::{DiagnosisSignal, SubjectFacts};
use crate::rules::thresholds;

/// The peak of an interval that is not an accident.
const PEAK: f64 = 0.995;

/// A cheaper disk that carries what was the peak, with headroom; `None` if there is none worth the change.
pub(crate) fn over_provisioned(facts: &SubjectFacts, known: &KnownFacts) -> Option<(Advice, f64)> {
    let (disk, limits) = (facts.disk.as_ref()?, facts.limits.as_ref()?);
    let t = thresholds();
    let peak_iops = facts.quantile(DiagnosisSignal::IopsPaid, PEAK)? * limits.iops.0;
    let peak_bytes = facts.quantile(DiagnosisSignal::ThroughputPaid, PEAK)? * limits.throughput.0;
    let used = (peak_iops / limits.iops.0).max(peak_bytes / limits.throughput.0);
    let need = Need { iops: peak_iops * t.headroom, bytes: peak_bytes * t.headroom };
    let (to, monthly) = cheapest(disk, need, facts, known)?;
    let (to, after) = (to.disk, to.limits);
    let monthly = monthly.filter(|usd: &Usd| usd.0 <= -t.least_saving)?;
    let remedy = Remedy {
        text: format!(
            "modify {disk} to {to}: the peak was {peak_iops:.0} IOPS and {:.0} MiB/s",
            peak_bytes / 1_048_576.0
        ),
        what: "disk",
        from: Some(disk.to_string()),
        to: Some(to.to_string()),
    };
    let predicted = RemedyEffect::saving(BindingLimit::VolumeIops, limits.iops.0, after.iops.0, peak_iops)?;
    Some((Advice { remedy: Some(remedy), monthly: Some(monthly), predicted: Some(predicted) }, used))
}
