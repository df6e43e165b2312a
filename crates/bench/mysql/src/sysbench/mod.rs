//! sysbench's OLTP tests, run by the sysbench program: its tables prepared, its report of each second read into a Timeline.

mod lines;
mod run;

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use workload::{OltpTest, SysbenchDistribution};

use crate::{SqlError, SqlTarget};

use lines::{Second, bucket, second};
pub(crate) use run::KIND;

/// A test of sysbench with its tables.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SysbenchTest {
    /// Which test.
    pub test: OltpTest,
    /// Tables.
    pub tables: u64,
    /// Rows of each.
    pub rows: u64,
    /// Which rows are asked for.
    pub distribution: SysbenchDistribution,
    /// Exponent of Zipf's law.
    pub theta: f64,
}

/// Tables that sysbench fills at once.
const FILLERS: u64 = 4;

impl SysbenchTest {
    fn script(&self) -> &'static str {
        match self.test {
            OltpTest::PointSelect => "oltp_point_select",
            OltpTest::ReadOnly => "oltp_read_only",
            OltpTest::WriteOnly => "oltp_write_only",
            OltpTest::ReadWrite => "oltp_read_write",
        }
    }

    /// The names of its tables.
    pub(crate) fn names(&self) -> impl Iterator<Item = String> {
        (1..=self.tables).map(|number| format!("sbtest{number}"))
    }

    fn options(&self) -> Vec<String> {
        let distribution = match self.distribution {
            SysbenchDistribution::Special => "special",
            SysbenchDistribution::Uniform => "uniform",
            SysbenchDistribution::Zipfian => "zipfian",
        };
        let mut options = vec![
            format!("--tables={}", self.tables),
            format!("--table-size={}", self.rows),
            format!("--rand-type={distribution}"),
        ];
        // sysbench 1.0 knows no such law and refuses the option; 1.1 does.
        if self.distribution == SysbenchDistribution::Zipfian {
            options.push(format!("--rand-zipfian-exp={}", self.theta));
        }
        options
    }
}

/// The sysbench program, told how to reach a database.
#[derive(Debug)]
pub(crate) struct Sysbench {
    program: PathBuf,
    /// A file of its options for its owner only: a password has no place among the arguments.
    secrets: tempfile::NamedTempFile,
    oltp: SysbenchTest,
}

/// What one call of sysbench came to.
#[derive(Debug, Default)]
pub(crate) struct Told {
    /// When its threads started; `None` if they never did.
    pub(crate) began: Option<jiff::Timestamp>,
    pub(crate) seconds: Vec<Second>,
    /// Latencies in ms and how many transactions had each; only of a call that ended well.
    pub(crate) histogram: Vec<(f64, u64)>,
    /// Why it ended before its time, in its own words.
    pub(crate) fault: Option<String>,
}

impl Sysbench {
    /// The program.
    ///
    /// # Errors
    /// When it is missing, with the package to install.
    pub(crate) fn find() -> Result<PathBuf, SqlError> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let program = std::env::split_paths(&path).map(|folder| folder.join("sysbench")).find(|file| file.is_file());
        let install = "`apt-get install sysbench` (Debian, Ubuntu)";
        program.ok_or(SqlError::NotInstalled { program: "sysbench", install })
    }

    /// # Errors
    /// When sysbench is not installed, or does not know what the target asks for.
    pub(crate) fn new(target: &SqlTarget, oltp: SysbenchTest) -> Result<Self, SqlError> {
        let program = Self::find()?;
        if target.tls_ca.is_some() {
            let why = "sysbench takes no authority's file, so that it would trust anybody; drive the database from within its \
                       network, or with [tpcc] or [inserts]";
            return Err(SqlError::Option { option: "--tls-ca".to_owned(), why: why.to_owned() });
        }
        let failed = || SqlError::system("a file for sysbench");
        let mut secrets = tempfile::Builder::new().prefix("diskwright-").suffix(".cnf").tempfile().map_err(failed())?;
        secrets.write_all(config(target)?.as_bytes()).map_err(failed())?;
        Ok(Self { program, secrets, oltp })
    }

    fn command(&self, threads: u32, verb: &str) -> Command {
        let mut command = Command::new(&self.program);
        command.arg(format!("--config-file={}", self.secrets.path().display()));
        command.args(self.oltp.options()).arg(format!("--threads={threads}"));
        command.args(["--db-driver=mysql", "--report-interval=1", "--percentile=99", "--histogram=on"]);
        command.arg(self.oltp.script()).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // `run` comes last: options of the test go before it.
        command.arg(verb);
        command
    }

    /// Creates and fills its tables.
    ///
    /// # Errors
    /// When sysbench fails; [`SqlError::Interrupted`] if `stop` is set.
    pub(crate) fn prepare(&self, stop: &AtomicBool, tell: &mut dyn FnMut(&str)) -> Result<(), SqlError> {
        let command = self.command(FILLERS.min(self.oltp.tables.max(1)) as u32, "prepare");
        let told = self.listen(command, stop, &mut |line, _| tell(line))?;
        match told.fault {
            Some(fault) if !stop.load(Ordering::Relaxed) => Err(SqlError::Sysbench { call: "sysbench prepare", fault }),
            Some(_) => Err(SqlError::Interrupted),
            None => Ok(()),
        }
    }

    /// Runs the test for so long with so many threads. Ends early once `stop` is set. `tell` hears of each second.
    ///
    /// # Errors
    /// When sysbench cannot be started.
    pub(crate) fn run(
        &self,
        (threads, time, seed): (u32, Duration, u64),
        stop: &AtomicBool,
        tell: &mut dyn FnMut(&Second),
    ) -> Result<Told, SqlError> {
        let mut command = self.command(threads, "run");
        // Options may stand anywhere.
        command.arg(format!("--time={}", time.as_secs().max(1))).arg("--events=0").arg(format!("--rand-seed={seed}"));
        self.listen(command, stop, &mut |_, second| {
            if let Some(second) = second {
                tell(&second);
            }
        })
    }

    fn listen(
        &self,
        mut command: Command,
        stop: &AtomicBool,
        tell: &mut dyn FnMut(&str, Option<Second>),
    ) -> Result<Told, SqlError> {
        let failed = || SqlError::system(self.program.display().to_string());
        let mut child = Running(command.spawn().map_err(failed())?);
        let (sender, lines) = channel();
        // Both streams, or one that nobody reads would fill and hold it up.
        if let Some(out) = child.0.stdout.take() {
            read(out, sender.clone());
        }
        if let Some(error) = child.0.stderr.take() {
            read(error, sender);
        }
        let (mut told, mut fatal) = (Told::default(), None);
        loop {
            let line = match lines.recv_timeout(LOOK) {
                Ok(line) => line,
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) if stop.load(Ordering::Relaxed) => {
                    told.fault = Some("interrupted".to_owned());
                    return Ok(told);
                }
                Err(RecvTimeoutError::Timeout) => continue,
            };
            if line.starts_with("Threads started") {
                told.began = Some(jiff::Timestamp::now());
            }
            if line.starts_with("FATAL") || line.starts_with("invalid option") {
                // The first says why; those after it are of other threads.
                fatal.get_or_insert_with(|| line.clone());
            }
            let second = second(&line);
            told.seconds.extend(second);
            told.histogram.extend(bucket(&line));
            tell(&line, second);
        }
        let status = child.0.wait().map_err(failed())?;
        if !status.success() || fatal.is_some() {
            told.fault = Some(fatal.unwrap_or_else(|| format!("it ended with {status}")));
        }
        Ok(told)
    }
}

/// How long its lines are waited for before it is looked whether to stop.
const LOOK: Duration = Duration::from_millis(100);

/// A program that ends when this does.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill().and_then(|()| self.0.wait());
    }
}

fn read(stream: impl std::io::Read + Send + 'static, lines: std::sync::mpsc::Sender<String>) {
    std::thread::spawn(move || {
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            if lines.send(line).is_err() {
                break;
            }
        }
    });
}

/// Options that say where the database is, as the lines of a file.
fn config(target: &SqlTarget) -> Result<String, SqlError> {
    let mut text = String::new();
    let mut put = |key: &str, value: &str| -> Result<(), SqlError> {
        if value.contains(['\n', '\r']) {
            let why = "it has a line break, which sysbench cannot be told".to_owned();
            return Err(SqlError::Option { option: key.to_owned(), why });
        }
        text += &format!("{key}={value}\n");
        Ok(())
    };
    match &target.socket {
        Some(socket) => put("mysql-socket", &socket.display().to_string())?,
        None => {
            put("mysql-host", &target.host)?;
            put("mysql-port", &target.port.to_string())?;
        }
    }
    put("mysql-user", &target.user)?;
    put("mysql-db", &target.schema)?;
    if let Some(password) = &target.password {
        put("mysql-password", &password.text())?;
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Password;

    #[test]
    fn a_password_stands_in_a_private_file_that_goes_with_the_program() {
        let target =
            SqlTarget { password: Some(Password::new("hunter2".into())), ..SqlTarget::parse("mysql://u@h/s").unwrap() };
        let oltp = SysbenchTest {
            test: OltpTest::ReadWrite,
            tables: 2,
            rows: 10,
            distribution: SysbenchDistribution::Uniform,
            theta: 0.8,
        };
        let sysbench = Sysbench::new(&target, oltp).unwrap();
        let path = sysbench.secrets.path().to_owned();
        assert!(std::fs::read_to_string(&path).unwrap().contains("mysql-password=hunter2"));
        let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&path).unwrap().permissions());
        assert_eq!(mode & 0o077, 0);
        assert!(!format!("{:?}", sysbench.command(1, "run")).contains("hunter2"));
        drop(sysbench);
        assert!(!path.exists());
    }

    #[test]
    fn tls_is_refused_where_nobody_would_be_checked() {
        let target = SqlTarget { tls_ca: Some("ca.pem".into()), ..SqlTarget::parse("mysql://u@h/s").unwrap() };
        let oltp = SysbenchTest {
            test: OltpTest::ReadWrite,
            tables: 1,
            rows: 1,
            distribution: SysbenchDistribution::Special,
            theta: 0.8,
        };
        assert_eq!(Sysbench::new(&target, oltp).unwrap_err().exit_code(), 2);
    }
}
