//! The cheapest deployments that meet a workload, and why not the others.

#![forbid(unsafe_code)]

mod answer;
mod closest;
mod constraint;
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
mod provision;
mod rows;
mod rules;
mod sample;
mod search;
mod space;
mod uncertain;
mod verdict;

pub use answer::{Answer, Costs, Plan, Predicted, Reason, Subject, Uncertainty, WhyNot};
pub use constraint::{Constraint, Shortfall};
pub use log_disks::{LogDisk, LogDisks, log_disks};
pub use market::{FLASH, Flash, InstanceOffer, Market, Missing, VolumeOffer};
pub use model::{Demands, Model};
pub use options::{Options, PlanError};
pub use planner::Planner;
pub use problem::MONTH_HOURS;
pub use provision::{Beyond, Limit, Need, Provision};
pub use rules::{Ceilings, Survival};
pub use space::{InnodbSpace, NitroOnly, Space, TikvSpace};
pub use uncertain::UncertainError;
