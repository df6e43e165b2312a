//! Programs under test, and the little HTTP that their status servers need.

#![allow(dead_code, reason = "each test file takes what it needs")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value as Json;

/// Raft's timers, ten times as fast as TiKV's, and reserves that fit into a test's folder.
pub(crate) const QUICK: &str = "\
[raftstore]
raft-base-tick-interval = '100ms'
raft-store-max-leader-lease = '900ms'
store-pool-size = 1
apply-pool-size = 1
[storage]
reserve-space = '1MB'
reserve-raft-space = '1MB'
[storage.block-cache]
capacity = '32MB'
[raft-engine]
target-file-size = '1MB'
";

/// A program that prints a line of JSON once it serves; killed when dropped.
pub(crate) struct Program {
    child: Child,
    pub ready: Json,
}

impl Program {
    pub(crate) fn start(command: &mut Command) -> Self {
        let mut program = Self::spawn(command);
        program.wait_ready();
        program
    }

    /// Without waiting for its line: nodes wait for each other.
    pub(crate) fn spawn(command: &mut Command) -> Self {
        let child = command.stdout(Stdio::piped()).spawn();
        let child = child.unwrap_or_else(|error| panic!("{}: {error}", command.get_program().display()));
        Self { child, ready: Json::Null }
    }

    pub(crate) fn wait_ready(&mut self) {
        let mut line = String::new();
        BufReader::new(self.child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert!(!line.is_empty(), "the program ended before it served: its errors are above");
        self.ready = serde_json::from_str(&line).unwrap();
    }

    pub(crate) fn addr(&self, name: &str) -> String {
        self.ready[name].as_str().unwrap().to_owned()
    }

    /// SIGTERM, and how it ended.
    /// Its threads whose names begin so.
    pub(crate) fn threads(&self, name: &str) -> usize {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", self.child.id())).unwrap().flatten();
        let names = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("comm")).ok());
        names.filter(|comm| comm.starts_with(name)).count()
    }

    pub(crate) fn terminate(mut self) -> ExitStatus {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
        self.child.wait().unwrap()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The placement driver that was built beside the node.
pub(crate) fn pd(dir: &Path, stores: usize, replicas: usize, regions: usize) -> Program {
    let program = PathBuf::from(env!("CARGO_BIN_EXE_diskwright-store")).with_file_name("diskwright-pd");
    assert!(program.exists(), "{} is missing: run `cargo build -p diskwright-pd` first", program.display());
    let (stores, replicas, regions) = (stores.to_string(), replicas.to_string(), regions.to_string());
    let mut command = Command::new(program);
    command.args(["--client-urls", "http://127.0.0.1:0", "--stores", &stores, "--replicas", &replicas]);
    Program::start(command.args(["--regions", &regions, "--data-dir"]).arg(dir.join("pd")))
}

/// The command of a node with a configuration file of its own.
pub(crate) fn store(dir: &Path, pd: &Program, name: &str, config: &str) -> Command {
    store_at(dir, pd, name, config, "127.0.0.1:0")
}

/// As [`store`], with an address.
pub(crate) fn store_at(dir: &Path, pd: &Program, name: &str, config: &str, addr: &str) -> Command {
    let file = dir.join(format!("{name}.toml"));
    std::fs::write(&file, config).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_diskwright-store"));
    command.args(["--addr", addr, "--status-addr", "127.0.0.1:0", "--pd-endpoints", &pd.addr("addr")]);
    command.arg("--labels").arg(format!("zone={name}")).arg("--config").arg(file);
    command.arg("--data-dir").arg(dir.join(name));
    command
}

/// The status code and the body of an answer of a status server.
pub(crate) fn http(addr: &str, request: &str, body: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(addr).unwrap();
    let head = format!("{request} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {}\r\n\r\n", body.len());
    stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
}

/// Waits until something holds; half a minute is patience for a slow machine.
pub(crate) fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(30), "waited for half a minute: {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}
