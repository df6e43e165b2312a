//! Ctrl-C and SIGTERM, as verbs that have something to end in good order catch them.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::failure::{Failure, INTERRUPTED};

/// Catches signals from now on: the first sets the flag, and everything that was started is taken down; the second ends the program
/// at once.
pub(crate) fn catch() -> Result<Arc<AtomicBool>, Failure> {
    signals::catch().map_err(|error| Failure::environment(format!("interrupts cannot be caught: {error}")))
}

/// Turns an error after a signal into the signal's: the wait was given up.
pub(crate) fn told(failure: Failure) -> Failure {
    match failure.code {
        INTERRUPTED => failure,
        _ if signals::is_set() => Failure { message: format!("interrupted: {}", failure.message), code: INTERRUPTED },
        _ => failure,
    }
}
