//! A folder for one test, in which programs run.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

use crate::sql::server::Server;

/// Longer than anything takes here, on a machine that does much else too.
const PATIENCE: Duration = Duration::from_secs(240);

const FILES: [(&str, &str); 6] = [
    (
        "tpcc.toml",
        "engine = \"innodb\"\nregion = \"us-west-2\"\n[tpcc]\nwarehouses = 1\nclients = 8\n[targets]\nthroughput = 100\n",
    ),
    (
        "inserts.toml",
        "engine = \"innodb\"\nregion = \"us-west-2\"\n[inserts]\nrow = \"176B\"\nrows-before = 2000\nrows-added = \"25M\"\n\
         clients = 16\n[targets]\nthroughput = 100\n",
    ),
    (
        "ycsb.toml",
        "engine = \"innodb\"\nregion = \"us-west-2\"\n[ycsb]\nworkload = \"A\"\nrecords = 5\n[targets]\nthroughput = 100\n",
    ),
    (
        "sysbench.toml",
        "engine = \"innodb\"\nregion = \"us-west-2\"\n[sysbench]\ntest = \"read_write\"\ntables = 2\nrows = 10000\n\
         clients = 4\n[targets]\nthroughput = 100\n",
    ),
    (
        "fast.toml",
        "engine = \"innodb\"\nregion = \"us-west-2\"\nzones = 1\n[[nodes]]\nrole = \"storage\"\ncount = 1\n\
         instance = \"m5.2xlarge\"\ndata = \"unlimited:2GiB\"\n[settings]\nblock-cache = \"256MiB\"\n",
    ),
    (
        "tikv.toml",
        "engine = \"tikv\"\nregion = \"us-west-2\"\nzones = 1\n[[nodes]]\nrole = \"storage\"\ncount = 3\n\
         instance = \"m5.2xlarge\"\ndata = \"gp3:100GiB\"\n",
    ),
];

/// A folder; `@` at the beginning of a word stands for it.
pub(crate) struct Place {
    root: tempfile::TempDir,
    server: Mutex<Option<Server>>,
    _machine: MutexGuard<'static, ()>,
}

/// What a run left behind.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Run {
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

impl Place {
    pub(crate) fn new() -> Self {
        let machine = crate::the_machine();
        let root = tempfile::Builder::new().prefix("diskwright-sql-").tempdir_in("/dev/shm").unwrap();
        for (name, text) in FILES {
            std::fs::write(root.path().join(name), text).unwrap();
        }
        Self { root, server: Mutex::new(None), _machine: machine }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    fn command(&self, line: &str) -> Command {
        let root = format!("{}/", self.root.path().display());
        let words = line.split_whitespace().map(|word| match word.strip_prefix('@') {
            Some(name) => format!("{root}{name}"),
            None => word.to_owned(),
        });
        let mut command = Command::new(env!("CARGO_BIN_EXE_diskwright"));
        command.args(words).env("DISKWRIGHT_RUN", self.path("run")).env("NO_COLOR", "1");
        command.env_remove("DISKWRIGHT_DB_PASSWORD");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub(crate) fn spawn(&self, line: &str) -> Child {
        self.command(line).spawn().unwrap()
    }

    pub(crate) fn run(&self, line: &str) -> Run {
        self.wait(self.spawn(line))
    }

    /// With a password in the environment.
    pub(crate) fn run_as(&self, line: &str, password: &str) -> Run {
        self.wait(self.command(line).env("DISKWRIGHT_DB_PASSWORD", password).spawn().unwrap())
    }

    /// As on a machine where MariaDB is not installed.
    pub(crate) fn run_without_server(&self, line: &str) -> Run {
        self.wait(self.command(line).env("PATH", "").spawn().unwrap())
    }

    /// With the programs of a folder before all others.
    pub(crate) fn run_among(&self, line: &str, folder: &std::path::Path) -> Run {
        let path = std::env::var("PATH").unwrap_or_default();
        self.wait(self.command(line).env("PATH", format!("{}:{path}", folder.display())).spawn().unwrap())
    }

    pub(crate) fn wait(&self, child: Child) -> Run {
        let output = child.wait_with_output().unwrap();
        Run {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// The socket of the server that a run started.
    pub(crate) fn socket(&self) -> Option<PathBuf> {
        Some(self.started()?.join("sql/sql.sock"))
    }

    /// The folder of the server that a run started.
    pub(crate) fn started(&self) -> Option<PathBuf> {
        std::fs::read_dir(self.path("scratch")).ok()?.flatten().map(|entry| entry.path()).next()
    }

    /// That server's process.
    pub(crate) fn server(&self) -> Option<i32> {
        std::fs::read_to_string(self.started()?.join("sql/sql.pid")).ok()?.trim().parse().ok()
    }

    pub(crate) fn kill(&self, pid: i32, signal: Signal) {
        kill(Pid::from_raw(pid), signal).unwrap();
    }

    /// What that server answers to a question for one value.
    pub(crate) fn sql(&self, sql: &str) -> Option<String> {
        let socket = self.socket()?;
        let output = Command::new("mariadb")
            .args(["--no-defaults", "-N", "-B", "-u", "root", "-S", socket.to_str()?, "-e", sql])
            .stderr(Stdio::null())
            .output()
            .unwrap_or_else(|error| panic!("mariadb: {error}; install mariadb-server (make tools)"));
        let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        (output.status.success() && !text.is_empty()).then_some(text)
    }

    #[track_caller]
    pub(crate) fn until(&self, what: &str, mut holds: impl FnMut() -> bool) {
        let from = Instant::now();
        while !holds() {
            assert!(from.elapsed() < PATIENCE, "waited in vain until {what}");
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    /// Leaves no room on the data disk.
    pub(crate) fn fill(&self) {
        let data = self.started().unwrap().join("n1/data");
        let mut file = std::fs::File::create(data.join("filler")).unwrap();
        let zeros = vec![0; 1 << 20];
        while std::io::Write::write_all(&mut file, &zeros).is_ok() {}
    }

    /// A server of the test's own, on whose schema `mine` the user `bench` may do all without a password; its port.
    pub(crate) fn serve(&self) -> u16 {
        self.serve_with(&[], "")
    }

    /// The same with more options, and with something that is asked of the user, such as `REQUIRE SSL`.
    pub(crate) fn serve_with(&self, options: &[String], require: &str) -> u16 {
        let user = format!("CREATE USER bench@'127.0.0.1' {require}; GRANT ALL ON mine.* TO bench@'127.0.0.1'");
        let grant = format!("CREATE DATABASE mine; {user}");
        let server = Server::start(self.root.path(), options, &grant);
        let port = server.port;
        *self.server.lock().unwrap() = Some(server);
        port
    }

    /// That server's process.
    pub(crate) fn own_server(&self) -> i32 {
        self.server.lock().unwrap().as_ref().expect("one was started").child.id() as i32
    }

    /// Kills that server.
    pub(crate) fn kill_own(&self) {
        drop(self.server.lock().unwrap().take());
    }

    /// What that server answers; `None` if it does not.
    pub(crate) fn own(&self, sql: &str) -> Option<String> {
        self.server.lock().unwrap().as_ref()?.ask(sql)
    }

    /// Nothing of any run is left.
    #[track_caller]
    pub(crate) fn is_clear(&self) {
        let root = self.root.path().to_str().unwrap();
        let mounts = std::fs::read_to_string("/proc/self/mounts").unwrap();
        assert!(!mounts.contains(root), "left mounted:\n{mounts}");
        let scratch = self.path("scratch");
        assert_eq!(std::fs::read_dir(&scratch).map_or(0, Iterator::count), 0, "{} is not empty", scratch.display());
    }
}
