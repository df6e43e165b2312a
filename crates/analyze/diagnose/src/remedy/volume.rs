//! The cheapest disk that carries a need, by the law of sizing that plans use, and a disk for the raft log.

use catalog::Cloud;
use disk::{Disk, DiskLimits, DiskRates, SuitableDisk, VolumeNeed};
use limits::BindingLimit;
use units::{Bytes, BytesPerSec, Iops, Nanos, Usd};

use super::{Advice, Need, Remedy, RemedyEffect, Sides};
use crate::KnownFacts;
use crate::facts::{DiagnosisSignal, SubjectFacts};
use crate::rules::thresholds;

/// The least size of a raft log's own disk: Raft Engine keeps about 10 GB, and PingCAP gives it 20 (TiDB Best Practices on Public
/// Cloud).
const LOG_SIZE: Bytes = Bytes::gib(20);

/// For how long a disk that was grown should have space.
const SPACE_FOR: Nanos = Nanos::secs(90 * 86_400);

/// Sizes are rounded up to so many GiB.
const SPACE_STEP: u64 = 10;

/// Share of the written bytes that a log on the data disk writes at most: what it logs is flushed at least once.
const LOG_SHARE: f64 = 0.5;

/// The cheapest disk that carries a need and more than the disk does on each full side, and what remains to be said where none
/// carries all of it; `None` where none carries more.
pub(super) fn larger_rates(
    facts: &SubjectFacts,
    disk: &Disk,
    limits: &DiskLimits,
    need: Need,
    sides: Sides,
    known: &KnownFacts,
) -> Option<(SuitableDisk, &'static str)> {
    // What was delivered over a window may be less than the limit that bound in parts of it: the change raises the limit.
    let raise = thresholds().raise;
    let above = |is_full: bool, asked: f64, now: f64| if is_full { asked.max(now * raise) } else { asked };
    let rates = DiskRates { iops: Iops(need.iops), throughput: BytesPerSec(need.bytes) };
    let higher = DiskRates {
        iops: Iops(above(sides.iops, need.iops, limits.iops.0)),
        throughput: BytesPerSec(above(sides.bytes, need.bytes, limits.throughput.0)),
    };
    let rises = |to: &SuitableDisk| {
        (!sides.iops || to.limits.iops > limits.iops) && (!sides.bytes || to.limits.throughput > limits.throughput)
    };
    let market = known.market(&facts.subject.node);
    let carrier = |rates| market.carriers(disk, rates).into_iter().find(rises);
    if let Some(whole) = carrier(rates).or_else(|| carrier(higher)) {
        return Some((whole, ""));
    }
    let most = ", the most that a volume of its kind carries: for more, stripe volumes, or spread the load";
    let either = |to: &SuitableDisk| {
        (sides.iops && to.limits.iops > limits.iops) || (sides.bytes && to.limits.throughput > limits.throughput)
    };
    market.nearest(disk, higher).filter(either).map(|to| (to, most))
}

/// A disk that is large enough for what is written to it in a quarter of a year, or half as large again where the pace is not
/// known.
pub(super) fn larger(facts: &SubjectFacts, disks: &[&SubjectFacts], known: &KnownFacts) -> Advice {
    let last = |signal| facts.values(signal).iter().flatten().next_back().copied();
    let fullest = facts.columns.get(&DiagnosisSignal::SpaceLeft).map(|drawn| drawn.series.clone()).unwrap_or_default();
    let named = |disk: &&&SubjectFacts| fullest.contains(&format!("device={}", disk.subject.disk));
    let one = disks.iter().find(named).or_else(|| disks.first().filter(|_| disks.len() == 1));
    let Some((disk, limits)) = one.and_then(|disk| disk.disk.as_ref().zip(disk.limits.as_ref())) else {
        return Advice::text(
            "disk",
            "grow the volume and then its filesystem, or delete what is not needed; name the disk (--disk) and what it costs is told",
        );
    };
    if disk.volume.is_local() {
        return Advice::text(
            "disk",
            format!("{disk} does not grow: take an instance with more local flash, or spread the data"),
        );
    }
    let (left, time) = (last(DiagnosisSignal::SpaceLeft), last(DiagnosisSignal::SpaceTimeLeft));
    let grown =
        left.zip(time).filter(|(_, time)| *time > 0.0).map(|(left, time)| left * SPACE_FOR.as_secs_f64() / time);
    let factor = (1.0 + grown.unwrap_or(0.0)).clamp(1.5, 3.0);
    let step = Bytes::gib(SPACE_STEP).as_f64();
    let size = Bytes(((disk.volume.size.as_f64() * factor / step).ceil() * step) as u64);
    let larger = Disk { volume: disk::Volume { size, ..disk.volume.clone() }, ..disk.clone() };
    let Ok(after) = larger.limits(&known.view, known.instance(&facts.subject.node)) else {
        return Advice::text("disk", format!("{disk} is the largest of its kind: stripe volumes, or spread the data"));
    };
    let remedy = Remedy {
        text: format!("grow {disk} to {larger}, and then its filesystem; sizes do not shrink again"),
        what: "disk",
        from: Some(disk.to_string()),
        to: Some(larger.to_string()),
    };
    let (before, after, node) = (limits.size.as_f64(), after.size.as_f64(), &facts.subject.node);
    let used = left.map(|left| (1.0 - left) * before);
    let monthly = known.monthly_on(node, &larger).zip(known.monthly_on(node, disk)).map(|(usd, now)| usd - now);
    let predicted = RemedyEffect::raising(BindingLimit::Capacity, before, after, used);
    Advice { remedy: Some(remedy), monthly, predicted }
}

pub(super) fn no_larger(disk: &Disk, known: &KnownFacts) -> String {
    match known.consistency {
        Some(asked) => format!("no volume of this kind promises what is missing of {disk} for {asked} of the time"),
        None if disk.volume.is_local() => {
            format!("{disk} has what its instance gives: take an instance with more local flash, or spread the load")
        }
        None => format!("no volume of this kind carries more than {disk}: stripe volumes, or spread the load"),
    }
}

/// A disk of its own for the raft log of a node with these disks: the cheapest SSD of its cloud that carries the log's writes.
pub(super) fn own_log(
    disks: &[&SubjectFacts],
    within: std::ops::Range<usize>,
    node: &str,
    known: &KnownFacts,
) -> Advice {
    let headroom = thresholds().headroom;
    let mean = |disk: &SubjectFacts, signal| disk.mean(signal, within.clone());
    let written = |disk: &&SubjectFacts| {
        let bytes = mean(disk, DiagnosisSignal::Throughput)?;
        Some(bytes * (1.0 - mean(disk, DiagnosisSignal::ReadShare).unwrap_or(0.0)))
    };
    let bytes: f64 = disks.iter().filter_map(written).sum();
    let syncs: f64 = disks.iter().filter_map(|disk| mean(disk, DiagnosisSignal::FlushRate)).sum();
    let need = VolumeNeed {
        size: LOG_SIZE,
        iops: Iops(syncs * headroom),
        throughput: BytesPerSec(bytes * LOG_SHARE * headroom),
    };
    let of_disk = |disk: &Disk| known.view.volume(&disk.volume.kind).ok().map(|kind| kind.cloud);
    let cloud: Option<Cloud> = disks
        .iter()
        .find_map(|facts| of_disk(facts.disk.as_ref()?))
        .or_else(|| known.instance(node).map(|instance| instance.cloud))
        .or_else(|| known.view.region(known.region()?).ok());
    let log = cloud.and_then(|cloud| known.market(node).cheapest_ssd(cloud, need));
    let named = log.as_ref().map(|log: &SuitableDisk| log.disk.to_string());
    let text = named.as_ref().map_or_else(|| format!("{LOG_SIZE} or more"), String::clone);
    let remedy = Remedy {
        text: format!("give the raft log a disk of its own: {text}, raft-engine.dir on it"),
        what: "log-disk",
        from: None,
        to: named,
    };
    Advice { remedy: Some(remedy), monthly: log.and_then(|log| log.monthly), predicted: None }
}

/// The cheapest disk of the same size or more that carries the need, and what it adds to a month's price. Without a price, the
/// first that carries it.
pub(super) fn cheapest(
    disk: &Disk,
    need: Need,
    facts: &SubjectFacts,
    known: &KnownFacts,
) -> Option<(SuitableDisk, Option<Usd>)> {
    let rates = DiskRates { iops: Iops(need.iops), throughput: BytesPerSec(need.bytes) };
    let to = known.market(&facts.subject.node).carriers(disk, rates).into_iter().next()?;
    let monthly = to.monthly.zip(known.monthly_on(&facts.subject.node, disk)).map(|(usd, now)| usd - now);
    Some((to, monthly))
}

#[cfg(test)]
mod tests {
    use units::Ratio;

    use super::*;
    use crate::FindingKind;
    use crate::facts::facts;
    use crate::testing::{Made, deployment, view};

    fn cheapest_of(disk: &str, iops: f64, mib: f64) -> (String, f64) {
        promised(disk, iops, mib, None).unwrap()
    }

    fn promised(disk: &str, iops: f64, mib: f64, consistency: Option<Ratio>) -> Option<(String, f64)> {
        let known = KnownFacts { consistency, ..KnownFacts::deployment(view(), deployment(disk, None)) };
        let made = Made::seconds(10).disk("data", 100.0, 4.0, 1.0, 1.0);
        let all = facts(&made.timeline, &known);
        let data = all.iter().find(|facts| facts.subject.disk == "data").unwrap();
        let need = Need { iops, bytes: BytesPerSec::mib(mib).0 };
        let (to, usd) = cheapest(data.disk.as_ref().unwrap(), need, data, &known)?;
        Some((to.disk.to_string(), usd?.0))
    }

    #[test]
    fn a_gp2_that_lacks_iops_becomes_a_gp3_and_costs_less() {
        let (to, usd) = cheapest_of("gp2:400GiB", 2500.0, 60.0);
        assert_eq!(to, "gp3:400GiB");
        assert!(usd < 0.0, "{usd}");
    }

    #[test]
    fn who_asks_for_a_promise_gets_provisioned_iops_as_long_as_a_stripe_keeps_it() {
        let of = |disk: &str, share| promised(disk, 2500.0, 60.0, Some(Ratio(share))).map(|(to, _)| to);
        assert!(of("gp2:400GiB", 0.999).unwrap().starts_with("io"));
        assert_eq!(of("gp2:400GiB", 0.99).as_deref(), Some("gp3:400GiB"));
        assert_eq!(of("2x(gp2:400GiB)", 0.999), None, "one of two is late twice as often");
    }

    #[test]
    fn a_gp3_gets_what_it_lacks_at_the_catalogues_price() {
        let (to, usd) = cheapest_of("gp3:1000GiB", 5000.0, 60.0);
        assert_eq!(to, "gp3:1000GiB,5000iops");
        let of = |disk: &str| disk.parse::<Disk>().unwrap().monthly(&view(), "us-west-2").unwrap().0;
        assert!((usd - (of("gp3:1000GiB,5000iops") - of("gp3:1000GiB"))).abs() < 1e-9);
    }

    #[test]
    fn throughput_brings_the_iops_that_it_asks_for() {
        assert_eq!(cheapest_of("gp3:1000GiB", 100.0, 900.0).0, "gp3:1000GiB,3600iops,900MiB/s");
    }

    #[test]
    fn a_log_disk_is_one_that_can_be_bought_in_the_nodes_cloud() {
        let advice = |region: &str, disk: &str| {
            let deployment = deployment::Deployment { region: region.to_owned(), ..deployment(disk, None) };
            let known = KnownFacts { instance: None, ..KnownFacts::deployment(view(), deployment) };
            let made = Made::seconds(10).disk("data", 1000.0, 16.0, 0.5, 1.0);
            let all = facts(&made.timeline, &known);
            let disks: Vec<&SubjectFacts> = all.iter().filter(|facts| facts.disk.is_some()).collect();
            own_log(&disks, 0..10, "n1", &known)
        };
        for (region, disk, log) in [
            ("us-west-2", "gp3:100GiB", "gp3:20GiB"),
            ("eastus", "premium-v2:100GiB", "premium-v2:20GiB"),
            ("us-central1", "pd-ssd:100GiB", "hyperdisk-balanced:20GiB"),
        ] {
            let advice = advice(region, disk);
            assert_eq!(advice.remedy.unwrap().to.as_deref(), Some(log));
            assert!(advice.monthly.unwrap().0 > 0.0);
        }
    }

    /// What `diagnose` advises of a disk that is used whole, by one of its limits.
    fn at_its_limit(disk: &str, raised: DiagnosisSignal) -> (Disk, Advice) {
        let mut known = KnownFacts::nothing(view());
        known.disks.insert("*".to_owned(), disk.parse().unwrap());
        let disk: Disk = disk.parse().unwrap();
        let limits = disk.limits(&known.view, None).unwrap();
        let made = Made::seconds(10).disk("data", limits.iops.0, 4.0, 1.0, 20.0);
        let all = facts(&made.timeline, &known);
        let data = all.iter().find(|facts| facts.disk.is_some()).unwrap();
        let kind =
            if raised == DiagnosisSignal::Iops { FindingKind::VolumeIops } else { FindingKind::VolumeThroughput };
        (disk, super::super::advice(kind, data, 0..10, &[data], &known))
    }

    #[test]
    fn every_type_at_its_limit_is_advised_a_higher_one_within_its_maximum() {
        let view = view();
        let clouds = [Cloud::Aws, Cloud::Gcp, Cloud::Azure];
        let kinds = clouds.into_iter().flat_map(|cloud| view.volumes(cloud));
        let mut advised = 0;
        for kind in kinds.filter(|kind| kind.medium == catalog::VolumeMedium::Ssd) {
            let sized =
                |size: Bytes| Disk::from(disk::Volume { kind: kind.name.clone(), size, iops: None, throughput: None });
            let (smallest, largest) = (sized(kind.size.0), sized(kind.size.1));
            let (Ok(now), Ok(most)) = (smallest.limits(&view, None), largest.limits(&view, None)) else { continue };
            let sells = |rule| matches!(rule, catalog::IopsRule::Provisioned { .. });
            for (raised, grows) in [
                (DiagnosisSignal::Iops, sells(kind.iops) || most.iops.0 > now.iops.0),
                (DiagnosisSignal::Throughput, sells(kind.iops) || most.throughput.0 > now.throughput.0),
            ] {
                let (_, advice) = at_its_limit(&smallest.to_string(), raised);
                let text = advice.remedy.unwrap().text;
                assert!(advice.predicted.is_some() || !grows, "{text}");
                assert!(advice.predicted.is_none_or(|effect| effect.after > effect.before), "{text}");
                advised += u32::from(grows);
            }
        }
        assert!(advised >= 12, "{advised}");
    }

    #[test]
    fn a_volume_of_google_cloud_or_azure_grows_within_its_own_type() {
        for (disk, to) in [
            ("hyperdisk-balanced:500GiB", "hyperdisk-balanced:500GiB,"),
            ("pd-ssd:500GiB", "pd-ssd:"),
            ("pd-balanced:500GiB", "pd-balanced:"),
            ("premium-v2:500GiB", "premium-v2:500GiB,"),
        ] {
            let (_, advice) = at_its_limit(disk, DiagnosisSignal::Iops);
            let remedy = advice.remedy.unwrap();
            assert!(remedy.to.as_deref().is_some_and(|text| text.starts_with(to)), "{}", remedy.text);
        }
    }

    #[test]
    fn past_the_most_of_its_type_the_rest_is_said() {
        let (_, advice) = at_its_limit("hyperdisk-balanced:500GiB,150000iops", DiagnosisSignal::Iops);
        let text = advice.remedy.unwrap().text;
        assert!(text.contains("160000iops") && text.contains("stripe volumes"), "{text}");
        let (_, advice) = at_its_limit("hyperdisk-balanced:500GiB,160000iops", DiagnosisSignal::Iops);
        assert!(advice.remedy.unwrap().text.starts_with("no volume of this kind carries more"));
    }
}
