//! What a volume was asked for: what it delivered at most, what it would have delivered, and of what mix of requests.

use diagnose::{HeadroomMargins, SubjectFacts};
use finding::DiagnosisSignal;
use units::{Bytes, BytesPerSec, Iops, Nanos};

/// A share of an interval in which a limit held requests up from which on its deliveries say less than what was asked.
/// The rules of `diagnose` draw the line at the same place.
const HELD_UP: f64 = 0.2;

/// What a volume was asked for over some time.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize, serde::Deserialize)]
pub struct VolumeDemand {
    /// The time of which anything is known.
    pub known: Nanos,
    /// The most I/Os a second, as the volume counts them, in the mean of an interval.
    pub iops: Iops,
    /// The most bytes a second.
    pub throughput: BytesPerSec,
    /// I/Os a second that a volume should carry so that what was delivered fits with headroom: no volume becomes smaller.
    pub floor_iops: Iops,
    /// The same for bytes a second.
    pub floor_throughput: BytesPerSec,
    /// I/Os a second that clients that waited would have asked for: what a volume that held them up becomes.
    pub wanted_iops: Iops,
    /// The same for bytes a second.
    pub wanted_throughput: BytesPerSec,
    /// The requests of the busiest interval; `None` where nothing completed.
    pub mix: Option<RequestMix>,
}

/// The requests of an interval, in the mean.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct RequestMix {
    /// I/Os a second, as the volume counts them.
    pub iops: Iops,
    /// Bytes a second.
    pub throughput: BytesPerSec,
    /// I/Os that are reads, as a share.
    pub reads: f64,
    /// Requests in flight; `None` where it is not known.
    pub depth: Option<f64>,
    /// Their mean latency; `None` where it is not known.
    pub latency: Option<Nanos>,
    /// Whether a limit of the volume held them up, so that clients would have sent more.
    pub held_up: bool,
}

impl VolumeDemand {
    /// What some facts of a volume tell.
    pub fn of(facts: &SubjectFacts, margins: &HeadroomMargins) -> Self {
        let mut demand = Self::default();
        let mut busiest = 0.0;
        for i in 0..facts.grid.count {
            let Some(mix) = RequestMix::of(facts, i) else { continue };
            demand.known += facts.grid.step;
            let excess = facts.at(DiagnosisSignal::LatencyExcess, i).unwrap_or(margins.raise);
            // One factor for both: who sends more requests of a size moves more bytes, too.
            let (floor, wanted) = if mix.held_up {
                (margins.raise.max(margins.headroom), excess.clamp(margins.raise, margins.most_raise))
            } else {
                (margins.headroom, margins.headroom)
            };
            demand.iops = demand.iops.max(mix.iops);
            demand.throughput = demand.throughput.max(mix.throughput);
            demand.floor_iops = demand.floor_iops.max(mix.iops * floor);
            demand.floor_throughput = demand.floor_throughput.max(mix.throughput * floor);
            demand.wanted_iops = demand.wanted_iops.max(mix.iops * wanted);
            demand.wanted_throughput = demand.wanted_throughput.max(mix.throughput * wanted);
            let used = [DiagnosisSignal::IopsPaid, DiagnosisSignal::ThroughputPaid]
                .map(|signal| facts.at(signal, i).unwrap_or(0.0));
            let used = used[0].max(used[1]);
            if demand.mix.is_none() || used > busiest {
                (busiest, demand.mix) = (used, Some(mix));
            }
        }
        demand
    }
}

impl RequestMix {
    /// Of one interval; `None` where it tells no rate.
    fn of(facts: &SubjectFacts, i: usize) -> Option<Self> {
        let at = |signal| facts.at(signal, i);
        let (requests, throughput) = (at(DiagnosisSignal::Iops)?, at(DiagnosisSignal::Throughput)?);
        let read_bytes = throughput * at(DiagnosisSignal::ReadShare).unwrap_or(0.0);
        let read_requests =
            at(DiagnosisSignal::ReadSize).filter(|size| *size > 0.0).map_or(0.0, |size| read_bytes / size);
        let held_up = [DiagnosisSignal::BoundVolumeIops, DiagnosisSignal::BoundVolumeThroughput];
        Some(Self {
            iops: Iops(at(DiagnosisSignal::CountedIops).unwrap_or(requests)),
            throughput: BytesPerSec(throughput),
            reads: if requests > 0.0 { (read_requests / requests).clamp(0.0, 1.0) } else { 0.0 },
            depth: at(DiagnosisSignal::QueueDepth),
            latency: at(DiagnosisSignal::Latency).map(Nanos::from_secs_f64),
            held_up: held_up.into_iter().any(|signal| at(signal).is_some_and(|share| share >= HELD_UP)),
        })
    }

    /// The mean size of an I/O.
    pub fn size(&self) -> Bytes {
        Bytes(if self.iops.0 > 0.0 { (self.throughput.0 / self.iops.0) as u64 } else { 4096 })
    }
}

#[cfg(test)]
mod tests {
    use diagnose::{KnownFacts, facts, margins};
    use finding::FindingScope;

    use super::*;
    use crate::testing::{Load, known};

    fn demand(load: &Load, disk: &str) -> VolumeDemand {
        let known: KnownFacts = known(disk);
        let all = facts(&load.timeline, &known);
        let volume = all.iter().find(|facts| facts.subject.scope == FindingScope::Volume).unwrap();
        VolumeDemand::of(volume, &margins())
    }

    #[test]
    fn what_was_not_held_up_needs_headroom_and_what_was_wants_more() {
        let free = demand(&Load::new().of(60, 2000.0, 4.0, 1.0), "gp3:100GiB");
        assert_eq!((free.iops, free.known), (Iops(2000.0), Nanos::secs(60)));
        assert_eq!(free.floor_iops, Iops(2000.0 * margins().headroom));
        assert_eq!(free.wanted_iops, free.floor_iops);
        let full = demand(&Load::new().of(60, 3000.0, 4.0, 20.0), "gp3:100GiB");
        assert!(full.mix.unwrap().held_up);
        assert_eq!(full.floor_iops, Iops(3000.0 * margins().raise));
        assert_eq!(full.wanted_iops, Iops(3000.0 * margins().most_raise));
    }

    #[test]
    fn one_busy_interval_of_many_is_the_peak() {
        let demand = demand(
            &Load::new().of(300, 100.0, 4.0, 1.0).of(1, 2500.0, 16.0, 1.0).of(300, 100.0, 4.0, 1.0),
            "gp3:100GiB",
        );
        assert_eq!(demand.iops, Iops(2500.0));
        let mix = demand.mix.unwrap();
        assert_eq!((mix.iops, mix.size()), (Iops(2500.0), Bytes::kib(16)));
        assert!((mix.reads - 0.5).abs() < 1e-9);
    }
}
