//! The program as people run it: told to end, watched until it does.

use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use nix::unistd::Pid;

/// People wait five seconds at most, says the documentation; the machine of a test may be busy.
pub(crate) const SOON: Duration = Duration::from_secs(8);
/// The most memory that an answer may take.
pub(crate) const MOST_MEMORY: u64 = 512 << 20;

/// A program that runs; it does not outlive its test.
pub(crate) struct Program {
    child: Child,
    line: String,
    /// The most memory that it had.
    memory: u64,
}

impl Program {
    pub(crate) fn start(line: &str) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_diskwright"));
        command.args(line.split_whitespace()).current_dir("../..");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        for (name, value) in [
            ("AWS_ACCESS_KEY_ID", "AKIANOBODY0000000000"),
            ("AWS_SECRET_ACCESS_KEY", "unsafe-secret"),
            ("AWS_REGION", "us-west-2"),
            ("AWS_EC2_METADATA_DISABLED", "true"),
            ("HOME", "/nonexistent"),
        ] {
            command.env(name, value);
        }
        let child = command.spawn().unwrap();
        Self { child, line: line.to_owned(), memory: 0 }
    }

    /// How it ended, if it has.
    pub(crate) fn ended(&mut self) -> Option<ExitStatus> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let peak =
            status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse().ok());
        self.memory = self.memory.max(1024 * peak.unwrap_or(0u64));
        self.child.try_wait().unwrap()
    }

    /// Waits until something is so, or it has ended.
    #[track_caller]
    pub(crate) fn until(&mut self, what: &str, mut done: impl FnMut() -> bool) {
        let from = Instant::now();
        while !done() && self.ended().is_none() {
            assert!(from.elapsed() < Duration::from_secs(60), "{}: waited a minute for {what}", self.line);
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Lets it go on for a while.
    pub(crate) fn rest(&mut self, span: Duration) {
        let from = Instant::now();
        while from.elapsed() < span && self.ended().is_none() {
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    pub(crate) fn signal(&self, signal: Signal) {
        // It is not waited for yet, so that the number is still its own.
        let _ = nix::sys::signal::kill(Pid::from_raw(i32::try_from(self.child.id()).unwrap()), signal);
    }

    /// Waits for the end, which is to come soon. Returns the exit code, or what shells make of a signal.
    #[track_caller]
    pub(crate) fn end_within(mut self, soon: Duration) -> i32 {
        let from = Instant::now();
        loop {
            if let Some(status) = self.ended() {
                let (memory, line) = (self.memory >> 20, &self.line);
                assert!(self.memory < MOST_MEMORY, "{line}: it took {memory} MiB");
                return status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or_default());
            }
            assert!(from.elapsed() < soon, "{}: it goes on after {soon:?}", self.line);
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
