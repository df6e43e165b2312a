//! Measuring the way to the server and back, to take it off every request's time.

use std::fs::File;
use std::io::{Seek, SeekFrom};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::thread;
use std::time::Duration;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rustix::fs::OFlags;
use units::Nanos;

use crate::block::Seen;
use crate::overhead::SMALL;
use crate::priority;
use crate::served::no_latencies;
use crate::{FuseServer, ServeError};

/// Between requests passes as much time as the last one took, this at most, so that the processors fall idle as they do
/// on a half-used disk and waking them up is part of what is measured. It takes longer after longer idling, which is why
/// a fast disk has another overhead than a slow one.
const LONGEST_PAUSE: Nanos = Nanos::micros(500);

/// How many small and large reads are measured, at most.
const READS: (usize, usize) = (200, 24);

/// For how long each are, at most.
const PATIENCE: Nanos = Nanos::millis(400);

/// What a large read is: the kernel may split one of more than 128 pages, which says nothing about a request as a whole.
const LARGE: usize = 256 << 10;

/// Direct I/O wants memory aligned to the logical block; no device has larger ones.
const ALIGNMENT: usize = 4096;

/// What was measured of reads of one size.
struct Way {
    /// Their mean time, from call to return.
    took: Nanos,
    /// The median of what the model does not explain.
    beyond: Nanos,
}

impl FuseServer {
    /// Measures how much longer a read from the block device over disk `disk` takes than the model says, and takes that
    /// off the time of every request to that disk from then on. Returns what a 4 KiB read takes longer. Call it while
    /// nobody else uses the device; it takes under a second, and leaves no trace in credits, caches and counters. Of a disk
    /// that the kernel serves itself there is nothing to take off: from then on the device's counters are its own.
    ///
    /// # Errors
    /// When the device cannot be read.
    pub fn calibrate(&self, disk: usize, device: &Path) -> Result<Nanos, ServeError> {
        if let Some(passthrough) = &self.desk.disks[disk].passthrough {
            passthrough.watch(device);
            return Ok(Nanos(0));
        }
        let saved = {
            let model = self.desk.model.lock();
            (model.node.devices[disk].clone(), model.meters[disk].clone())
        };
        let measured = thread::scope(|scope| {
            let measurer = scope.spawn(|| {
                // Else what is measured is how busy the machine is.
                priority::raise();
                self.measure(disk, device)
            });
            measurer.join().unwrap_or_else(|_| Err(std::io::Error::other("the measuring thread ended")))
        });
        let mut model = self.desk.model.lock();
        model.probe = None;
        (model.node.devices[disk], model.meters[disk]) = saved;
        *self.desk.disks[disk].latencies.lock() = no_latencies();
        measured.map_err(|source| ServeError::System { what: format!("measure {}", device.display()), source })
    }

    fn measure(&self, disk: usize, device: &Path) -> std::io::Result<Nanos> {
        let mut file = File::options().read(true).custom_flags(OFlags::DIRECT.bits() as i32).open(device)?;
        let size = file.seek(SeekFrom::End(0))?;
        let overhead = &self.desk.disks[disk].overhead;
        overhead.set_fixed(Nanos(0));
        overhead.set_transfer(LARGE as u64, Nanos(0));
        let before = Seen::by_kernel(device);
        if let Some(small) = self.excess(disk, &file, size, SMALL as usize, READS.0)? {
            overhead.set_fixed(small.beyond);
            let kernel = Seen::by_kernel(device).zip(before).and_then(|(now, before)| now.since(before));
            overhead.set_outside(kernel.map_or(Nanos(0), |kernel| small.took - kernel.mean()));
        }
        if let Some(large) = self.excess(disk, &file, size, LARGE, READS.1)? {
            overhead.set_transfer(LARGE as u64, large.beyond);
        }
        Ok(overhead.fixed())
    }

    /// Looks again at what is taken off the time of each request to disk `disk`: compares what the kernel counted of
    /// `device` with what was counted here, and makes up for the difference. The way is shorter on a busy machine, whose
    /// processors need not wake up. Call it every second or so.
    pub fn amend(&self, disk: usize, device: &Path) {
        if self.desk.disks[disk].passthrough.is_some() {
            return;
        }
        let Some(kernel) = Seen::by_kernel(device) else { return };
        let ours = {
            let model = self.desk.model.lock();
            let (read, write) = (model.meters[disk].read, model.meters[disk].write);
            Seen { count: read.count + write.count, bytes: read.bytes.0 + write.bytes.0, time: read.time + write.time }
        };
        let served = &self.desk.disks[disk];
        if let Some(excess) = served.drift.lock().excess(kernel, ours) {
            served.overhead.amend(excess);
        }
    }

    /// How long reads of a size take, and how much of it beyond what the model gives them and what is known already.
    fn excess(&self, disk: usize, file: &File, size: u64, bytes: usize, most: usize) -> std::io::Result<Option<Way>> {
        let places = size / bytes as u64;
        if places == 0 {
            return Ok(None);
        }
        let mut memory = vec![0; bytes + ALIGNMENT];
        let from = memory.as_ptr().align_offset(ALIGNMENT);
        let buffer = &mut memory[from..from + bytes];
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(self.seed);
        let mut beyond = Vec::with_capacity(most);
        let (mut count, mut sum) = (0, Nanos(0));
        let until = self.now() + PATIENCE;
        let mut pause = LONGEST_PAUSE;
        while beyond.len() < most && self.now() < until {
            thread::sleep(Duration::from_nanos(pause.min(LONGEST_PAUSE).0));
            self.desk.model.lock().probe = Some((disk, Vec::new()));
            let offset = rng.random_range(0..places) * bytes as u64;
            let asked = self.now();
            file.read_exact_at(buffer, offset)?;
            let took = self.now() - asked;
            pause = took;
            (count, sum) = (count + 1, sum + took);
            let modelled = self.desk.model.lock().probe.take();
            // A read that the kernel split says nothing about one as a whole.
            if let Some([time]) = modelled.as_ref().map(|(_, times)| times.as_slice()) {
                beyond.push((took - *time).0);
            }
        }
        beyond.sort_unstable();
        let median = beyond.get(beyond.len() / 2).copied().map(Nanos);
        Ok(median.map(|beyond| Way { took: Nanos(sum.0 / count), beyond }))
    }
}
