//! The controller: what each volume should be, one round at a time.

use diagnose::{KnownFacts, SubjectFacts, diagnose, facts};
use disk::{CannotBecome, DiskLimits, ModificationRules};
use finding::{DiagnosisSignal, Finding, FindingKind, FindingScope};
use timeline::Timeline;
use units::{Nanos, Usd};

use crate::permit::{back_from, done_at};
use crate::target::{Affordable, Need, Short, Target, affordable, cheapest, written_out};
use crate::{
    ChangeDirection, ChangeProposal, ChangeUndo, KeepReason, ManagedVolume, ModificationPermit, VolumeDecision,
    VolumeDemand, VolumePolicy, permit, predict,
};

/// What every volume should be, by how it was used until `now`. The volumes are those that the budget pays for, all of them,
/// also those that stay as they are. `known` has prices and instances; the volumes' disks are taken from the volumes.
pub fn decide(
    now: Nanos,
    volumes: &[ManagedVolume],
    timeline: &Timeline,
    known: &KnownFacts,
    policy: &VolumePolicy,
    seed: u64,
) -> Vec<VolumeDecision> {
    let mut known = known.clone();
    known.disks.extend(volumes.iter().map(|volume| (volume.id.clone(), volume.disk.clone())));
    let window = timeline.window(now - policy.window, now);
    let recent = timeline.window(now - policy.recent, now);
    let (all, lately) = (facts(&window, &known), facts(&recent, &known));
    let verdicts = diagnose(&recent, &known);
    let unpriced = unpriced(volumes, &known);
    let mut round = Round { now, known: &known, policy, seed, committed: committed(volumes, &known), unpriced };
    let of = |facts: &'_ [SubjectFacts], volume: &ManagedVolume| facts.iter().position(|facts| is_of(facts, volume));
    let mut decisions: Vec<(usize, VolumeDecision)> = Vec::new();
    // Who waits longest in the queue of the worst volume gets of the budget first.
    let mut order: Vec<(f64, usize)> = Vec::new();
    for (i, volume) in volumes.iter().enumerate() {
        let excess = of(&lately, volume).map_or(0.0, |at| worst_excess(&lately[at]));
        order.push((excess, i));
    }
    order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    for (_, i) in order {
        let volume = &volumes[i];
        let (whole, late) = (of(&all, volume).map(|at| &all[at]), of(&lately, volume).map(|at| &lately[at]));
        let decision = match whole {
            Some(whole) => round.one(volume, whole, late, &verdicts),
            None => Err(KeepReason::Unknown("its use: no series of the Timeline is of it".to_owned())),
        };
        decisions.push((i, decision.unwrap_or_else(|keep| VolumeDecision::Keep { volume: volume.id.clone(), keep })));
    }
    decisions.sort_by_key(|(i, _)| *i);
    decisions.into_iter().map(|(_, decision)| decision).collect()
}

/// A volume that the budget pays for and whose price is not known, as it is or as it will be.
fn unpriced(volumes: &[ManagedVolume], known: &KnownFacts) -> Option<String> {
    let disks = |volume: &'_ ManagedVolume| {
        let pending = volume.pending().map(|change| change.to.clone());
        [Some(volume.disk.clone()), pending, volume.intended.clone()].into_iter().flatten().collect::<Vec<_>>()
    };
    let unpriced = volumes.iter().find(|volume| disks(volume).iter().any(|disk| known.monthly(disk).is_none()));
    unpriced.map(|volume| volume.id.clone())
}

/// What the volumes cost a month once all that is under way is done, and no less than they cost now.
fn committed(volumes: &[ManagedVolume], known: &KnownFacts) -> Usd {
    let price = |disk: &disk::Disk| known.monthly(disk).unwrap_or_default().0;
    let of = |volume: &ManagedVolume| {
        let pending = volume.pending().map_or(0.0, |change| price(&change.to));
        let intended = volume.intended.as_ref().map_or(0.0, price);
        Usd(price(&volume.disk).max(pending).max(intended))
    };
    volumes.iter().map(of).sum()
}

fn is_of(facts: &SubjectFacts, volume: &ManagedVolume) -> bool {
    let subject = &facts.subject;
    subject.scope == FindingScope::Volume
        && subject.disk == volume.id
        && (volume.node.is_empty() || subject.node == volume.node)
}

fn worst_excess(facts: &SubjectFacts) -> f64 {
    facts.values(DiagnosisSignal::LatencyExcess).iter().flatten().copied().fold(0.0, f64::max)
}

struct Round<'a> {
    now: Nanos,
    known: &'a KnownFacts,
    policy: &'a VolumePolicy,
    seed: u64,
    committed: Usd,
    /// A volume that the budget pays for at a price that is not known: then nothing dearer is bought.
    unpriced: Option<String>,
}

/// A volume that is looked at.
struct Looked<'a> {
    volume: &'a ManagedVolume,
    facts: &'a SubjectFacts,
    limits: &'a DiskLimits,
    rules: ModificationRules,
    price: Usd,
    demand: VolumeDemand,
}

impl Round<'_> {
    fn one(
        &mut self,
        volume: &ManagedVolume,
        whole: &SubjectFacts,
        late: Option<&SubjectFacts>,
        verdicts: &[Finding],
    ) -> Result<VolumeDecision, KeepReason> {
        let looked = self.look(volume, whole)?;
        if volume.pending().is_some() || volume.intended.is_some() {
            return Err(KeepReason::UnderWay);
        }
        let of_volume = |verdict: &&Finding| {
            verdict.kind.is_wrong() && verdict.subject.node == whole.subject.node && verdict.subject.disk == volume.id
        };
        let full = |kind| {
            matches!(
                kind,
                FindingKind::VolumeIops
                    | FindingKind::VolumeThroughput
                    | FindingKind::BurstExhausted
                    | FindingKind::BurstEnding
            )
        };
        let held_up = verdicts.iter().filter(of_volume).find(|verdict| full(verdict.kind));
        let sick = verdicts
            .iter()
            .filter(of_volume)
            .find(|verdict| matches!(verdict.kind, FindingKind::DiskSlow | FindingKind::DiskStalled));
        if let Some(sick) = sick {
            return Err(KeepReason::NotTheVolume(sick.says.clone()));
        }
        let found = match (held_up, late) {
            (Some(verdict), Some(late)) => self.grow(&looked, late, verdict)?,
            _ => self.save(&looked)?,
        };
        Ok(self.decided(&looked, found))
    }

    fn look<'v>(&self, volume: &'v ManagedVolume, facts: &'v SubjectFacts) -> Result<Looked<'v>, KeepReason> {
        let unknown = |what: String| KeepReason::Unknown(what);
        if volume.disk.stripe != 1 || volume.disk.cache.is_some() {
            return Err(unknown(format!("how to modify {} as one volume: name its volumes one by one", volume.disk)));
        }
        let rules = volume.disk.modification(&volume.disk, &self.known.view);
        let rules = rules.map_err(|why: CannotBecome| unknown(format!("how its cloud modifies it: {why}")))?;
        let limits = facts.limits.as_ref().ok_or_else(|| unknown(format!("the limits of {}", volume.disk)))?;
        let price = self.known.monthly(&volume.disk);
        let price = price.ok_or_else(|| unknown(format!("the price of {} in this region", volume.disk)))?;
        let demand = VolumeDemand::of(facts, &self.policy.margins());
        if demand.known == Nanos(0) {
            return Err(unknown("its use: no interval tells a rate".to_owned()));
        }
        Ok(Looked { volume, facts, limits, rules: self.policy.rules(rules), price, demand })
    }

    /// A volume that carries what clients would have asked for lately.
    fn grow(&mut self, of: &Looked<'_>, late: &SubjectFacts, verdict: &Finding) -> Result<Found, KeepReason> {
        let lately = VolumeDemand::of(late, &self.policy.margins());
        let whole = &of.demand;
        let node = &of.facts.subject.node;
        let caps = of.facts.instance.as_ref().and_then(|instance| instance.caps);
        let cap = |need: f64, cap: Option<f64>| cap.map_or(need, |cap| need.min(cap));
        let need = Need {
            iops: units::Iops(cap(lately.wanted_iops.max(whole.floor_iops).0, caps.map(|caps| caps.iops.0))),
            throughput: units::BytesPerSec(cap(
                lately.wanted_throughput.max(whole.floor_throughput).0,
                caps.map(|caps| caps.throughput.0),
            )),
        };
        let rises =
            |target: &DiskLimits| target.iops.0 > of.limits.iops.0 || target.throughput.0 > of.limits.throughput.0;
        if caps.is_some() && need.iops.0 <= of.limits.iops.0 && need.throughput.0 <= of.limits.throughput.0 {
            return Err(KeepReason::NotTheVolume(
                "its instance lets no more through than the volume has already".to_owned(),
            ));
        }
        if let (Some(_), Some(other)) = (self.policy.budget, &self.unpriced) {
            return Err(KeepReason::Unknown(format!("the price of {other}, for which the budget must pay too")));
        }
        // Without a budget only what saves is bought, such as gp3 in place of gp2.
        let others = Usd(self.committed.0 - of.price.0);
        let most = Usd(self.policy.budget.map_or(of.price.0, |budget| budget.0 - others.0));
        let Affordable { target, share, by_budget } =
            affordable(&of.volume.disk, of.limits, need, most, node, self.known).map_err(|short| match short {
                Short::Kind => KeepReason::MostOfItsKind,
                Short::Size(larger) => KeepReason::AsksForSize(larger.to_string()),
                Short::Budget(target) => KeepReason::OverBudget(self.over_budget(of, &target)),
            })?;
        if !rises(&target.limits) && of.volume.disk.volume.kind == target.disk.volume.kind {
            return Err(KeepReason::Fits);
        }
        let mut reason = format!("{}: {}", verdict.kind, verdict.says);
        if share < 1.0 {
            let what = if by_budget { "the budget pays for" } else { "a volume of its kind and size carries" };
            reason += &format!("; {what} {:.0} % of what is missing", share * 100.0);
        }
        let converts = target.disk.volume.kind != of.volume.disk.volume.kind;
        let direction = if converts { ChangeDirection::Convert } else { ChangeDirection::Grow };
        Ok(Found { target, direction, reason, load: lately.mix })
    }

    fn over_budget(&self, of: &Looked<'_>, target: &Target) -> String {
        let more = Usd(target.monthly.0 - of.price.0);
        match self.policy.budget {
            Some(budget) => format!(
                "it is held up, but {} would add {more} a month to {}, and the budget is {budget}",
                target.disk, self.committed
            ),
            None => format!("it is held up, but {} would add {more} a month: no budget was given", target.disk),
        }
    }

    /// A cheaper volume that carries all that the window needed.
    fn save(&mut self, of: &Looked<'_>) -> Result<Found, KeepReason> {
        let node = &of.facts.subject.node;
        let kind = &of.volume.disk.volume.kind;
        let has_successor = disk::successor(kind).is_some();
        let known_enough = of.demand.known >= self.policy.shrink_after;
        let floor = Need { iops: of.demand.floor_iops, throughput: of.demand.floor_throughput };
        // Of a volume that is little known, all that it has and bursts to is kept: its type's successor may be cheaper all the same.
        let need = if known_enough { floor } else { whole_of(of.limits) };
        if !known_enough && !has_successor {
            return Err(KeepReason::TooLittleKnown);
        }
        let target = cheapest(&of.volume.disk, need, node, self.known).ok_or(KeepReason::Fits)?;
        let saves = Usd(of.price.0 - target.monthly.0);
        if saves.0 < self.policy.margins().least_saving.0 {
            return Err(KeepReason::Fits);
        }
        let rests = of.volume.last_change().is_some_and(|change| change.started + self.policy.rest > self.now);
        if rests && !has_successor {
            return Err(KeepReason::Rests);
        }
        let peak = format!("{:.0} IOPS and {:.0} MiB/s", of.demand.iops.0, of.demand.throughput.as_mib());
        let converts = target.disk.volume.kind != *kind;
        let direction = if converts { ChangeDirection::Convert } else { ChangeDirection::Shrink };
        let reason = if known_enough {
            format!("at most {peak} were asked of it in {}", days(of.demand.known))
        } else {
            format!("{} with all that this {kind} has and bursts to costs less", target.disk.volume.kind)
        };
        Ok(Found { target, direction, reason, load: of.demand.mix })
    }

    fn decided(&mut self, of: &Looked<'_>, found: Found) -> VolumeDecision {
        let Found { target, direction, reason, load } = found;
        let caps = of.facts.instance.as_ref().and_then(|instance| instance.caps);
        let permit = permit(self.now, of.volume, &of.rules);
        let begins = match permit {
            ModificationPermit::From { at } => at,
            ModificationPermit::Now { .. } | ModificationPermit::WhenDone => self.now,
        };
        let done = done_at(begins, of.volume, &of.rules);
        let undo_to = match direction {
            ChangeDirection::Convert => {
                cheapest(&of.volume.disk, whole_of(of.limits), &of.facts.subject.node, self.known)
                    .map_or_else(|| target.disk.clone(), |target| target.disk)
            }
            ChangeDirection::Grow | ChangeDirection::Shrink => {
                written_out(&of.volume.disk, of.limits, &self.known.view)
            }
        };
        let proposal = Box::new(ChangeProposal {
            volume: of.volume.id.clone(),
            direction,
            from: of.volume.disk.clone(),
            monthly: Usd(target.monthly.0 - of.price.0),
            predicted: load.map(|load| predict(&load, &target.limits, caps.as_ref(), self.seed)),
            to: target.disk,
            reason,
            load,
            done,
            undo: ChangeUndo { to: undo_to, from: back_from(begins, done, of.volume, &of.rules) },
        });
        let later = |at| VolumeDecision::Later { at, proposal: proposal.clone() };
        match permit {
            ModificationPermit::WhenDone => later(None),
            ModificationPermit::From { at } => later(Some(at)),
            // The last one of the day is kept for a volume that is held up.
            ModificationPermit::Now { left: Some(1) } if direction != ChangeDirection::Grow && self.spares(of) => {
                let first = of.volume.changes.iter().rev().nth(of.rules.per_day.unwrap_or(1) as usize - 2);
                later(first.map(|change| change.started + Nanos::secs(86_400)))
            }
            ModificationPermit::Now { .. } => {
                // A change that saves frees its part of the budget when it is done, not before.
                self.committed = Usd(self.committed.0 + proposal.monthly.0.max(0.0));
                VolumeDecision::Change { proposal }
            }
        }
    }

    /// Whether one of the modifications of a day is kept: not where there is only one.
    fn spares(&self, of: &Looked<'_>) -> bool {
        of.rules.per_day.is_some_and(|most| most > 1)
    }
}

struct Found {
    target: Target,
    direction: ChangeDirection,
    reason: String,
    load: Option<crate::RequestMix>,
}

/// All that a volume has and bursts to.
fn whole_of(limits: &DiskLimits) -> Need {
    let burst = match limits.burst {
        Some(catalog::BurstBucket::IoCredits { iops, .. }) => iops,
        _ => limits.iops,
    };
    Need { iops: limits.iops.max(burst), throughput: limits.throughput.max(limits.burst_throughput) }
}

fn days(span: Nanos) -> String {
    let hours = span.as_secs_f64() / 3600.0;
    if hours >= 48.0 { format!("{:.0} days", hours / 24.0) } else { Nanos::secs(span.as_secs_f64() as u64).to_string() }
}

#[cfg(test)]
#[path = "decide_tests.rs"]
mod tests;
