//! The result of a workload on a deployment, whichever way it was found (model, simulation or measurement), and its judgement
//! against the workload's targets; and how long one is waited for. It contains no driver and no model: `bench`, `simulate` and the proof of a plan convert their
//! own results into a [`RunResult`].

#![forbid(unsafe_code)]

mod failures;
mod judge;
mod offered;
mod patience;
mod result;

pub use failures::{FailureCount, FailureReason};
pub use judge::{RunVerdict, TargetShortfall};
pub use offered::OfferedLoad;
pub use patience::{AnswerPatience, ComputedAnswer, PatienceError};
pub use result::{LatencyPercentiles, LimitUse, RunResult, RunRung, RunThroughput};
