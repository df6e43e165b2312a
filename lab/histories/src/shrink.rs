//! The fewest steps that still contradict each other, as far as leaving out one thing after the other finds them.

use std::collections::{BTreeSet, HashSet};

use crate::CheckLimits;
use crate::check::decide_from;
use crate::search::Found;
use crate::steps::{Effect, NOTHING, OPEN, Step, Value};

/// What can be left out of a history without making a linearizable one not so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Part {
    /// All steps that need or make a value: where it was, the register holds what it held before, and nobody looks.
    Value(Value),
    /// A read, by its place.
    Read(usize),
}

/// What contradicts itself.
pub(crate) struct Core {
    /// The steps.
    pub(crate) steps: Vec<Step>,
    /// They do whatever the register held at this instant; 0 is when it held nothing.
    pub(crate) since: u64,
}

/// Leaves out of stuck steps all that is not needed for that.
pub(crate) fn shrink(steps: Vec<Step>, values: Value, limits: CheckLimits) -> Core {
    let Core { steps, since } = latest(steps, values, limits);
    let stuck = |steps: &[Step]| is_stuck(steps, since, values, limits);
    let parts: Vec<Part> = (0..values).map(Part::Value).collect();
    let steps = without_needless(steps, parts, &stuck);
    let reads = steps.iter().filter(|step| matches!(step.effect, Effect::Read(_)));
    let parts = reads.map(|step| Part::Read(step.source)).collect();
    Core { steps: without_needless(steps, parts, &stuck), since }
}

/// Leaves out what came before an instant, the latest that will do.
fn latest(steps: Vec<Step>, values: Value, limits: CheckLimits) -> Core {
    let cut = |kept: usize| {
        let since = steps[steps.len() - kept].called;
        (after(&steps, since), since)
    };
    let stuck = |kept: usize| {
        let (steps, since) = cut(kept);
        since > 0 && is_stuck(&steps, since, values, limits)
    };
    // Few at the end are tried fast, and mostly enough.
    let Some(enough) = (0..).map(|power| 1usize << power).take_while(|n| *n < steps.len()).find(|n| stuck(*n)) else {
        return Core { steps, since: 0 };
    };
    let (mut few, mut enough) = (enough / 2, enough);
    while enough - few > 1 {
        let middle = few.midpoint(enough);
        if stuck(middle) { enough = middle } else { few = middle }
    }
    let (steps, since) = cut(enough);
    Core { steps, since }
}

/// What one knows of steps that may have taken effect after an instant. Of those that were under way nobody knows whether
/// they had.
fn after(steps: &[Step], since: u64) -> Vec<Step> {
    let seen = |step: &Step| match (step.called >= since, step.effect) {
        (true, _) => Some(*step),
        (false, Effect::Read(_)) => None,
        (false, _) => (step.answered >= since).then_some(Step { answered: OPEN, ..*step }),
    };
    steps.iter().filter_map(seen).collect()
}

/// Whether there is no order; whatever was first, if anything was.
fn is_stuck(steps: &[Step], since: u64, values: Value, limits: CheckLimits) -> bool {
    let from = |first| decide_from(first, steps.to_vec(), values, limits) == Found::Stuck;
    if since == 0 {
        return from(NOTHING);
    }
    let needed: BTreeSet<Value> = steps.iter().filter_map(|step| step.effect.needs()).collect();
    // Of what nobody needs, one stands for all.
    let other = (0..values).rev().find(|value| !needed.contains(value));
    needed.into_iter().chain(other).all(from)
}

/// Tries to leave out halves of the parts, then quarters, and so on.
fn without_needless(mut steps: Vec<Step>, mut parts: Vec<Part>, stuck: &dyn Fn(&[Step]) -> bool) -> Vec<Step> {
    let mut size = parts.len().div_ceil(2);
    while size > 0 {
        let mut needed = Vec::new();
        for some in parts.chunks(size) {
            let fewer = without(&steps, some);
            if fewer.len() < steps.len() && stuck(&fewer) {
                steps = fewer;
            } else {
                needed.extend_from_slice(some);
            }
        }
        parts = needed;
        size /= 2;
    }
    steps
}

fn without(steps: &[Step], parts: &[Part]) -> Vec<Step> {
    let mut gone: HashSet<Part> = parts.iter().copied().collect();
    // A swap that cannot be done any more did not make its value either.
    loop {
        let before = gone.len();
        for step in steps {
            if let Effect::Swap(needed, made) = step.effect
                && gone.contains(&Part::Value(needed))
            {
                gone.insert(Part::Value(made));
            }
        }
        if gone.len() == before {
            break;
        }
    }
    let stays = |step: &&Step| {
        let values = [step.effect.needs(), step.effect.makes()];
        !gone.contains(&Part::Read(step.source))
            && !values.into_iter().flatten().any(|value| gone.contains(&Part::Value(value)))
    };
    steps.iter().filter(stays).copied().collect()
}
