//! What is known of the cluster as a whole: timestamps.

use timeline::{Series, Timeline, vocabulary};

use super::{DiagnosisSignal, FindingScope, FindingSubject, IntervalGrid, SubjectFacts};

/// `None` where nothing is told of PD. Series: `tso_wait_time` and `tso_waits` (what clients waited for timestamps, summed
/// up, and how often), `pd_cpu_time` and `pd_processors` of the leading PD.
pub(super) fn facts(timeline: &Timeline) -> Option<SubjectFacts> {
    let of = |name: &str| -> Vec<&Series> { timeline.select(name, &[]).collect() };
    let (time, waits) = (of(vocabulary::TSO_WAIT_TIME.name), of(vocabulary::TSO_WAITS.name));
    let (cpu, processors) = (of(vocabulary::PD_CPU_TIME.name), of(vocabulary::PD_PROCESSORS.name));
    let grid = IntervalGrid::of(time.iter().chain(&cpu).copied())?;
    let subject = FindingSubject { scope: FindingScope::Cluster, node: String::new(), disk: String::new() };
    let mut facts = SubjectFacts::new(subject, grid);
    let sum = |series: &[&Series]| {
        let columns: Vec<_> = series.iter().map(|series| grid.column(series)).collect();
        move |i: usize| columns.iter().filter_map(|column| column[i]).reduce(|a, b| a + b)
    };
    let (time, waits, cpu, processors) = (sum(&time), sum(&waits), sum(&cpu), sum(&processors));
    facts.derive(DiagnosisSignal::TsoWait, "tso_wait_time over tso_waits", |_, i| {
        Some(time(i)? / waits(i).filter(|waits| *waits > 0.0)?)
    });
    facts.derive(DiagnosisSignal::PdCpuUse, "pd_cpu_time over pd_processors", |_, i| {
        Some(cpu(i)? / processors(i).filter(|processors| *processors > 0.0)?)
    });
    Some(facts)
}
