//! All text, JSON and HTML that verbs answer with.
//!
//! [`verbs`] has the answers, verb by verb; [`text`] has styles, tables and escapes for terminals; [`page`] is the model of every
//! page. Pages are single files with their script, style and data inside; nothing is fetched. [`words`] is shared by all, so that a
//! page and a terminal never disagree.

#![forbid(unsafe_code)]

mod asked;
pub mod page;
mod run_charts;
mod series;
pub mod text;
mod time;
pub mod verbs;
pub mod words;

pub use asked::PageQuestion;
pub use run_charts::{RoleLimits, RunCharts};
pub use time::TimeScale;

#[cfg(test)]
mod sample;
