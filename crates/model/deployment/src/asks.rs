//! What one storage node is asked for.

use units::{Bytes, Iops};
use workload::IoRates;

/// Load of ONE storage node at its volumes; reads that a cache absorbs are left out.
///
/// In a file each direction is a rate and the mean size of a request:
/// `reads = "13400iops"`, `read-size = "16KiB"`; so too `writes`, `log-reads` and `log-writes`.
#[derive(Debug, Clone, Copy, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub struct NodeDemand {
    /// I/O a second on the data, without the log's.
    pub data: IoRates,
    /// I/O a second on the raft or redo log, on whichever disk it is.
    pub log: IoRates,
    /// Bytes kept on the data disk.
    pub stored: Option<Bytes>,
    /// Busy cores.
    pub cores: Option<f64>,
}

/// The `[asks]` table as people write it.
#[derive(Default, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct Written {
    /// Reads of the data a second.
    #[serde(skip_serializing_if = "Option::is_none")]
    reads: Option<Iops>,
    /// Mean size of a read.
    #[serde(skip_serializing_if = "Option::is_none")]
    read_size: Option<Bytes>,
    /// Writes of the data a second.
    #[serde(skip_serializing_if = "Option::is_none")]
    writes: Option<Iops>,
    /// Mean size of a write.
    #[serde(skip_serializing_if = "Option::is_none")]
    write_size: Option<Bytes>,
    /// Reads of the raft or redo log a second.
    #[serde(skip_serializing_if = "Option::is_none")]
    log_reads: Option<Iops>,
    /// Mean size of a read of the log.
    #[serde(skip_serializing_if = "Option::is_none")]
    log_read_size: Option<Bytes>,
    /// Writes of the raft or redo log a second.
    #[serde(skip_serializing_if = "Option::is_none")]
    log_writes: Option<Iops>,
    /// Mean size of a write of the log.
    #[serde(skip_serializing_if = "Option::is_none")]
    log_write_size: Option<Bytes>,
    /// Bytes stored on the data disk.
    #[serde(skip_serializing_if = "Option::is_none")]
    stored: Option<Bytes>,
    /// Busy cores.
    #[serde(skip_serializing_if = "Option::is_none")]
    cores: Option<f64>,
}

/// Why a table of asks makes no sense.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum AsksError {
    /// Requests whose size is not given.
    #[error("`{rate}` needs `{size}`, the mean size of a request: add `{size} = \"16KiB\"`")]
    NoSize {
        /// The key that is there.
        rate: &'static str,
        /// The key that is missing.
        size: &'static str,
    },
    /// A size of requests that nobody makes.
    #[error("`{size}` has no effect without `{rate}`: add `{rate} = \"1000iops\"`, or take `{size}` out")]
    NoRate {
        /// The key that is missing.
        rate: &'static str,
        /// The key that is there.
        size: &'static str,
    },
    /// Cores below zero, or not a number.
    #[error("`cores = {cores}` is out of range: expected busy cores, such as 6.5")]
    Cores {
        /// Given value.
        cores: f64,
    },
}

/// Requests and bytes a second from a rate and a size.
fn flow(
    (rate, requests): (&'static str, Option<Iops>),
    (size, bytes): (&'static str, Option<Bytes>),
) -> Result<(f64, f64), AsksError> {
    match (requests, bytes) {
        (Some(requests), Some(bytes)) => Ok((requests.0, requests.0 * bytes.as_f64())),
        (None, None) => Ok((0.0, 0.0)),
        (Some(requests), None) if requests.0 == 0.0 => Ok((0.0, 0.0)),
        (Some(_), None) => Err(AsksError::NoSize { rate, size }),
        (None, Some(_)) => Err(AsksError::NoRate { rate, size }),
    }
}

/// The rate and the mean size, to the byte; neither where nothing is asked.
fn written(requests: f64, bytes: f64) -> (Option<Iops>, Option<Bytes>) {
    if requests > 0.0 { (Some(Iops(requests)), Some(Bytes((bytes / requests).round() as u64))) } else { (None, None) }
}

impl TryFrom<Written> for NodeDemand {
    type Error = AsksError;

    fn try_from(w: Written) -> Result<Self, AsksError> {
        if let Some(cores) = w.cores.filter(|cores| !(cores.is_finite() && *cores >= 0.0)) {
            return Err(AsksError::Cores { cores });
        }
        let (reads, read_bytes) = flow(("reads", w.reads), ("read-size", w.read_size))?;
        let (writes, write_bytes) = flow(("writes", w.writes), ("write-size", w.write_size))?;
        let data = IoRates { reads, read_bytes, writes, write_bytes, flushes: 0.0 };
        let (reads, read_bytes) = flow(("log-reads", w.log_reads), ("log-read-size", w.log_read_size))?;
        let (writes, write_bytes) = flow(("log-writes", w.log_writes), ("log-write-size", w.log_write_size))?;
        let log = IoRates { reads, read_bytes, writes, write_bytes, flushes: 0.0 };
        Ok(Self { data, log, stored: w.stored, cores: w.cores })
    }
}

impl From<NodeDemand> for Written {
    fn from(asks: NodeDemand) -> Self {
        let (reads, read_size) = written(asks.data.reads, asks.data.read_bytes);
        let (writes, write_size) = written(asks.data.writes, asks.data.write_bytes);
        let (log_reads, log_read_size) = written(asks.log.reads, asks.log.read_bytes);
        let (log_writes, log_write_size) = written(asks.log.writes, asks.log.write_bytes);
        Self {
            reads,
            read_size,
            writes,
            write_size,
            log_reads,
            log_read_size,
            log_writes,
            log_write_size,
            stored: asks.stored,
            cores: asks.cores,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> String {
        toml::from_str::<NodeDemand>(text).unwrap_err().to_string()
    }

    #[test]
    fn a_rate_and_a_size_make_a_flow() {
        let asks: NodeDemand = toml::from_str("reads = 13400\nread-size = \"16KiB\"\nstored = \"60GiB\"").unwrap();
        assert_eq!((asks.data.reads, asks.data.read_bytes), (13_400.0, 13_400.0 * 16_384.0));
        assert_eq!(asks.log, IoRates::default());
        assert_eq!(asks.stored, Some(Bytes::gib(60)));
    }

    #[test]
    fn a_rate_without_a_size_names_the_missing_key() {
        assert!(message("log-writes = 100").contains("`log-writes` needs `log-write-size`"));
    }

    #[test]
    fn a_size_without_a_rate_is_refused() {
        assert!(message("write-size = \"4KiB\"").contains("no effect without `writes`"));
    }

    #[test]
    fn zero_requests_need_no_size() {
        assert_eq!(toml::from_str::<NodeDemand>("writes = 0").unwrap(), NodeDemand::default());
    }

    #[test]
    fn negative_cores_are_refused() {
        assert!(message("cores = -1.0").contains("`cores = -1` is out of range"));
    }

    #[test]
    fn an_unknown_key_is_refused() {
        assert!(message("read = 5").contains("unknown field `read`"));
    }
}
