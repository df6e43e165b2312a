//! What is known of one disk.

mod credits;
mod shape;

use std::collections::BTreeSet;

use ::disk::{Disk, DiskLimits, IoDirection};
use catalog::ManagedService;
use timeline::{Series, vocabulary};
use units::Bytes;

use super::raw::{Column, Raw, Told};
use super::use_of::share_of;
use super::{DiagnosisSignal, FindingScope, FindingSubject, IntervalGrid, SubjectFacts, estimate};
use crate::KnownFacts;
use crate::rules::thresholds;

/// `None` for a disk whose series tell no rate. Of a refuted one nothing is taken that was said or told of its limits.
pub(super) fn facts(
    node: &str,
    label: &str,
    series: &[&Series],
    known: &KnownFacts,
    refuted: &BTreeSet<FindingSubject>,
) -> Option<SubjectFacts> {
    let grid = IntervalGrid::of(Told::paces(series))?;
    let told = Told { series, grid };
    let subject = FindingSubject { scope: FindingScope::Volume, node: node.to_owned(), disk: label.to_owned() };
    let is_refuted = refuted.contains(&subject);
    let mut facts = SubjectFacts::new(subject, grid);
    facts.disk = known.disk(node, label).map(|disk| as_sold(disk, node, series, known));
    facts.limits = facts.disk.as_ref().and_then(|disk| known.limits(node, disk));
    facts.on_link = facts.limits.as_ref().is_none_or(|limits| limits.shares_instance_caps);
    facts.instance = known.instance(node).cloned();
    let mut flow = Flow::new(&told);
    // What is told are the limits in full.
    if let Some(share) = known.share(label) {
        facts.limits = facts.limits.map(|limits| share_of(limits, share));
        (flow.iops_limit, flow.throughput_limit) = (None, None);
    }
    if is_refuted {
        (facts.disk, facts.limits) = (None, None);
        (flow.iops_limit, flow.throughput_limit) = (None, None);
    }
    flow.rates(&mut facts, &told);
    flow.latency(&mut facts);
    credits::put(&mut facts, &told, &flow);
    bounds(&mut facts, &told);
    shape::put(&mut facts);
    stalled(&mut facts, &told, &flow);
    Some(facts)
}

/// Labels of a managed service's series, and the service: a disk that is said under the cloud's own name is what the service makes
/// of it. CloudWatch, dimensions of AWS/RDS.
const SERVICES: [(&str, &str); 1] = [("DBInstanceIdentifier", "rds")];

/// The disk as its service sells it, where the series are of one and no class of instance says so already.
fn as_sold(disk: &Disk, node: &str, series: &[&Series], known: &KnownFacts) -> Disk {
    let has = |label: &str| series.iter().any(|series| series.labels.contains_key(label));
    let service = SERVICES.iter().find(|(label, _)| has(label)).filter(|_| known.instance(node).is_none());
    let kind = service.and_then(|(_, service)| {
        known.view.sold_by(&ManagedService((*service).to_owned()), &disk.volume.kind).map(|kind| kind.name.clone())
    });
    let mut sold = disk.clone();
    sold.volume.kind = kind.unwrap_or(sold.volume.kind);
    sold
}

type Values = Vec<Option<f64>>;

struct Flow {
    reads: Values,
    writes: Values,
    read_bytes: Values,
    write_bytes: Values,
    /// Seconds of requests, a second.
    read_time: Values,
    write_time: Values,
    names: [String; 2],
    counted: Option<Column>,
    iops_limit: Option<Column>,
    throughput_limit: Option<Column>,
    cached: bool,
}

impl Flow {
    fn new(told: &Told<'_>) -> Self {
        let name = |raw| told.get(raw).map_or_else(String::new, |column| column.series);
        let values = |raw| told.get(raw).map_or_else(|| vec![None; told.grid.count], |column| column.values);
        let (reads, writes) = (values(Raw::Reads), values(Raw::Writes));
        let time = |time: Raw, latency: Raw, count: &Values| match told.get(time) {
            Some(column) => column.values,
            None => product(&values(latency), count),
        };
        let (read_time, write_time) =
            (time(Raw::ReadTime, Raw::ReadLatency, &reads), time(Raw::WriteTime, Raw::WriteLatency, &writes));
        Self {
            read_bytes: values(Raw::ReadBytes),
            write_bytes: values(Raw::WriteBytes),
            read_time,
            write_time,
            names: [[Raw::Reads, Raw::Writes], [Raw::ReadBytes, Raw::WriteBytes]]
                .map(|pair| pair.map(name).join(" + ")),
            counted: told.get(Raw::Counted),
            iops_limit: told.get(Raw::IopsLimit),
            throughput_limit: told.get(Raw::ThroughputLimit),
            cached: told.get(Raw::Cached).is_some(),
            reads,
            writes,
        }
    }

    fn rates(&self, facts: &mut SubjectFacts, told: &Told<'_>) {
        facts.put(DiagnosisSignal::Iops, &self.names[0], sum(&self.reads, &self.writes));
        facts.put(DiagnosisSignal::Throughput, &self.names[1], sum(&self.read_bytes, &self.write_bytes));
        for (signal, raw) in [(DiagnosisSignal::QueueDepth, Raw::Queue), (DiagnosisSignal::FlushRate, Raw::Flushes)] {
            if let Some(column) = told.get(raw) {
                facts.put(signal, column.series, column.values);
            }
        }
        let of = |a: &Values, b: &Values, i: usize| Some(a[i]? / b[i].filter(|b| *b > 0.0)?);
        let all = sum(&self.read_bytes, &self.write_bytes);
        facts.derive(DiagnosisSignal::ReadShare, &self.names[1], |_, i| of(&self.read_bytes, &all, i));
        facts.derive(DiagnosisSignal::ReadSize, &self.names[1], |_, i| of(&self.read_bytes, &self.reads, i));
        facts.derive(DiagnosisSignal::WriteSize, &self.names[1], |_, i| of(&self.write_bytes, &self.writes, i));
        facts.derive(DiagnosisSignal::Latency, "time of requests over their number", |_, i| {
            let count = self.reads[i].unwrap_or(0.0) + self.writes[i].unwrap_or(0.0);
            (count > 0.0).then_some(())?;
            Some(
                (self.read_time[i].or_else(|| none_of(&self.reads, i))?
                    + self.write_time[i].or_else(|| none_of(&self.writes, i))?)
                    / count,
            )
        });
    }

    /// Latency over what the disk's model takes for requests of that size at that throughput: of all requests, and of each
    /// direction. Too few requests tell nothing.
    fn latency(&self, facts: &mut SubjectFacts) {
        // What a read cache answers is no business of the volume's model.
        let Some(limits) = facts.limits.clone().filter(|_| !self.cached) else { return };
        let used =
            |facts: &SubjectFacts, i| Some((facts.at(DiagnosisSignal::Throughput, i)? / limits.throughput.0).min(1.0));
        let is_enough = |count: f64, seconds: f64| count >= thresholds().requests && seconds > 0.0;
        let series = "time of requests over the disk model's";
        facts.derive(DiagnosisSignal::LatencyExcess, series, |facts, i| {
            let used = used(facts, i)?;
            let sides = [IoDirection::Read, IoDirection::Write].map(|side| self.expected(&limits, side, used, i));
            let (count, expected) =
                (self.reads[i].unwrap_or(0.0) + self.writes[i].unwrap_or(0.0), sides[0]? + sides[1]?);
            is_enough(count, expected).then_some(facts.at(DiagnosisSignal::Latency, i)? * count / expected)
        });
        let of_side = [
            (DiagnosisSignal::ReadExcess, IoDirection::Read, &self.reads, &self.read_time),
            (DiagnosisSignal::WriteExcess, IoDirection::Write, &self.writes, &self.write_time),
        ];
        for (signal, side, count, time) in of_side {
            facts.derive(signal, series, |facts, i| {
                let expected = self.expected(&limits, side, used(facts, i)?, i)?;
                is_enough(count[i]?, expected).then_some(time[i]? / expected)
            });
        }
        let is_network = facts.disk.as_ref().is_some_and(|disk| !disk.volume.is_local());
        facts.derive(DiagnosisSignal::ReadsAloneSlow, "latencies of reads and of writes", |facts, i| {
            let t = thresholds();
            let (reads, writes) =
                (facts.at(DiagnosisSignal::ReadExcess, i)?, facts.at(DiagnosisSignal::WriteExcess, i)?);
            Some(f64::from(u8::from(is_network && reads >= t.loading && writes <= t.waiting)))
        });
    }

    /// Seconds of requests of a direction a second by the model.
    fn expected(&self, limits: &DiskLimits, side: IoDirection, used: f64, i: usize) -> Option<f64> {
        let (count, bytes) = match side {
            IoDirection::Read => (self.reads[i], self.read_bytes[i]),
            IoDirection::Write => (self.writes[i], self.write_bytes[i]),
        };
        let count = count.unwrap_or(0.0);
        if count <= 0.0 {
            return Some(0.0);
        }
        let size = Bytes((bytes? / count) as u64);
        Some(count * limits.service.mean(limits.service.median(side, size, used)))
    }

    /// I/Os as the volume counts them: as told, else one for each unit of a request of mean size.
    fn counted(&self, limits: Option<&DiskLimits>, i: usize) -> Option<f64> {
        if let Some(counted) = self.counted.as_ref().and_then(|column| column.values[i]) {
            return Some(counted);
        }
        let unit = limits.map_or(Bytes::kib(256), |limits| limits.io_unit).as_f64();
        let of = |count: Option<f64>, bytes: Option<f64>| {
            let count = count?;
            let each = bytes.filter(|_| count > 0.0).map_or(1.0, |bytes| (bytes / count / unit).ceil().max(1.0));
            Some(count * each)
        };
        match (of(self.reads[i], self.read_bytes[i]), of(self.writes[i], self.write_bytes[i])) {
            (None, None) => None,
            (reads, writes) => Some(reads.unwrap_or(0.0) + writes.unwrap_or(0.0)),
        }
    }
}

/// As counted, as the cloud checks it, else as estimated.
fn bounds(facts: &mut SubjectFacts, told: &Told<'_>) {
    let exceeded = [
        (DiagnosisSignal::ExceededVolumeIops, Raw::ExceededIops),
        (DiagnosisSignal::ExceededVolumeThroughput, Raw::ExceededThroughput),
        (DiagnosisSignal::ExceededInstanceIops, Raw::ExceededInstanceIops),
        (DiagnosisSignal::ExceededInstanceThroughput, Raw::ExceededInstanceThroughput),
    ];
    for (signal, raw) in exceeded {
        if let Some(column) = told.get(raw) {
            let share = |seconds: Option<f64>| seconds.map(|seconds| seconds.min(1.0));
            facts.put(signal, column.series, column.values.into_iter().map(share).collect());
        }
    }
    let of = [
        (
            DiagnosisSignal::BoundVolumeIops,
            Raw::BoundVolumeIops,
            DiagnosisSignal::ExceededVolumeIops,
            Raw::CheckIops,
            DiagnosisSignal::IopsUse,
        ),
        (
            DiagnosisSignal::BoundVolumeThroughput,
            Raw::BoundVolumeThroughput,
            DiagnosisSignal::ExceededVolumeThroughput,
            Raw::CheckThroughput,
            DiagnosisSignal::ThroughputUse,
        ),
    ];
    for (signal, counted, exceeded, check, used) in of {
        if let Some(column) = told.get(counted) {
            let values = (0..).zip(column.values).map(|(i, bound)| by_limit(bound?, facts.at(used, i))).collect();
            facts.put(signal, column.series, values);
            continue;
        }
        // What the volume counts itself is no estimate, and no disk that is slow for another reason counts it.
        if let Some(drawn) = facts.columns.get(&exceeded).cloned() {
            facts.draw(signal, drawn);
            continue;
        }
        let estimated = |i| estimate::bound(facts.at(used, i), estimate::waits(facts, i, facts.at(used, i)));
        let estimated: Values = (0..facts.grid.count).map(estimated).collect();
        match told.get(check) {
            Some(column) => facts.put(signal, column.series, estimate::or_checked(&column.values, &estimated)),
            None => facts.draw(signal, estimate::drawn(used, estimated)),
        }
    }
    let instance = [
        (DiagnosisSignal::BoundInstanceIops, Raw::BoundInstanceIops, DiagnosisSignal::ExceededInstanceIops),
        (
            DiagnosisSignal::BoundInstanceThroughput,
            Raw::BoundInstanceThroughput,
            DiagnosisSignal::ExceededInstanceThroughput,
        ),
    ];
    for (signal, raw, exceeded) in instance {
        match (told.get(raw), facts.columns.get(&exceeded).cloned()) {
            (Some(column), _) => facts.put(signal, column.series, column.values),
            (None, Some(drawn)) => facts.draw(signal, drawn),
            (None, None) => {}
        }
    }
    let checks = [
        Raw::BoundVolumeIops,
        Raw::BoundVolumeThroughput,
        Raw::CheckIops,
        Raw::CheckThroughput,
        Raw::ExceededIops,
        Raw::ExceededThroughput,
    ];
    let used = [DiagnosisSignal::IopsUse, DiagnosisSignal::ThroughputUse];
    let known = checks.iter().any(|check| told.get(*check).is_some())
        || used.iter().any(|used| facts.columns.contains_key(used));
    facts.derive(DiagnosisSignal::LimitsKnown, "what is known of the volume", |_, _| Some(f64::from(u8::from(known))));
    larger(
        facts,
        DiagnosisSignal::BoundVolume,
        &[DiagnosisSignal::BoundVolumeIops, DiagnosisSignal::BoundVolumeThroughput],
    );
}

/// The share of time in which a limit as it is sold held requests up: it is used up meanwhile. A disk that holds them up for longer
/// than what it did would take delivers less than its limit, which is not the limit's doing.
fn by_limit(bound: f64, used: Option<f64>) -> Option<f64> {
    let degraded = used.is_some_and(|used| used < thresholds().delivered * bound);
    Some(if degraded { 0.0 } else { bound })
}

/// The largest of some signals, and where it was drawn from.
pub(super) fn larger(facts: &mut SubjectFacts, signal: DiagnosisSignal, of: &[DiagnosisSignal]) {
    let drawn = of.iter().filter_map(|signal| facts.columns.get(signal));
    let (series, estimated) = drawn.map(|drawn| (drawn.series.clone(), drawn.estimated)).next().unwrap_or_default();
    facts.derive(signal, series, |facts, i| of.iter().filter_map(|signal| facts.at(*signal, i)).reduce(f64::max));
    if let Some(drawn) = facts.columns.get_mut(&signal) {
        drawn.estimated = estimated;
    }
}

fn stalled(facts: &mut SubjectFacts, told: &Told<'_>, flow: &Flow) {
    let (fault, check, in_flight) = (told.get(Raw::BoundFault), told.get(Raw::CheckStalled), told.get(Raw::InFlight));
    let name =
        check.as_ref().or(in_flight.as_ref()).map_or(vocabulary::QUEUE_DEPTH.name, |column| &column.series).to_owned();
    let at = |column: &Option<Column>, i: usize| column.as_ref().and_then(|column| column.values[i]);
    facts.derive(DiagnosisSignal::Stalled, name, |facts, i| {
        if let Some(check) = at(&check, i) {
            return Some(check);
        }
        // Where no count is known, nothing is known to have stopped.
        let none = [flow.reads[i], flow.writes[i]].into_iter().flatten().reduce(|a, b| a + b).map(|done| done <= 0.0);
        let waiting = match at(&in_flight, i) {
            Some(requests) => requests >= 1.0,
            None => facts.at(DiagnosisSignal::QueueDepth, i)? >= thresholds().stalled_queue,
        };
        let nothing = f64::from(u8::from(none? && waiting));
        Some(at(&fault, i).map_or(nothing, |fault| nothing.max(fault.min(1.0))))
    });
}

fn sum(a: &Values, b: &Values) -> Values {
    let plus = |(a, b): (&Option<f64>, &Option<f64>)| match (a, b) {
        (None, None) => None,
        (a, b) => Some(a.unwrap_or(0.0) + b.unwrap_or(0.0)),
    };
    a.iter().zip(b).map(plus).collect()
}

fn product(a: &Values, b: &Values) -> Values {
    a.iter().zip(b).map(|(a, b)| Some(a.as_ref()? * b.as_ref()?)).collect()
}

/// Nothing takes no time.
fn none_of(count: &Values, i: usize) -> Option<f64> {
    (count[i].unwrap_or(0.0) <= 0.0).then_some(0.0)
}
