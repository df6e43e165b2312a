//! Makes a search shorter without changing its outcome. Where values are unique, little is left of what is unknown: a
//! write that somebody saw was done by then, and one that nobody saw may as well never have been.

use crate::steps::{Effect, OPEN, Step, Value};

/// Which values steps need and make.
struct Uses {
    /// How many steps need it.
    needs: Vec<u32>,
    /// How many make it.
    makes: Vec<u32>,
    /// The first answer of a step that needs it.
    seen: Vec<u64>,
}

impl Uses {
    fn of(steps: &[Step], values: Value) -> Self {
        let count = values as usize;
        let mut uses = Self { needs: vec![0; count], makes: vec![0; count], seen: vec![OPEN; count] };
        for step in steps {
            if let Some(value) = step.effect.needs() {
                uses.needs[value as usize] += 1;
                let seen = &mut uses.seen[value as usize];
                *seen = step.answered.min(*seen);
            }
            if let Some(value) = step.effect.makes() {
                uses.makes[value as usize] += 1;
            }
        }
        uses
    }
}

/// Leaves out open writes whose value nobody needs, ends a write no later than the first answer that shows its value if
/// nothing else makes that and the register does not hold it first, and gives all values that nobody needs one number: that
/// of `values`.
pub(crate) fn reduce(mut steps: Vec<Step>, first: Value, values: Value) -> Vec<Step> {
    loop {
        let uses = Uses::of(&steps, values);
        let before = steps.len();
        let needed = |step: &Step| step.effect.makes().is_none_or(|value| uses.needs[value as usize] > 0);
        // Without it the register holds longer what it held; whoever looks at it meanwhile would have seen the value.
        steps.retain(|step| step.answered != OPEN || needed(step));
        let mut changed = steps.len() != before;
        for step in &mut steps {
            let Some(value) = step.effect.makes() else { continue };
            let seen = uses.seen[value as usize];
            // What was seen before the call is a contradiction; the search shall find it.
            let only = value != first && uses.makes[value as usize] == 1;
            if only && (step.called..step.answered).contains(&seen) {
                step.answered = seen;
                changed = true;
            }
        }
        if !changed {
            steps.iter_mut().for_each(|step| forget(step, &uses, values));
            return steps;
        }
    }
}

fn forget(step: &mut Step, uses: &Uses, unseen: Value) {
    match &mut step.effect {
        Effect::Write(value) | Effect::Swap(_, value) if uses.needs[*value as usize] == 0 => *value = unseen,
        Effect::Write(_) | Effect::Swap(..) | Effect::Read(_) => {}
    }
}
