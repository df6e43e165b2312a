//! Text for terminals: styles, tables, and the escapes that keep data from acting on a terminal.
//!
//! Nothing here looks at a terminal. Texts carry their styles as marks; [`with_escapes`] turns marks into escape sequences, and who
//! prints decides whether these reach the reader. Lines are laid out for the columns that [`lay_out_for`] was given, else for
//! [`USUAL_WIDTH`].

mod table;
mod width;
mod wrap;

use anstyle::{AnsiColor, Reset, Style};
use serde::Serialize;
use textfile::{escape_hidden, is_hidden};

pub use table::Table;
pub use width::{USUAL_WIDTH, lay_out_for, line_width, table_width};
pub use wrap::{fitted, wrap};

// Styles are noncharacters of Unicode in our texts, and become escape sequences only when these are written: what is one before
// came with data.
const BOLD: char = '\u{fdd0}';
const RED: char = '\u{fdd1}';
const GREEN: char = '\u{fdd2}';
const YELLOW: char = '\u{fdd3}';
const PLAIN: char = '\u{fdd4}';

/// The style that a mark begins.
fn style(mark: char) -> Option<Style> {
    Some(match mark {
        BOLD => Style::new().bold(),
        RED => AnsiColor::Red.on_default().bold(),
        GREEN => AnsiColor::Green.on_default(),
        YELLOW => AnsiColor::Yellow.on_default(),
        _ => return None,
    })
}

/// A heading, in bold.
pub fn bold(text: &str) -> String {
    painted(BOLD, text)
}

/// A good result, in green.
pub fn green(text: &str) -> String {
    painted(GREEN, text)
}

/// A warning, in yellow.
pub fn yellow(text: &str) -> String {
    painted(YELLOW, text)
}

/// A failure, in red.
pub fn red(text: &str) -> String {
    painted(RED, text)
}

fn painted(mark: char, text: &str) -> String {
    format!("{mark}{text}{PLAIN}")
}

/// Columns that a text takes, its styles not counted. Our texts have no wide or combining characters.
pub fn width(text: &str) -> usize {
    text.chars().filter(|c| !is_mark(*c)).count()
}

fn is_mark(c: char) -> bool {
    matches!(c, BOLD..=PLAIN)
}

/// A text without its styles.
pub fn plain(text: &str) -> String {
    text.replace(is_mark, "")
}

/// The text as it goes to a terminal: styles as escape sequences, hidden characters of the data visible.
pub fn with_escapes(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 64);
    let escaped = escape_hidden(text);
    let mut is_styled = false;
    for c in escaped.chars() {
        match style(c) {
            Some(style) => (is_styled, out) = (true, out + &style.to_string()),
            None if c == PLAIN => (is_styled, out) = (false, out + &Reset.to_string()),
            None => out.push(c),
        }
    }
    if is_styled { out + &Reset.to_string() } else { out }
}

/// A value as JSON on several lines, without a character that would act on a terminal.
pub fn json_text(value: &impl Serialize) -> String {
    let text = serde_json::to_string_pretty(value).expect("our values have text keys only");
    json_for_terminal(&text) + "\n"
}

/// A value as JSON on one line.
pub fn json_line(value: &serde_json::Value) -> String {
    json_for_terminal(&value.to_string()) + "\n"
}

/// Gives JSON the escapes that a writer of JSON leaves out: it stays the same value. Marks in it are data.
fn json_for_terminal(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if (is_hidden(c) && c != '\n') || is_mark(c) {
            // All of them are in Unicode's first plane.
            out += &format!("\\u{:04x}", u32::from(c));
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const TITLE: &str = "\u{1b}]0;owned\u{7}\u{9b}31m\u{202e}x\u{7f}";

    #[test]
    fn our_colours_are_escape_sequences_and_those_of_data_are_shown() {
        let text = with_escapes(&format!("{} {TITLE}\n", bold("a")));
        assert_eq!(text, "\u{1b}[1ma\u{1b}[0m \\u{1b}]0;owned\\u{7}\\u{9b}31m\\u{202e}x\\u{7f}\n");
    }

    #[test]
    fn a_style_that_data_leave_open_ends_with_the_text() {
        assert!(with_escapes(&format!("a{RED}b")).ends_with("b\u{1b}[0m"));
    }

    #[test]
    fn json_stays_the_same_value_without_a_character_that_acts() {
        let value = serde_json::json!({ "name": format!("{TITLE}{RED}"), TITLE: [1, "two"] });
        for text in [json_text(&value), json_line(&value)] {
            assert!(!text.contains(|c| (is_hidden(c) && c != '\n') || is_mark(c)), "{text:?}");
            assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
        }
    }
}
