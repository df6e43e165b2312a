//! Processors that do not fall asleep while something is measured.

use std::fs::{File, OpenOptions};
use std::io::Write;

/// Where the kernel is told how long a processor may take to wake up, in microseconds as a native `i32`: it holds while the file is
/// open (Linux, Documentation/power/pm_qos_interface.rst).
const LATENCY: &str = "/dev/cpu_dma_latency";

/// As long as it lives, an idle processor looks for work instead of sleeping. A virtual one that sleeps is taken away by its host:
/// each wake-up of a client, a store or a disk's daemon takes longer (docs/results/store.md), which is no disk's time, nor a database's.
#[derive(Debug)]
pub struct AwakeProcessors {
    _told: File,
}

impl AwakeProcessors {
    /// Asks for it; `None` where the kernel has no way to tell it, or does not let this user.
    pub fn keep() -> Option<Self> {
        let mut told = OpenOptions::new().write(true).open(LATENCY).ok()?;
        told.write_all(&0i32.to_ne_bytes()).ok()?;
        Some(Self { _told: told })
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn where_the_kernel_can_be_told_it_knows_as_long_as_it_lives() {
        let can = OpenOptions::new().write(true).open(LATENCY).is_ok();
        let awake = AwakeProcessors::keep();
        assert_eq!(awake.is_some(), can);
        if can {
            let mut allowed = [0; 4];
            File::open(LATENCY).unwrap().read_exact(&mut allowed).unwrap();
            assert_eq!(i32::from_ne_bytes(allowed), 0);
        }
    }
}
