//! Which volume a need asks for: of the same size, of the same type or its successor, and within the budget.

use catalog::{CatalogView, IopsRule, ThroughputRule};
use diagnose::KnownFacts;
use disk::{Disk, DiskLimits, DiskRates, SuitableDisk, replaces};
use units::{BytesPerSec, Iops, Usd};

/// A need in the steps between all and nothing of it.
const STEPS: u32 = 10;

/// I/Os and bytes a second that a volume should carry.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Need {
    pub(crate) iops: Iops,
    pub(crate) throughput: BytesPerSec,
}

/// A volume that could be had.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Target {
    pub(crate) disk: Disk,
    pub(crate) limits: DiskLimits,
    pub(crate) monthly: Usd,
}

impl Need {
    /// The way from what a volume sustains to a need, a share of it.
    fn part(self, now: &DiskLimits, share: f64) -> Self {
        let of = |now: f64, need: f64| if need > now { now + (need - now) * share } else { need };
        Self {
            iops: Iops(of(now.iops.0, self.iops.0)),
            throughput: BytesPerSec(of(now.throughput.0, self.throughput.0)),
        }
    }
}

/// The cheapest volume that a disk can become without a change of its size, and that carries a need.
pub(crate) fn cheapest(disk: &Disk, need: Need, node: &str, known: &KnownFacts) -> Option<Target> {
    let size = disk.volume.size;
    let all = carriers(disk, need, node, known).into_iter();
    let found = all.filter(|one| one.disk.volume.size == size).find(|one| one.monthly.is_some())?;
    let disk = written_out(&found.disk, &found.limits, &known.view);
    Some(Target { disk, limits: found.limits, monthly: found.monthly? })
}

/// Volumes of the same type or its successor that carry a need, of whatever size, the cheapest first.
fn carriers(disk: &Disk, need: Need, node: &str, known: &KnownFacts) -> Vec<SuitableDisk> {
    let rates = DiskRates { iops: need.iops, throughput: need.throughput };
    let (market, from) = (known.market(node), &disk.volume.kind);
    let mut all = market.carriers(disk, rates);
    all.retain(|to| to.disk.volume.kind == *from || replaces(&to.disk.volume.kind, from));
    all
}

/// The volume that comes nearest to a need and costs no more than `most`.
pub(crate) fn affordable(
    disk: &Disk,
    now: &DiskLimits,
    need: Need,
    most: Usd,
    node: &str,
    known: &KnownFacts,
) -> Result<Affordable, Short> {
    let larger = || carriers(disk, need, node, known).into_iter().next().map(|one| one.disk);
    let mut short = Short::Kind;
    for step in (1..=STEPS).rev() {
        let share = f64::from(step) / f64::from(STEPS);
        let Some(target) = cheapest(disk, need.part(now, share), node, known) else { continue };
        if target.monthly.0 <= most.0 {
            return Ok(Affordable { target, share, by_budget: short != Short::Kind });
        }
        short = Short::Budget(Box::new(target));
    }
    match short {
        Short::Kind => Err(larger().map_or(Short::Kind, |disk| Short::Size(Box::new(disk)))),
        short => Err(short),
    }
}

/// A volume on the way to a need.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Affordable {
    /// The volume.
    pub(crate) target: Target,
    /// The share of the way.
    pub(crate) share: f64,
    /// Whether the budget ends the way there; otherwise the type does.
    pub(crate) by_budget: bool,
}

/// Why nothing nearer to a need can be had.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Short {
    /// No volume of the kind carries more.
    Kind,
    /// Only a larger one does, such as this.
    Size(Box<Disk>),
    /// The least step costs more than there is; this is that step.
    Budget(Box<Target>),
}

/// A disk with every rate that can be chosen written out, as clouds tell of it.
pub(crate) fn written_out(disk: &Disk, limits: &DiskLimits, view: &CatalogView) -> Disk {
    let mut disk = disk.clone();
    let Ok(kind) = view.volume(&disk.volume.kind) else { return disk };
    let each = 1.0 / f64::from(disk.stripe);
    if matches!(kind.iops, IopsRule::Provisioned { .. }) {
        disk.volume.iops = Some(limits.iops * each);
    }
    if matches!(kind.throughput, ThroughputRule::Provisioned { .. }) {
        disk.volume.throughput = Some(limits.throughput * each);
    }
    disk
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{known, limits};

    fn need(iops: f64, mib: f64) -> Need {
        Need { iops: Iops(iops), throughput: BytesPerSec::mib(mib) }
    }

    fn becomes(disk: &str, need: Need) -> String {
        let known = known(disk);
        cheapest(&disk.parse().unwrap(), need, "", &known).unwrap().disk.to_string()
    }

    #[test]
    fn a_gp2_becomes_a_gp3_of_its_size_and_a_gp3_stays_one() {
        assert_eq!(becomes("gp2:400GiB", need(3900.0, 200.0)), "gp3:400GiB,3900iops,200MiB/s");
        assert_eq!(becomes("gp3:400GiB,9000iops", need(100.0, 1.0)), "gp3:400GiB,3000iops,125MiB/s");
        assert_eq!(becomes("io1:400GiB,9000iops", need(900.0, 1.0)), "io1:400GiB,900iops");
    }

    #[test]
    fn what_is_affordable_lies_on_the_way() {
        let (disk, known) = ("gp3:400GiB".parse().unwrap(), known("gp3:400GiB"));
        let now = limits("gp3:400GiB");
        let of = |most| affordable(&disk, &now, need(13_000.0, 100.0), most, "", &known);
        let Affordable { target: all, share, .. } = of(Usd(f64::INFINITY)).unwrap();
        assert_eq!((all.limits.iops, share), (Iops(13_000.0), 1.0));
        let price = known.monthly(&disk).unwrap();
        let half = Usd(price.0 + (all.monthly.0 - price.0) / 2.0);
        let Affordable { target: some, share, by_budget } = of(half).unwrap();
        assert!(by_budget);
        assert!(some.monthly.0 <= half.0 && share < 1.0 && some.limits.iops.0 > 3000.0, "{some:?}");
        assert!(matches!(of(price), Err(Short::Budget(_))));
    }

    #[test]
    fn what_no_volume_carries_ends_at_the_most_of_its_kind() {
        let (disk, known) = ("io1:16TiB,64000iops".parse().unwrap(), known("io1:16TiB,64000iops"));
        let now = limits("io1:16TiB,64000iops");
        let most = Usd(f64::INFINITY);
        assert_eq!(affordable(&disk, &now, need(90_000.0, 100.0), most, "", &known), Err(Short::Kind));
    }

    #[test]
    fn a_rate_that_follows_from_the_size_asks_for_a_larger_volume() {
        let known = KnownFacts { region: Some("us-central1".to_owned()), ..known("pd-ssd:500GiB") };
        let (disk, now) = ("pd-ssd:500GiB".parse().unwrap(), limits("pd-ssd:500GiB"));
        let short = affordable(&disk, &now, need(20_000.0, 100.0), Usd(f64::INFINITY), "", &known).unwrap_err();
        let Short::Size(larger) = short else { panic!("{short:?}") };
        assert_eq!(larger.to_string(), "pd-ssd:667GiB");
    }

    #[test]
    fn the_end_of_a_type_is_not_the_end_of_the_budget() {
        let (disk, known) = ("gp3:400GiB,60000iops".parse().unwrap(), known("gp3:400GiB,60000iops"));
        let now = limits("gp3:400GiB,60000iops");
        let found = affordable(&disk, &now, need(160_000.0, 100.0), Usd(f64::INFINITY), "", &known).unwrap();
        assert!(!found.by_budget && found.share < 1.0, "{found:?}");
    }
}
