//! The disks of a node, being served: all that a daemon can do with them.

use std::net::SocketAddr;
use std::os::unix::fs::DirBuilderExt;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};

use disk::{Disk, DiskFault};
use fuse::{DiskAttachment, FuseServer, InstanceDisks};
use jiff::{SignedDuration, Timestamp};
use metrics::{ModificationStage, NodeSample};
use units::Nanos;

use super::attached::Attached;
use super::history::History;
use super::{log, modify};
use crate::home::State;
use crate::plan::{Facts, Order, Planned};
use crate::process::Process;
use crate::protocol::Encoded;
use crate::{AcceptedModification, MountError, MountRequest, MountedDisk, MountedNode, files};

/// The disks of a node.
#[derive(Debug)]
pub(crate) struct Disks {
    state: State,
    facts: Facts,
    /// `None` once it has ended.
    server: RwLock<Option<FuseServer>>,
    pub(super) disks: Vec<Attached>,
    /// What others know of it.
    node: Mutex<MountedNode>,
    history: Mutex<History>,
    /// Whether the kernel serves them itself.
    passthrough: bool,
    /// Held by whoever mounts or unmounts.
    pub(super) mounting: Mutex<()>,
}

/// A lock whose holder panicked still guards what it did: the data is never half written here.
pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Disks {
    /// Serves, attaches and mounts.
    pub(crate) fn start(state: &State, order: Order, metrics: SocketAddr) -> Result<Self, MountError> {
        let request = &order.request;
        let facts = Facts::of(request)?;
        let planned = facts.plan(request)?;
        let folder = state.disks();
        let made = std::fs::DirBuilder::new().mode(0o700).create(&folder);
        made.map_err(|error| MountError::system(folder.display(), error))?;
        let server = FuseServer::start(InstanceDisks {
            folder,
            instance: request.instance.clone(),
            caps: facts.caps(),
            disks: planned.iter().map(|planned| attachment(planned, request)).collect(),
            seed: request.seed,
        })?;
        let process = Process::this();
        let since = SignedDuration::from_nanos(i64::try_from(server.now().0).unwrap_or(i64::MAX));
        let node = MountedNode {
            dir: request.dir.clone(),
            state: state.folder.clone(),
            pid: process.pid,
            pid_started: process.started,
            started: Timestamp::now().checked_sub(since).unwrap_or_default(),
            instance: request.instance.clone(),
            zone: request.zone.clone(),
            as_of: request.as_of,
            filesystem: request.filesystem,
            metrics,
            disks: Vec::new(),
            notes: order.notes.clone(),
        };
        let mut disks = Self {
            state: state.clone(),
            facts,
            server: RwLock::new(Some(server)),
            disks: Vec::new(),
            node: Mutex::new(node),
            history: Mutex::default(),
            passthrough: request.passthrough,
            mounting: Mutex::new(()),
        };
        if let Err(error) = disks.attach_all(&order, &planned) {
            disks.give_up();
            disks.end();
            return Err(error);
        }
        Ok(disks)
    }

    fn attach_all(&mut self, order: &Order, planned: &[Planned]) -> Result<(), MountError> {
        let filesystem = order.request.filesystem;
        for (i, planned) in planned.iter().enumerate() {
            let file = match order.request.passthrough {
                true => planned.backing.clone(),
                false => self.state.disks().join(&planned.name),
            };
            let manner = self.facts.manner(planned);
            self.disks.push(Attached::new(&file, &planned.name, &planned.at, manner, filesystem)?);
            let device = self.disks[i].device.device();
            let overhead = self.with_server(|server| server.calibrate(i, &device))??;
            let way = match order.request.passthrough {
                true => "served by the kernel itself".to_owned(),
                false => format!("{overhead} on the way are taken off"),
            };
            log(format!("{} is {}, {way}", planned.disk, device.display()));
            locked(&self.node).disks.push(MountedDisk {
                name: planned.name.clone(),
                at: planned.at.clone(),
                disk: planned.disk.to_string(),
                device,
                backing: planned.backing.clone(),
            });
        }
        if let Some(share) = order.request.credits {
            self.with_server(|server| {
                (0..planned.len()).for_each(|i| server.set_credits(Some(i), share));
                server.set_credits(None, share);
            })?;
        }
        for disk in &self.disks {
            if let Some(note) = disk.mount()? {
                log(&note);
                locked(&self.node).notes.push(note);
            }
        }
        Ok(())
    }

    /// Tells others that the disks are there.
    pub(crate) fn record(&self) -> Result<(), MountError> {
        files::write(&self.state.node(), &*locked(&self.node))
    }

    pub(super) fn with_server<T>(&self, what: impl FnOnce(&FuseServer) -> T) -> Result<T, MountError> {
        let server: RwLockReadGuard<'_, Option<FuseServer>> =
            self.server.read().unwrap_or_else(PoisonError::into_inner);
        server.as_ref().map(what).ok_or_else(|| MountError::Environment("the disks are not served any more".to_owned()))
    }

    pub(super) fn place(&self, name: &str) -> Result<usize, MountError> {
        let names = || self.disks.iter().map(|disk| disk.name.as_str()).collect::<Vec<_>>().join(", ");
        let place = self.disks.iter().position(|disk| disk.name == name);
        place.ok_or_else(|| MountError::Input(format!("there is no disk `{name}`: there are {}", names())))
    }

    fn named(&self, mut sample: NodeSample) -> NodeSample {
        for (seen, disk) in sample.disks.iter_mut().zip(&self.disks) {
            seen.device = Some(disk.device.name.clone());
        }
        sample
    }

    /// The counters now.
    pub(crate) fn sample(&self) -> Result<NodeSample, MountError> {
        self.with_server(FuseServer::sample).map(|sample| self.named(sample))
    }

    /// The counters and latencies now.
    pub(crate) fn reading(&self) -> Result<(NodeSample, Vec<Encoded>), MountError> {
        let (sample, latencies) = self.with_server(|server| {
            let latencies: Vec<_> = (0..self.disks.len()).map(|i| server.latencies(i)).collect();
            (server.sample(), latencies)
        })?;
        let encoded = latencies.iter().map(Encoded::of).collect::<Result<_, _>>()?;
        Ok((self.named(sample), encoded))
    }

    /// The counters of the past.
    pub(crate) fn history(&self, since: Nanos) -> Vec<NodeSample> {
        locked(&self.history).since(since)
    }

    /// What is done each second.
    pub(crate) fn tick(&self) {
        let Ok(sample) = self.sample() else { return };
        // The file has its new size at once, but the cloud shows it only when the modification has come so far.
        let grown =
            sample.disks.iter().zip(&self.disks).filter(|(seen, _)| seen.modification != ModificationStage::Modifying);
        for (seen, disk) in grown {
            match disk.grow(seen.size.0) {
                Ok(false) => {}
                Ok(true) => log(format!("{} has grown to {}: run `{}`", disk.name, seen.size, disk.grow_command())),
                Err(error) => log(error),
            }
        }
        locked(&self.history).push(sample);
        let amend = |server: &FuseServer| {
            self.disks.iter().enumerate().for_each(|(i, disk)| server.amend(i, &disk.device.device()));
        };
        let _ = self.with_server(amend);
    }

    /// Changes a disk.
    pub(crate) fn modify(&self, name: &str, to: &Disk, fast_forward: f64) -> Result<AcceptedModification, MountError> {
        let i = self.place(name)?;
        let mut node = locked(&self.node);
        let from: Disk = node.disks[i].disk.parse().map_err(|error| MountError::system("the mounted disk", error))?;
        let rules = modify::rules(&self.facts, &from, to, fast_forward)?;
        let (old, new) = (self.facts.spec(&from)?, self.facts.spec(to)?);
        let text = to.to_string();
        let (now, accepted) =
            self.with_server(|server| (server.now(), server.modify(i, &new.volume, &text, &rules)))?;
        let accepted = accepted.map_err(|failure| modify::explained(failure, now))?;
        node.disks[i].disk.clone_from(&text);
        files::write(&self.state.node(), &*node)?;
        log(format!("{from} becomes {text}"));
        Ok(AcceptedModification {
            disk: text,
            started: accepted.started,
            optimizing: accepted.optimizing,
            completed: accepted.completed,
            grow: (new.volume.size > old.volume.size).then(|| self.disks[i].grow_command()),
        })
    }

    /// Lets something go wrong.
    pub(crate) fn fault(&self, name: &str, fault: DiskFault, lasts: Nanos) -> Result<(), MountError> {
        let i = self.place(name)?;
        if self.passthrough {
            return Err(MountError::Refused(format!(
                "no fault reaches {name}, which the kernel serves itself: mount it without --passthrough"
            )));
        }
        if matches!(fault, DiskFault::Detach | DiskFault::PowerCut) {
            self.disks[i].cut.store(true, Ordering::Relaxed);
        }
        log(format!("{name}: {fault:?} for {lasts}"));
        self.with_server(|server| server.inject(i, fault, lasts))
    }

    /// Ends all faults.
    pub(crate) fn heal(&self, name: &str) -> Result<(), MountError> {
        let i = self.place(name)?;
        self.with_server(|server| server.heal(i))
    }

    /// Sets burst credits.
    pub(crate) fn set_credits(&self, name: Option<&str>, share: f64) -> Result<(), MountError> {
        if !(0.0..=1.0).contains(&share) {
            return Err(MountError::Input(format!("credits are a share of the full bucket, 0% to 100%, not {share}")));
        }
        let place = name.map(|name| self.place(name)).transpose()?;
        self.with_server(|server| server.set_credits(place, share))
    }

    /// Ends the service.
    pub(crate) fn end(&self) {
        let server = self.server.write().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(Err(error)) = server.map(|server| server.stop()) {
            log(error);
        }
        let folder = self.state.disks();
        if crate::mounts::is_mounted(&folder) {
            crate::unmount::lazily(&folder);
        }
    }
}

fn attachment(planned: &Planned, request: &MountRequest) -> DiskAttachment {
    DiskAttachment {
        name: planned.name.clone(),
        disk: planned.disk.to_string(),
        kind: planned.disk.volume.kind.clone(),
        spec: planned.spec.clone(),
        backing: planned.backing.clone(),
        degraded_minutes: request.degraded_minutes,
        passthrough: request.passthrough,
    }
}
