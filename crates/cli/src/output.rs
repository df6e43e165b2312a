//! Answers of the verbs and how they leave the program. Every write to a terminal goes through here, so that no byte of the data
//! acts on the terminal.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use report::text::with_escapes;
pub(crate) use report::text::{bold, green, red};
use serde::Serialize;

use crate::failure::{ENVIRONMENT, Failure};

/// A verb's answer, ready to print.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Output {
    /// The text, with styles that are taken out where no colour is wanted.
    pub(crate) text: String,
    /// Whether the answer is no.
    pub(crate) negative: bool,
    /// Why the answer is incomplete.
    pub(crate) failure: Option<Failure>,
}

impl Output {
    /// A text that is not a "no".
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), negative: false, failure: None }
    }

    /// A value as JSON.
    pub(crate) fn json(value: &impl Serialize) -> Self {
        Self::text(report::text::json_text(value))
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

/// Fixes the use of colour for both streams.
pub(crate) fn choose_colour(choice: clap::ColorChoice) {
    let choice = match choice {
        clap::ColorChoice::Auto => anstream::ColorChoice::Auto,
        clap::ColorChoice::Always => anstream::ColorChoice::Always,
        clap::ColorChoice::Never => anstream::ColorChoice::Never,
    };
    choice.write_global();
}

/// Prints the answer or the failure, and returns the exit code; `tell` is false if the failure was printed already.
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
            tracing::error!("standard output cannot be written: {error}");
            ExitCode::from(ENVIRONMENT)
        }
    }
}

fn told(failure: &Failure, tell: bool) {
    if tell {
        tracing::error!("{}", failure.message);
    }
}

/// Prints to standard output, with colours where they are wanted.
pub(crate) fn print(text: &str) -> io::Result<()> {
    let mut out = anstream::stdout().lock();
    out.write_all(with_escapes(text).as_bytes())?;
    out.flush()
}

/// Prints in place of the text that a terminal shows; elsewhere texts follow each other.
pub(crate) fn print_anew(text: &str) -> io::Result<()> {
    if io::stdout().is_terminal() {
        anstream::stdout().write_all(b"\x1b[H\x1b[J")?;
    }
    print(text)
}

/// Prints a line to standard error.
pub(crate) fn complain(line: &str) {
    // A failure here has nowhere to be reported.
    let _ = writeln!(anstream::stderr(), "{}", with_escapes(line));
}
