//! What fio is asked to do, and how that is said on its command line.

use std::path::{Path, PathBuf};

use units::{Bytes, BytesPerSec, Iops, Nanos};

/// Which requests are made, in which order.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum AccessPattern {
    /// One block after the other, from the disk.
    Read,
    /// One block after the other, to the disk.
    Write,
    /// One block after the other; this share (0 to 1) of them are reads.
    ReadWrite(f64),
    /// Blocks anywhere, from the disk.
    RandRead,
    /// Blocks anywhere, to the disk.
    RandWrite,
    /// Blocks anywhere; this share (0 to 1) of them are reads.
    RandRw(f64),
}

impl AccessPattern {
    /// The share of reads, 0 to 1.
    pub fn read_share(self) -> f64 {
        match self {
            Self::Read | Self::RandRead => 1.0,
            Self::Write | Self::RandWrite => 0.0,
            Self::ReadWrite(share) | Self::RandRw(share) => share.clamp(0.0, 1.0),
        }
    }

    /// Whether anything is written.
    pub fn writes(self) -> bool {
        self.read_share() < 1.0
    }

    /// Whether blocks are drawn from the whole range.
    pub fn is_random(self) -> bool {
        matches!(self, Self::RandRead | Self::RandWrite | Self::RandRw(_))
    }

    fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::ReadWrite(_) => "readwrite",
            Self::RandRead => "randread",
            Self::RandWrite => "randwrite",
            Self::RandRw(_) => "randrw",
        }
    }
}

/// How fio hands requests to the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FioEngine {
    /// io_uring: the least CPU for each request at depth.
    IoUring,
    /// Linux's older asynchronous interface; only asynchronous with `direct`.
    Libaio,
    /// One system call a request: depth 1 whatever is asked for.
    Psync,
}

impl FioEngine {
    /// io_uring where the kernel lets anybody use it, else libaio.
    pub fn best() -> Self {
        let disabled = std::fs::read_to_string("/proc/sys/kernel/io_uring_disabled");
        match disabled {
            Ok(text) if text.trim() != "0" => Self::Libaio,
            _ => Self::IoUring,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::IoUring => "io_uring",
            Self::Libaio => "libaio",
            Self::Psync => "psync",
        }
    }
}

/// Which call makes writes durable, and after how many of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SyncCall {
    /// `fsync` after every so many writes.
    Fsync(u32),
    /// `fdatasync` after every so many writes.
    Fdatasync(u32),
}

/// One fio job. Jobs of one run start together.
#[derive(Debug, Clone, PartialEq)]
pub struct FioJob {
    /// The file or block device. A file that is missing or too short is laid out first, outside the measured time.
    pub target: PathBuf,
    /// Which requests are made.
    pub pattern: AccessPattern,
    /// Size of a request.
    pub block: Bytes,
    /// Requests kept in flight by each of the `numjobs`.
    pub depth: u32,
    /// So many equal threads.
    pub numjobs: u32,
    /// How requests are handed to the kernel.
    pub engine: FioEngine,
    /// Past the page cache.
    pub direct: bool,
    /// Calls that make writes durable, if any.
    pub sync: Option<SyncCall>,
    /// How long is measured; `None`: until `size` is done once.
    pub runtime: Option<Nanos>,
    /// How long runs before anything is measured; nothing of it is reported.
    pub ramp: Nanos,
    /// The range that is worked on; `None`: the whole file or device.
    pub size: Option<Bytes>,
    /// Where the range begins.
    pub offset: Bytes,
    /// Requests a second at most, reads and writes together, over all of `numjobs`.
    pub rate_iops: Option<Iops>,
    /// Bytes a second at most, reads and writes together, over all of `numjobs`. fio takes one kind of rate: this one
    /// is only used without `rate_iops`.
    pub rate: Option<BytesPerSec>,
    /// Whether requests under a rate come at random (a Poisson process), not evenly. Only with `rate_iops`.
    pub poisson: bool,
    /// Offsets depend on it.
    pub seed: u64,
    /// Further options in fio's own words, such as `verify=crc32c`.
    pub extra: Vec<String>,
}

impl FioJob {
    /// Direct I/O at depth 1 with the best engine, for one second after a ramp of a quarter.
    pub fn new(target: impl AsRef<Path>, pattern: AccessPattern, block: Bytes) -> Self {
        Self {
            target: target.as_ref().to_owned(),
            pattern,
            block,
            depth: 1,
            numjobs: 1,
            engine: FioEngine::best(),
            direct: true,
            sync: None,
            runtime: Some(Nanos::secs(1)),
            ramp: Nanos::millis(250),
            size: None,
            offset: Bytes(0),
            rate_iops: None,
            rate: None,
            poisson: false,
            seed: 1,
            extra: Vec::new(),
        }
    }

    /// Its options on fio's command line; `index` tells the jobs of a run apart.
    pub(super) fn arguments(&self, index: usize) -> Vec<String> {
        // A colon separates files in fio's `filename`.
        let target = self.target.to_string_lossy().replace('\\', "\\\\").replace(':', "\\:");
        let mut all = vec![
            format!("--name={index}"),
            format!("--filename={target}"),
            format!("--rw={}", self.pattern.name()),
            format!("--bs={}", self.block.0),
            format!("--iodepth={}", self.depth.max(1)),
            format!("--numjobs={}", self.numjobs.max(1)),
            format!("--ioengine={}", self.engine.name()),
            format!("--direct={}", u8::from(self.direct)),
            format!("--offset={}", self.offset.0),
            format!("--randseed={}", self.seed),
            format!("--ramp_time={}us", self.ramp.0 / 1000),
            // Threads, not processes: they end with fio however it ends.
            "--thread=1".to_owned(),
            // fio's default remembers which blocks were done; a measurement need not.
            "--norandommap=1".to_owned(),
            "--lat_percentiles=1".to_owned(),
            "--clat_percentiles=0".to_owned(),
        ];
        if let AccessPattern::ReadWrite(share) | AccessPattern::RandRw(share) = self.pattern {
            all.push(format!("--rwmixread={:.0}", share.clamp(0.0, 1.0) * 100.0));
        }
        match self.sync {
            Some(SyncCall::Fsync(every)) => all.push(format!("--fsync={every}")),
            Some(SyncCall::Fdatasync(every)) => all.push(format!("--fdatasync={every}")),
            None => {}
        }
        if let Some(runtime) = self.runtime {
            all.push("--time_based=1".to_owned());
            all.push(format!("--runtime={}us", runtime.0 / 1000));
        }
        all.extend(self.size.map(|size| format!("--size={}", size.0)));
        // fio gives each direction and each of `numjobs` the whole rate.
        let (reads, each) = (self.pattern.read_share(), 1.0 / f64::from(self.numjobs.max(1)));
        let split = |rate: f64| {
            let part = |share: f64| ((rate * each * share).round() as u64).max(1);
            format!("{},{}", part(reads), part(1.0 - reads))
        };
        match (self.rate_iops, self.rate) {
            (Some(rate), _) => {
                all.push(format!("--rate_iops={}", split(rate.0)));
                all.extend(self.poisson.then(|| "--rate_process=poisson".to_owned()));
            }
            (None, Some(rate)) => all.push(format!("--rate={}", split(rate.0))),
            (None, None) => {}
        }
        all.extend(self.extra.iter().map(|option| format!("--{option}")));
        all
    }
}
