//! A backing file in memory, which gives out before its filesystem is full.

use std::fs::File;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use rustix::fs::fstatfs;

/// Left of the memory for all else. Without it the kernel would end programs until there is some: of a tmpfs as large as the memory,
/// as `/dev/shm` often is, it takes back nothing.
const SPARED: u64 = 256 << 20;

/// Memory is looked at each time so much was written.
const EACH: u64 = 16 << 20;

/// What a tmpfs is known by (linux/magic.h, `TMPFS_MAGIC`).
const TMPFS: i64 = 0x0102_1994;

/// Memory that files may still take.
#[derive(Debug, Default)]
pub(crate) struct Room {
    /// Bytes written since memory was looked at.
    written: AtomicU64,
}

impl Room {
    /// Of a file that lies in memory; `None` of one on a disk.
    pub(crate) fn of(file: &File) -> Option<Self> {
        // Its type is of another size on other architectures.
        let kind = fstatfs(file).ok()?.f_type;
        #[allow(clippy::unnecessary_cast, reason = "its size differs by architecture")]
        (kind as i64 == TMPFS).then(Self::default)
    }

    /// Takes so many bytes; `available` is asked for what memory is left now and then, and again with each write once it is short.
    ///
    /// # Errors
    /// [`io::ErrorKind::StorageFull`] when too little is left.
    pub(crate) fn take(&self, bytes: u64, available: impl FnOnce() -> Option<u64>) -> io::Result<()> {
        if self.written.fetch_add(bytes, Relaxed) + bytes < EACH {
            return Ok(());
        }
        if available().is_some_and(|available| available < SPARED) {
            let words = format!("it lies in memory, of which less than {} MiB are left", SPARED >> 20);
            return Err(io::Error::new(io::ErrorKind::StorageFull, words));
        }
        self.written.store(0, Relaxed);
        Ok(())
    }
}

/// Bytes of memory that can be had without taking any from a program.
pub(crate) fn available() -> Option<u64> {
    parse(&std::fs::read_to_string("/proc/meminfo").ok()?)
}

fn parse(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_are_refused_while_memory_is_short_and_taken_again_when_it_is_not() {
        let room = Room::default();
        assert!(room.take(EACH / 2, || panic!("so little is not worth a look")).is_ok());
        for _ in 0..3 {
            let refused = room.take(EACH / 2, || Some(SPARED - 1)).unwrap_err();
            assert_eq!(refused.kind(), io::ErrorKind::StorageFull);
        }
        assert!(room.take(4096, || Some(SPARED)).is_ok());
        assert!(room.take(4096, || panic!("it was looked at just now")).is_ok());
    }

    #[test]
    fn a_machine_that_does_not_say_is_not_short() {
        assert!(Room::default().take(EACH, || None).is_ok());
    }

    #[test]
    fn memory_is_read_as_the_kernel_tells_it() {
        assert_eq!(parse("MemTotal:       24684132 kB\nMemAvailable:     317592 kB\n"), Some(317_592 << 10));
        assert!(available().is_some_and(|bytes| bytes > 0));
    }

    #[test]
    fn a_file_is_known_to_lie_in_memory() {
        assert!(Room::of(&tempfile::tempfile_in("/dev/shm").unwrap()).is_some());
        assert!(Room::of(&File::open("/proc/self/exe").unwrap()).is_none());
    }
}
