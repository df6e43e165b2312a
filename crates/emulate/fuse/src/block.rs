//! What the kernel counts of a block device, beside what we count of the same requests: their difference is the way.

use std::path::Path;

use units::Nanos;

/// What a block device did: `/sys/block/NAME/stat` (Linux, Documentation/block/stat.rst).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Counters {
    /// Reads that it completed.
    pub(crate) read: Seen,
    /// Writes that it completed.
    pub(crate) write: Seen,
    /// Requests that it has not answered yet.
    pub(crate) in_flight: u64,
    /// Time with a request in flight.
    pub(crate) busy: Nanos,
    /// The number of requests in flight, integrated over time.
    pub(crate) queued: Nanos,
}

impl Counters {
    /// Of a device such as `/dev/loop3`; `None` where the kernel does not tell.
    pub(crate) fn by_kernel(device: &Path) -> Option<Self> {
        let name = device.file_name()?.to_str()?;
        Self::parse(&std::fs::read_to_string(format!("/sys/block/{name}/stat")).ok()?)
    }

    fn parse(text: &str) -> Option<Self> {
        let fields: Vec<u64> = text.split_whitespace().map_while(|field| field.parse().ok()).collect();
        let [reads, _, read_sectors, read_ms, writes, _, write_sectors, write_ms, in_flight, busy_ms, queued_ms, ..] =
            fields[..]
        else {
            return None;
        };
        let seen = |count, sectors: u64, ms| {
            Some(Seen { count, bytes: sectors.checked_mul(SECTOR)?, time: Nanos::millis(ms) })
        };
        Some(Self {
            read: seen(reads, read_sectors, read_ms)?,
            write: seen(writes, write_sectors, write_ms)?,
            in_flight,
            busy: Nanos::millis(busy_ms),
            queued: Nanos::millis(queued_ms),
        })
    }

    /// What came since; devices keep counting when they are used anew.
    pub(crate) fn since(self, before: Self) -> Option<Self> {
        Some(Self {
            read: self.read.since(before.read)?,
            write: self.write.since(before.write)?,
            in_flight: self.in_flight,
            busy: self.busy.0.checked_sub(before.busy.0).map(Nanos)?,
            queued: self.queued.0.checked_sub(before.queued.0).map(Nanos)?,
        })
    }
}

/// Requests, all of them together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Seen {
    /// How many.
    pub(crate) count: u64,
    /// What they moved.
    pub(crate) bytes: u64,
    /// Their latencies, added up; the kernel tells whole milliseconds.
    pub(crate) time: Nanos,
}

impl Seen {
    /// Reads and writes of a device such as `/dev/loop3`; `None` where the kernel does not tell.
    pub(crate) fn by_kernel(device: &Path) -> Option<Self> {
        let Counters { read, write, .. } = Counters::by_kernel(device)?;
        Some(Self {
            count: read.count.checked_add(write.count)?,
            bytes: read.bytes.checked_add(write.bytes)?,
            time: read.time + write.time,
        })
    }

    /// What came since.
    pub(crate) fn since(self, before: Self) -> Option<Self> {
        Some(Self {
            count: self.count.checked_sub(before.count)?,
            bytes: self.bytes.checked_sub(before.bytes)?,
            time: self.time.0.checked_sub(before.time.0).map(Nanos)?,
        })
    }

    /// Their mean latency.
    pub(crate) fn mean(self) -> Nanos {
        Nanos(self.time.0 / self.count.max(1))
    }
}

/// The unit of the kernel's line, whatever the device's own.
const SECTOR: u64 = 512;

/// Compares what the kernel saw with what we told, again and again.
#[derive(Debug, Default)]
pub(crate) struct Drift {
    before: Option<(Seen, Seen)>,
}

impl Drift {
    /// Latencies that the kernel must have added up, so that its milliseconds do not matter: half a hundredth.
    const ENOUGH: Nanos = Nanos::millis(200);

    /// Requests that are larger on average tell of copying, not of the way.
    const SMALL: u64 = 16 << 10;

    /// How much longer, in nanoseconds, requests took by the kernel than by our own counting since the last answer; `None`
    /// while too little is known, of large requests, and where the kernel's requests are not ours: it splits large ones.
    pub(crate) fn excess(&mut self, kernel: Seen, ours: Seen) -> Option<f64> {
        let Some((kernel_before, ours_before)) = self.before else {
            self.before = Some((kernel, ours));
            return None;
        };
        let (Some(theirs), Some(own)) = (kernel.since(kernel_before), ours.since(ours_before)) else {
            // One of the two was counted anew.
            self.before = Some((kernel, ours));
            return None;
        };
        if theirs.time < Self::ENOUGH {
            return None;
        }
        self.before = Some((kernel, ours));
        // What is in flight now may be counted by one of the two only.
        let same = own.count > 0 && theirs.count.abs_diff(own.count) <= own.count / 50 + 2;
        let small = own.bytes <= own.count * Self::SMALL;
        (same && small).then(|| theirs.mean().0 as f64 - own.mean().0 as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(count: u64, micros: u64) -> Seen {
        Seen { count, bytes: count * 4096, time: Nanos::micros(count * micros) }
    }

    #[test]
    fn the_kernels_line_is_read() {
        let line = "  100  0  800  44  50  0  400  35  3  60  79  0 0 0 0 0 0\n";
        let read = Seen { count: 100, bytes: 800 * 512, time: Nanos::millis(44) };
        let write = Seen { count: 50, bytes: 400 * 512, time: Nanos::millis(35) };
        let expected = Counters { read, write, in_flight: 3, busy: Nanos::millis(60), queued: Nanos::millis(79) };
        assert_eq!(Counters::parse(line), Some(expected));
        assert_eq!((Counters::parse(""), Counters::parse("1 2 x")), (None, None));
    }

    #[test]
    fn what_a_device_did_for_others_before_is_not_counted() {
        let early = Counters::parse("100 0 800 44 50 0 400 35 0 60 79").unwrap();
        let late = Counters::parse("101 0 808 45 50 0 400 35 2 61 80").unwrap();
        let new = late.since(early).unwrap();
        assert_eq!((new.read.count, new.read.bytes, new.write.count, new.in_flight), (1, 8 * 512, 0, 2));
        assert_eq!(early.since(late), None);
    }

    #[test]
    fn the_excess_is_what_the_kernel_saw_beyond_ours() {
        let mut drift = Drift::default();
        assert_eq!(drift.excess(seen(0, 0), seen(0, 0)), None);
        assert_eq!(drift.excess(seen(100, 450), seen(100, 440)), None, "45 ms are too few");
        let excess = drift.excess(seen(1000, 450), seen(1000, 440)).unwrap();
        assert!((excess - 10_000.0).abs() < 1.0, "{excess}");
    }

    #[test]
    fn large_requests_say_nothing() {
        let mut drift = Drift::default();
        let large = |count, micros| Seen { bytes: count * (64 << 10), ..seen(count, micros) };
        drift.excess(large(0, 0), large(0, 0));
        assert_eq!(drift.excess(large(1000, 900), large(1000, 600)), None);
    }

    #[test]
    fn requests_that_the_kernel_split_say_nothing() {
        let mut drift = Drift::default();
        drift.excess(seen(0, 0), seen(0, 0));
        assert_eq!(drift.excess(seen(2000, 450), seen(1000, 440)), None);
        assert_eq!(drift.excess(seen(2000, 450), seen(900, 440)), None, "a count that fell begins anew");
    }
}
