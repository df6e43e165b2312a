//! What is not known: of single disks, and of all that was looked at.

use crate::diagnose::plain;
use crate::facts::{DiagnosisSignal, FindingScope, SubjectFacts};
use crate::rules::thresholds;
use crate::{Finding, FindingKind};

/// Requests in flight on average under which nobody waits for a disk.
const IDLE_QUEUE: f64 = 0.5;

/// What would have to be known of disks, where it is not: those with most to do first. Of an idle disk nothing is asked.
pub(crate) fn of_disks(all: &[SubjectFacts], verdicts: &[Finding]) -> Vec<Finding> {
    let mut disks: Vec<&SubjectFacts> =
        all.iter().filter(|facts| facts.subject.scope == FindingScope::Volume && !is_idle(facts)).collect();
    let load = |facts: &SubjectFacts| {
        let mean = |signal| facts.mean(signal, 0..facts.grid.count).unwrap_or(0.0);
        (mean(DiagnosisSignal::QueueDepth), mean(DiagnosisSignal::Throughput))
    };
    disks.sort_by(|a, b| {
        let (a, b) = (load(a), load(b));
        b.0.total_cmp(&a.0).then(b.1.total_cmp(&a.1))
    });
    disks.into_iter().filter_map(|facts| cannot_tell(facts, verdicts)).collect()
}

/// Whether hardly anything is asked of a disk.
fn is_idle(facts: &SubjectFacts) -> bool {
    let most = |signal| facts.quantile(signal, 1.0);
    let few = most(DiagnosisSignal::Iops).is_some_and(|iops| iops < 10.0 * thresholds().requests);
    let none = most(DiagnosisSignal::Iops).is_some_and(|iops| iops <= 0.0);
    none || few && most(DiagnosisSignal::QueueDepth).is_some_and(|depth| depth < IDLE_QUEUE)
}

fn cannot_tell(facts: &SubjectFacts, verdicts: &[Finding]) -> Option<Finding> {
    let is_of = |verdict: &Finding| {
        verdict.subject == facts.subject
            || verdict.subject.scope == FindingScope::Instance && verdict.subject.node == facts.subject.node
    };
    if verdicts.iter().any(is_of) {
        return None;
    }
    let lacks: Vec<&str> = [
        (
            DiagnosisSignal::BoundVolumeIops,
            "the volume's limits (--disk, or --on with its deployment) or VolumeIOPSExceededCheck",
        ),
        (
            DiagnosisSignal::Latency,
            "the time that requests took (VolumeTotalReadTime, VolumeTotalWriteTime, iostat's await)",
        ),
    ]
    .into_iter()
    .filter(|(signal, _)| !facts.columns.contains_key(signal))
    .map(|(_, what)| what)
    .collect();
    (!lacks.is_empty()).then(|| {
        let says = format!("whether a limit holds it up: not known is {}", lacks.join(", and "));
        plain(FindingKind::CannotTell, facts, &says, 1.0)
    })
}

/// That nothing was seen which would show a disk in trouble, and what would; `None` where a disk was seen.
pub(crate) fn nothing_seen(all: &[SubjectFacts]) -> Option<Finding> {
    if all.iter().any(|facts| facts.subject.scope == FindingScope::Volume) {
        return None;
    }
    let nothing = SubjectFacts::nothing();
    let first = all.first().unwrap_or(&nothing);
    let seen = seen(all);
    let says = if seen.is_empty() {
        "anything: no series of a disk, an engine or PD is in the Timeline".to_owned()
    } else {
        format!(
            "whether a disk holds it up: {} was seen, and nothing of any disk. Scrape node_exporter (node_disk_*) or \
             CloudWatch's volumes beside it",
            seen.join(", ")
        )
    };
    let mut verdict = plain(FindingKind::CannotTell, first, &says, 1.0);
    verdict.subject = nothing.subject;
    Some(verdict)
}

/// Parts of a cluster that a Timeline can tell of, and whether this one does.
pub(crate) fn parts(all: &[SubjectFacts]) -> [(&'static str, bool); 3] {
    let any = |signals: &[DiagnosisSignal]| {
        all.iter().any(|facts| signals.iter().any(|signal| facts.columns.contains_key(signal)))
    };
    let engine = [
        DiagnosisSignal::HeldBack,
        DiagnosisSignal::PendingBytes,
        DiagnosisSignal::Level0Files,
        DiagnosisSignal::SyncLatency,
        DiagnosisSignal::CacheMissShare,
        DiagnosisSignal::PoolUse,
    ];
    [
        ("the engine", any(&engine)),
        ("processors", any(&[DiagnosisSignal::CpuUse])),
        ("PD", any(&[DiagnosisSignal::TsoWait, DiagnosisSignal::PdCpuUse])),
    ]
}

fn seen(all: &[SubjectFacts]) -> Vec<&'static str> {
    let link = [DiagnosisSignal::InstanceIoLeft, DiagnosisSignal::InstanceByteLeft, DiagnosisSignal::BoundAny];
    let of_link = all.iter().any(|facts| link.iter().any(|signal| facts.columns.contains_key(signal)));
    let parts = parts(all).into_iter().filter(|(_, is_seen)| *is_seen).map(|(part, _)| part);
    parts.chain(of_link.then_some("the link of an instance")).collect()
}
