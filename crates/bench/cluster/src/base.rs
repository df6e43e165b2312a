//! The base of a cluster: its folder, its record, and the thread that keeps its programs.

use std::fs::{DirBuilder, File, Permissions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use deployment::Deployment;
use mount::{MountHome, MountRequest};
use private_dir::FolderPurpose;
use units::Bytes;

use crate::account::Account;
use crate::cgroup::Group;
use crate::keeper::{Keeper, Order};
use crate::process::Process;
use crate::record::{self, Record};
use crate::{ClusterError, ClusterOptions, PlacementDriver, RegionLayout};

/// PD's `schedule.tolerant-size-ratio` that spreads leaders as evenly as they can be: with its own choice the stores of so few regions
/// could differ by ten leaders, and one node be measured for another.
const EVEN: f64 = 0.5;

/// The base of a cluster, which must be cleared away.
#[derive(Debug)]
pub(crate) struct ClusterBase {
    home: MountHome,
    /// The scratch folder, without links.
    pub(crate) scratch: PathBuf,
    /// In the scratch folder. Programs pass through it to what is theirs; all else in it is this process's alone.
    pub(crate) folder: PathBuf,
    record: Mutex<Record>,
    keeper: Keeper,
    account: Option<Account>,
    pub(crate) options: ClusterOptions,
}

impl ClusterBase {
    pub(crate) fn new(home: &MountHome, scratch: &Path, options: &ClusterOptions) -> Result<Self, ClusterError> {
        let scratch = private_dir::open(scratch, FolderPurpose::SCRATCH)?;
        let failed = |error: std::io::Error| ClusterError::system(scratch.display(), error);
        let account = Account::for_programs()?;
        let keeper = Keeper::new()?;
        let own = Permissions::from_mode(0o700);
        let folder = tempfile::Builder::new().prefix(record::PREFIX).permissions(own).tempdir_in(&scratch);
        let folder = folder.map_err(failed)?.keep();
        let record = Mutex::new(Record::new());
        let base = Self { home: home.clone(), scratch, folder, record, keeper, account, options: options.clone() };
        base.begin(|_| ())?;
        base.admit()?;
        Ok(base)
    }

    /// Lets programs that run as another user pass to what is theirs.
    fn admit(&self) -> Result<(), ClusterError> {
        let Some(account) = self.account else { return Ok(()) };
        for folder in [&self.scratch, &self.folder] {
            account.admit(folder).map_err(|error| ClusterError::system(folder.display(), error))?;
        }
        match account.stopped_at(&self.scratch) {
            None => Ok(()),
            Some(at) => {
                let (scratch, account) = (self.scratch.clone(), account.to_string());
                Err(ClusterError::Impassable { scratch, account, at })
            }
        }
    }

    /// Makes a folder for a program alone, in the cluster's folder or on one of its disks.
    pub(crate) fn give(&self, folder: &Path) -> Result<(), ClusterError> {
        let made = DirBuilder::new().mode(0o700).create(folder);
        let made = made.and_then(|()| self.account.map_or(Ok(()), |account| account.give(&File::open(folder)?)));
        made.map_err(|error| ClusterError::system(folder.display(), error))
    }

    /// Writes a file that a program alone reads and writes, aside first: what the program may have put in its place is replaced,
    /// not followed.
    pub(crate) fn give_file(&self, path: &Path, text: &str) -> Result<(), ClusterError> {
        let write = || {
            let mut file = tempfile::NamedTempFile::new_in(path.parent().unwrap_or(&self.folder))?;
            file.write_all(text.as_bytes())?;
            self.account.map_or(Ok(()), |account| account.give(file.as_file()))?;
            file.persist(path).map(drop).map_err(std::io::Error::from)
        };
        write().map_err(|error| ClusterError::system(path.display(), error))
    }

    /// Mounts disks in a folder of the cluster's, and lets programs pass to them.
    pub(crate) fn mount(&self, request: &MountRequest) -> Result<mount::MountedNode, ClusterError> {
        self.begin(|record| record.mounts.push(request.dir.clone()))?;
        let mounted = mount::up(&self.home, request)?;
        if let Some(account) = self.account {
            account.admit(&request.dir).map_err(|error| ClusterError::system(request.dir.display(), error))?;
        }
        Ok(mounted)
    }

    /// Writes down what is about to be begun.
    pub(crate) fn begin(&self, what: impl FnOnce(&mut Record)) -> Result<(), ClusterError> {
        let mut record = self.record.lock().unwrap_or_else(PoisonError::into_inner);
        what(&mut record);
        record.write(&self.folder)
    }

    /// Starts a program and writes it down.
    pub(crate) fn launch(
        &self,
        name: &str,
        (program, arguments): (&Path, &[String]),
        door: Option<PathBuf>,
        log: &Path,
    ) -> Result<Process, ClusterError> {
        let order = Order { program, arguments, door, account: self.account, cluster: &self.folder };
        let process = Process::start(&self.keeper, name, &order, log)?;
        self.begin(|record| record.processes.push(process.identity()))?;
        Ok(process)
    }

    pub(crate) fn start_pd(
        &self,
        program: &Path,
        stores: u32,
        replicas: u32,
    ) -> Result<(PlacementDriver, Process), ClusterError> {
        let folder = self.folder.join("pd");
        self.give(&folder)?;
        let regions = match &self.options.regions {
            RegionLayout::Even(regions) => ["--regions".to_owned(), regions.to_string()],
            RegionLayout::At(keys) => {
                let file = folder.join("split-keys");
                let hex = |key: &Vec<u8>| key.iter().map(|byte| format!("{byte:02x}")).collect::<String>() + "\n";
                self.give_file(&file, &keys.iter().map(hex).collect::<String>())?;
                ["--split-keys".to_owned(), file.display().to_string()]
            }
        };
        let mut arguments: Vec<String> =
            ["--name", "pd1", "--client-urls", "http://127.0.0.1:0"].map(str::to_owned).into();
        arguments.extend(["--data-dir".to_owned(), folder.display().to_string()]);
        arguments.extend(["--tolerant-size-ratio".to_owned(), EVEN.to_string()]);
        arguments.extend(["--stores".to_owned(), stores.to_string(), "--replicas".to_owned(), replicas.to_string()]);
        arguments.extend(regions);
        let log = self.pd_log();
        let mut process = self.launch("pd", (program, &arguments), None, &log)?;
        let ready = process.starting().ready(&self.options, &log)?;
        Ok((PlacementDriver::new(ready.addr)?, process))
    }

    /// What the placement driver says.
    pub(crate) fn pd_log(&self) -> PathBuf {
        self.folder.join("pd.log")
    }

    pub(crate) fn request(
        &self,
        folder: &Path,
        deployment: &Deployment,
        number: u32,
    ) -> Result<MountRequest, ClusterError> {
        let request = MountRequest::of_deployment(folder, deployment, number)?;
        // What never waits would still wait for the instance's caps.
        let unlimited = request.disks.iter().all(|wanted| wanted.disk.volume.is_unlimited());
        Ok(MountRequest {
            backing: self.options.backing.clone().unwrap_or_else(|| self.folder.join("backing")),
            seed: self.options.seed.wrapping_add(u64::from(number)),
            credits: self.options.credits,
            instance: request.instance.clone().filter(|_| !unlimited),
            ..request
        })
    }

    pub(crate) fn group(&self, name: &str, limit: Bytes) -> Result<Group, ClusterError> {
        let group = format!("{}{name}", record::group_prefix(&self.folder));
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

impl Drop for ClusterBase {
    fn drop(&mut self) {
        if let Err(error) = self.clear() {
            textfile::log_line(format_args!("not all of the cluster is cleared away: {error}"));
        }
    }
}
