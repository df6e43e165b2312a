//! A MariaDB of a test's own, which ends with it.

use std::os::unix::fs::{DirBuilderExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::unistd::User;

/// Longer than a start takes, on a machine that does much else too.
const PATIENCE: Duration = Duration::from_secs(240);

/// A server on loopback.
pub(crate) struct Server {
    pub(crate) child: Child,
    socket: PathBuf,
    pub(crate) port: u16,
}

impl Server {
    /// Its files under `root`; `first` is what is asked of it as soon as it answers.
    #[track_caller]
    pub(crate) fn start(root: &Path, options: &[String], first: &str) -> Self {
        // As the package's user, in a folder that only it and root can enter; nobody but root has all rights to it.
        let own = root.join("own");
        std::fs::DirBuilder::new().mode(0o700).create(&own).unwrap();
        let user = User::from_name("mysql").unwrap().expect("the package mariadb-server makes its user");
        chown(&own, Some(user.uid.as_raw()), Some(user.gid.as_raw())).unwrap();
        let (data, socket) = (own.join("data"), own.join("sock"));
        let named = |option: &str, path: &Path| format!("--{option}={}", path.display());
        let install = Command::new("mariadb-install-db")
            .args(["--no-defaults", "--user=mysql", "--auth-root-authentication-method=socket", "--skip-test-db"])
            .arg("--auth-root-socket-user=root")
            .arg(named("datadir", &data))
            .output()
            .unwrap_or_else(|error| panic!("mariadb-install-db: {error}; install mariadb-server (make tools)"));
        assert!(install.status.success(), "{}", String::from_utf8_lossy(&install.stdout));
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let child = Command::new("mariadbd")
            .args(["--no-defaults", "--user=mysql", "--bind-address=127.0.0.1", "--skip-name-resolve"])
            .args([named("datadir", &data), named("socket", &socket), named("secure-file-priv", &data)])
            .arg(format!("--port={port}"))
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
