//! A heap of four children a node, which needs half the levels of a binary one and keeps siblings in one or two cache lines.

/// Something to happen at an instant.
#[derive(Debug, Clone, Copy)]
struct Entry<E> {
    /// The instant, and below it the number of the event: of two at one instant, the one that was added first comes first.
    key: u128,
    what: E,
}

impl<E> Entry<E> {
    fn at(&self) -> u64 {
        (self.key >> 64) as u64
    }
}

/// Children of a node.
const CHILDREN: usize = 4;

/// Events, the first on top.
#[derive(Debug, Clone)]
pub(super) struct Heap<E> {
    entries: Vec<Entry<E>>,
    added: u64,
}

impl<E: Copy> Heap<E> {
    /// Nothing is in it.
    pub(super) fn new() -> Self {
        Self { entries: Vec::with_capacity(1024), added: 0 }
    }

    /// Adds an event.
    pub(super) fn add(&mut self, at: u64, what: E) {
        let entry = Entry { key: u128::from(at) << 64 | u128::from(self.added), what };
        self.added += 1;
        self.entries.push(entry);
        self.rise(self.entries.len() - 1, entry);
    }

    /// The instant of the first event; the end of time if there is none.
    pub(super) fn first(&self) -> u64 {
        self.entries.first().map_or(u64::MAX, Entry::at)
    }

    /// Takes the first event.
    #[inline(never)]
    pub(super) fn take(&mut self) -> Option<(u64, E)> {
        let first = *self.entries.first()?;
        let last = self.entries.pop()?;
        if !self.entries.is_empty() {
            self.sink(last);
        }
        Some((first.at(), first.what))
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Puts an entry where the first one was: the hole sinks to the bottom by the least children, and the entry, which came
    /// from there, rises the little way it has to. That spares a comparison on each level.
    fn sink(&mut self, entry: Entry<E>) {
        let entries = self.entries.as_mut_slice();
        let mut hole = 0;
        loop {
            let from = hole * CHILDREN + 1;
            let least = if let Some([a, b, c, d]) = entries.get(from..from + CHILDREN) {
                let left = usize::from(b.key < a.key);
                let right = 2 + usize::from(d.key < c.key);
                let right_first = entries[from + right].key < entries[from + left].key;
                from + if right_first { right } else { left }
            } else if from < entries.len() {
                (from + 1..entries.len())
                    .fold(from, |least, child| if entries[child].key < entries[least].key { child } else { least })
            } else {
                break;
            };
            entries[hole] = entries[least];
            hole = least;
        }
        self.rise(hole, entry);
    }

    /// Puts an entry where there is a hole, or as far above as it belongs.
    fn rise(&mut self, mut hole: usize, entry: Entry<E>) {
        let entries = self.entries.as_mut_slice();
        while hole > 0 {
            let parent = (hole - 1) / CHILDREN;
            if entry.key > entries[parent].key {
                break;
            }
            entries[hole] = entries[parent];
            hole = parent;
        }
        entries[hole] = entry;
    }
}
