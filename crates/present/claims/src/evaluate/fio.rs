//! Figures of a mounted disk, measured with fio.

use disk::Disk;
use probe::fio::AccessPattern;

use crate::error::ClaimError;
use crate::evaluate::mounted::MountedDisk;
use crate::evaluator::{ClaimAnswer, EvaluationContext, Evaluator};
use crate::rung::Rung;
use crate::value::ClaimValue;

/// `[fio]`: measurements of one disk, in order.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct FioRecipe {
    disk: Disk,
    /// Of local flash, the instance that it is in.
    instance: Option<String>,
    measure: Vec<FioFigure>,
}

/// A measurement.
#[derive(Debug, Clone, Copy, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
enum FioFigure {
    /// MiB/s of 1 MiB writes, 32 deep.
    WriteBandwidth,
    /// MiB/s of 1 MiB reads, 32 deep.
    ReadBandwidth,
    /// 4 KiB writes a second, 64 deep.
    WriteIops,
    /// 4 KiB reads a second, 64 deep.
    ReadIops,
    /// Mean latency in µs of 4 KiB writes, one at a time, at a third of the write IOPS.
    WriteLatency,
    /// Mean latency in µs of 4 KiB reads, one at a time, at a third of the read IOPS.
    ReadLatency,
    /// 4 KiB writes a second, each followed by fdatasync.
    SyncRate,
}

impl Evaluator for FioRecipe {
    fn rung(&self) -> Rung {
        Rung::Mount
    }

    fn answer(&self, context: &EvaluationContext<'_>) -> Result<ClaimAnswer, ClaimError> {
        let test_bed = context.test_bed()?;
        let mounted = MountedDisk::up(test_bed, &self.disk, self.instance.as_deref(), context.source.as_of)?;
        let mut known = KnownIops::default();
        let numbers = self.measure.iter().map(|figure| figure.of(&mounted, &mut known));
        Ok(ClaimValue::Numbers(numbers.collect::<Result<_, _>>()?).into())
    }
}

/// IOPS that were measured already.
#[derive(Debug, Default)]
struct KnownIops {
    write: Option<f64>,
    read: Option<f64>,
}

impl FioFigure {
    fn of(self, disk: &MountedDisk<'_>, known: &mut KnownIops) -> Result<f64, ClaimError> {
        let measured = |known: &mut Option<f64>, pattern| match *known {
            Some(iops) => Ok(iops),
            None => disk.iops(pattern).inspect(|iops| *known = Some(*iops)),
        };
        match self {
            Self::WriteBandwidth => disk.bandwidth(AccessPattern::Write),
            Self::ReadBandwidth => disk.bandwidth(AccessPattern::Read),
            Self::WriteIops => measured(&mut known.write, AccessPattern::RandWrite),
            Self::ReadIops => measured(&mut known.read, AccessPattern::RandRead),
            Self::WriteLatency => {
                disk.latency(AccessPattern::RandWrite, measured(&mut known.write, AccessPattern::RandWrite)?)
            }
            Self::ReadLatency => {
                disk.latency(AccessPattern::RandRead, measured(&mut known.read, AccessPattern::RandRead)?)
            }
            Self::SyncRate => disk.syncs(),
        }
    }
}
