//! The queues of a pool's threads: a replica's place says which is its own, however many there are.

use crossbeam_channel::Sender;
use parking_lot::RwLock;

/// A queue for each thread of a pool.
pub(crate) struct Lanes<T>(RwLock<Vec<Sender<T>>>);

impl<T> Default for Lanes<T> {
    /// None yet: what is sent is dropped.
    fn default() -> Self {
        Self(RwLock::default())
    }
}

impl<T> Lanes<T> {
    /// To the thread of a place. Whether it is there; one that is gone drops what it is told, and what is owed answers for
    /// itself.
    pub(crate) fn send(&self, place: usize, told: T) -> bool {
        let lanes = self.0.read();
        lanes.get(thread_of(place, lanes.len())).is_some_and(|lane| lane.send(told).is_ok())
    }

    /// To every thread.
    pub(crate) fn send_all(&self, told: impl Fn() -> T) {
        for lane in self.0.read().iter() {
            let _ = lane.send(told());
        }
    }

    /// Deals items, in their order, to the threads of their places: one message a thread.
    pub(crate) fn deal<I>(&self, items: Vec<I>, place: impl Fn(&I) -> usize, tell: impl Fn(Vec<I>) -> T) {
        if items.is_empty() {
            return;
        }
        let lanes = self.0.read();
        if let [only] = &lanes[..] {
            let _ = only.send(tell(items));
            return;
        }
        for (lane, items) in lanes.iter().zip(share(items, lanes.len(), place)) {
            if !items.is_empty() {
                let _ = lane.send(tell(items));
            }
        }
    }

    /// Takes the place of all queues; who sent to the old ones has done so. Gives the old ones back.
    pub(crate) fn replace(&self, lanes: Vec<Sender<T>>) -> Vec<Sender<T>> {
        std::mem::replace(&mut *self.0.write(), lanes)
    }
}

/// Which of so many threads has a place.
fn thread_of(place: usize, threads: usize) -> usize {
    place % threads.max(1)
}

/// Shares items out among so many threads by their places, each share in the order that they came in.
pub(crate) fn share<I>(items: impl IntoIterator<Item = I>, threads: usize, place: impl Fn(&I) -> usize) -> Vec<Vec<I>> {
    let mut shares: Vec<Vec<I>> = (0..threads).map(|_| Vec::new()).collect();
    for item in items {
        if let Some(share) = shares.get_mut(thread_of(place(&item), threads)) {
            share.push(item);
        }
    }
    shares
}

#[cfg(test)]
mod tests {
    use crossbeam_channel::unbounded;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_dealt_comes_once_in_order_to_the_thread_of_its_place(
            places in prop::collection::vec(0_usize..20, 0..50),
            threads in 1_usize..6,
        ) {
            let (senders, receivers): (Vec<_>, Vec<_>) = (0..threads).map(|_| unbounded()).unzip();
            let lanes = Lanes::default();
            lanes.replace(senders);
            let items: Vec<(usize, usize)> = places.iter().copied().enumerate().collect();
            lanes.deal(items.clone(), |(_, place)| *place, |items| items);
            for (thread, receiver) in receivers.iter().enumerate() {
                let came: Vec<(usize, usize)> = receiver.try_iter().flatten().collect();
                let expected: Vec<_> = items.iter().filter(|(_, place)| place % threads == thread).copied().collect();
                prop_assert_eq!(came, expected);
            }
        }
    }

    #[test]
    fn without_threads_what_is_sent_is_dropped() {
        let lanes = Lanes::default();
        assert!(!lanes.send(3, ()));
        lanes.deal(vec![1, 2], |place| *place, |_| ());
    }
}
