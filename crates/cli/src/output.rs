//! Answers of the verbs and how they leave the program. Every write to a terminal goes through here, so that no byte of the data
//! acts on the terminal.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

pub(crate) use report::text::{bold, green, red};
use report::text::{fitted, with_escapes};
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
    /// Whether its lines may be broken: it is for people, not for programs.
    is_prose: bool,
}

impl Output {
    /// A text that is not a "no".
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), negative: false, failure: None, is_prose: true }
    }

    /// A text for programs, such as a script: printed as it is.
    pub(crate) fn verbatim(text: impl Into<String>) -> Self {
        Self { is_prose: false, ..Self::text(text) }
    }

    /// A value as JSON.
    pub(crate) fn json(value: &impl Serialize) -> Self {
        Self::verbatim(report::text::json_text(value))
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

/// Fixes the columns that texts are laid out for: those of the terminal, else those that COLUMNS tells, as in `watch`.
pub(crate) fn choose_width() {
    let terminal = terminal_size::terminal_size_of(io::stdout()).map(|(columns, _)| usize::from(columns.0));
    let told = || std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    if let Some(columns) = terminal.or_else(told).filter(|columns| *columns > 0) {
        report::text::lay_out_for(columns);
    }
}

/// Prints the answer or the failure, and returns the exit code; `tell` is false if the failure was printed already.
pub(crate) fn finish(result: Result<Output, Failure>, json: bool, tell: bool) -> ExitCode {
    let (text, code) = match result {
        Ok(output) => {
            let code = output.failure.as_ref().map_or(u8::from(output.negative), |failure| failure.code);
            if let Some(failure) = &output.failure {
                told(failure, tell);
            }
            (if output.is_prose { fitted(&output.text) } else { output.text }, code)
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
