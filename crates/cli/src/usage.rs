//! Errors of wrong arguments, and help.

use std::ffi::OsString;

use clap::Parser;
use textfile::escape_line;

use crate::Cli;
use crate::output::complain;

/// Prints an error of the parser, or the help that was asked for. The parser echoes arguments as they are: those that would act
/// on the terminal are parsed once more as they are shown.
pub(crate) fn tell(error: &clap::Error) {
    let given: Vec<OsString> = std::env::args_os().collect();
    let shown: Vec<OsString> =
        given.iter().map(|argument| escape_line(&argument.to_string_lossy()).into_owned().into()).collect();
    // A failure of printing has nowhere to be reported.
    if shown == given {
        let _ = error.print();
        return;
    }
    match Cli::try_parse_from(shown) {
        Err(error) => drop(error.print()),
        Ok(_) => complain(error.render().to_string().trim_end()),
    }
}
