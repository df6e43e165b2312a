//! A program of the cluster while it runs: started, ready, ended.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::{Child, ChildStdout};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::keeper::{Keeper, MARK, Order};
use crate::{ClusterError, ClusterOptions};

/// A program that runs; killed when dropped.
#[derive(Debug)]
pub(crate) struct Process {
    name: String,
    child: Child,
    /// When it started, in clock ticks since the machine did: its number may go to another.
    started: u64,
    starting: Starting,
}

/// What a program says while it starts.
#[derive(Debug, Clone)]
pub(crate) struct Starting {
    name: String,
    said: Arc<Mutex<Receiver<String>>>,
}

/// Where a program serves, as it says in the one line of its standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
pub(crate) struct Ready {
    /// Its gRPC port.
    pub(crate) addr: SocketAddr,
    /// Its status port; PD has none of its own.
    pub(crate) status_addr: Option<SocketAddr>,
}

impl Ready {
    /// Not yet: the system is to choose the ports.
    pub(crate) const ANY: Self = {
        let any = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);
        Self { addr: any, status_addr: Some(any) }
    };

    /// Where it can be asked how it is.
    pub(crate) fn status(&self) -> SocketAddr {
        self.status_addr.unwrap_or(self.addr)
    }
}

/// How long a program may take to end by itself.
const GRACE: Duration = Duration::from_secs(10);

/// How often to look whether a program has ended, or the caller asked to stop.
const LOOK: Duration = Duration::from_millis(50);

impl Process {
    /// Starts a program whose standard error goes to the end of `log`.
    pub(crate) fn start(keeper: &Keeper, name: &str, order: &Order<'_>, log: &Path) -> Result<Self, ClusterError> {
        let failed = |error: std::io::Error| ClusterError::system(log.display(), error);
        let file = OpenOptions::new().create(true).append(true).mode(0o600).open(log).map_err(failed)?;
        let copy = file.try_clone().map_err(failed)?;
        let mut child = keeper.start(order, file)?;
        let started = started(child.id() as i32).unwrap_or_default();
        let said = Arc::new(Mutex::new(listen(child.stdout.take(), copy)));
        let starting = Starting { name: name.to_owned(), said };
        Ok(Self { name: name.to_owned(), child, started, starting })
    }

    /// What it says while it starts.
    pub(crate) fn starting(&mut self) -> Starting {
        self.starting.clone()
    }

    /// Its number.
    pub(crate) fn pid(&self) -> i32 {
        self.child.id() as i32
    }

    /// Its number and when it started.
    pub(crate) fn identity(&self) -> (i32, u64) {
        (self.pid(), self.started)
    }

    /// Whether it has not ended.
    pub(crate) fn is_running(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// How it ended; `None` while it runs.
    pub(crate) fn ended(&mut self) -> Option<std::process::ExitStatus> {
        self.child.try_wait().ok().flatten()
    }

    /// Sends a signal, unless it has ended.
    pub(crate) fn signal(&mut self, signal: Signal) {
        if self.is_running() {
            // It is not waited for yet, so that the number is still its own.
            let _ = kill(Pid::from_raw(self.pid()), signal);
        }
    }

    /// Kills it and waits until it is gone. One that waits for a disk only ends when the disk answers.
    pub(crate) fn kill(&mut self) {
        self.signal(Signal::SIGKILL);
        let _ = self.child.wait();
    }

    /// Asks it to end, and kills it if it does not. Says how it ended, if not well.
    pub(crate) fn stop(&mut self) -> Option<String> {
        self.signal(Signal::SIGTERM);
        match self.wait(GRACE) {
            Some(status) if status.success() => None,
            Some(status) => Some(format!("{} ended with {status}", self.name)),
            None => {
                self.kill();
                Some(format!("{} did not end within {} s and was killed", self.name, GRACE.as_secs()))
            }
        }
    }

    fn wait(&mut self, patience: Duration) -> Option<std::process::ExitStatus> {
        let from = Instant::now();
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if from.elapsed() < patience => std::thread::sleep(Duration::from_millis(5)),
                _ => return None,
            }
        }
    }
}

impl Starting {
    /// Waits for the line that says where the program serves.
    ///
    /// # Errors
    /// When it ends or says something else instead, or takes too long; with the end of its log.
    pub(crate) fn ready(&mut self, options: &ClusterOptions, log: &Path) -> Result<Ready, ClusterError> {
        let from = Instant::now();
        let failed = |what: String| {
            let said = tail(log);
            ClusterError::Program { name: self.name.clone(), what: format!("{what}; its log"), said }
        };
        let said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            options.go_on()?;
            match said.recv_timeout(LOOK) {
                Ok(line) => {
                    return serde_json::from_str(&line)
                        .map_err(|error| failed(format!("says `{line}`, not where it serves ({error})")));
                }
                Err(RecvTimeoutError::Disconnected) => return Err(failed("ended before it was ready".to_owned())),
                Err(RecvTimeoutError::Timeout) if from.elapsed() > options.patience => {
                    return Err(failed(format!("was not ready within {:?}", options.patience)));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Hands on the first line; what follows goes to the log.
fn listen(output: Option<ChildStdout>, mut log: File) -> Receiver<String> {
    let (first, said) = channel();
    std::thread::spawn(move || {
        let mut lines = output.map(BufReader::new).into_iter().flat_map(BufRead::lines).map_while(Result::ok);
        if let Some(line) = lines.next() {
            let _ = first.send(line);
        }
        drop(first);
        lines.for_each(|line| drop(writeln!(log, "{line}")));
    });
    said
}

/// The last lines of a log.
pub(crate) fn tail(log: &Path) -> String {
    const LINES: usize = 10;
    let text = std::fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(LINES)..].join("\n")
}

/// When a process started, in clock ticks since the machine did, proc_pid_stat(5); `None` if there is none, or only its
/// corpse.
pub(crate) fn started(pid: i32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name, in parentheses, may hold anything; the state is the third field, the start the 22nd.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    let state = fields.next()?;
    if matches!(state, "Z" | "X") { None } else { fields.nth(18)?.parse().ok() }
}

/// Whether a process was started for the cluster in a folder: it carries the folder in its environment, proc_pid_environ(5).
pub(crate) fn is_of(pid: i32, cluster: &Path) -> bool {
    let mark = [MARK.as_bytes(), b"=", cluster.as_os_str().as_bytes()].concat();
    std::fs::read(format!("/proc/{pid}/environ")).is_ok_and(|all| all.split(|byte| *byte == 0).any(|one| one == mark))
}

#[cfg(test)]
#[path = "process_tests.rs"]
mod tests;
