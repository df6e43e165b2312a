//! Disks brought up and down through the binary, in a state folder and a backing folder of their own.

use std::error::Error;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::Value;
use tempfile::TempDir;
use units::Bytes;

/// Where the backing files lie: memory, so that only the disk's own limits are measured.
const MEMORY: &str = "/dev/shm";

/// A state folder, a backing folder, and the disks mounted from them.
pub(crate) struct Rig {
    scratch: TempDir,
    dirs: AtomicU32,
}

/// Disks that are mounted; dropping it takes them down and deletes their data.
pub(crate) struct Mounted<'a> {
    rig: &'a Rig,
    pub(crate) dir: PathBuf,
    /// What the program told when it had mounted them.
    node: Value,
    up: bool,
}

impl Rig {
    pub(crate) fn new() -> Result<Self, Box<dyn Error>> {
        let scratch = tempfile::Builder::new().prefix("diskwright-mounted-").tempdir_in(MEMORY);
        Ok(Self { scratch: scratch.map_err(|e| format!("{MEMORY}: {e}"))?, dirs: AtomicU32::new(0) })
    }

    /// A path in the scratch folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.scratch.path().join(name)
    }

    /// The binary, with these folders.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_diskwright"));
        command.args(args).stdin(Stdio::null());
        command.env("DISKWRIGHT_RUN", self.path("run")).env("DISKWRIGHT_BACKING", self.path("backing"));
        command
    }

    /// Runs the binary with `--json` and gives its answer.
    pub(crate) fn json(&self, args: &[&str]) -> Result<Value, Box<dyn Error>> {
        let output = self.command(&[args, &["--json"]].concat()).output()?;
        let (text, message) = (String::from_utf8(output.stdout)?, String::from_utf8_lossy(&output.stderr).into_owned());
        if !output.status.success() {
            return Err(format!("diskwright {}: {}: {text}{message}", args.join(" "), output.status).into());
        }
        serde_json::from_str(&text).map_err(|e| format!("diskwright {}: {e}: {text}", args.join(" ")).into())
    }

    /// `diskwright mount`.
    pub(crate) fn mount(&self, disk: &str, options: &[&str]) -> Result<Mounted<'_>, Box<dyn Error>> {
        self.bring_up(self.new_dir(), &["mount", disk], options)
    }

    /// The same again, at a place whose data is there from before.
    pub(crate) fn mount_again(&self, dir: &Path, disk: &str, options: &[&str]) -> Result<Mounted<'_>, Box<dyn Error>> {
        self.bring_up(dir.to_owned(), &["mount", disk], options)
    }

    /// `diskwright up` with the text of a deployment.
    pub(crate) fn up(&self, deployment: &str, options: &[&str]) -> Result<Mounted<'_>, Box<dyn Error>> {
        let file = self.path("deployment.toml");
        fs::write(&file, deployment)?;
        self.bring_up(self.new_dir(), &["up", text(&file)?], options)
    }

    fn new_dir(&self) -> PathBuf {
        let number = self.dirs.fetch_add(1, Ordering::Relaxed);
        self.path(&format!("disk{number}"))
    }

    fn bring_up(&self, dir: PathBuf, what: &[&str], options: &[&str]) -> Result<Mounted<'_>, Box<dyn Error>> {
        let node = self.json(&[what, &[text(&dir)?], options].concat())?;
        Ok(Mounted { rig: self, dir, node, up: true })
    }
}

impl Mounted<'_> {
    /// A file written to its end, for blocks never written read without any I/O.
    pub(crate) fn file(&self, under: &str, size: Bytes) -> Result<PathBuf, Box<dyn Error>> {
        let path = self.dir.join(under).join("data");
        write_out(&path, size)?;
        Ok(path)
    }

    /// The file that keeps the data of the one disk.
    pub(crate) fn backing(&self) -> Result<PathBuf, Box<dyn Error>> {
        let path = self.node["disks"][0]["backing"].as_str();
        Ok(path.ok_or_else(|| format!("no backing file in {}", self.node))?.into())
    }

    /// A counter or gauge of the metrics that are served on loopback: the only line of that name with that label.
    pub(crate) fn metric(&self, name: &str, label: &str) -> Result<f64, Box<dyn Error>> {
        let url = self.node["metrics"].as_str().ok_or_else(|| format!("no metrics in {}", self.node))?;
        let (host, path) = url.strip_prefix("http://").and_then(|rest| rest.split_once('/')).ok_or("no address")?;
        let mut stream = TcpStream::connect(host)?;
        write!(stream, "GET /{path} HTTP/1.0\r\nHost: {host}\r\n\r\n")?;
        let mut page = String::new();
        stream.read_to_string(&mut page)?;
        let line = page.lines().find(|line| line.starts_with(name) && line.contains(label));
        let value = line.and_then(|line| line.rsplit(' ').next());
        Ok(value.ok_or_else(|| format!("{url} has no {name} with {label}: {page}"))?.parse()?)
    }

    /// Takes the disks down and leaves their data.
    pub(crate) fn down(mut self) -> Result<(), Box<dyn Error>> {
        self.up = false;
        self.rig.json(&["down", text(&self.dir)?]).map(drop)
    }
}

impl Drop for Mounted<'_> {
    fn drop(&mut self) {
        if !self.up {
            return;
        }
        let dir = self.dir.clone();
        let down = text(&dir).and_then(|dir| self.rig.json(&["down", dir, "--delete"]));
        if let Err(e) = down {
            eprintln!("{} is left behind: {e}", dir.display());
        }
    }
}

/// Writes a file of this size, and waits until it is on the disk.
fn write_out(path: &Path, size: Bytes) -> std::io::Result<()> {
    let mut file = File::create_new(path)?;
    let chunk: Vec<u8> = (0..1u32 << 20).map(|i| (i % 251) as u8).collect();
    for _ in 0..size.0.div_ceil(chunk.len() as u64) {
        file.write_all(&chunk)?;
    }
    file.sync_all()
}

/// The path as an argument.
pub(crate) fn text(path: &Path) -> Result<&str, Box<dyn Error>> {
    path.to_str().ok_or_else(|| format!("{}: not UTF-8", path.display()).into())
}
