//! Rules of volume types in words.

use std::fmt;

use crate::{BurstBucket, IopsRule, ThroughputRule};

impl fmt::Display for IopsRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BySize { base, per_gib: 0.0, .. } => write!(f, "{base}"),
            Self::BySize { base, per_gib, min, max } => {
                if *base > 0.0 {
                    write!(f, "{base} + ")?;
                }
                write!(f, "{per_gib}/GiB, {}..{}", min.0, max.0)
            }
            Self::Provisioned { min, max, max_per_gib } => {
                write!(f, "provisioned {}..{}", min.0, max.0)?;
                max_per_gib.map_or(Ok(()), |per| write!(f, ", up to {per}/GiB"))
            }
            Self::ByInstance => f.write_str("by instance"),
        }
    }
}

impl fmt::Display for ThroughputRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Provisioned { min, max, max_per_iops } => {
                write!(f, "provisioned {min}..{max}, up to {max_per_iops} for each I/O")
            }
            Self::ByIops(bands) => {
                for (i, band) in bands.iter().enumerate() {
                    let sep = if i > 0 { "; " } else { "" };
                    write!(f, "{sep}to {} IOPS {} for each I/O, max {}", band.up_to.0, band.per_io, band.max)?;
                }
                Ok(())
            }
            Self::BySize(bands) => {
                for (i, band) in bands.iter().enumerate() {
                    let sep = if i > 0 { "; " } else { "" };
                    write!(f, "{sep}from {} ", band.from)?;
                    match (band.per_gib.0 == 0.0, band.base.0 == 0.0) {
                        (true, _) => write!(f, "{}", band.max)?,
                        (false, true) => write!(f, "{}/GiB, max {}", band.per_gib, band.max)?,
                        (false, false) => write!(f, "{} + {}/GiB, max {}", band.base, band.per_gib, band.max)?,
                    }
                }
                Ok(())
            }
            Self::ByInstance => f.write_str("by instance"),
        }
    }
}

impl fmt::Display for BurstBucket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::IoCredits { iops, capacity } => write!(f, "{} IOPS from {capacity} credits", iops.0),
            Self::ByteCredits { per_tib, max, capacity_per_tib } => {
                write!(f, "{per_tib}/TiB, max {max}, from {capacity_per_tib}/TiB of credits")
            }
            Self::Timed { iops, throughput, full_burst } => {
                write!(f, "{} IOPS, {throughput} for {full_burst}", iops.0)
            }
        }
    }
}
