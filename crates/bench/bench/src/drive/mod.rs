//! The loops that drive a database, and the judge that says when they have run long enough.

mod arrivals;
mod course;
mod judge;
mod limits;
mod pace;
mod slice;
mod source;
mod stall;
mod trickle;
mod worker;

pub use arrivals::{Arrivals, Loop};
pub use course::{Course, Turn};
pub use judge::{Judge, Phase, Progress};
pub use limits::Limits;
pub use slice::{Reason, Slice};
pub use source::Source;
pub use stall::Stall;
pub use worker::Worker;

pub(crate) use pace::Pace;
pub(crate) use slice::add;
