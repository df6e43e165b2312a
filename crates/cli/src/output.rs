//! What a verb has to say, and how it leaves the program: all that goes to a terminal goes through here, and nothing that came
//! with data acts on it.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use anstyle::{AnsiColor, Reset, Style};
use serde::Serialize;
use textfile::{escape_hidden, is_hidden};

use crate::failure::Failure;

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

/// A verb's answer, ready to print.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Output {
    /// With colours, which are taken out where they are not wanted.
    pub(crate) text: String,
    /// Whether the answer is no.
    pub(crate) negative: bool,
    /// Why it is not all of the answer.
    pub(crate) failure: Option<Failure>,
}

impl Output {
    /// A text that is not a "no".
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), negative: false, failure: None }
    }

    /// A value as JSON.
    pub(crate) fn json(value: &impl Serialize) -> Self {
        let text = serde_json::to_string_pretty(value).expect("our values have text keys only");
        Self::text(json_for_terminal(&text) + "\n")
    }

    /// The same answer, but a no if `negative`.
    pub(crate) fn negative(self, negative: bool) -> Self {
        Self { negative, ..self }
    }

    /// The same answer, with why it is not all of it. A document in JSON has it as its `error`.
    pub(crate) fn failing(self, failure: Option<Failure>) -> Self {
        Self { failure, ..self }
    }
}

/// A heading.
pub(crate) fn bold(text: &str) -> String {
    painted(BOLD, text)
}

/// Something to be pleased with.
pub(crate) fn green(text: &str) -> String {
    painted(GREEN, text)
}

/// Something to look at.
pub(crate) fn yellow(text: &str) -> String {
    painted(YELLOW, text)
}

/// Something wrong.
pub(crate) fn red(text: &str) -> String {
    painted(RED, text)
}

fn painted(mark: char, text: &str) -> String {
    format!("{mark}{text}{PLAIN}")
}

/// Fixes the use of colour for both streams.
pub(crate) fn choose_colour(choice: clap::ColorChoice) {
    let choice = match choice {
        clap::ColorChoice::Auto => anstream::ColorChoice::Auto,
        clap::ColorChoice::Always => anstream::ColorChoice::Always,
        clap::ColorChoice::Never => anstream::ColorChoice::Never,
    };
    choice.write_global();
}

/// Prints the answer or the failure; `tell` is false if people have been told already.
pub(crate) fn finish(result: Result<Output, Failure>, json: bool, tell: bool) -> ExitCode {
    let (text, code) = match result {
        Ok(Output { text, negative, failure: None }) => (text, u8::from(negative)),
        Ok(Output { text, failure: Some(failure), .. }) => {
            told(&failure, tell);
            (text, failure.code)
        }
        Err(failure) => {
            told(&failure, tell);
            let error = serde_json::json!({ "error": failure.document() });
            (if json { Output::json(&error).text } else { String::new() }, failure.code)
        }
    };
    match print(&text) {
        Ok(()) => ExitCode::from(code),
        // `diskwright … | head` has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::from(code),
        Err(error) => {
            complain(&format!("{} standard output cannot be written: {error}", red("error:")));
            ExitCode::from(3)
        }
    }
}

fn told(failure: &Failure, tell: bool) {
    if tell {
        complain(&format!("{} {}", red("error:"), failure.message));
    }
}

/// Prints to standard output, with colours where they are wanted.
pub(crate) fn print(text: &str) -> io::Result<()> {
    let mut out = anstream::stdout().lock();
    out.write_all(for_terminal(text).as_bytes())?;
    out.flush()
}

/// Prints in place of what a terminal shows; elsewhere texts follow each other.
pub(crate) fn print_anew(text: &str) -> io::Result<()> {
    if io::stdout().is_terminal() {
        anstream::stdout().write_all(b"\x1b[H\x1b[J")?;
    }
    print(text)
}

/// A value as JSON on one line, to be printed as it comes.
pub(crate) fn json_line(value: &serde_json::Value) -> String {
    json_for_terminal(&value.to_string()) + "\n"
}

/// Prints a line to standard error.
pub(crate) fn complain(line: &str) {
    // Nobody is left to be told if this fails.
    let _ = writeln!(anstream::stderr(), "{}", for_terminal(line));
}

/// How many columns a text takes, without its colours. Our texts have no wide or combining characters.
pub(crate) fn width(text: &str) -> usize {
    text.chars().filter(|c| !is_mark(*c)).count()
}

fn is_mark(c: char) -> bool {
    matches!(c, BOLD..=PLAIN)
}

/// A text without its colours.
#[cfg(test)]
pub(crate) fn plain(text: &str) -> String {
    text.replace(is_mark, "")
}

/// A text as it goes to a terminal: our marks as escape sequences, hidden characters visible.
fn for_terminal(text: &str) -> String {
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
        let text = for_terminal(&format!("{} {TITLE}\n", bold("a")));
        assert_eq!(text, "\u{1b}[1ma\u{1b}[0m \\u{1b}]0;owned\\u{7}\\u{9b}31m\\u{202e}x\\u{7f}\n");
    }

    #[test]
    fn a_style_that_data_leave_open_ends_with_the_text() {
        assert!(for_terminal(&format!("a{RED}b")).ends_with("b\u{1b}[0m"));
    }

    #[test]
    fn json_stays_the_same_value_without_a_character_that_acts() {
        let value = serde_json::json!({ "name": format!("{TITLE}{RED}"), TITLE: [1, "two"] });
        for text in [Output::json(&value).text, json_line(&value)] {
            assert!(!text.contains(|c| (is_hidden(c) && c != '\n') || is_mark(c)), "{text:?}");
            assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
        }
    }
}
