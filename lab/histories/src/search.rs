//! Looks for an order of the steps that a register can have gone through: the search of Wing and Gong ("Testing and
//! Verifying Concurrent Objects", JPDC 1993) with the memory of Lowe ("Testing for Linearizability", CCPE 2017): what
//! comes after depends only on which steps are done and what the register holds, so each such pair is tried once.
//!
//! Three rules keep it short where values are nearly unique. A read that fits is done at once, for it changes nothing. A
//! value that somebody still needs and nobody will make again is not overwritten. Writes whose value nobody needs are done
//! just before another write, where they change nothing.

use std::collections::{HashMap, HashSet};

use crate::steps::{Effect, OPEN, Step, Value};

/// What a search came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    /// There is an order.
    Order,
    /// There is none.
    Stuck,
    /// Too many possibilities.
    GaveUp,
}

/// A place in the list of steps; the one past the last step is both ends of the list.
type Place = usize;

struct Search<'a> {
    steps: &'a [Step],
    unseen: Value,
    /// Answered steps that are not done, in the order of their calls, as a ring.
    next: Vec<Place>,
    previous: Vec<Place>,
    /// Open steps of the same effect, in the order of their calls, and how many of them are done: of two, the one that
    /// was called first can always stand for the other.
    open: Vec<(Vec<Place>, usize)>,
    open_group: HashMap<Effect, usize>,
    /// How many steps that are not done need a value: answered ones, open ones.
    needs: Vec<u32>,
    open_needs: Vec<u32>,
    /// How many steps that are not done make it.
    makes: Vec<u32>,
    /// Stands for the set of the steps that are done, by Zobrist's method: the exclusive or of a random number for each.
    /// Two sets among a million meet in 128 bits with a chance of 10⁻²⁷.
    done: u128,
    /// The done steps in their order.
    order: Vec<Place>,
}

/// A point at which the search chooses.
struct Fork {
    /// What the register holds.
    holds: Value,
    /// How many steps are done.
    done: usize,
    /// Where its choices begin among all choices of the forks.
    choices: usize,
}

/// Whether the steps, which [`reduce`](crate::reduce::reduce) has gone over, can be put in order from what the register holds
/// first, trying at most so many pairs of steps done and value held.
pub(crate) fn search(steps: &[Step], first: Value, unseen: Value, limit: usize) -> Found {
    let mut search = Search::new(steps, unseen);
    let mut seen: HashSet<(u128, Value)> = HashSet::new();
    let mut forks: Vec<Fork> = Vec::new();
    let mut choices: Vec<Place> = Vec::new();
    let mut holds = first;
    loop {
        let begin = choices.len();
        search.read_and_choose(holds, &mut choices);
        if search.is_done() {
            return Found::Order;
        }
        if seen.insert((search.done, holds)) {
            if seen.len() > limit {
                return Found::GaveUp;
            }
            forks.push(Fork { holds, done: search.order.len(), choices: begin });
        } else {
            choices.truncate(begin);
        }
        loop {
            let Some(fork) = forks.last() else { return Found::Stuck };
            search.back_to(fork.done);
            if choices.len() > fork.choices {
                break;
            }
            forks.pop();
        }
        // Neither can be missing: the loop above ended at a fork with a choice.
        if let (Some(fork), Some(choice)) = (forks.last(), choices.pop()) {
            holds = search.choose(choice, fork.holds);
        }
    }
}

impl<'a> Search<'a> {
    fn new(steps: &'a [Step], unseen: Value) -> Self {
        let end = steps.len();
        let mut search = Self {
            steps,
            unseen,
            next: vec![end; end + 1],
            previous: vec![end; end + 1],
            open: Vec::new(),
            open_group: HashMap::new(),
            needs: vec![0; unseen as usize + 1],
            open_needs: vec![0; unseen as usize + 1],
            makes: vec![0; unseen as usize + 1],
            done: 0,
            order: Vec::with_capacity(end),
        };
        for (place, step) in steps.iter().enumerate() {
            if step.answered == OPEN {
                let fresh = search.open.len();
                let group = *search.open_group.entry(step.effect).or_insert(fresh);
                if group == fresh {
                    search.open.push((Vec::new(), 0));
                }
                search.open[group].0.push(place);
            } else {
                let last = search.previous[end];
                (search.next[last], search.previous[place]) = (place, last);
                (search.next[place], search.previous[end]) = (end, place);
            }
            search.count(step, 1);
        }
        search
    }

    /// Whether all answered steps are done; open ones need not be.
    fn is_done(&self) -> bool {
        let end = self.steps.len();
        self.next[end] == end
    }

    fn count(&mut self, step: &Step, by: i32) {
        if let Some(value) = step.effect.needs() {
            let needs = if step.answered == OPEN { &mut self.open_needs } else { &mut self.needs };
            needs[value as usize] = needs[value as usize].wrapping_add_signed(by);
        }
        if let Some(value) = step.effect.makes() {
            self.makes[value as usize] = self.makes[value as usize].wrapping_add_signed(by);
        }
    }

    fn take(&mut self, place: Place) {
        let step = &self.steps[place];
        if step.answered == OPEN {
            let group = self.open_group[&step.effect];
            self.open[group].1 += 1;
        } else {
            let (before, after) = (self.previous[place], self.next[place]);
            (self.next[before], self.previous[after]) = (after, before);
        }
        self.count(step, -1);
        self.done ^= number(place);
        self.order.push(place);
    }

    fn back_to(&mut self, done: usize) {
        while self.order.len() > done {
            let Some(place) = self.order.pop() else { return };
            let step = &self.steps[place];
            if step.answered == OPEN {
                let group = self.open_group[&step.effect];
                self.open[group].1 -= 1;
            } else {
                let (before, after) = (self.previous[place], self.next[place]);
                (self.next[before], self.previous[after]) = (place, place);
            }
            self.count(step, 1);
            self.done ^= number(place);
        }
    }

    /// Goes over the answered steps that can be next, for no other that is not done was answered before their call, and
    /// takes those that are wanted. Gives the instant by which the next step must have been called.
    fn sweep(&mut self, mut wanted: impl FnMut(&Self, Place) -> bool) -> u64 {
        let end = self.steps.len();
        let mut latest = OPEN;
        let mut place = self.next[end];
        while place != end && self.steps[place].called <= latest {
            let after = self.next[place];
            if wanted(self, place) {
                self.take(place);
            } else {
                latest = latest.min(self.steps[place].answered);
            }
            place = after;
        }
        latest
    }

    /// Does all reads that fit, and adds what can come next; the most promising last.
    fn read_and_choose(&mut self, holds: Value, choices: &mut Vec<Place>) {
        let begin = choices.len();
        let latest = self.sweep(|search, place| {
            let fits = search.steps[place].effect == Effect::Read(holds);
            if !fits {
                choices.push(place);
            }
            fits
        });
        let mut unseen = false;
        let mut kept = begin;
        for index in begin..choices.len() {
            let effect = self.steps[choices[index]].effect;
            // Which of the writes that nobody sees is done is all the same.
            let again = effect == Effect::Write(self.unseen) && std::mem::replace(&mut unseen, true);
            if self.may_follow(effect, false, holds) && !again {
                choices[kept] = choices[index];
                kept += 1;
            }
        }
        choices.truncate(kept);
        choices[begin..].reverse();
        for (group, done) in &self.open {
            let Some(&place) = group.get(*done) else { continue };
            let Step { effect, called, .. } = self.steps[place];
            if called <= latest && self.may_follow(effect, true, holds) {
                choices.push(place);
            }
        }
    }

    /// Whether a write or swap may follow what the register holds, and is of use if it is open.
    fn may_follow(&self, effect: Effect, open: bool, holds: Value) -> bool {
        let Some(value) = effect.makes() else { return false };
        if effect.needs().is_some_and(|needed| needed != holds) {
            return false;
        }
        let of_use = value != holds && self.needs[value as usize] + self.open_needs[value as usize] > 0;
        let own = u32::from(!open && effect.needs().is_some());
        let gone_for_good = self.makes[holds as usize] == 0 && value != holds;
        (!open || of_use) && !(gone_for_good && self.needs[holds as usize] > own)
    }

    /// Does what was chosen; gives what the register holds then.
    fn choose(&mut self, choice: Place, holds: Value) -> Value {
        let effect = self.steps[choice].effect;
        if let Effect::Write(_) = effect {
            let unseen = Effect::Write(self.unseen);
            self.sweep(|search, place| place != choice && search.steps[place].effect == unseen);
        }
        self.take(choice);
        effect.makes().unwrap_or(holds)
    }
}

/// A number of 128 bits for a place that looks random: two of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
fn number(place: Place) -> u128 {
    let mix = |seed: u64| {
        let mut z = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    let place = place as u64;
    u128::from(mix(2 * place + 1)) << 64 | u128::from(mix(2 * place + 2))
}
