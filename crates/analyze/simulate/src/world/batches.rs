//! Lists of entries on their way together, whose memory is used again.

use super::event::Item;

/// Lists by number.
#[derive(Debug, Clone, Default)]
pub(crate) struct Batches {
    lists: Vec<Vec<Item>>,
    free: Vec<u32>,
}

impl Batches {
    /// An empty list.
    pub(crate) fn open(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.lists.push(Vec::new());
            self.lists.len() as u32 - 1
        })
    }

    /// Adds to a list.
    pub(crate) fn add(&mut self, batch: u32, item: Item) {
        self.lists[batch as usize].push(item);
    }

    /// Takes a list's entries; [`Batches::close`] gives the memory back.
    pub(crate) fn take(&mut self, batch: u32) -> Vec<Item> {
        std::mem::take(&mut self.lists[batch as usize])
    }

    /// Puts entries into a list, which is empty: its memory for theirs.
    pub(crate) fn fill(&mut self, batch: u32, items: Vec<Item>) -> Vec<Item> {
        std::mem::replace(&mut self.lists[batch as usize], items)
    }

    /// Ends a list.
    pub(crate) fn close(&mut self, batch: u32, mut items: Vec<Item>) {
        items.clear();
        self.lists[batch as usize] = items;
        self.free.push(batch);
    }
}
