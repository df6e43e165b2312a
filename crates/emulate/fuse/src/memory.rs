//! Keeping a daemon out of its own way when memory runs short.

use rustix::mm::{MlockAllFlags, mlockall};
use rustix::process::configure_io_flusher_behavior;

use crate::ServeError;

/// Prepares a process that serves disks to the machine on which it runs. When memory runs short the kernel writes dirty
/// pages to the disks to make room, and whoever asks for memory may have to wait for that; the server must not, for the
/// write would wait for the server. So the calling thread, and all threads that it starts from now on, no longer cause
/// I/O by asking for memory (`PR_SET_IO_FLUSHER`), and what the process once touched stays in memory (`mlockall`).
///
/// Call it first of all, before any thread is started.
///
/// # Errors
/// When the process lacks a right (`CAP_SYS_RESOURCE`, `CAP_IPC_LOCK`), as in many containers. What it had the right to is
/// done all the same, and disks can be served: report it and go on.
pub fn guard_memory() -> Result<(), ServeError> {
    let system = |what: &str| {
        let what = what.to_owned();
        move |e: rustix::io::Errno| ServeError::System { what, source: e.into() }
    };
    let flusher = configure_io_flusher_behavior(true)
        .map_err(system("let memory be found without waiting for the own disks (needs CAP_SYS_RESOURCE)"));
    // Only what is touched: the largest buffers are seldom needed whole.
    let locked = mlockall(MlockAllFlags::CURRENT | MlockAllFlags::FUTURE | MlockAllFlags::ONFAULT)
        .map_err(system("keep the own memory from being taken (needs CAP_IPC_LOCK)"));
    flusher.and(locked)
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_the_process_has_the_right_to_is_done() {
        let guarded = std::thread::spawn(|| {
            let guarded = super::guard_memory();
            let inherits = std::thread::spawn(|| rustix::process::is_io_flusher().unwrap_or(false)).join().unwrap();
            // Without the right to set the state there is none to ask for it either.
            assert_eq!(inherits, guarded.is_ok(), "{guarded:?}");
        });
        guarded.join().unwrap();
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let locked = status.lines().find_map(|line| line.strip_prefix("VmLck:")).unwrap();
        assert_ne!(locked.trim(), "0 kB", "this test needs CAP_IPC_LOCK");
    }
}
