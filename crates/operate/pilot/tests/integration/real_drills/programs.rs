//! The reference cluster as processes on plain folders.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::real_drills::PATIENCE;

/// A placement driver and three stores; they end with it.
pub(crate) struct Cluster {
    programs: Vec<Child>,
    pub(crate) pd: String,
    _folder: tempfile::TempDir,
}

/// A program beside this test, or named by a variable.
fn program(name: &str, variable: &str) -> PathBuf {
    if let Some(named) = std::env::var_os(variable) {
        return named.into();
    }
    let own = std::env::current_exe().unwrap();
    let beside = own.ancestors().skip(1).take(2).map(|folder| folder.join(name)).find(|program| program.is_file());
    beside.unwrap_or_else(|| panic!("{name} is not built: run `make store`, or name it in {variable}"))
}

/// Starts a program, which says in its first line where it serves.
fn start(program: &Path, arguments: &[&str], log: &Path) -> (Child, BufReader<std::process::ChildStdout>) {
    let log = std::fs::File::create(log).unwrap();
    let mut command = Command::new(program);
    let mut child = command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log).spawn().unwrap();
    let said = BufReader::new(child.stdout.take().unwrap());
    (child, said)
}

fn ready(said: &mut BufReader<std::process::ChildStdout>, log: &Path) -> Value {
    let mut line = String::new();
    said.read_line(&mut line).unwrap();
    serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line}{}", std::fs::read_to_string(log).unwrap()))
}

impl Cluster {
    /// With so many regions.
    pub(crate) fn start(regions: u32) -> Self {
        let regions_in_all = u64::from(regions);
        let parent = if Path::new("/dev/shm").is_dir() { "/dev/shm" } else { "/tmp" };
        // What runs in it is for this user only.
        let own = std::os::unix::fs::PermissionsExt::from_mode(0o700);
        let folder = tempfile::Builder::new().prefix("real-drills-").permissions(own).tempdir_in(parent).unwrap();
        let place = |name: &str| folder.path().join(name);
        let text = |path: PathBuf| path.to_str().unwrap().to_owned();
        let (data, log, regions) = (text(place("pd")), place("pd.log"), regions.to_string());
        let arguments = ["--client-urls", "http://127.0.0.1:0", "--data-dir", &data, "--regions", &regions];
        let (pd, mut said) = start(&program("diskwright-pd", "DISKWRIGHT_PD"), &arguments, &log);
        let mut programs = vec![pd];
        let pd = ready(&mut said, &log)["addr"].as_str().unwrap().to_owned();
        // Each waits for the others: all are started before any is waited for.
        let store = program("diskwright-store", "DISKWRIGHT_STORE");
        let stores: Vec<_> = (1..=3)
            .map(|number| {
                let (data, log) = (text(place(&format!("store-{number}"))), place(&format!("store-{number}.log")));
                std::fs::create_dir_all(&data).unwrap();
                let any = "127.0.0.1:0";
                let label = format!("zone=z{number}");
                let fixed = ["--addr", any, "--status-addr", any, "--pd-endpoints", &pd, "--data-dir", &data];
                let (child, said) = start(&store, &[&fixed[..], &["--labels", &label]].concat(), &log);
                programs.push(child);
                (said, log)
            })
            .collect();
        for (mut said, log) in stores {
            ready(&mut said, &log);
        }
        let cluster = Self { programs, pd, _folder: folder };
        let from = Instant::now();
        while !cluster.is_spread(regions_in_all) {
            assert!(from.elapsed() < PATIENCE, "{}", cluster.get("stores"));
            std::thread::sleep(Duration::from_millis(50));
        }
        cluster
    }

    /// Whether all regions are led, and leaders are spread as evenly as PD cares for.
    pub(crate) fn is_spread(&self, regions: u64) -> bool {
        const TOLERATED: u64 = 10;
        let leaders: Vec<u64> = self.leaders().into_iter().map(|(_, leaders)| leaders).collect();
        let gap = leaders.iter().max().zip(leaders.iter().min()).map(|(most, least)| most - least);
        let spread = gap.is_some_and(|gap| gap <= TOLERATED);
        spread && leaders.iter().sum::<u64>() == regions
    }

    /// Regions that each store leads; none before all have joined.
    pub(crate) fn leaders(&self) -> Vec<(u64, u64)> {
        let stores = self.get("stores");
        let count = |store: &Value| {
            Some((store["store"]["id"].as_u64()?, store["status"]["leader_count"].as_u64().unwrap_or_default()))
        };
        stores["stores"].as_array().into_iter().flatten().filter_map(count).collect()
    }

    /// PD's configuration.
    pub(crate) fn config(&self) -> Value {
        self.get("config")
    }

    /// What PD answers.
    pub(crate) fn get(&self, path: &str) -> Value {
        let url = format!("http://{}/pd/api/v1/{path}", self.pd);
        let text = ureq::get(url).call().unwrap().body_mut().read_to_string().unwrap();
        serde_json::from_str(&text).unwrap()
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for program in &mut self.programs {
            let _ = program.kill();
            let _ = program.wait();
        }
    }
}
