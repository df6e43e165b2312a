//! Signals of this process.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level;

/// A signal that comes again within this time is the same one: `timeout` and some supervisors send it to a process and once more
/// to its group.
const SAME: Duration = Duration::from_millis(50);

/// Added to a signal's number for the exit code, as shells do.
const SHELL: i32 = 128;

/// Set by the first signal, as is the flag of those who ask for it.
static SET: AtomicBool = AtomicBool::new(false);
static FLAG: Mutex<Option<Arc<AtomicBool>>> = Mutex::new(None);
/// Wakes those who pause.
static CAME: (Mutex<bool>, Condvar) = (Mutex::new(false), Condvar::new());

/// Catches SIGINT and SIGTERM from now on. The first sets the flag that is given back, the second ends the program at once, with
/// the exit code that shells give it: 130 for Ctrl-C. Called again, it gives the same flag.
///
/// # Errors
/// When the system gives no thread, or lets no signal be caught.
pub fn catch() -> io::Result<Arc<AtomicBool>> {
    let mut caught = FLAG.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(flag) = caught.as_ref() {
        return Ok(Arc::clone(flag));
    }
    let flag = Arc::new(AtomicBool::new(false));
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    let set = Arc::clone(&flag);
    // A thread of its own: a second signal is heeded whatever the others wait for.
    std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
        let mut first: Option<Instant> = None;
        for signal in signals.forever() {
            match first {
                None => {
                    first = Some(Instant::now());
                    SET.store(true, Ordering::Release);
                    set.store(true, Ordering::Release);
                    *CAME.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
                    CAME.1.notify_all();
                }
                Some(at) if at.elapsed() < SAME => {}
                Some(_) => low_level::exit(SHELL + signal),
            }
        }
    })?;
    *caught = Some(Arc::clone(&flag));
    Ok(flag)
}

/// Whether a signal came since [`catch`].
pub fn is_set() -> bool {
    SET.load(Ordering::Acquire)
}

/// Sleeps for `span`, or until a signal comes. Returns whether to go on: no signal came.
pub fn pause(span: Duration) -> bool {
    let came = CAME.0.lock().unwrap_or_else(PoisonError::into_inner);
    let (came, _) = CAME.1.wait_timeout_while(came, span, |came| !*came).unwrap_or_else(PoisonError::into_inner);
    !*came
}

/// Sleeps until a signal comes.
pub fn wait() {
    let came = CAME.0.lock().unwrap_or_else(PoisonError::into_inner);
    drop(CAME.1.wait_while(came, |came| !*came).unwrap_or_else(PoisonError::into_inner));
}
