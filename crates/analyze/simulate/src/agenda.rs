//! What is yet to happen, in order of time: a wheel for what happens within milliseconds, as nearly all does, and a heap for what is
//! farther away.

mod heap;
mod wheel;

use units::Nanos;

use heap::Heap;
use wheel::Wheel;

/// Events in order of time; those of one instant in the order in which they were added. Takes no memory once it is as large
/// as it gets.
#[derive(Debug, Clone)]
pub struct EventAgenda<E> {
    wheel: Wheel<E>,
    heap: Heap<E>,
    /// When the first event happens of both; the end of time where there is none.
    first: (u64, u64),
}

impl<E: Copy> EventAgenda<E> {
    /// Nothing is to happen.
    pub fn new() -> Self {
        Self { wheel: Wheel::new(), heap: Heap::new(), first: (u64::MAX, u64::MAX) }
    }

    /// Adds an event.
    pub fn add(&mut self, at: Nanos, what: E) {
        if self.wheel.reaches(at.0) {
            self.wheel.add(at.0, what);
            self.first.0 = self.first.0.min(at.0);
        } else {
            self.add_far(at, what);
        }
    }

    /// Adds an event to the heap: out of line, for few are so far away.
    #[inline(never)]
    fn add_far(&mut self, at: Nanos, what: E) {
        self.heap.add(at.0, what);
        self.first.1 = self.first.1.min(at.0);
    }

    /// The instant of the next event; the end of time if there is none.
    pub fn next_at(&self) -> Nanos {
        Nanos(self.first.0.min(self.first.1))
    }

    /// Takes the next event.
    pub fn take(&mut self) -> Option<(Nanos, E)> {
        // Of one instant what is in the heap was added before: the wheel did not reach so far yet.
        let (at, what) = if self.first.1 <= self.first.0 {
            let taken = self.heap.take()?;
            self.first.1 = self.heap.first();
            self.wheel.turn(taken.0);
            taken
        } else {
            let taken = self.wheel.take(self.first.0)?;
            self.first.0 = self.wheel.first();
            taken
        };
        Some((Nanos(at), what))
    }

    /// How many events are to come.
    pub fn len(&self) -> usize {
        self.wheel.len() + self.heap.len()
    }

    /// Whether nothing is to come.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<E: Copy> Default for EventAgenda<E> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn events_come_in_order_of_time_and_then_of_addition(times in prop::collection::vec(0..50u64, 0..300)) {
            let mut agenda = EventAgenda::new();
            let mut expected: Vec<(u64, usize)> = Vec::new();
            for (index, at) in times.iter().enumerate() {
                agenda.add(Nanos(*at), index);
                expected.push((*at, index));
            }
            expected.sort_unstable();
            let taken: Vec<_> = std::iter::from_fn(|| agenda.take()).map(|(at, what)| (at.0, what)).collect();
            prop_assert_eq!(taken, expected);
        }

        #[test]
        fn taken_and_added_in_turn_near_and_far_ones_come_as_from_a_sorted_list(
            steps in prop::collection::vec((prop_oneof![0..3u64, 0..3000u64, 0..9_000_000u64, 0..9_000_000_000u64], 0..3), 1..500),
        ) {
            let (mut agenda, mut sorted, mut now) = (EventAgenda::new(), BTreeSet::new(), 0);
            for (number, (delay, takes)) in steps.into_iter().enumerate() {
                agenda.add(Nanos(now + delay), number);
                sorted.insert((now + delay, number));
                for _ in 0..takes {
                    let expected = sorted.pop_first();
                    prop_assert_eq!(agenda.next_at().0, expected.map_or(u64::MAX, |(at, _)| at));
                    prop_assert_eq!(agenda.take().map(|(at, number)| (at.0, number)), expected);
                    now = expected.map_or(now, |(at, _)| at);
                }
                prop_assert_eq!(agenda.len(), sorted.len());
            }
        }
    }
}
