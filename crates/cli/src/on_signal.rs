//! Ctrl-C and SIGTERM, as verbs that have something to end in good order catch them.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::failure::{Failure, INTERRUPTED};

/// Catches them from now on: the first sets the flag, and what was started is taken down; the second ends the program at once.
pub(crate) fn catch() -> Result<Arc<AtomicBool>, Failure> {
    signals::catch().map_err(|error| Failure::environment(format!("interrupts cannot be caught: {error}")))
}

/// An error after a signal is the signal's: what was waited for was given up.
pub(crate) fn told(failure: Failure) -> Failure {
    match failure.code {
        INTERRUPTED => failure,
        _ if signals::is_set() => Failure { message: format!("interrupted: {}", failure.message), code: INTERRUPTED },
        _ => failure,
    }
}
