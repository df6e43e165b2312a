//! The disk of the model that is compared.

use catalog::InstanceCaps;
use disk::DeviceSpec;
use units::{Bytes, BytesPerSec, Iops};

use super::MatrixSetup;

use super::fio_runs::FioRun;
use crate::twin::Twin;

/// A disk of the model behind an instance.
#[derive(Debug, Clone)]
pub struct ModelledDisk {
    /// Its text, such as `gp3:1000GiB`.
    pub name: String,
    /// The kind of its volumes, such as `gp3`.
    pub kind: String,
    /// What its behaviour depends on.
    pub spec: DeviceSpec,
    /// The instance's caps; `None` where nothing is shared or the instance is not known.
    pub caps: Option<InstanceCaps>,
    /// Whether burst credits, the disk's and the instance's, are full at the start; else there are none.
    pub credits_full: bool,
    /// Random seed (same seed, same result).
    pub seed: u64,
}

impl ModelledDisk {
    /// A disk that nothing was asked of yet.
    pub(super) fn fresh(&self) -> Twin {
        let twin = Twin::new(self.spec.clone(), self.size(), self.seed).behind(self.caps.as_ref());
        if self.credits_full { twin } else { twin.spent() }
    }

    /// Whether a run was of this disk, by what its results say of the volume; runs that say nothing are.
    pub(super) fn is_of(&self, run: &FioRun) -> bool {
        run.volume.as_ref().is_none_or(|volume| {
            let same_rate = volume.iops.is_none_or(|iops| (iops / self.spec.volume.iops.0 - 1.0).abs() < 1e-3);
            volume.kind == self.kind && volume.stripe == self.spec.stripe.max(1) && same_rate
        })
    }

    fn size(&self) -> Bytes {
        self.spec.volume.size * f64::from(self.spec.stripe.max(1))
    }
}

impl ModelledDisk {
    /// What random reads beside a sequential writer take of the limit that binds most, the disk's own or the instance's: 1 is all.
    pub(super) fn load(&self, reads: Iops, writes: BytesPerSec, setup: &MatrixSetup) -> f64 {
        let (limits, stripe) = (&self.spec.volume, f64::from(self.spec.stripe.max(1)));
        let ops = |rate: f64, size: Bytes, unit: Bytes| rate * (size.as_f64() / unit.as_f64()).max(1.0);
        let read_ops = ops(reads.0, setup.read_size, limits.io_unit);
        // Adjacent writes in flight count together up to the size to which they merge.
        let unit = limits.merge.max(limits.io_unit.min(setup.write_size));
        let write_ops = writes.0 / unit.as_f64();
        let (read_bytes, write_bytes) = (reads.0 * setup.read_size.as_f64(), writes.0);
        let own = [
            (read_ops + write_ops * limits.write_iops_cost) / (limits.iops.0 * stripe),
            (read_bytes + write_bytes * limits.write_bytes_cost) / (limits.throughput.0 * stripe),
        ];
        let shared = self.caps.filter(|_| limits.shares_instance_caps).map_or([0.0; 2], |caps| {
            [(read_ops + write_ops) / caps.iops.0, (read_bytes + write_bytes) / caps.throughput.0]
        });
        own.into_iter().chain(shared).fold(0.0, f64::max)
    }
}
