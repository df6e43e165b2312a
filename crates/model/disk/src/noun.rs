//! A disk as people write it: `gp3:1000GiB,6000iops,250MiB/s`, `2x(gp2:1000GiB)`, `gp2:1000GiB+cache(nvme:200GiB)`.

use std::fmt;
use std::str::FromStr;

use units::{Bytes, BytesPerSec, Iops};

use crate::parse::{ParseDiskError, Parser};

/// One volume: its type, size and what was provisioned beyond the type's own.
#[derive(Debug, Clone, PartialEq)]
pub struct Volume {
    /// The type's name in the catalogue; `nvme` is the instance's own flash.
    pub kind: String,
    /// Its size.
    pub size: Bytes,
    /// Provisioned I/O rate, if given.
    pub iops: Option<Iops>,
    /// Provisioned throughput, if given.
    pub throughput: Option<BytesPerSec>,
}

/// A volume, a RAID 0 stripe of equal volumes, or either behind a read cache.
#[derive(Debug, Clone, PartialEq)]
pub struct Disk {
    /// How many equal volumes are striped; 1 for a plain volume.
    pub stripe: u32,
    /// Each of them.
    pub volume: Volume,
    /// A read cache on the instance's flash.
    pub cache: Option<Volume>,
}

impl Volume {
    /// The kind that stands for the instance's own flash.
    pub const LOCAL: &str = "nvme";

    /// The kind that stands for a disk that is never waited for: what an engine does without one.
    pub const UNLIMITED: &str = "unlimited";

    /// Whether this is the instance's own flash.
    pub fn is_local(&self) -> bool {
        self.kind == Self::LOCAL
    }

    /// Whether this is the disk that is never waited for. No cloud sells it.
    pub fn is_unlimited(&self) -> bool {
        self.kind == Self::UNLIMITED
    }
}

impl From<Volume> for Disk {
    fn from(volume: Volume) -> Self {
        Self { stripe: 1, volume, cache: None }
    }
}

impl fmt::Display for Volume {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.kind, self.size)?;
        if let Some(iops) = self.iops {
            write!(f, ",{iops}")?;
        }
        if let Some(throughput) = self.throughput {
            write!(f, ",{throughput}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Disk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.stripe {
            1 => write!(f, "{}", self.volume)?,
            n => write!(f, "{n}x({})", self.volume)?,
        }
        match &self.cache {
            Some(cache) => write!(f, "+cache({cache})"),
            None => Ok(()),
        }
    }
}

impl FromStr for Disk {
    type Err = ParseDiskError;

    fn from_str(text: &str) -> Result<Self, ParseDiskError> {
        Parser::new(text)?.disk()
    }
}

impl serde::Serialize for Disk {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for Disk {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_size_that_was_said_in_gigabytes_is_told_in_gigabytes() {
        let told = |text: &str| text.parse::<super::Disk>().unwrap().to_string();
        assert_eq!(
            ["nvme:950GB", "gp2:100GB", "gp3:100GiB", "gp3:1TiB"].map(told),
            ["nvme:950GB", "gp2:100GB", "gp3:100GiB", "gp3:1TiB"]
        );
    }

    fn volume(kind: &'static [&'static str]) -> impl Strategy<Value = Volume> {
        let rate = |top: f64| proptest::option::of(1.0..top);
        (proptest::sample::select(kind), 1u64.., rate(1e6), rate(1e11)).prop_map(|(kind, size, iops, throughput)| {
            Volume {
                kind: kind.to_owned(),
                size: Bytes(size),
                iops: iops.map(Iops),
                throughput: throughput.map(BytesPerSec),
            }
        })
    }

    proptest! {
        #[test]
        fn a_printed_disk_parses_back(
            stripe in 1u32..=128,
            volume in volume(&["gp2", "gp3", "io1", "io2", "nvme", "unlimited"]),
            cache in proptest::option::of(volume(&["nvme"])),
        ) {
            let disk = Disk { stripe, volume, cache };
            prop_assert_eq!(disk.to_string().parse::<Disk>().unwrap(), disk.clone());
            let json = serde_json::to_string(&disk).unwrap();
            prop_assert_eq!(serde_json::from_str::<Disk>(&json).unwrap(), disk);
        }
    }

    #[test]
    fn the_forms_of_the_manual_print_as_written() {
        for text in ["gp3:1000GiB,6000iops,250MiB/s", "2x(gp2:1000GiB)", "gp2:1000GiB+cache(nvme:200GiB)"] {
            assert_eq!(text.parse::<Disk>().unwrap().to_string(), text);
        }
    }
}
