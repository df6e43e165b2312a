//! What a verb has to say, and how it leaves the program.

use std::io::{self, Write};
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};
use serde::Serialize;

use crate::failure::Failure;

const BOLD: Style = Style::new().bold();
const RED: Style = AnsiColor::Red.on_default().bold();
const GREEN: Style = AnsiColor::Green.on_default();
const YELLOW: Style = AnsiColor::Yellow.on_default();

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
        Self::text(text + "\n")
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

fn painted(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
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
            (if json { format!("{error:#}\n") } else { String::new() }, failure.code)
        }
    };
    match print(&text) {
        Ok(()) => ExitCode::from(code),
        // `diskwright … | head` has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::from(code),
        Err(error) => {
            let _ = writeln!(anstream::stderr(), "{} standard output cannot be written: {error}", red("error:"));
            ExitCode::from(3)
        }
    }
}

fn told(failure: &Failure, tell: bool) {
    if tell {
        // Nobody is left to be told if this fails.
        let _ = writeln!(anstream::stderr(), "{} {}", red("error:"), failure.message);
    }
}

/// Prints to standard output, with colours where they are wanted.
pub(crate) fn print(text: &str) -> io::Result<()> {
    let mut out = anstream::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}
