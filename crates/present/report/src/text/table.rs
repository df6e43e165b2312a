//! Plain tables that fit the columns there are.

use std::fmt;

use textfile::escape_line;

use super::wrap::{cell_lines, wrap};
use super::{plain, table_width, width};

const GAP: &str = "  ";
/// Columns that a column of running text is given at least: with less, it becomes a note under its row.
const LEAST_TEXT: usize = 24;

/// Rows under a head. Columns are as wide as their widest cell. Where the line does not hold them, heads and texts are broken
/// between words; columns that still find no room are named in a line under each row.
#[derive(Debug, Default)]
pub struct Table {
    rows: Vec<Row>,
    right: Vec<usize>,
}

#[derive(Debug)]
struct Row {
    cells: Vec<String>,
    notes: Vec<String>,
}

/// How the columns share a line.
struct Layout {
    /// The width of each column that is shown as one, from the left.
    widths: Vec<usize>,
    /// Columns that a line holds.
    line: usize,
}

impl Table {
    /// An empty table with this head; `right` lists the columns that are aligned right.
    pub fn new(head: &[&str], right: &[usize]) -> Self {
        let mut table = Self { rows: Vec::new(), right: right.to_vec() };
        table.row(head.iter().copied());
        table
    }

    /// Adds a row.
    pub fn row<T: Into<String>>(&mut self, cells: impl IntoIterator<Item = T>) {
        // A line end that came with data would look like another row.
        let cells = cells.into_iter().map(|cell| escape_line(&cell.into()).into_owned()).collect();
        self.rows.push(Row { cells, notes: Vec::new() });
    }

    /// Adds a line under the last row, set in under its second cell.
    pub fn note(&mut self, text: String) {
        if let Some(row) = self.rows.last_mut() {
            row.notes.push(text);
        }
    }

    /// The table for lines of `line` columns.
    fn laid_out(&self, line: usize) -> String {
        let layout = self.layout(line);
        let mut out = String::new();
        for (i, row) in self.rows.iter().enumerate() {
            out += &self.cells(row, &layout);
            out += &self.notes(row, i > 0, &layout);
        }
        out
    }

    fn columns(&self) -> usize {
        self.rows.iter().map(|row| row.cells.len()).max().unwrap_or(0)
    }

    /// The widest of a column's cells, measured by `measure`.
    fn widest(&self, column: usize, measure: impl Fn(&str) -> usize) -> usize {
        self.rows.iter().filter_map(|row| row.cells.get(column)).map(|cell| measure(cell)).max().unwrap_or(0)
    }

    /// The least width of a column that breaks no word and no number.
    fn least(&self, column: usize) -> usize {
        let Some((head, body)) = self.rows.split_first() else { return 0 };
        let cells = || body.iter().filter_map(|row| row.cells.get(column));
        let head = head.cells.get(column).map_or(0, |cell| longest_word(cell));
        // A number stays beside its unit.
        let cell = |cell: &String| if self.is_text(column) { longest_word(cell) } else { width(cell) };
        cells().map(cell).max().unwrap_or(0).max(head)
    }

    fn is_text(&self, column: usize) -> bool {
        !self.right.contains(&column)
    }

    /// As many columns as the line holds without a broken word, each as wide as it would be if there is room, the widest text
    /// giving way first.
    fn layout(&self, line: usize) -> Layout {
        let columns = self.columns();
        let natural: Vec<usize> = (0..columns).map(|column| self.widest(column, width)).collect();
        let least: Vec<usize> = (0..columns)
            .map(|column| {
                let is_running = self.is_text(column) && natural[column] > LEAST_TEXT;
                let least = self.least(column);
                if is_running { least.max(LEAST_TEXT) } else { least }
            })
            .collect();
        let total = |widths: &[usize]| widths.iter().sum::<usize>() + widths.len().saturating_sub(1) * GAP.len();
        let shown = (1..=columns).rev().find(|shown| total(&least[..*shown]) <= line).unwrap_or(columns.min(1));
        let mut widths = natural[..shown].to_vec();
        while total(&widths) > line {
            let roomy = (0..shown).filter(|i| widths[*i] > least[*i]).max_by_key(|i| (self.is_text(*i), widths[*i]));
            match roomy {
                Some(widest) => widths[widest] -= 1,
                // One column, wider than the line.
                None => {
                    widths = vec![line];
                    break;
                }
            }
        }
        Layout { widths, line }
    }

    /// The lines of a row's cells.
    fn cells(&self, row: &Row, layout: &Layout) -> String {
        let shown: Vec<Vec<String>> =
            layout.widths.iter().zip(&row.cells).map(|(columns, cell)| cell_lines(cell, *columns)).collect();
        let height = shown.iter().map(Vec::len).max().unwrap_or(0);
        let mut out = String::new();
        for at in 0..height {
            let mut line = String::new();
            for (column, (columns, cell)) in layout.widths.iter().zip(&shown).enumerate() {
                let part = cell.get(at).map_or("", String::as_str);
                let pad = " ".repeat(columns.saturating_sub(width(part)));
                line += &if self.is_text(column) { format!("{part}{pad}") } else { format!("{pad}{part}") };
                line += GAP;
            }
            out += line.trim_end();
            out.push('\n');
        }
        out
    }

    /// The lines under a row: what found no room beside it, and its notes.
    fn notes(&self, row: &Row, is_body: bool, layout: &Layout) -> String {
        let head = &self.rows[0].cells;
        let hidden = row.cells.iter().enumerate().skip(layout.widths.len()).filter(|(_, cell)| !plain(cell).is_empty());
        let named = hidden.map(|(column, cell)| match head.get(column).map(String::as_str) {
            Some("") | None => cell.clone(),
            Some(name) => format!("{name}: {cell}"),
        });
        let beside = named.collect::<Vec<_>>().join(" · ");
        let beside = (is_body && !beside.is_empty()).then_some(&beside);
        // Under the second cell, but not where that leaves no room for a text.
        let indent = layout.widths.first().map_or(0, |first| first + GAP.len()).min(layout.line / 4);
        let notes = beside.into_iter().chain(&row.notes);
        notes.map(|note| format!("{}{}\n", " ".repeat(indent), wrap(note, layout.line - indent, indent))).collect()
    }
}

/// Columns of the longest word, with the spaces before the text.
fn longest_word(text: &str) -> usize {
    let indent = text.len() - text.trim_start_matches(' ').len();
    indent + text.split_whitespace().map(width).max().unwrap_or(0)
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.laid_out(table_width()))
    }
}

#[cfg(test)]
#[path = "table_tests.rs"]
mod tests;
