//! A MariaDB of our own on mounted disks: created, started, killed, started again, gone.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use cluster::{ClusterError, HostProgram, NodeHost};
use private_dir::LocalUser;

use crate::connection::Connection;
use crate::settings::FILES;
use crate::{SqlError, SqlTarget};

/// The programs of a MariaDB.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MariadbPrograms {
    /// `mariadbd`.
    pub server: PathBuf,
    /// `mariadb-install-db`.
    pub install: PathBuf,
}

impl MariadbPrograms {
    /// Those in `PATH` and in the folders of system programs.
    ///
    /// # Errors
    /// When one is missing, with the package to install.
    pub fn find() -> Result<Self, SqlError> {
        Self::among(&std::env::var_os("PATH").unwrap_or_default())
    }

    fn among(path: &std::ffi::OsStr) -> Result<Self, SqlError> {
        let system = if path.is_empty() { vec![] } else { vec![PathBuf::from("/usr/sbin"), "/usr/local/sbin".into()] };
        let folders: Vec<PathBuf> = std::env::split_paths(path).chain(system).collect();
        let find = |name: &'static str| {
            let install = "`apt-get install mariadb-server` (Debian, Ubuntu), and stop the service that it starts";
            let found = folders.iter().map(|folder| folder.join(name)).find(|program| program.is_file());
            found.ok_or(SqlError::NotInstalled { program: name, install })
        };
        Ok(Self { server: find("mariadbd")?, install: find("mariadb-install-db")? })
    }
}

/// A MariaDB that runs on mounted disks. However it goes, nothing of it is left when it is dropped.
#[derive(Debug)]
pub struct MariaDb {
    /// Before the host, which clears away what it runs on. None while it is down.
    program: Mutex<Option<HostProgram>>,
    programs: MariadbPrograms,
    settings: PathBuf,
    target: SqlTarget,
    restarts: AtomicU32,
    patience: Duration,
    stop: Arc<AtomicBool>,
    host: NodeHost,
}

/// The schema of a server that is started here.
const SCHEMA: &str = "bench";

/// How often to look whether a program is ready.
const LOOK: Duration = Duration::from_millis(50);

/// The folder on the host for its socket, settings and temporary files.
const FOLDER: &str = "sql";

impl MariaDb {
    /// Makes the folder on the host for its socket, settings and temporary files, which only it and root can enter, and in it the
    /// only one that statements can read files from and write files to.
    ///
    /// # Errors
    /// When they cannot be made.
    pub fn folder(host: &NodeHost) -> Result<PathBuf, SqlError> {
        let folder = host.private_folder(FOLDER)?;
        host.private_folder(&format!("{FOLDER}/{FILES}"))?;
        Ok(folder)
    }

    /// Creates its files on the host's disks and starts it, with its [`folder`](Self::folder); `settings` is the text of its
    /// settings' file, over which `first`, variables and values, count until it is started again. Waits for it at most `patience`,
    /// and not once `stop` is set. Only the user of this process can log in, without a password, by the socket.
    ///
    /// # Errors
    /// When its files cannot be created or it does not start, with the end of what it said.
    pub fn start(
        (host, folder): (NodeHost, &Path),
        programs: &MariadbPrograms,
        settings: &str,
        first: &[(&str, String)],
        patience: Duration,
        stop: &Arc<AtomicBool>,
    ) -> Result<Self, SqlError> {
        let file = folder.join("sql.cnf");
        host.private_file(&file, settings)?;
        let redo = host.disk("redo").map(|_| ("redo", "mysql"));
        for (disk, below) in [("data", "mysql"), ("data", "binlog")].into_iter().chain(redo) {
            host.folder_on(disk, below)?;
        }
        let own = LocalUser::current();
        let user = own.name().ok_or_else(|| SqlError::NoAccount { user: own.to_string() })?;
        let target = SqlTarget {
            host: "localhost".to_owned(),
            port: 0,
            socket: Some(folder.join("sql.sock")),
            user,
            password: None,
            schema: SCHEMA.to_owned(),
            tls_ca: None,
            tls_identity: None,
        };
        let server = Self {
            program: Mutex::new(None),
            programs: programs.clone(),
            settings: file,
            target,
            restarts: AtomicU32::new(0),
            patience,
            stop: stop.clone(),
            host,
        };
        server.create()?;
        server.launch(first)?;
        Ok(server)
    }

    /// Its files: the system tables.
    fn create(&self) -> Result<(), SqlError> {
        let arguments = [
            format!("--defaults-file={}", self.settings.display()),
            "--auth-root-authentication-method=socket".to_owned(),
            format!("--auth-root-socket-user={}", self.target.user),
            "--skip-test-db".to_owned(),
        ];
        let install = self.host.launch("install", &self.programs.install, &arguments)?;
        let from = Instant::now();
        while install.is_running() {
            self.go_on()?;
            if from.elapsed() > self.patience {
                return Err(self.failed("mariadb-install-db", "takes too long", &install));
            }
            std::thread::sleep(LOOK);
        }
        match install.ended() {
            Some(status) if status.success() => Ok(()),
            _ => Err(self.failed("mariadb-install-db", "failed", &install)),
        }
    }

    /// Starts it and waits until it answers.
    fn launch(&self, first: &[(&str, String)]) -> Result<(), SqlError> {
        let mut arguments = vec![format!("--defaults-file={}", self.settings.display())];
        arguments.extend(first.iter().map(|(key, value)| format!("--{key}={value}")));
        let program = self.host.launch("sql", &self.programs.server, &arguments)?;
        *self.program() = Some(program);
        let from = Instant::now();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(SqlError::system("a runtime"))?;
        loop {
            self.go_on()?;
            match runtime.block_on(Connection::open(&self.target, false)) {
                Ok(connection) => {
                    runtime.block_on(connection.close());
                    return Ok(());
                }
                Err(_) if self.is_running() && from.elapsed() < self.patience => std::thread::sleep(LOOK),
                Err(error) => {
                    let program = self.program().take();
                    let what = format!("does not answer ({error})");
                    return match program {
                        Some(program) => Err(self.failed("mariadbd", &what, &program)),
                        None => {
                            Err(ClusterError::Program { name: "mariadbd".to_owned(), what, said: String::new() }.into())
                        }
                    };
                }
            }
        }
    }

    fn failed(&self, name: &str, what: &str, program: &HostProgram) -> SqlError {
        let log = std::fs::read(program.log()).unwrap_or_default();
        let errors = errors(&String::from_utf8_lossy(&log));
        if let Some(unknown) = errors.lines().find(|line| line.contains("unknown variable")) {
            let why = format!("MariaDB does not know it: {unknown}");
            return SqlError::Option { option: "--set".to_owned(), why };
        }
        let said = if errors.is_empty() { program.said() } else { errors };
        ClusterError::Program { name: name.to_owned(), what: format!("{what}; its log"), said }.into()
    }

    fn go_on(&self) -> Result<(), SqlError> {
        if self.stop.load(Ordering::Relaxed) { Err(SqlError::Interrupted) } else { Ok(()) }
    }

    fn program(&self) -> MutexGuard<'_, Option<HostProgram>> {
        // What it holds is true at any instant.
        self.program.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How to connect to it.
    pub fn target(&self) -> &SqlTarget {
        &self.target
    }

    /// What it runs on.
    pub fn host(&self) -> &NodeHost {
        &self.host
    }

    /// Its process, while it runs.
    pub fn pid(&self) -> Option<i32> {
        self.program().as_ref().filter(|program| program.is_running()).map(HostProgram::pid)
    }

    /// Whether it has not ended.
    pub fn is_running(&self) -> bool {
        self.pid().is_some()
    }

    /// Kills it at once, as a crash would. Its disks, and what it had written to them, stay.
    pub fn kill9(&self) {
        if let Some(program) = self.program().take() {
            program.kill9();
        }
    }

    /// Starts it again if it does not run, and waits until it has recovered and answers.
    ///
    /// # Errors
    /// When it does not; with the end of what it said.
    pub fn restart(&self) -> Result<(), SqlError> {
        if self.is_running() {
            return Ok(());
        }
        self.restarts.fetch_add(1, Ordering::Relaxed);
        self.launch(&[])
    }

    /// How often it was started again.
    pub fn restarts(&self) -> u32 {
        self.restarts.load(Ordering::Relaxed)
    }

    /// Its log, the last lines.
    pub fn said(&self) -> String {
        self.program().as_ref().map(HostProgram::said).unwrap_or_default()
    }

    /// Ends it and clears all away, also the data.
    ///
    /// # Errors
    /// When something stays: a disk that somebody uses.
    pub fn end(self) -> Result<(), SqlError> {
        // Not in order: it would write all pages back to disks that are about to be deleted.
        self.kill9();
        Ok(self.host.clear()?)
    }
}

/// The errors of a log, the last five: what stands around them does not help.
fn errors(log: &str) -> String {
    const MOST: usize = 5;
    let lines: Vec<&str> = log.lines().filter(|line| line.contains("[ERROR]")).collect();
    lines[lines.len().saturating_sub(MOST)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_log_its_last_errors_are_told() {
        let log: String = (0..9).map(|at| format!("[Note] {at}\n[ERROR] {at}\n")).collect();
        assert_eq!(errors(&log), (4..9).map(|at| format!("[ERROR] {at}")).collect::<Vec<_>>().join("\n"));
        assert_eq!(errors("[Warning] all is well"), "");
    }

    #[test]
    fn a_missing_server_is_told_with_its_package() {
        let error = MariadbPrograms::among(std::ffi::OsStr::new("")).unwrap_err();
        assert!(error.exit_code() == 3 && error.to_string().contains("apt-get install mariadb-server"), "{error}");
    }
}
