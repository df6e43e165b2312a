//! Where operations come from.

use std::ops::Range;

use workload::operations::{Generator, Planned};

/// Gives operations, one after the other.
pub trait Source: Send {
    /// The next; `None` when there are no more.
    fn draw(&mut self) -> Option<Planned>;
    /// The operation that added these rows is over, whether it succeeded or not.
    fn finished(&mut self, adds: Range<u64>);
}

impl<S: Source + ?Sized> Source for Box<S> {
    fn draw(&mut self) -> Option<Planned> {
        (**self).draw()
    }

    fn finished(&mut self, adds: Range<u64>) {
        (**self).finished(adds);
    }
}

impl Source for Generator {
    fn draw(&mut self) -> Option<Planned> {
        self.draw()
    }

    fn finished(&mut self, adds: Range<u64>) {
        self.finished(adds);
    }
}
