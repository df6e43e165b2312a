//! The server: what it is started with and what it can be told.

use std::path::PathBuf;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use catalog::InstanceCaps;
use disk::{Device, DiskFault, DiskLimits, DiskNode, InstanceLink, ModificationRules, VolumeModification};
use fuser::{BackgroundSession, Config, MountOption, Session};
use metrics::DiskLatencies;
use parking_lot::Mutex;
use rustix::mount::{UnmountFlags, unmount};
use units::Nanos;

use crate::DiskAttachment;
use crate::clock::Clock;
use crate::desk::Desk;
use crate::error::{ModifyFailure, ServeError};
use crate::files::Files;
use crate::lane::Shift;
use crate::priority;
use crate::served::Served;

/// Disks that share an instance.
#[derive(Debug, Clone)]
pub struct InstanceDisks {
    /// An empty folder, private to the user, where the disks appear as files that bear their names.
    pub folder: PathBuf,
    /// The instance type's name, for people.
    pub instance: Option<String>,
    /// The caps that all disks share; `None` if nothing is shared.
    pub caps: Option<InstanceCaps>,
    /// The disks.
    pub disks: Vec<DiskAttachment>,
    /// All that is random depends on it.
    pub seed: u64,
}

/// Disks being served. Dropping it ends the service: the folder is unmounted even if a file in it is open, and requests in
/// flight end with an error.
#[derive(Debug)]
pub struct FuseServer {
    pub(crate) desk: Arc<Desk>,
    pub(crate) instance: Option<String>,
    pub(crate) seed: u64,
    folder: PathBuf,
    running: Mutex<Option<Running>>,
}

#[derive(Debug)]
struct Running {
    session: BackgroundSession,
    senders: Vec<JoinHandle<()>>,
}

/// Threads that take requests in. Measured on two processors without limits: one and two are equally fast, four are a
/// sixth slower; with two, a request whose backing file makes it wait does not hold up all others.
const THREADS: usize = 2;

/// The longest fault: that of a power cut that nobody heals. Beyond, the model's grain grows past a nanosecond.
const LONGEST: Nanos = Nanos::secs(100 * 86_400);

fn system(what: String) -> impl FnOnce(std::io::Error) -> ServeError {
    move |source| ServeError::System { what, source }
}

impl FuseServer {
    /// Starts to serve.
    ///
    /// # Errors
    /// When a backing file cannot be opened or is in use, or when FUSE is not to be had.
    pub fn start(setup: InstanceDisks) -> Result<Self, ServeError> {
        let folder = setup.folder.canonicalize().map_err(system(format!("find {}", setup.folder.display())))?;
        let seeds = (0..).map(|i: u64| setup.seed.wrapping_add(i.wrapping_mul(0x9E37_79B9_7F4A_7C15)));
        let (mut disks, mut devices) = (Vec::new(), Vec::new());
        for (attachment, seed) in setup.disks.into_iter().zip(seeds) {
            let device = Device::new(attachment.spec.clone(), seed);
            devices.push(if attachment.degraded_minutes { device.with_degraded_minutes() } else { device });
            disks.push(Served::new(attachment, seed)?);
        }
        let node = DiskNode { host: InstanceLink::new(setup.caps.as_ref()), devices };
        let desk = Desk::new(Clock::start(), disks, node).map_err(system("make a timer".to_owned()))?;
        let desk = Arc::new(desk);
        let running = run(&desk, &folder)?;
        let running = Mutex::new(Some(running));
        Ok(Self { desk, instance: setup.instance, seed: setup.seed, folder, running })
    }

    /// The present, counted from the start.
    pub fn now(&self) -> Nanos {
        self.desk.clock.now()
    }

    /// The latencies of a disk so far.
    ///
    /// # Panics
    /// As all that takes a disk's number, when there is no such disk.
    pub fn latencies(&self, disk: usize) -> DiskLatencies {
        self.desk.disks[disk].latencies.lock().clone()
    }

    /// Lets something go wrong with a disk from now on, for a while (at most 100 days). A power cut lasts until
    /// [`Server::heal`], and loses what is in flight and, where the disk has a volatile cache, any part of what was
    /// written since the last flush. Detach and power cut fail at once what is in flight; a stall also holds it up.
    pub fn inject(&self, disk: usize, fault: DiskFault, lasts: Nanos) {
        let lasts = if fault == DiskFault::PowerCut { LONGEST } else { lasts.min(LONGEST) };
        let served = &self.desk.disks[disk];
        let mut model = self.desk.model.lock();
        let now = self.now();
        let device = &mut model.node.devices[disk];
        let before = device.stalled_until(now);
        device.inject(fault, now, now + lasts);
        let after = device.stalled_until(now);
        match fault {
            DiskFault::Stall => {
                model.meters[disk].stall(now, after);
                let by = (after - before).0 as i64;
                self.desk.lanes.iter().for_each(|lane| lane.shift(disk, Shift { at: now, from: before, by }));
            }
            DiskFault::Detach | DiskFault::PowerCut => {
                served.cut(fault == DiskFault::PowerCut);
                drop(model);
                self.desk.fail(disk);
                if let (DiskFault::PowerCut, Some(volatile)) = (fault, &served.volatile)
                    && let Err(error) = volatile.lock().lose(&served.backing, &mut *served.rng.lock())
                {
                    served.trouble(now, "write", &error);
                }
            }
            DiskFault::Slow(_) | DiskFault::Delay(_) | DiskFault::Errors(_) | DiskFault::Degrade(_) => {}
        }
    }

    /// Ends all faults of a disk: attaches it, gives it its power back, lets what a stall held up go on.
    pub fn heal(&self, disk: usize) {
        let mut model = self.desk.model.lock();
        let now = self.now();
        let device = &mut model.node.devices[disk];
        let from = device.stalled_until(now);
        let by = device.heal(now);
        model.meters[disk].free(now);
        if by > Nanos(0) {
            let shift = Shift { at: now, from, by: -(by.0 as i64) };
            self.desk.lanes.iter().for_each(|lane| lane.shift(disk, shift));
        }
    }

    /// Starts to change the limits of each volume of a disk, which then is what `disk_text` says. If the volume grows, so
    /// does its file, at once.
    ///
    /// # Errors
    /// When the rules do not allow it now, or the backing file cannot grow.
    pub fn modify(
        &self,
        disk: usize,
        to: &DiskLimits,
        disk_text: &str,
        rules: &ModificationRules,
    ) -> Result<VolumeModification, ModifyFailure> {
        let served = &self.desk.disks[disk];
        let mut model = self.desk.model.lock();
        let now = self.now();
        let size = to.size.0.saturating_mul(served.stripe.into());
        let what = || format!("grow {} to {}", served.backing.path().display(), units::Bytes(size));
        // First, for a modification that was noted cannot be taken back, but a hole can.
        let grown = size > served.size();
        if grown {
            served.backing.resize(size).map_err(|source| ServeError::System { what: what(), source })?;
        }
        let course = model.node.devices[disk].modify(now, to, rules).inspect_err(|_| {
            if grown {
                let _ = served.backing.resize(served.size());
            }
        })?;
        served.grown(size);
        served.sheet.lock().becomes(course, disk_text, to);
        Ok(course)
    }

    /// Sets the burst credits of a disk, or with `None` of the instance, to a share (0 to 1) of the full bucket.
    pub fn set_credits(&self, disk: Option<usize>, share: f64) {
        let mut model = self.desk.model.lock();
        let now = self.now();
        match disk {
            Some(disk) => model.node.devices[disk].set_credits(now, share),
            None => model.node.host.set_credits(now, share),
        }
    }

    /// Ends the service. On an error it goes on.
    ///
    /// # Errors
    /// When the folder cannot be unmounted, because a file in it is open.
    pub fn stop(&self) -> Result<(), ServeError> {
        self.end(UnmountFlags::empty())
    }

    fn end(&self, how: UnmountFlags) -> Result<(), ServeError> {
        let mut running = self.running.lock();
        if running.is_none() {
            return Ok(());
        }
        match unmount(&self.folder, how) {
            // Somebody else did.
            Ok(()) | Err(rustix::io::Errno::INVAL) => {}
            Err(error) => return Err(system(format!("unmount {}", self.folder.display()))(error.into())),
        }
        if let Some(Running { session, senders }) = running.take() {
            // Its threads end with an error where the connection was cut off, as was asked for.
            let _ = session.join();
            for lane in &self.desk.lanes {
                drop(lane.close());
            }
            senders.into_iter().for_each(|thread| drop(thread.join()));
        }
        Ok(())
    }
}

impl Drop for FuseServer {
    fn drop(&mut self) {
        // Forced, the kernel gives up the connection: nobody hangs on a disk that is gone.
        let _ = self.end(UnmountFlags::FORCE | UnmountFlags::DETACH);
    }
}

/// Mounts the folder and starts the threads.
fn run(desk: &Arc<Desk>, folder: &std::path::Path) -> Result<Running, ServeError> {
    let mut config = Config::default();
    config.mount_options = ["diskwright"].map(|name| MountOption::FSName(name.to_owned())).into();
    config.mount_options.extend([MountOption::NoDev, MountOption::NoSuid, MountOption::NoExec]);
    config.n_threads = Some(THREADS);
    config.clone_fd = true;
    let files = Files(desk.clone());
    let session = thread::scope(|scope| {
        // The session's threads take on the priority of the one that starts them.
        let starter = scope.spawn(|| {
            priority::raise();
            Session::new(files, folder, &config)?.spawn()
        });
        starter.join().unwrap_or_else(|_| Err(std::io::Error::other("the thread that starts it ended")))
    });
    let session = session.map_err(|source| ServeError::Fuse { folder: folder.to_owned(), source })?;
    let mut running = Running { session, senders: Vec::new() };
    for lane in 0..desk.lanes.len() {
        let desk = desk.clone();
        let send = move || {
            priority::raise();
            let mut scratch = Vec::new();
            desk.lanes[lane].run(|due| desk.send(due, &mut scratch));
        };
        let thread = thread::Builder::new().name(format!("answers-{lane}")).spawn(send);
        running.senders.push(thread.map_err(system("start a thread".to_owned()))?);
    }
    Ok(running)
}
