//! Where operations come from.

use std::ops::Range;

use workload::operations::{Operation, OperationGenerator, PlannedOperation};

use crate::SentOperation;

/// Gives operations, one after the other.
pub trait OperationSource: Send {
    /// What is sent.
    type Operation: SentOperation + Send;

    /// The next; `None` when there are no more.
    fn draw(&mut self) -> Option<PlannedOperation<Self::Operation>>;
    /// The operation that added these rows is over, whether it succeeded or not.
    fn finished(&mut self, adds: Range<u64>);
    /// From the next on, kinds of operation come as often as these weights say; as the workload says if there are none. A source
    /// of one mix ignores it.
    fn mix(&mut self, weights: &[f64]) {
        let _ = weights;
    }
}

impl<S: OperationSource + ?Sized> OperationSource for Box<S> {
    type Operation = S::Operation;

    fn draw(&mut self) -> Option<PlannedOperation<S::Operation>> {
        (**self).draw()
    }

    fn finished(&mut self, adds: Range<u64>) {
        (**self).finished(adds);
    }

    fn mix(&mut self, weights: &[f64]) {
        (**self).mix(weights);
    }
}

impl OperationSource for OperationGenerator {
    type Operation = Operation;

    fn draw(&mut self) -> Option<PlannedOperation> {
        self.draw()
    }

    fn finished(&mut self, adds: Range<u64>) {
        self.finished(adds);
    }

    fn mix(&mut self, weights: &[f64]) {
        self.mix(weights);
    }
}
