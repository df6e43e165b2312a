//! What a page holds.

use jiff::Timestamp;

use super::{ChartMark, PageChart, PageOrigin};

/// A page: the question, the answer, what was assumed, and then the evidence.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Page {
    /// Title of the window and first heading.
    pub title: String,
    /// The question that the page answers, in a sentence.
    pub question: String,
    /// The answer in a sentence or two.
    pub answer: String,
    /// Whether the answer is a good one.
    pub tone: AnswerTone,
    /// What was asked and run, name and value.
    pub facts: Vec<(String, String)>,
    /// What was assumed, a sentence each.
    pub assumed: Vec<String>,
    /// Command, catalogue and program that made the page.
    pub origin: PageOrigin,
    /// The clock of all charts over time; `None` where there are none.
    pub clock: Option<PageClock>,
    /// The evidence, in order.
    pub blocks: Vec<PageBlock>,
    /// Limits of the answer, a sentence each; the foot of the page.
    pub notes: Vec<String>,
}

/// How an answer reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AnswerTone {
    /// Yes, or nothing is wrong.
    #[default]
    Good,
    /// No, or something is wrong.
    Bad,
}

/// The time axis that all charts over time share, in seconds.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PageClock {
    /// Name of the axis: `virtual time`.
    pub name: String,
    /// Length of the axis in seconds.
    pub span: f64,
    /// The instant of second zero; `None` where time is virtual or only relative.
    pub start: Option<Timestamp>,
    /// Events and findings, drawn on every chart over time.
    pub marks: Vec<ChartMark>,
}

/// A part of a page.
#[derive(Debug, Clone, PartialEq)]
pub enum PageBlock {
    /// A heading of a section.
    Heading(String),
    /// A paragraph.
    Text(String),
    /// Items of a list.
    List(Vec<String>),
    /// A table.
    Table(PageTable),
    /// A chart.
    Chart(PageChart),
    /// Horizontal bars of shares, all of one whole: a name read aloud, and the rows.
    Bars(String, Vec<BarRow>),
    /// Parts that are folded under a summary.
    Folded(String, Vec<PageBlock>),
}

/// A bar: the share of something in use.
#[derive(Debug, Clone, PartialEq)]
pub struct BarRow {
    /// Of what.
    pub name: String,
    /// Share in use, 1 is all; a bar ends there.
    pub share: f64,
    /// The share in words, with what it is of.
    pub text: String,
    /// Whether it is too much.
    pub hot: bool,
}

/// A table.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PageTable {
    /// What it holds, read aloud.
    pub label: String,
    /// The columns; those that people compare by come first, because a phone shows only these at once.
    pub columns: Vec<TableColumn>,
    /// The rows.
    pub rows: Vec<Vec<TableCell>>,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableColumn {
    /// Its name, with the unit.
    pub name: String,
    /// Whether it holds numbers, which are set right.
    pub is_number: bool,
}

impl TableColumn {
    /// A column of text.
    pub fn text(name: impl Into<String>) -> Self {
        Self { name: name.into(), is_number: false }
    }

    /// A column of numbers.
    pub fn number(name: impl Into<String>) -> Self {
        Self { name: name.into(), is_number: true }
    }
}

/// A cell of a table.
#[derive(Debug, Clone, PartialEq)]
pub enum TableCell {
    /// Plain text.
    Text(String),
    /// A disk, a setting or a command, set in a fixed width.
    Code(String),
    /// Several lines, the first ones plain and the last soft.
    Lines(Vec<String>, String),
    /// An amount and its parts, a share of the largest amount each.
    Split(String, Vec<(String, f64)>),
}

impl From<String> for TableCell {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for TableCell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl PageTable {
    /// A table of plain text; the columns in `numbers` hold numbers.
    pub fn plain(label: &str, head: &[&str], numbers: &[usize], rows: Vec<Vec<String>>) -> Self {
        let column =
            |(i, name): (usize, &&str)| TableColumn { name: (*name).to_owned(), is_number: numbers.contains(&i) };
        Self {
            label: label.to_owned(),
            columns: head.iter().enumerate().map(column).collect(),
            rows: rows.into_iter().map(|row| row.into_iter().map(TableCell::Text).collect()).collect(),
        }
    }
}
