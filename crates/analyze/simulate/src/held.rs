//! For how long something held up a node.

use std::collections::BTreeMap;

use units::Nanos;

use crate::summary::HoldUp;

/// A step belongs to what bound it for this share of it.
const HALF: f64 = 0.5;
/// Less is not worth telling.
const LEAST: f64 = 0.01;

/// One thing on one node.
#[derive(Debug, Clone, Copy, Default)]
struct Held {
    seconds: f64,
    from: Option<Nanos>,
    until: Option<Nanos>,
}

/// What held up which node, for how long.
#[derive(Debug, Default)]
pub(crate) struct HeldUp(BTreeMap<(String, usize), Held>);

impl HeldUp {
    /// Something held up a node for a share of a step, from when to when.
    pub(crate) fn add(&mut self, what: &str, node: usize, share: f64, (began, until): (Nanos, Nanos)) {
        let held = self.0.entry((what.to_owned(), node)).or_default();
        held.seconds += share * (until - began).as_secs_f64();
        if share >= HALF {
            held.from.get_or_insert(began);
            held.until = Some(until);
        }
    }

    /// What did for a hundredth of so many seconds or more, each on the node where it did most, the most first.
    pub(crate) fn finish(self, seconds: f64) -> Vec<HoldUp> {
        let mut bound: BTreeMap<String, HoldUp> = BTreeMap::new();
        for ((what, _), held) in self.0 {
            let new = HoldUp { what: what.clone(), share: held.seconds / seconds, from: held.from, until: held.until };
            match bound.get_mut(&what) {
                Some(worst) if worst.share >= new.share => {}
                _ => drop(bound.insert(what, new)),
            }
        }
        let mut bound: Vec<HoldUp> = bound.into_values().filter(|one| one.share >= LEAST).collect();
        bound.sort_by(|a, b| b.share.total_cmp(&a.share));
        bound
    }
}
