//! A disk as people write it: `gp3:1000GiB,6000iops,250MiB/s`, `2x(gp2:1000GiB)`, `gp2:1000GiB+cache(nvme:200GiB)`.

use units::{Bytes, BytesPerSec, Iops};

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

/// Why a text is not a disk, and where in it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ParseDiskError {
    /// Byte offset in the text.
    pub at: usize,
    /// What is wrong, what was expected, what to try.
    pub message: String,
}

impl std::fmt::Display for Disk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.volume.kind, self.volume.size)
    }
}

impl std::str::FromStr for Disk {
    type Err = ParseDiskError;
    fn from_str(text: &str) -> Result<Self, ParseDiskError> {
        Err(ParseDiskError { at: 0, message: format!("`{text}` is not a disk") })
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
