//! A MariaDB of a test's own, which ends with it.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Longer than a start takes, on a machine that does much else too.
const PATIENCE: Duration = Duration::from_secs(240);

/// A server on loopback.
pub(crate) struct Server {
    child: Child,
    socket: PathBuf,
    pub(crate) port: u16,
}

impl Server {
    /// Its files under `root`; `first` is what is asked of it as soon as it answers.
    #[track_caller]
    pub(crate) fn start(root: &Path, options: &[String], first: &str) -> Self {
        let (data, socket) = (root.join("data"), root.join("own.sock"));
        let own = |option: &str, path: &Path| format!("--{option}={}", path.display());
        let install = Command::new("mariadb-install-db")
            .args(["--no-defaults", "--user=root", "--auth-root-authentication-method=normal", "--skip-test-db"])
            .arg(own("datadir", &data))
            .output()
            .unwrap_or_else(|error| panic!("mariadb-install-db: {error}; install mariadb-server (make tools)"));
        assert!(install.status.success(), "{}", String::from_utf8_lossy(&install.stdout));
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let child = Command::new("mariadbd")
            .args(["--no-defaults", "--user=root", "--bind-address=127.0.0.1", "--skip-name-resolve"])
            .args([own("datadir", &data), own("socket", &socket), format!("--port={port}")])
            .args(options)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let server = Self { child, socket, port };
        let from = Instant::now();
        while server.ask(first).is_none() {
            assert!(from.elapsed() < PATIENCE, "waited in vain until the test's own server answers");
            std::thread::sleep(Duration::from_millis(100));
        }
        server
    }

    /// Its process.
    pub(crate) fn pid(&self) -> i32 {
        self.child.id() as i32
    }

    /// What it answers its root; `None` if it does not, or refuses.
    pub(crate) fn ask(&self, sql: &str) -> Option<String> {
        let output = Command::new("mariadb")
            .args(["--no-defaults", "-N", "-B", "-u", "root", "-S", self.socket.to_str()?, "-e", sql])
            .stderr(Stdio::null())
            .output()
            .ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill().and_then(|()| self.child.wait());
    }
}
