//! What all of a cluster stands on: its folder, its record, and the thread that keeps its programs.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use deployment::Deployment;
use mount::{Home, Request};
use units::Bytes;

use crate::cgroup::Group;
use crate::keeper::{Keeper, Order};
use crate::process::Process;
use crate::record::{self, Record};
use crate::{ClusterError, Options, Pd, Regions};

/// What all of a cluster stands on, and must be cleared away.
#[derive(Debug)]
pub(crate) struct Ground {
    home: Home,
    pub(crate) folder: PathBuf,
    record: Mutex<Record>,
    keeper: Keeper,
    pub(crate) options: Options,
}

impl Ground {
    pub(crate) fn new(home: &Home, scratch: &Path, options: &Options) -> Result<Self, ClusterError> {
        let failed = |error: std::io::Error| ClusterError::system(scratch.display(), error);
        std::fs::create_dir_all(scratch).map_err(failed)?;
        let keeper = Keeper::new()?;
        let folder = tempfile::Builder::new().prefix(record::PREFIX).tempdir_in(scratch).map_err(failed)?.keep();
        let record = Mutex::new(Record::new());
        let ground = Self { home: home.clone(), folder, record, keeper, options: options.clone() };
        ground.begin(|_| ())?;
        Ok(ground)
    }

    /// Writes down what is about to be begun.
    pub(crate) fn begin(&self, what: impl FnOnce(&mut Record)) -> Result<(), ClusterError> {
        let mut record = self.record.lock().unwrap_or_else(PoisonError::into_inner);
        what(&mut record);
        record.write(&self.folder)
    }

    /// Starts a program and writes it down.
    pub(crate) fn launch(&self, name: &str, order: &Order<'_>, log: &Path) -> Result<Process, ClusterError> {
        let process = Process::start(&self.keeper, name, order, log)?;
        self.begin(|record| record.processes.push(process.identity()))?;
        Ok(process)
    }

    pub(crate) fn start_pd(&self, program: &Path, stores: u32, replicas: u32) -> Result<(Pd, Process), ClusterError> {
        let folder = self.folder.join("pd");
        let failed = |error: std::io::Error| ClusterError::system(folder.display(), error);
        std::fs::create_dir_all(&folder).map_err(failed)?;
        let regions = match &self.options.regions {
            Regions::Even(regions) => ["--regions".to_owned(), regions.to_string()],
            Regions::At(keys) => {
                let file = self.folder.join("split-keys");
                let hex = |key: &Vec<u8>| key.iter().map(|byte| format!("{byte:02x}")).collect::<String>() + "\n";
                std::fs::write(&file, keys.iter().map(hex).collect::<String>()).map_err(failed)?;
                ["--split-keys".to_owned(), file.display().to_string()]
            }
        };
        let mut arguments: Vec<String> =
            ["--name", "pd1", "--client-urls", "http://127.0.0.1:0"].map(str::to_owned).into();
        arguments.extend(["--data-dir".to_owned(), folder.display().to_string()]);
        arguments.extend(["--stores".to_owned(), stores.to_string(), "--replicas".to_owned(), replicas.to_string()]);
        arguments.extend(regions);
        let order = Order { program, arguments: &arguments, door: None };
        let log = self.pd_log();
        let mut process = self.launch("pd", &order, &log)?;
        let ready = process.starting().ready(&self.options, &log)?;
        Ok((Pd::new(ready.addr), process))
    }

    /// What the placement driver says.
    pub(crate) fn pd_log(&self) -> PathBuf {
        self.folder.join("pd.log")
    }

    pub(crate) fn request(&self, folder: &Path, deployment: &Deployment, number: u32) -> Result<Request, ClusterError> {
        let request = Request::of_deployment(folder, deployment, number)?;
        // What never waits would still wait for the instance's caps.
        let unlimited = request.disks.iter().all(|wanted| wanted.disk.volume.is_unlimited());
        Ok(Request {
            backing: self.options.backing.clone().unwrap_or_else(|| self.folder.join("backing")),
            seed: self.options.seed.wrapping_add(u64::from(number)),
            credits: self.options.credits,
            instance: request.instance.clone().filter(|_| !unlimited),
            ..request
        })
    }

    pub(crate) fn group(&self, name: &str, limit: Bytes) -> Result<Group, ClusterError> {
        let id = self.folder.file_name().unwrap_or_default().to_string_lossy();
        let id = id.trim_start_matches(record::PREFIX).trim_start_matches('.');
        let group = format!("diskwright-{id}-{name}");
        self.begin(|record| record.groups.push(group.clone()))?;
        Group::new(&group, limit)
    }

    /// Ends and removes all that was begun; a second time it finds nothing.
    pub(crate) fn clear(&self) -> Result<(), ClusterError> {
        let mut record = self.record.lock().unwrap_or_else(PoisonError::into_inner);
        record::clear(&self.home, &record, &self.folder)?;
        *record = Record::new();
        Ok(())
    }
}

impl Drop for Ground {
    fn drop(&mut self) {
        if let Err(error) = self.clear() {
            input::log_line(format_args!("not all of the cluster is cleared away: {error}"));
        }
    }
}
