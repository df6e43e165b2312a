//! All text, JSON and HTML that verbs answer with.
//!
//! [`verbs`] has the answers, verb by verb; [`text`] has styles, tables and escapes for terminals. Pages are self-contained: inline SVG
//! and CSS, light and dark, nothing fetched. [`words`] is shared by both, so that a page and a terminal never disagree.

#![forbid(unsafe_code)]

mod asked;
mod axis;
mod chart;
mod findings;
mod html;
mod labels;
mod lines;
mod page;
mod run;
mod sections;
mod strip;
mod study;
mod sweep;
pub mod text;
mod time;
pub mod verbs;
pub mod words;

pub use asked::PageQuestion;
pub use axis::ChartAxis;
pub use chart::{ChartPoint, PointMark, ScatterChart};
pub use findings::{EvidenceCurve, FindingSection, FindingsPage, findings_page};
pub use lines::{ChartLine, LineChart, LineTone};
pub use page::plan_page;
pub use run::{HoldUpShare, RunPage, run_page};
pub use strip::{ShareIntervals, StripChart};
pub use study::{StudyPage, StudySide, study_page};
pub use sweep::{SweepPage, SweepRow, sweep_page};
pub use time::TimeScale;

#[cfg(test)]
mod sample;
