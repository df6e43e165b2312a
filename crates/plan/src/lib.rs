//! The cheapest deployments that meet a workload, and why not the others.

#![forbid(unsafe_code)]

mod answer;

pub use answer::{Answer, Costs, Plan, Predicted, Reason, Subject, Uncertainty, WhyNot};
