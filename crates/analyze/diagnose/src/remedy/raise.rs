//! Which limits to raise: the volume's, those of its instance's link, or both, for a volume sells nothing that its instance does
//! not let through, and a link carries no more than its volumes sell.

use std::ops::Range;

use catalog::{InstanceCaps, InstanceType};
use disk::{Disk, DiskLimits, SuitableDisk};
use limits::BindingLimit;
use units::Usd;

use super::{Advice, Need, Remedy, RemedyEffect, instance, volume};
use crate::facts::{DiagnosisSignal, SubjectFacts};
use crate::rules::thresholds;
use crate::{FindingKind, KnownFacts};

/// A limit that held requests up for this share of the time is one of those to raise.
const HELD_UP: f64 = 0.3;

/// Which sides of a limit are full: I/Os, bytes or both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sides {
    pub(super) iops: bool,
    pub(super) bytes: bool,
    /// Whether the finding is about bytes: that side is told of.
    pub(super) by_bytes: bool,
}

impl Sides {
    /// The full sides of a volume: the one that the finding names, and the other where it held requests up as well.
    pub(super) fn of_volume(kind: FindingKind, facts: &SubjectFacts, within: Range<usize>) -> Self {
        let named = kind == FindingKind::VolumeThroughput;
        let signals = [DiagnosisSignal::BoundVolumeIops, DiagnosisSignal::BoundVolumeThroughput];
        let [iops, bytes] = signals.map(|signal| holds_up(facts, signal, within.clone()));
        Self { iops: !named || iops, bytes: named || bytes, by_bytes: named }
    }

    /// The full sides of a link.
    pub(super) fn of_link(kind: FindingKind, facts: &SubjectFacts, within: Range<usize>) -> Self {
        let over = |bound, unsustained| {
            holds_up(facts, bound, within.clone())
                || facts.mean(unsustained, within.clone()).is_some_and(|used| used > 1.0)
        };
        let iops = over(DiagnosisSignal::BoundInstanceIops, DiagnosisSignal::InstanceIopsUnsustained);
        let bytes = over(DiagnosisSignal::BoundInstanceThroughput, DiagnosisSignal::InstanceThroughputUnsustained);
        match kind {
            FindingKind::InstanceThroughput => Self { iops, bytes: true, by_bytes: true },
            FindingKind::InstanceIops => Self { iops: true, bytes, by_bytes: false },
            _ if !iops && !bytes => {
                let spent = facts.mean(DiagnosisSignal::InstanceByteLeft, within);
                let by_bytes = spent.is_some_and(|left| left <= thresholds().empty);
                Self { iops: !by_bytes, bytes: by_bytes, by_bytes }
            }
            _ => Self { iops, bytes, by_bytes: !iops },
        }
    }
}

fn holds_up(facts: &SubjectFacts, signal: DiagnosisSignal, within: Range<usize>) -> bool {
    facts.mean(signal, within).is_some_and(|bound| bound >= HELD_UP)
}

/// I/Os and bytes a second of a volume or a link, of which one side leads: the one that is told of.
#[derive(Debug, Clone, Copy)]
struct Pair {
    iops: f64,
    bytes: f64,
}

impl Pair {
    const ENDLESS: Self = Self { iops: f64::INFINITY, bytes: f64::INFINITY };

    fn of_disk(limits: &DiskLimits) -> Self {
        Self { iops: limits.iops.0, bytes: limits.throughput.0 }
    }

    fn of_caps(caps: &InstanceCaps) -> Self {
        Self { iops: caps.iops.0, bytes: caps.throughput.0 }
    }

    fn lead(self, sides: Sides) -> f64 {
        if sides.by_bytes { self.bytes } else { self.iops }
    }

    fn each(self, other: Self, of: impl Fn(f64, f64) -> f64) -> Self {
        Self { iops: of(self.iops, other.iops), bytes: of(self.bytes, other.bytes) }
    }

    /// Whether every full side reaches that of another.
    fn reaches(self, other: Self, sides: Sides) -> bool {
        (!sides.iops || self.iops >= other.iops) && (!sides.bytes || self.bytes >= other.bytes)
    }

    fn times(self, factor: f64) -> Self {
        Self { iops: self.iops * factor, bytes: self.bytes * factor }
    }

    fn need(self) -> Need {
        Need { iops: self.iops, bytes: self.bytes }
    }
}

impl From<Need> for Pair {
    fn from(need: Need) -> Self {
        Self { iops: need.iops, bytes: need.bytes }
    }
}

/// A volume or a link whose limits are to be raised.
pub(super) struct Raise<'a> {
    /// Of the volume, or of the node.
    pub(super) facts: &'a SubjectFacts,
    /// The node's disks.
    pub(super) disks: &'a [&'a SubjectFacts],
    /// When it was full.
    pub(super) within: Range<usize>,
    pub(super) known: &'a KnownFacts,
}

/// A step: what is bought instead, and what it adds to a month.
struct Step<T> {
    to: T,
    monthly: Option<Usd>,
    /// What remains to be said of it.
    rest: &'static str,
}

impl Raise<'_> {
    /// The cheapest change that raises the full sides of a volume.
    pub(super) fn volume(&self, sides: Sides) -> Advice {
        let (Some(disk), Some(limits)) = (&self.facts.disk, &self.facts.limits) else {
            return Advice::text(
                "disk",
                "raise this limit of the volume; name the disk (--disk) and what it costs can be told",
            );
        };
        let delivered = Need::delivered(self.facts, self.within.clone());
        let need: Pair = delivered.raised(self.more(&[self.facts]), sides).into();
        let now = Pair::of_disk(limits);
        let room = self.room(limits);
        // Nothing is bought that cannot pass.
        let passing = need.each(room, f64::min);
        let limit = if sides.by_bytes { BindingLimit::VolumeThroughput } else { BindingLimit::VolumeIops };
        let delivered = Some(Pair::from(delivered).lead(sides));
        let effect = |to: &DiskLimits, room: Pair| {
            let after = Pair::of_disk(to).each(room, f64::min).lead(sides);
            RemedyEffect::raising(limit, now.each(room, f64::min).lead(sides), after, delivered)
        };
        let enough = room.reaches(now.times(thresholds().raise), sides);
        if enough
            && let Some(step) = self.larger_volume(self.facts, disk, limits, passing, sides)
            && let Some(predicted) = effect(&step.to.limits, room)
        {
            return volume_alone(disk, &step, predicted, &self.facts.instance, room.reaches(need, sides));
        }
        if enough || self.facts.instance.is_none() {
            return Advice::text("disk", volume::no_larger(disk, self.known));
        }
        self.volume_with_instance(disk, limits, need, sides)
    }

    /// Both the volume and its instance.
    fn volume_with_instance(&self, disk: &Disk, limits: &DiskLimits, need: Pair, sides: Sides) -> Advice {
        let Some(now) = &self.facts.instance else { return Advice::default() };
        let others = self.others();
        let step = self.larger_volume(self.facts, disk, limits, need, sides);
        let after_volume = step.as_ref().map_or(Pair::of_disk(limits), |step| Pair::of_disk(&step.to.limits));
        let asks = need.each(after_volume, f64::min).each(others, |a, b| a + b);
        let Some((larger, monthly)) = instance::with_link(now, asks.need(), self.known) else {
            return Advice::text("instance", instance::NO_FASTER);
        };
        let caps = larger.caps.as_ref().map_or(Pair::ENDLESS, Pair::of_caps);
        let room = caps.each(others, |cap, others| (cap - others).max(0.0));
        let before = Pair::of_disk(limits).each(self.room(limits), f64::min).lead(sides);
        let limit = if sides.by_bytes { BindingLimit::InstanceThroughput } else { BindingLimit::InstanceIops };
        let delivered = Pair::from(Need::delivered(self.facts, self.within.clone())).lead(sides);
        let predicted =
            RemedyEffect::raising(limit, before, after_volume.each(room, f64::min).lead(sides), Some(delivered));
        let Some(predicted) = predicted else { return Advice::text("instance", instance::NO_FASTER) };
        match step {
            Some(step) => both(disk, &step, now, larger, monthly, predicted),
            None => instance::replace(now, larger, monthly, Some(predicted)),
        }
    }

    /// The cheapest change that raises the full sides of the link.
    pub(super) fn link(&self, sides: Sides) -> Advice {
        let Some((now, caps)) = self.facts.instance.as_ref().and_then(|now| Some((now, now.caps?))) else {
            return Advice::text(
                "instance",
                "take an instance with a faster link to its volumes; name this one (--instance), and its disks (--disk), and \
                 which one and at what price is told",
            );
        };
        let on_link: Vec<&SubjectFacts> = self.on_link().collect();
        let sum = |signal| -> f64 { on_link.iter().filter_map(|disk| disk.mean(signal, self.within.clone())).sum() };
        let delivered = Need { iops: sum(DiagnosisSignal::Iops), bytes: sum(DiagnosisSignal::Throughput) };
        let (before, t) = (Pair::of_caps(&caps), thresholds());
        let wanted: Pair = delivered.raised(self.more(&on_link), sides).into();
        let raised = before.times(t.raise);
        let wanted = Pair {
            iops: if sides.iops { wanted.iops.max(raised.iops) } else { wanted.iops },
            bytes: if sides.bytes { wanted.bytes.max(raised.bytes) } else { wanted.bytes },
        };
        let volumes = sold(&on_link);
        let limit = if sides.by_bytes { BindingLimit::InstanceThroughput } else { BindingLimit::InstanceIops };
        let delivered = Some(Pair::from(delivered).lead(sides));
        let effect = |larger: &InstanceType, volumes: Pair| {
            let after = larger.caps.as_ref().map_or(Pair::ENDLESS, Pair::of_caps).each(volumes, f64::min);
            RemedyEffect::raising(limit, before.lead(sides), after.lead(sides), delivered)
        };
        // The volumes have to sell more than passes now, or a faster link carries nothing more.
        if volumes.reaches(before.times(1.05), sides) {
            let asks = wanted.each(volumes, f64::min);
            let found = instance::with_link(now, asks.need(), self.known);
            return match found.and_then(|(larger, usd)| Some((larger, usd, effect(larger, volumes)?))) {
                Some((larger, monthly, predicted)) => instance::replace(now, larger, monthly, Some(predicted)),
                None => Advice::text("instance", instance::NO_FASTER),
            };
        }
        let fullest = on_link.iter().max_by(|a, b| {
            let rate = |disk: &SubjectFacts| Pair::from(Need::delivered(disk, self.within.clone())).lead(sides);
            rate(a).total_cmp(&rate(b))
        });
        let step = fullest.and_then(|fullest| {
            let (disk, limits) = (fullest.disk.as_ref()?, fullest.limits.as_ref()?);
            let more = wanted.each(volumes, |wanted, sold| (wanted - sold).max(0.0));
            let need = Pair::of_disk(limits).each(more, |now, more| now + more);
            Some((disk, limits, self.larger_volume(fullest, disk, limits, need, sides)?))
        });
        let Some((disk, limits, step)) = step else { return Advice::text("instance", instance::NO_FASTER) };
        let gained = Pair::of_disk(&step.to.limits).each(Pair::of_disk(limits), |new, old| new - old);
        let volumes = volumes.each(gained, |sold, more| sold + more);
        let asks = wanted.each(volumes, f64::min);
        let found = instance::with_link(now, asks.need(), self.known);
        match found.and_then(|(larger, usd)| Some((larger, usd, effect(larger, volumes)?))) {
            Some((larger, monthly, predicted)) => both(disk, &step, now, larger, monthly, predicted),
            None => Advice::text("instance", instance::NO_FASTER),
        }
    }

    /// How many times more clients that wait would send.
    fn more(&self, disks: &[&SubjectFacts]) -> f64 {
        let t = thresholds();
        let excess = |disk: &&SubjectFacts| disk.mean(DiagnosisSignal::LatencyExcess, self.within.clone());
        disks.iter().filter_map(excess).fold(t.raise, f64::max).clamp(t.raise, t.most_raise)
    }

    fn on_link(&self) -> impl Iterator<Item = &SubjectFacts> {
        self.disks.iter().copied().filter(|disk| disk.on_link)
    }

    /// What the other disks of the instance take of its link.
    fn others(&self) -> Pair {
        let others = self.on_link().filter(|disk| disk.subject != self.facts.subject);
        let taken = others.map(|disk| Pair::from(Need::delivered(disk, self.within.clone())));
        taken.fold(Pair { iops: 0.0, bytes: 0.0 }, |sum, one| sum.each(one, |a, b| a + b))
    }

    /// What the instance lets through to this volume beside the others.
    fn room(&self, limits: &DiskLimits) -> Pair {
        let caps = self.facts.instance.as_ref().and_then(|instance| instance.caps);
        let caps = caps.filter(|_| limits.shares_instance_caps);
        caps.map_or(Pair::ENDLESS, |caps| {
            Pair::of_caps(&caps).each(self.others(), |cap, others| (cap - others).max(0.0))
        })
    }

    fn larger_volume(
        &self,
        facts: &SubjectFacts,
        disk: &Disk,
        limits: &DiskLimits,
        need: Pair,
        sides: Sides,
    ) -> Option<Step<SuitableDisk>> {
        let (to, rest) = volume::larger_rates(facts, disk, limits, need.need(), sides, self.known)?;
        let monthly = to.monthly.zip(self.known.monthly_on(&facts.subject.node, disk)).map(|(usd, now)| usd - now);
        Some(Step { to, monthly, rest })
    }
}

/// What the volumes of a link sell together; without end where one of them is not known.
fn sold(disks: &[&SubjectFacts]) -> Pair {
    let all: Option<Vec<Pair>> = disks.iter().map(|disk| disk.limits.as_ref().map(Pair::of_disk)).collect();
    let add = |sum: Pair, one: Pair| sum.each(one, |a, b| a + b);
    all.and_then(|all| all.into_iter().reduce(add)).unwrap_or(Pair::ENDLESS)
}

fn volume_alone(
    disk: &Disk,
    step: &Step<SuitableDisk>,
    predicted: RemedyEffect,
    instance: &Option<InstanceType>,
    is_whole: bool,
) -> Advice {
    let capped = match instance {
        Some(instance) if !is_whole => format!(", as much as {} lets through", instance.name),
        _ => String::new(),
    };
    let remedy = Remedy {
        text: format!("modify {disk} to {}{capped}{}", step.to.disk, step.rest),
        what: "disk",
        from: Some(disk.to_string()),
        to: Some(step.to.disk.to_string()),
    };
    Advice { remedy: Some(remedy), monthly: step.monthly, predicted: Some(predicted) }
}

/// Both steps at one price.
fn both(
    disk: &Disk,
    step: &Step<SuitableDisk>,
    now: &InstanceType,
    larger: &InstanceType,
    monthly: Option<Usd>,
    predicted: RemedyEffect,
) -> Advice {
    let remedy = Remedy {
        text: format!(
            "replace {} by {} and modify {disk} to {}{}: one without the other does not help, for the instance lets no more \
             through, and the volume sells no more",
            now.name, larger.name, step.to.disk, step.rest
        ),
        what: "disk-and-instance",
        from: Some(format!("{disk} on {}", now.name)),
        to: Some(format!("{} on {}", step.to.disk, larger.name)),
    };
    let monthly = step.monthly.zip(monthly).map(|(volume, instance)| Usd(volume.0 + instance.0));
    Advice { remedy: Some(remedy), monthly, predicted: Some(predicted) }
}
