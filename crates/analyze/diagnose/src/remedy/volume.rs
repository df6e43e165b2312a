//! The cheapest volume that carries a need: gp3 with what it lacks, provisioned IOPS, or a gp2 that is larger.

use disk::{Disk, DiskLimits, Volume};
use units::{Bytes, BytesPerSec, Iops, Usd};

use super::{Advice, Need, Remedy, RemedyEffect};
use crate::KnownFacts;
use crate::facts::{DiagnosisSignal, SubjectFacts};

/// What a raft log needs at most, and what one of its own is bought with.
const LOG: &str = "gp3:20GiB";

/// The cheapest change of a disk.
pub(super) fn change(
    facts: &SubjectFacts,
    delivered: Need,
    need: Need,
    raised: DiagnosisSignal,
    known: &KnownFacts,
) -> Advice {
    let (Some(disk), Some(limits)) = (&facts.disk, &facts.limits) else {
        return Advice::text(
            "disk",
            "raise this limit of the volume; name the disk (--disk) and what it costs can be told",
        );
    };
    let Some((to, after, monthly)) = cheapest(disk, need, facts, known) else {
        return Advice::text(
            "disk",
            match known.consistency {
                Some(asked) => {
                    format!("no volume of this kind promises what is missing of {disk} for {asked} of the time")
                }
                None => format!("no volume of this kind carries more than {disk}: stripe volumes, or spread the load"),
            },
        );
    };
    let (limit, unit, before, now) = if raised == DiagnosisSignal::Iops {
        ("volume IOPS", "IOPS", limits.iops.0, after.iops.0)
    } else {
        ("volume throughput", "bytes/s", limits.throughput.0, after.throughput.0)
    };
    // The instance may let through less than the volume.
    let caps = facts.instance.as_ref().and_then(|instance| instance.caps);
    let cap = caps.map_or(f64::INFINITY, |caps| if unit == "IOPS" { caps.iops.0 } else { caps.throughput.0 });
    let delivered = if unit == "IOPS" { delivered.iops } else { delivered.bytes };
    let remedy = Remedy {
        text: format!("modify {disk} to {to}"),
        what: "disk",
        from: Some(disk.to_string()),
        to: Some(to.to_string()),
    };
    let after = now.min(cap);
    let predicted = RemedyEffect { limit, unit, before, after, used_after: (delivered / after).min(1.0) };
    Advice { remedy: Some(remedy), monthly, predicted: Some(predicted) }
}

/// A disk of its own for the raft log.
pub(super) fn own_log(known: &KnownFacts) -> Advice {
    let log: Disk = LOG.parse().expect("tested: it is a disk");
    let monthly = known.region().and_then(|region| log.monthly(&known.view, region).ok());
    let remedy = Remedy {
        text: format!("give the raft log a disk of its own: {LOG}, raft-engine.dir on it"),
        what: "log-disk",
        from: None,
        to: Some(LOG.to_owned()),
    };
    Advice { remedy: Some(remedy), monthly, predicted: None }
}

/// A disk that carries a need.
#[derive(Debug, Clone, PartialEq)]
pub struct SuitableDisk {
    /// The disk.
    pub disk: Disk,
    /// What it sustains.
    pub limits: DiskLimits,
    /// What it costs a month; `None` where that is not known.
    pub monthly: Option<Usd>,
}

/// Other disks of the same size or more, and of as many volumes, that sustain so much on a node, for as much of the time as is
/// asked: the cheapest first, those without a price last.
pub fn carriers(disk: &Disk, iops: Iops, throughput: BytesPerSec, node: &str, known: &KnownFacts) -> Vec<SuitableDisk> {
    let need = Need { iops: iops.0, bytes: throughput.0 };
    let carries = |disk: &Disk| {
        let limits = known.limits(node, disk)?;
        (limits.iops.0 >= need.iops * 0.999 && limits.throughput.0 >= need.bytes * 0.999).then_some(limits)
    };
    let mut fit: Vec<SuitableDisk> = candidates(disk, need)
        .into_iter()
        .filter(|candidate| candidate != disk && known.is_promised(candidate))
        .filter_map(|candidate| {
            Some(SuitableDisk { limits: carries(&candidate)?, monthly: known.monthly(&candidate), disk: candidate })
        })
        .collect();
    let price = |one: &SuitableDisk| one.monthly.map_or(f64::INFINITY, |usd| usd.0);
    fit.sort_by(|a, b| price(a).total_cmp(&price(b)));
    fit
}

/// The cheapest disk of the same size or more that carries the need, its limits, and what it adds to a month's price. Without
/// a price the first that carries it.
pub(super) fn cheapest(
    disk: &Disk,
    need: Need,
    facts: &SubjectFacts,
    known: &KnownFacts,
) -> Option<(Disk, DiskLimits, Option<Usd>)> {
    let now = known.monthly(disk);
    let fit = carriers(disk, Iops(need.iops), BytesPerSec(need.bytes), &facts.subject.node, known);
    let to = fit.into_iter().next()?;
    Some((to.disk, to.limits, to.monthly.zip(now).map(|(usd, now)| usd - now)))
}

/// Disks that could carry it, with as many volumes.
fn candidates(disk: &Disk, need: Need) -> Vec<Disk> {
    let n = f64::from(disk.stripe);
    let iops = round_up(need.iops / n, 100.0);
    let mib = round_up(BytesPerSec(need.bytes / n).as_mib(), 5.0);
    let size = disk.volume.size;
    let volume = |kind: &str, size: Bytes, iops: Option<f64>, mib: Option<f64>| Disk {
        volume: Volume { kind: kind.to_owned(), size, iops: iops.map(Iops), throughput: mib.map(BytesPerSec::mib) },
        ..disk.clone()
    };
    if !["gp2", "gp3", "io1", "io2"].contains(&disk.volume.kind.as_str()) {
        return Vec::new();
    }
    // A gp3's throughput asks for an I/O each 256 KiB a second: 4 IOPS each MiB/s.
    let gp3_iops = iops.max(mib * 4.0);
    let mut all = vec![
        volume("gp3", size, (gp3_iops > 3000.0).then_some(gp3_iops), (mib > 125.0).then_some(mib)),
        volume("io2", size, Some(iops.max(mib * 4.0).max(100.0)), None),
    ];
    let grown = Bytes::gib((iops / 3.0).ceil() as u64).max(if mib > 128.0 { Bytes::gib(334) } else { Bytes(0) });
    all.push(volume("gp2", size.max(grown), None, None));
    all.push(volume("io1", size, Some(iops.max(mib * 4.0).max(100.0)), None));
    all
}

fn round_up(value: f64, to: f64) -> f64 {
    (value / to).ceil() * to
}

#[cfg(test)]
mod tests {
    use units::Ratio;

    use super::*;
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
        let (to, _, usd) = cheapest(data.disk.as_ref().unwrap(), need, data, &known)?;
        Some((to.to_string(), usd?.0))
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
    fn a_log_disk_is_one_that_can_be_bought() {
        let advice = own_log(&KnownFacts::deployment(view(), deployment("gp3:100GiB", None)));
        assert!(advice.monthly.unwrap().0 > 0.0);
    }
}
