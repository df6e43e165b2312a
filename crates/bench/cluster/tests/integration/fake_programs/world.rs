//! A private world for one test: disks are real, PD and the nodes are shell scripts, and what they serve over HTTP is served
//! by the test.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use cluster::{ClusterError, ClusterOptions, ClusterPrograms, RunningCluster, TestBed};
use deployment::Deployment;
use mount::MountHome;
use units::Bytes;

/// Ends when it is asked to, and leaves its arguments and its number where the test finds them.
const STORE: &str = r#"#!/bin/sh
while [ $# -gt 0 ]; do case "$1" in --data-dir) data="$2";; esac; shift; done
echo "started" >> "$data/starts"
echo "hello from $$" >&2
trap 'exit 0' TERM
echo '{"addr":"127.0.0.1:1","status_addr":"HTTP"}'
while :; do sleep 0.02; done
"#;

const PD: &str = "#!/bin/sh\necho '{\"addr\":\"HTTP\"}'\ntrap 'exit 0' TERM\nwhile :; do sleep 0.02; done\n";

/// Where one test runs.
pub(crate) struct World {
    root: PathBuf,
    programs: PathBuf,
    http: SocketAddr,
}

impl World {
    pub(crate) fn new() -> Self {
        assert!(Path::new("/dev/fuse").exists(), "these tests mount disks: run them as root, with /dev/fuse");
        let memory = Path::new("/dev/shm");
        let parent = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
        Self::at(tempfile::Builder::new().prefix("fake-cluster-").tempdir_in(parent).unwrap().keep())
    }

    pub(crate) fn at(root: PathBuf) -> Self {
        let world = Self { programs: root.clone(), root, http: serve() };
        world.program("diskwright-pd", PD);
        world.program("diskwright-store", STORE);
        world
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Puts a script in the place of a program.
    pub(crate) fn program(&self, name: &str, script: &str) {
        let path = self.programs.join(name);
        fs::write(&path, script.replace("HTTP", &self.http.to_string())).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Moves the programs to a folder that only root can enter.
    pub(crate) fn hide_programs(&mut self) {
        let hidden = self.root.join("hidden");
        fs::create_dir(&hidden).unwrap();
        fs::set_permissions(&hidden, fs::Permissions::from_mode(0o700)).unwrap();
        self.programs = hidden;
        self.program("diskwright-pd", PD);
        self.program("diskwright-store", STORE);
    }

    pub(crate) fn lab(&self) -> TestBed {
        let tests = std::env::current_exe().unwrap();
        let daemon = tests.parent().and_then(Path::parent).unwrap().join("examples/cluster_disks");
        assert!(daemon.is_file(), "{} is not built: cargo build --examples", daemon.display());
        let (store, pd) = (self.programs.join("diskwright-store"), self.programs.join("diskwright-pd"));
        let programs = ClusterPrograms { store, pd };
        TestBed {
            home: MountHome::open(self.root.join("run"), daemon).unwrap(),
            scratch: self.root.join("lab"),
            programs,
        }
    }

    pub(crate) fn start(&self, nodes: u32) -> Result<RunningCluster, ClusterError> {
        let options = ClusterOptions { memory: Some(Bytes::mib(64)), ..ClusterOptions::default() };
        RunningCluster::start(&self.lab(), &deployment(nodes), &options, &mut |_| ())
    }

    /// The control groups of clusters that are running.
    pub(crate) fn groups(&self) -> Vec<PathBuf> {
        let records = fs::read_dir(self.root.join("lab")).into_iter().flatten().flatten();
        let records = records.filter_map(|entry| fs::read(entry.path().join("cluster.json")).ok());
        let name = |group: &serde_json::Value| group.as_str().unwrap().to_owned();
        let names = records.flat_map(|record| {
            let record: serde_json::Value = serde_json::from_slice(&record).unwrap();
            record["groups"].as_array().unwrap().iter().map(name).collect::<Vec<_>>()
        });
        let root =
            ["/sys/fs/cgroup/memory", "/sys/fs/cgroup"].map(Path::new).into_iter().find(|at| at.is_dir()).unwrap();
        names.map(|name| root.join(name)).collect()
    }

    /// What is left of this world outside of its folder, in words: mounts, loop devices, processes.
    pub(crate) fn left(&self) -> Vec<String> {
        let root = self.root.to_str().unwrap();
        let mounts = fs::read_to_string("/proc/self/mounts").unwrap();
        let mut left: Vec<String> = mounts.lines().filter(|line| line.contains(root)).map(str::to_owned).collect();
        for device in fs::read_dir("/sys/block").unwrap().flatten() {
            let file = fs::read_to_string(device.path().join("loop/backing_file")).unwrap_or_default();
            left.extend(Some(file).filter(|file| file.contains(root)));
        }
        let processes =
            fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| entry.file_name().into_string().ok());
        for pid in processes.filter(|name| name.parse::<i32>().is_ok_and(|pid| pid != std::process::id() as i32)) {
            let line = fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default().replace('\0', " ");
            left.extend(Some(line).filter(|line| line.contains(root)));
        }
        let folders = fs::read_dir(self.root.join("lab")).into_iter().flatten().flatten();
        left.extend(folders.map(|entry| entry.path().display().to_string()));
        left
    }
}

impl Drop for World {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let _ = fs::remove_dir_all(&self.root);
        }
    }
}

pub(crate) fn deployment(nodes: u32) -> Deployment {
    let text = format!(
        "engine = \"tikv\"\nregion = \"us-west-2\"\nzones = 3\n[settings]\nreplicas = 1\n\
         [[nodes]]\nrole = \"storage\"\ncount = {nodes}\ninstance = \"m5.2xlarge\"\n\
         data = \"gp3:100GiB\"\nlog = \"gp3:20GiB\"\n"
    );
    Deployment::from_text(&textfile::Text::new("deployment.toml", text)).unwrap()
}

/// Answers as PD and the nodes would, for as long as the test runs.
fn serve() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = listener.local_addr().unwrap();
    std::thread::spawn(move || listener.incoming().flatten().for_each(|stream| drop(answer(stream))));
    addr
}

fn answer(mut stream: TcpStream) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let first = lines.next().transpose()?.unwrap_or_default();
    for line in lines {
        if line?.is_empty() {
            break;
        }
    }
    let (code, body) = match first.split(' ').nth(1).unwrap_or_default() {
        path if path.contains("regions/count") => ("200 OK", r#"{"count":2}"#),
        path if path.contains("stats/region") => ("200 OK", r#"{"store_leader_count":{"1":1,"4":1}}"#),
        path if path.starts_with("/metrics") => ("200 OK", "raft_engine_write_size_sum 7\n"),
        path if path.starts_with("/config") => ("500 Internal Server Error", "failed to update, error: no"),
        _ => ("404 Not Found", ""),
    };
    let length = body.len();
    write!(stream, "HTTP/1.1 {code}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}")
}
