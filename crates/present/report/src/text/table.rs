//! Plain tables and paragraphs of at most 100 columns.

use textfile::{escape_hidden, escape_line};

use super::width;

/// Columns that no line exceeds.
pub const WIDTH: usize = 100;
const GAP: &str = "  ";

/// Rows under a head; columns are as wide as their widest cell, and the last is wrapped where it must be.
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
}

impl std::fmt::Display for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let columns = self.rows.iter().map(|row| row.cells.len()).max().unwrap_or(0);
        let widest = |column: usize| self.rows.iter().filter_map(|row| row.cells.get(column)).map(|c| width(c)).max();
        let widths: Vec<usize> = (0..columns).map(|column| widest(column).unwrap_or(0)).collect();
        let before_last = widths.iter().rev().skip(1).map(|w| w + GAP.len()).sum::<usize>();
        for row in &self.rows {
            let mut line = String::new();
            for (i, cell) in row.cells.iter().enumerate() {
                let pad = " ".repeat(widths[i].saturating_sub(width(cell)));
                let last = i + 1 == columns;
                match (self.right.contains(&i), last) {
                    (true, _) => line += &format!("{pad}{cell}"),
                    (false, true) => line += &wrap(cell, WIDTH.saturating_sub(before_last), before_last),
                    (false, false) => line += &format!("{cell}{pad}"),
                }
                if !last {
                    line += GAP;
                }
            }
            writeln!(f, "{}", line.trim_end())?;
            let indent = widths.first().map_or(0, |w| w + GAP.len());
            for note in &row.notes {
                writeln!(f, "{}{}", " ".repeat(indent), wrap(note, WIDTH - indent, indent))?;
            }
        }
        Ok(())
    }
}

/// Breaks a text between words so that no line is wider than `columns`; further lines are set in by `indent`.
pub fn wrap(text: &str, columns: usize, indent: usize) -> String {
    let mut out = String::new();
    let mut used = 0;
    // Escapes are wider than what they stand for.
    for word in escape_hidden(text).split_whitespace() {
        let mut word = word.to_owned();
        if used > 0 && used + 1 + width(&word) > columns {
            out += &format!("\n{}", " ".repeat(indent));
            used = 0;
        } else if used > 0 {
            out.push(' ');
            used += 1;
        }
        // A word that no line holds, such as a path, is cut.
        while width(&word) > columns && columns > 0 {
            let rest = word.split_off(word.char_indices().nth(columns).map_or(word.len(), |(at, _)| at));
            out += &format!("{word}\n{}", " ".repeat(indent));
            word = rest;
        }
        used += width(&word);
        out += &word;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::bold;

    #[test]
    fn columns_line_up_and_lines_end_without_space() {
        let mut table = Table::new(&["", "$/month", "nodes"], &[1]);
        table.row(["1", "$2,345", "3 × a"]);
        table.row(["2", "$12", ""]);
        assert_eq!(table.to_string(), "   $/month  nodes\n1   $2,345  3 × a\n2      $12\n");
    }

    #[test]
    fn the_last_column_is_wrapped_under_itself() {
        let mut table = Table::new(&["what", "why"], &[]);
        table.row(["io2".to_owned(), "word ".repeat(60)]);
        table.note("note ".repeat(40));
        let text = table.to_string();
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
        assert!(text.lines().skip(2).all(|line| line.starts_with("      ")), "{text}");
    }

    #[test]
    fn colour_takes_no_width_and_a_word_too_long_is_cut() {
        assert_eq!(width(&bold("bold")), 4);
        assert_eq!(wrap("abcdefgh", 3, 1), "abc\n def\n gh");
    }

    #[test]
    fn what_comes_with_data_breaks_no_row_and_no_line() {
        let mut table = Table::new(&["name", "", "what"], &[]);
        table.row(["a\nroot\t".to_owned(), "b".to_owned(), format!("c {}", "\u{202e}".repeat(40))]);
        let text = table.to_string();
        assert!(text.contains("a\\nroot\\t  b"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
    }
}
