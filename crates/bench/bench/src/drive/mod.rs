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

pub use arrivals::{ArrivalSpacing, LoopKind};
pub use course::{LoadCourse, LoadTurn};
pub use judge::{RunPhase, RunProgress, SteadyStateJudge};
pub use limits::RunLimits;
pub use slice::{FailureReason, WindowSlice};
pub use source::OperationSource;
pub use stall::RunStall;
pub use worker::LoadWorker;

pub(crate) use pace::Pace;
pub(crate) use slice::add;
