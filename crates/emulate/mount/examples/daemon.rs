//! The daemon as a program of its own, for tests: `daemon daemon STATE_FOLDER`.

use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let Some(state) = std::env::args_os().nth(2) else {
        eprintln!("usage: daemon daemon STATE_FOLDER");
        return ExitCode::from(2);
    };
    match mount::daemon::run(&PathBuf::from(state)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => ExitCode::from(error.exit_code()),
    }
}
