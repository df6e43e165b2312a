//! Pages: one model of what a page holds, and the one file that it becomes.
//!
//! A verb fills a [`Page`] with its answer, its tables and its charts (series with units, limits, marks). `render` writes the
//! HTML, `data` the JSON that the page's script draws from. Script and style are files of `assets`; nothing is fetched.

mod chart;
mod data;
mod html;
mod model;
mod origin;
mod render;
mod thin;

pub use chart::{AxisScale, ChartAxis, ChartLimit, ChartMark, ChartSeries, MarkKind, PageChart, SeriesStyle};
pub use model::{AnswerTone, BarRow, Page, PageBlock, PageClock, PageTable, TableCell, TableColumn};
pub use origin::{PageOrigin, PriceDates};
