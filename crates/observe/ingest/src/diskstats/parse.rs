//! One line of /proc/diskstats: Documentation/admin-guide/iostats.rst of the kernel.

/// One device's line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeviceLine {
    /// Major and minor number: another device may come back under the same name.
    pub number: (u32, u32),
    /// What it counted since it was attached.
    pub counters: KernelCounters,
}

/// The counters in the kernel's order and units: sectors of 512 bytes, milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct KernelCounters {
    /// Reads, merged reads, sectors read, milliseconds of reads.
    pub read: [u64; 4],
    /// The same of writes.
    pub write: [u64; 4],
    /// Requests in flight; no counter.
    pub in_flight: u64,
    /// Milliseconds with a request in flight.
    pub busy: u64,
    /// Milliseconds of requests in flight, added up over requests.
    pub queued: u64,
    /// Discards, as of reads; kernels since 4.18.
    pub discard: Option<[u64; 4]>,
    /// Flushes and their milliseconds; kernels since 5.5.
    pub flush: Option<[u64; 2]>,
}

impl KernelCounters {
    /// Whether the device ever completed a request.
    pub fn did_any(&self) -> bool {
        self.read[0] > 0 || self.write[0] > 0
    }
}

/// Reads a line; fields of kernels to come are passed over.
pub(super) fn device(line: &str) -> Option<(String, DeviceLine)> {
    let mut words = line.split_ascii_whitespace();
    let number = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    let name = words.next()?.to_owned();
    let fields: Vec<u64> = words.map(|word| word.parse().ok()).collect::<Option<_>>()?;
    let (first, more) = fields.split_first_chunk::<11>()?;
    let [r0, r1, r2, r3, w0, w1, w2, w3, in_flight, busy, queued] = *first;
    let (discard, more) = match more.split_first_chunk::<4>() {
        Some((discard, more)) => (Some(*discard), more),
        None => (None, &[][..]),
    };
    let flush = more.first_chunk::<2>().copied();
    let (read, write) = ([r0, r1, r2, r3], [w0, w1, w2, w3]);
    Some((
        name,
        DeviceLine { number, counters: KernelCounters { read, write, in_flight, busy, queued, discard, flush } },
    ))
}

/// Whether a line begins as a device's does: two numbers and a name with a letter.
pub(super) fn begins(line: &str) -> bool {
    let mut words = line.split_ascii_whitespace();
    let mut number = || words.next().is_some_and(|word| word.parse::<u32>().is_ok());
    number() && number() && words.next().is_some_and(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()))
}
