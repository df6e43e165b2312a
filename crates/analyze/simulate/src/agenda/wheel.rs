//! A timing wheel (G. Varghese and T. Lauck, SOSP 1987): a slot for each microsecond of the next four milliseconds, events of a slot in
//! order, and a bit for each slot that has any. To add and to take an event takes a few steps, however many there are.

/// Nanoseconds of a slot, as a power of two.
const SLOT: u32 = 10;
/// Slots: a word of bits has one for each of as many words of bits.
const SLOTS: usize = 64 * 64;
/// No event.
const NONE: u32 = u32::MAX;

/// An event, and the next of its slot: after the last the first.
#[derive(Debug, Clone, Copy)]
struct Entry<E> {
    at: u64,
    what: E,
    next: u32,
}

/// Events of the near future.
#[derive(Debug, Clone)]
pub(super) struct Wheel<E> {
    entries: Vec<Entry<E>>,
    /// The first of those whose place can be taken.
    free: u32,
    /// The last event of each slot, after which comes the first: of many at one instant each is added at once.
    slots: Box<[u32; SLOTS]>,
    /// Which slots have events, and which words of those bits are not zero.
    bits: [u64; SLOTS / 64],
    words: u64,
    /// The slot of now, counted from the beginning of time.
    now: u64,
}

impl<E: Copy> Wheel<E> {
    /// Nothing is in it, and it is the beginning of time.
    pub(super) fn new() -> Self {
        let slots = Box::new([NONE; SLOTS]);
        Self { entries: Vec::with_capacity(1024), free: NONE, slots, bits: [0; SLOTS / 64], words: 0, now: 0 }
    }

    /// Whether an instant is of the near future.
    pub(super) fn reaches(&self, at: u64) -> bool {
        (at >> SLOT).wrapping_sub(self.now) < SLOTS as u64
    }

    /// Adds an event that it reaches, after all others of the same instant.
    pub(super) fn add(&mut self, at: u64, what: E) {
        if self.free == NONE {
            self.grow(what);
        }
        let place = self.free;
        let entry = &mut self.entries[place as usize];
        self.free = entry.next;
        *entry = Entry { at, what, next: place };
        let slot = (at >> SLOT) as usize % SLOTS;
        // One that is alone follows itself: whether it is, nobody could foresee, and here nobody has to.
        let last = self.slots[slot];
        let mut before = if last == NONE { place } else { last };
        if self.entries[before as usize].at <= at {
            self.slots[slot] = place;
        } else {
            while self.entries[self.entries[before as usize].next as usize].at <= at {
                before = self.entries[before as usize].next;
            }
        }
        let next = std::mem::replace(&mut self.entries[before as usize].next, place);
        self.entries[place as usize].next = next;
        self.bits[slot / 64] |= 1 << (slot % 64);
        self.words |= 1 << (slot / 64);
    }

    /// Makes a place that can be taken.
    #[cold]
    fn grow(&mut self, what: E) {
        self.free = self.entries.len() as u32;
        self.entries.push(Entry { at: 0, what, next: NONE });
    }

    /// Takes the first event, which happens `at`.
    pub(super) fn take(&mut self, at: u64) -> Option<(u64, E)> {
        self.turn(at);
        let slot = self.now as usize % SLOTS;
        let last = self.slots[slot];
        let place = self.entries.get(last as usize)?.next;
        let entry = self.entries[place as usize];
        let was_alone = place == last;
        self.slots[slot] = if was_alone { NONE } else { last };
        self.entries[last as usize].next = entry.next;
        self.bits[slot / 64] &= !(u64::from(was_alone) << (slot % 64));
        self.words &= !(u64::from(self.bits[slot / 64] == 0) << (slot / 64));
        self.entries[place as usize].next = self.free;
        self.free = place;
        Some((entry.at, entry.what))
    }

    /// It is this late; nothing in the wheel happens before.
    pub(super) fn turn(&mut self, now: u64) {
        self.now = self.now.max(now >> SLOT);
    }

    /// The instant of the first event; the end of time if there is none.
    pub(super) fn first(&self) -> u64 {
        let now = self.now as usize % SLOTS;
        let word = now / 64;
        let bits = self.bits[word] & (!0 << (now % 64));
        let slot = if bits != 0 {
            word * 64 + bits.trailing_zeros() as usize
        } else {
            // The words after this one, and at last this one for what is almost once around.
            let words = self.words.rotate_right(word as u32 + 1);
            let word = (word + 1 + words.trailing_zeros() as usize) % 64;
            word * 64 + self.bits[word].trailing_zeros() as usize
        };
        let last = self.slots.get(slot).and_then(|last| self.entries.get(*last as usize));
        last.map_or(u64::MAX, |last| self.entries[last.next as usize].at)
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        let free =
            std::iter::successors(self.entries.get(self.free as usize), |entry| self.entries.get(entry.next as usize));
        self.entries.len() - free.count()
    }
}
