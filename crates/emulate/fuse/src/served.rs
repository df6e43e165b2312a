//! One disk that is served: its data and what it tells of itself.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use disk::{DiskLimits, VolumeModification};
use fuser::Errno;
use hdrhistogram::Histogram;
use metrics::DiskLatencies;
use parking_lot::Mutex;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use units::Nanos;

use crate::backing::Backing;
use crate::block::Drift;
use crate::overhead::Overhead;
use crate::passthrough::Passthrough;
use crate::volatile::Volatile;
use crate::{DiskAttachment, ServeError};

/// One disk.
#[derive(Debug)]
pub(crate) struct Served {
    pub(crate) name: String,
    pub(crate) kind: String,
    pub(crate) stripe: u32,
    pub(crate) backing: Backing,
    size: AtomicU64,
    pub(crate) latencies: Mutex<DiskLatencies>,
    pub(crate) overhead: Overhead,
    pub(crate) drift: Mutex<Drift>,
    pub(crate) sheet: Mutex<Sheet>,
    /// What the kernel serves itself; `None` where every request comes here.
    pub(crate) passthrough: Option<Passthrough>,
    /// What power may undo; `None` without a volatile cache.
    pub(crate) volatile: Option<Mutex<Volatile>>,
    /// What power undoes.
    pub(crate) rng: Mutex<Xoshiro256PlusPlus>,
    /// How often the disk went away: requests that arrived before fail.
    cuts: AtomicU64,
    /// Whether it went away with its power.
    pub(crate) powerless: AtomicBool,
    /// When trouble with the backing file was last reported.
    reported: Mutex<Option<Nanos>>,
}

/// What a disk is sold as.
#[derive(Debug)]
pub(crate) struct Sheet {
    /// As people write it.
    pub(crate) disk: String,
    /// Of one volume.
    pub(crate) limits: DiskLimits,
    /// What it becomes.
    next: Option<(VolumeModification, String, DiskLimits)>,
}

impl Sheet {
    /// What the disk is at an instant.
    pub(crate) fn at(&mut self, now: Nanos) -> &Self {
        if let Some((_, disk, limits)) = self.next.take_if(|(course, ..)| course.completed <= now) {
            (self.disk, self.limits) = (disk, limits);
        }
        self
    }

    /// Notes a modification.
    pub(crate) fn becomes(&mut self, course: VolumeModification, disk: &str, limits: &DiskLimits) {
        self.next = Some((course, disk.to_owned(), limits.clone()));
    }
}

pub(crate) fn no_latencies() -> DiskLatencies {
    // To three digits, from a microsecond up to 100 s; longer ones count as that.
    let histogram = || Histogram::new_with_bounds(1_000, Nanos::secs(100).0, 3).expect("these bounds are valid");
    DiskLatencies { read: histogram(), write: histogram() }
}

impl Served {
    pub(crate) fn new(attachment: DiskAttachment, seed: u64) -> Result<Self, ServeError> {
        let backing = Backing::open(&attachment.backing)?;
        let size = backing.size().map_err(|source| {
            let what = format!("ask the size of {}", attachment.backing.display());
            ServeError::System { what, source }
        })?;
        let limits = attachment.spec.volume;
        Ok(Self {
            name: attachment.name,
            kind: attachment.kind,
            stripe: attachment.spec.stripe.max(1),
            backing,
            size: AtomicU64::new(size),
            latencies: Mutex::new(no_latencies()),
            overhead: Overhead::default(),
            drift: Mutex::default(),
            volatile: (limits.service.flush > Nanos(0)).then(Mutex::default),
            passthrough: attachment.passthrough.then(Passthrough::default),
            sheet: Mutex::new(Sheet { disk: attachment.disk, limits, next: None }),
            rng: Mutex::new(Xoshiro256PlusPlus::seed_from_u64(seed)),
            cuts: AtomicU64::new(0),
            powerless: AtomicBool::new(false),
            reported: Mutex::new(None),
        })
    }

    pub(crate) fn size(&self) -> u64 {
        self.size.load(Relaxed)
    }

    pub(crate) fn cuts(&self) -> u64 {
        self.cuts.load(Relaxed)
    }

    /// The disk goes away.
    pub(crate) fn cut(&self, powerless: bool) {
        self.powerless.store(powerless, Relaxed);
        self.cuts.fetch_add(1, Relaxed);
    }

    /// The disk has grown to a size, if it was smaller.
    pub(crate) fn grown(&self, size: u64) {
        self.size.fetch_max(size, Relaxed);
    }

    /// Tells people, at most once a second, that the backing file fails, and the kernel why.
    pub(crate) fn trouble(&self, now: Nanos, what: &str, error: &io::Error) -> Errno {
        let mut reported = self.reported.lock();
        if reported.is_none_or(|last| last + Nanos::secs(1) <= now) {
            *reported = Some(now);
            let path = self.backing.path().display();
            let remedy = match error.kind() {
                io::ErrorKind::StorageFull => ": free some there, and write again",
                _ => "",
            };
            textfile::log_line(format_args!(
                "disk {}: cannot {what} its backing file {path}: {error}{remedy}",
                self.name
            ));
        }
        match error.kind() {
            io::ErrorKind::StorageFull => Errno::ENOSPC,
            _ => error.raw_os_error().map_or(Errno::EIO, Errno::from_i32),
        }
    }
}
