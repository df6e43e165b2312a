//! A sign of life for what takes long.

use std::io::IsTerminal;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use indicatif::ProgressBar;

/// Nothing is shown before: most answers come sooner.
const PATIENCE: Duration = Duration::from_secs(2);

/// Does `work`; if that takes longer than two seconds and people watch standard error, tells them what and for how long.
pub(crate) fn during<T>(what: &'static str, work: impl FnOnce() -> T) -> T {
    if !std::io::stderr().is_terminal() {
        return work();
    }
    std::thread::scope(|scope| {
        let (done, wait) = channel::<()>();
        scope.spawn(move || {
            if wait.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                let bar = ProgressBar::new_spinner().with_message(what).with_elapsed(PATIENCE);
                bar.enable_steady_tick(Duration::from_millis(100));
                // Ends when the sender is dropped, whether the work ended or panicked.
                let _ = wait.recv();
                bar.finish_and_clear();
            }
        });
        let result = work();
        drop(done);
        result
    })
}
