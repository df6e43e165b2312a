//! Running and ending processes, with patience that ends.

use std::fmt;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// What a command left behind.
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Run {
    /// Asserts that it ended with `code` and said so in one line on standard error that has all of `parts`; the parser
    /// of arguments may add where its help is.
    #[track_caller]
    pub(crate) fn says(&self, code: i32, line: &str, parts: &[&str]) {
        assert_eq!(self.code, code, "`{line}`\n{self}");
        let (said, more) = self.stderr.split_once('\n').unwrap_or((&self.stderr, ""));
        assert!(said.starts_with("error: "), "`{line}`\n{self}");
        assert!(["", "For more information, try '--help'."].contains(&more.trim()), "`{line}`\n{self}");
        for part in parts {
            assert!(said.contains(part), "`{line}` does not say `{part}`\n{self}");
        }
    }
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "exit code {}\nstdout: {}\nstderr: {}", self.code, self.stdout, self.stderr)
    }
}

/// Runs to the end, also of the output: a daemon that kept its caller's pipes would hang `$(diskwright mount …)`.
#[track_caller]
pub(crate) fn run(command: Command, patience: Duration) -> Run {
    finish(start(command), patience)
}

/// Starts it with its output caught.
pub(crate) fn start(mut command: Command) -> Child {
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap_or_else(|e| panic!("{command:?}: {e}"))
}

/// Waits for the end of what was started.
#[track_caller]
pub(crate) fn finish(child: Child, patience: Duration) -> Run {
    let pid = child.id() as i32;
    let what = fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default().replace('\0', " ");
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || sender.send(child.wait_with_output()));
    let output = receiver.recv_timeout(patience).unwrap_or_else(|_| {
        end(pid, Signal::SIGKILL);
        panic!("{what}: neither it nor its output ended within {patience:?}");
    });
    let output = output.unwrap();
    Run {
        code: output.status.code().unwrap_or_else(|| panic!("{what} was ended by a signal: {}", output.status)),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Sends a signal.
pub(crate) fn signal(pid: i32, signal: Signal) {
    // It may have ended by itself.
    let _ = kill(Pid::from_raw(pid), signal);
}

/// Sends a signal and waits until the process is gone.
pub(crate) fn end(pid: i32, with: Signal) {
    signal(pid, with);
    wait_for(&format!("process {pid} to end after {with}"), || !alive(pid));
}

/// Whether a process still does anything: one that ended but was not waited for does not.
pub(crate) fn alive(pid: i32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with(['Z', 'X']))
}

/// Waits up to half a minute.
#[track_caller]
pub(crate) fn wait_for(what: &str, done: impl Fn() -> bool) {
    let from = Instant::now();
    while !done() {
        assert!(from.elapsed() < Duration::from_secs(30), "waited half a minute for {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A process, as `/proc` shows it.
pub(crate) struct Process {
    pub(crate) pid: i32,
    pub(crate) arguments: Vec<String>,
    environment: Vec<u8>,
}

/// All processes that do something.
pub(crate) fn all() -> impl Iterator<Item = Process> {
    let pids = fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    pids.filter(|pid| alive(*pid)).map(|pid| {
        // Processes end while we look: they then have neither arguments nor environment.
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let arguments = line.split(|b| *b == 0).map(|word| String::from_utf8_lossy(word).into_owned()).collect();
        Process { pid, arguments, environment: fs::read(format!("/proc/{pid}/environ")).unwrap_or_default() }
    })
}

impl Process {
    /// Whether its arguments or its settings name `root`.
    pub(crate) fn belongs_to(&self, root: &Path) -> bool {
        let root = root.to_str().unwrap();
        let settings = String::from_utf8_lossy(&self.environment);
        self.arguments.iter().any(|word| word.contains(root)) || settings.contains(root)
    }

    /// Whether it is `diskwright daemon` over a state folder in `root`.
    pub(crate) fn is_daemon_of(&self, root: &Path) -> bool {
        self.arguments.get(1).is_some_and(|verb| verb == "daemon") && self.belongs_to(root)
    }
}
