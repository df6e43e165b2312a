//! Why a register's history is not linearizable, in few operations.

use crate::check::decide;
use crate::search::Found;
use crate::shrink::shrink;
use crate::steps::{Effect, Register, Step};
use crate::verdict::KeyViolation;
use crate::{CallOutcome, CheckLimits, RegisterCall};

/// So many values are tried as what could have been found instead, the last written first.
const ALTERNATIVES: usize = 50;

/// The first answer that nothing explains, of a register whose history is stuck.
pub(crate) fn explain(key: &str, register: &Register<'_>, limits: CheckLimits) -> KeyViolation {
    let stuck = |until| decide(register.steps(until), register.values(), limits) == Found::Stuck;
    let known =
        register.operations.iter().filter(|o| !matches!(o.outcome, CallOutcome::Unknown | CallOutcome::Refused));
    let mut answers: Vec<u64> = known.map(|operation| operation.answered).collect();
    answers.sort_unstable();
    // What begins a linearizable history is linearizable itself: the first stuck instant can be found by halving.
    let first = answers.partition_point(|until| !stuck(*until));
    let until = answers.get(first).or(answers.last()).copied().unwrap_or(u64::MAX);
    let steps = register.steps(until);
    // A write could be put last, so it is one that looks; should several have been answered at once, any that matters.
    let core = shrink(steps.clone(), register.values(), limits);
    let looks = |step: &&Step| step.effect.needs().is_some() && step.answered == until;
    let last = core.steps.iter().find(looks).or(core.steps.last());
    let source = last.map(|step| step.source).unwrap_or_default();
    // People ask where the value came from.
    let makes =
        |step: &&Step| last.is_some_and(|last| step.effect.makes().is_some_and(|v| Some(v) == last.effect.needs()));
    let origin = match core.steps.iter().any(|step| makes(&step)) {
        true => None,
        false => steps.iter().rfind(makes),
    };
    let core_steps = origin.into_iter().chain(&core.steps);
    KeyViolation {
        key: key.to_owned(),
        calls: register.operations.iter().filter(|operation| operation.called <= until).count(),
        answer: register.operations[source].clone(),
        possible: possible(register, &steps, source, limits),
        since: core.since,
        core: core_steps.map(|step| register.operations[step.source].clone()).collect(),
    }
}

/// What the step could have found.
fn possible(register: &Register<'_>, steps: &[Step], source: usize, limits: CheckLimits) -> Vec<Option<String>> {
    let mut tried: Vec<Option<&str>> = vec![None];
    for step in steps.iter().rev() {
        if let RegisterCall::Put(value) | RegisterCall::CompareAndSwap { value, .. } =
            &register.operations[step.source].call
            && tried.len() <= ALTERNATIVES
            && !tried.contains(&Some(value))
        {
            tried.push(Some(value));
        }
    }
    tried.retain(|value| {
        let found = |step: &Step| match step.source == source {
            true => Step { effect: Effect::Read(register.number(*value)), ..*step },
            false => *step,
        };
        decide(steps.iter().map(found).collect(), register.values(), limits) == Found::Order
    });
    tried.into_iter().map(|value| value.map(str::to_owned)).collect()
}
