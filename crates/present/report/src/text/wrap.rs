//! Paragraphs.

use textfile::escape_hidden;

use super::{PLAIN, is_mark, table_width, width};

/// Breaks a text between words so that no line is wider than `columns`; further lines are set in by `indent`.
pub fn wrap(text: &str, columns: usize, indent: usize) -> String {
    lines(text, columns).join(&format!("\n{}", " ".repeat(indent)))
}

/// A text in which lines wider than the columns there are go on below, set in by two more than they are. Words stay whole: a path
/// or an address is copied in one piece. What was laid out already stays as it is.
pub fn fitted(text: &str) -> String {
    text.split_inclusive('\n').map(|line| fitted_line(line, table_width())).collect()
}

fn fitted_line(line: &str, columns: usize) -> String {
    let (line, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
    if width(line) <= columns {
        return format!("{line}{end}");
    }
    let indent = line.len() - line.trim_start_matches(' ').len();
    let mut out = " ".repeat(indent);
    let mut used = indent;
    // Spaces between words that stay on a line stay as they are: they may line columns up.
    for word in line[indent..].split_inclusive(' ') {
        if used > indent && used + width(word.trim_end()) > columns {
            out.truncate(out.trim_end().len());
            out += &format!("\n{}", " ".repeat(indent + 2));
            used = indent + 2;
        }
        used += width(word);
        out += word;
    }
    format!("{}{end}", out.trim_end())
}

/// The lines of a text broken between words so that none is wider than `columns`; one empty line for a text without words.
pub(super) fn lines(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(1);
    let mut lines = vec![String::new()];
    let mut used = 0;
    // Escapes are wider than what they stand for.
    for word in escape_hidden(text).split_whitespace() {
        for (part, is_joined) in parts(word, columns) {
            let last = lines.last_mut().expect("there is a line from the start");
            let gap = usize::from(used > 0 && !is_joined);
            if used > 0 && used + gap + width(&part) > columns {
                used = width(&part);
                lines.push(part);
            } else {
                *last += &" ".repeat(gap);
                used += gap + width(&part);
                *last += &part;
            }
        }
    }
    close_styles(&mut lines);
    lines
}

/// The lines of a cell of `columns`. Spaces before its text set in all its lines.
pub(super) fn cell_lines(cell: &str, columns: usize) -> Vec<String> {
    if width(cell) <= columns {
        return vec![cell.to_owned()];
    }
    let indent = cell.len() - cell.trim_start_matches(' ').len();
    let set_in = |line| format!("{}{line}", " ".repeat(indent));
    lines(cell, columns.saturating_sub(indent)).into_iter().map(set_in).collect()
}

/// Ends a style at the end of its line and begins it again on the next: beside a cell's line stands another cell's.
fn close_styles(lines: &mut [String]) {
    let mut open: Option<char> = None;
    for line in lines {
        if let Some(mark) = open {
            line.insert(0, mark);
        }
        open = line.chars().rfind(|c| is_mark(*c)).filter(|mark| *mark != PLAIN);
        if open.is_some() {
            line.push(PLAIN);
        }
    }
}

/// A word as it may be broken, each part with whether it goes on from the one before: whole if a line holds it; a list or a path
/// that no line holds after its commas, slashes and closing brackets; else wherever the line ends.
fn parts(word: &str, columns: usize) -> Vec<(String, bool)> {
    if width(word) <= columns {
        return vec![(word.to_owned(), false)];
    }
    let mut parts: Vec<String> = Vec::new();
    let mut open = String::new();
    for piece in word.split_inclusive([',', '/', ')', '+', ';', '?', '&', '=']) {
        open += piece;
        // `/first` begins with what could end a part.
        if open.chars().any(char::is_alphanumeric) {
            parts.push(std::mem::take(&mut open));
        }
    }
    match parts.last_mut() {
        Some(last) => *last += &open,
        None => parts.push(open),
    }
    let cut = parts.iter().flat_map(|part| {
        let letters: Vec<char> = part.chars().collect();
        letters.chunks(columns).map(String::from_iter).collect::<Vec<_>>()
    });
    cut.enumerate().map(|(i, part)| (part, i > 0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{bold, red, with_escapes};

    #[test]
    fn colour_takes_no_width_and_a_word_too_long_is_cut() {
        assert_eq!(width(&bold("bold")), 4);
        assert_eq!(wrap("abcdefgh", 3, 1), "abc\n def\n gh");
    }

    #[test]
    fn a_style_ends_with_its_line_and_goes_on_in_the_next() {
        let styled = lines(&red("over the limit"), 8);
        assert_eq!(styled, [red("over the"), red("limit")]);
        assert!(styled.iter().all(|line| with_escapes(line).ends_with("\u{1b}[0m")));
    }

    #[test]
    fn spaces_before_a_cell_set_in_all_its_lines() {
        assert_eq!(cell_lines("  one two", 6), ["  one", "  two"]);
        assert_eq!(cell_lines("  one", 6), ["  one"]);
    }

    #[test]
    fn a_line_too_wide_goes_on_below_and_words_stay_whole() {
        assert_eq!(fitted_line("  10 s simulated in 1.6 s\n", 14), "  10 s\n    simulated\n    in 1.6 s\n");
        assert_eq!(fitted_line("written to /a/long/path/of/it", 12), "written to\n  /a/long/path/of/it");
        assert_eq!(fitted_line("a   b\n", 5), "a   b\n");
        assert_eq!(fitted("one\n\ntwo"), "one\n\ntwo");
    }

    #[test]
    fn a_path_too_long_is_broken_after_a_slash() {
        assert_eq!(lines("see /first/second/third", 10), ["see", "/first/", "second/", "third"]);
        assert_eq!(lines("a,b,c d", 4), ["a,b,", "c d"]);
    }
}
