//! Plans and series as one self-contained HTML page: inline SVG and CSS, light and dark, nothing fetched.
//!
//! [`words`] says the same things in plain text, so that the page and the terminal never disagree.

#![forbid(unsafe_code)]

mod asked;
mod axis;
mod chart;
mod html;
mod labels;
mod page;
mod sections;
pub mod words;

pub use asked::Asked;
pub use axis::Axis;
pub use chart::{Mark, Point, Scatter};
pub use page::plan_page;

#[cfg(test)]
mod sample;
