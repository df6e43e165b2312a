//! Runs fio.

use std::io;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::output;
use super::{FioJob, FioReport};

/// Why fio did not measure.
#[derive(Debug, thiserror::Error)]
pub enum FioError {
    /// It is not installed.
    #[error("fio is not installed, and it does the measuring: apt-get install fio")]
    Missing,
    /// It could not be started.
    #[error("fio could not be started: {source}")]
    Start {
        /// Why.
        source: io::Error,
    },
    /// It, or the disk under it, failed.
    #[error("fio failed: {message}")]
    Failed {
        /// What it said.
        message: String,
    },
    /// It printed something else than its JSON.
    #[error("fio's output is not as expected ({what}): is this fio 3.x?")]
    Unreadable {
        /// What is wrong.
        what: String,
    },
}

/// What carries out jobs: fio, or a model of it.
pub trait JobRunner: Send {
    /// Runs jobs side by side to their end.
    ///
    /// # Errors
    /// When fio cannot be started or fails.
    fn run(&mut self, jobs: &[FioJob]) -> Result<FioReport, FioError>;
}

/// The program itself.
#[derive(Debug, Clone)]
pub struct FioProgram {
    binary: PathBuf,
}

impl Default for FioProgram {
    /// `fio` of the search path.
    fn default() -> Self {
        Self { binary: "fio".into() }
    }
}

impl FioProgram {
    /// Another build of it.
    pub fn at(binary: impl Into<PathBuf>) -> Self {
        Self { binary: binary.into() }
    }
}

impl JobRunner for FioProgram {
    fn run(&mut self, jobs: &[FioJob]) -> Result<FioReport, FioError> {
        let mut command = Command::new(&self.binary);
        command.arg("--output-format=json+");
        for (index, job) in jobs.iter().enumerate() {
            command.args(job.arguments(index));
        }
        // fio leaves state files of interrupted verifications in its working folder.
        command.current_dir("/").stdin(Stdio::null());
        let output = command.output().map_err(|source| match source.kind() {
            io::ErrorKind::NotFound => FioError::Missing,
            _ => FioError::Start { source },
        })?;
        let said = String::from_utf8_lossy(&output.stdout);
        if !output.status.success() {
            return Err(FioError::Failed { message: complaint(&output.stderr, &said, output.status.to_string()) });
        }
        output::parse(&said, jobs.len())
    }
}

/// The lines with which fio tells what went wrong: first those on its error stream, else those before its JSON.
fn complaint(stderr: &[u8], stdout: &str, status: String) -> String {
    let stderr = String::from_utf8_lossy(stderr);
    let before = stdout.split('{').next().unwrap_or_default();
    let lines = |text: &str| {
        let told: Vec<_> = text.lines().map(str::trim).filter(|line| !line.is_empty()).take(4).collect();
        (!told.is_empty()).then(|| told.join("; "))
    };
    lines(&stderr).or_else(|| lines(before)).unwrap_or(status)
}

/// Runs jobs side by side with the fio of the search path.
///
/// # Errors
/// When fio is missing or fails.
pub fn run(jobs: &[FioJob]) -> Result<FioReport, FioError> {
    FioProgram::default().run(jobs)
}
