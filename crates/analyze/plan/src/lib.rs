//! The cheapest deployments that meet a workload, and why not the others.

#![forbid(unsafe_code)]

mod answer;
mod closest;
mod constraint;
mod curve;
mod fit;
mod ladder;
mod layout;
mod log_disks;
mod market;
mod model;
mod needs;
mod options;
mod planner;
mod present;
mod problem;
mod progress;
mod rows;
mod rules;
mod sample;
mod search;
mod space;
mod uncertain;
mod verdict;

pub use answer::{
    MonthlyCosts, Plan, PlanResult, PlanUncertainty, PredictedRun, RejectedCandidate, RejectionReason, WhyNot,
};
pub use constraint::{LayoutConstraint, LayoutShortfall};
pub use curve::{CostCurve, CostLine};
pub use disk::{BeyondLimit, VolumeNeed, VolumeProvision};
pub use log_disks::{LogDisk, LogDisks, log_disks};
pub use market::{FLASH, InstanceOffer, LocalFlash, Market, MissingFact, VolumeOffer};
pub use model::{DemandModel, EngineModel};
pub use options::{PlanError, PlanOptions};
pub use planner::Planner;
pub use problem::MONTH_HOURS;
pub use progress::PlanProgress;
pub use rules::{PlanningCeilings, SurvivalRule};
pub use space::{InnodbSpace, NitroOnly, SearchSpace, TikvSpace};
pub use uncertain::UncertainError;
