//! What is yet to happen, in order of time: a heap of four children a node, which needs half the levels of a binary one and
//! keeps siblings in one or two cache lines.

use units::Nanos;

/// Something to happen at an instant.
#[derive(Debug, Clone, Copy)]
struct Entry<E> {
    /// The instant, and below it the number of the event: of two at one instant, the one that was added first comes first.
    key: u128,
    what: E,
}

impl<E> Entry<E> {
    fn at(&self) -> Nanos {
        Nanos((self.key >> 64) as u64)
    }
}

/// Events in order of time; those of one instant in the order in which they were added. Takes no memory once it is as large
/// as it gets.
#[derive(Debug, Clone)]
pub struct Agenda<E> {
    heap: Vec<Entry<E>>,
    added: u64,
}

/// Children of a node.
const CHILDREN: usize = 4;

impl<E: Copy> Agenda<E> {
    /// Nothing is to happen.
    pub fn new() -> Self {
        Self { heap: Vec::with_capacity(1024), added: 0 }
    }

    /// Adds an event.
    pub fn add(&mut self, at: Nanos, what: E) {
        let entry = Entry { key: u128::from(at.0) << 64 | u128::from(self.added), what };
        self.added += 1;
        self.heap.push(entry);
        let mut hole = self.heap.len() - 1;
        while hole > 0 {
            let parent = (hole - 1) / CHILDREN;
            if entry.key > self.heap[parent].key {
                break;
            }
            self.heap[hole] = self.heap[parent];
            hole = parent;
        }
        self.heap[hole] = entry;
    }

    /// The instant of the next event.
    pub fn next_at(&self) -> Option<Nanos> {
        self.heap.first().map(Entry::at)
    }

    /// Takes the next event.
    pub fn take(&mut self) -> Option<(Nanos, E)> {
        let first = *self.heap.first()?;
        let last = self.heap.pop()?;
        if !self.heap.is_empty() {
            self.sink(last);
        }
        Some((first.at(), first.what))
    }

    /// Puts an entry where the first one was: the hole sinks to the bottom by the least children, and the entry, which came
    /// from there, rises the little way it has to. That spares a comparison on each level.
    fn sink(&mut self, entry: Entry<E>) {
        let heap = self.heap.as_mut_slice();
        let mut hole = 0;
        loop {
            let from = hole * CHILDREN + 1;
            let least = if let Some([a, b, c, d]) = heap.get(from..from + CHILDREN) {
                let left = usize::from(b.key < a.key);
                let right = 2 + usize::from(d.key < c.key);
                let right_first = heap[from + right].key < heap[from + left].key;
                from + if right_first { right } else { left }
            } else if from < heap.len() {
                (from + 1..heap.len())
                    .fold(from, |least, child| if heap[child].key < heap[least].key { child } else { least })
            } else {
                break;
            };
            heap[hole] = heap[least];
            hole = least;
        }
        while hole > 0 {
            let parent = (hole - 1) / CHILDREN;
            if entry.key > heap[parent].key {
                break;
            }
            heap[hole] = heap[parent];
            hole = parent;
        }
        heap[hole] = entry;
    }

    /// How many events are to come.
    pub fn len(&self) -> usize {
        self.heap.len()
    }

    /// Whether nothing is to come.
    pub fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }
}

impl<E: Copy> Default for Agenda<E> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn events_come_in_order_of_time_and_then_of_addition(times in prop::collection::vec(0..50u64, 0..300)) {
            let mut agenda = Agenda::new();
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
        fn taking_and_adding_in_turn_never_goes_back(gaps in prop::collection::vec(0..1000u64, 1..300)) {
            let mut agenda = Agenda::new();
            gaps.iter().for_each(|gap| agenda.add(Nanos(*gap), ()));
            let mut now = Nanos(0);
            for gap in gaps {
                let (at, ()) = agenda.take().unwrap();
                prop_assert!(at >= now);
                now = at;
                agenda.add(now + Nanos(gap), ());
            }
        }
    }
}
