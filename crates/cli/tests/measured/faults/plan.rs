//! The faults of one history, drawn from a seed: one or two, the second beginning while the first lasts or after it.

use std::fmt;
use std::thread::sleep;
use std::time::Duration;

use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::faults::fault::{Fault, NODES};
use crate::faults::place::Place;

/// The faults of one history, each with the time at which it begins.
#[derive(Debug, Clone)]
pub(crate) struct Plan(Vec<(Duration, Fault)>);

impl Plan {
    /// Draws one; `longest` is how long a disk may stall.
    pub(crate) fn draw(longest: Duration, random: &mut Xoshiro256PlusPlus) -> Self {
        let mut at = || Duration::from_millis(random.random_range(200..900));
        let (first, second) = (at(), at() + at());
        let node = random.random_range(0..NODES);
        // Never twice on the same node: a process that is down cannot be killed.
        let other = (node + random.random_range(1..NODES)) % NODES;
        let mut faults = vec![(first, Fault::draw(node, longest, random))];
        let more = (second, Fault::draw(other, longest, random));
        if random.random_bool(0.4) && !faults[0].1.is_for_all() && !more.1.is_for_all() {
            faults.push(more);
        }
        Self(faults)
    }

    /// Lets them happen and waits until all are over.
    ///
    /// # Errors
    /// When one cannot be done, or a node does not come back.
    pub(crate) fn happen(&self, place: &Place, seed: u64) -> Result<(), String> {
        std::thread::scope(|scope| {
            let begin = |(at, fault): &(Duration, Fault)| {
                let (at, fault) = (*at, *fault);
                scope.spawn(move || {
                    sleep(at);
                    fault.happen(place, seed).map_err(|error| format!("{fault}: {error}"))
                })
            };
            let threads: Vec<_> = self.0.iter().map(begin).collect();
            let panicked = |_| Err("a fault panicked".to_owned());
            threads.into_iter().try_for_each(|thread| thread.join().unwrap_or_else(panicked))
        })
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (at, fault)) in self.0.iter().enumerate() {
            let and = if index == 0 { "" } else { "; " };
            write!(f, "{and}after {at:?} {fault}")?;
        }
        Ok(())
    }
}
