//! What is looked at, one number for each interval of time.

use std::fmt;

macro_rules! signals {
    ($($variant:ident $name:literal $unit:literal $doc:literal),* $(,)?) => {
        /// A number that rules look at, worked out of a Timeline for each interval.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
        pub enum DiagnosisSignal {
            $(#[doc = $doc] #[serde(rename = $name)] $variant,)*
        }

        impl DiagnosisSignal {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// As the table of rules writes it.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),* }
            }

            /// Its unit; empty for a share or a ratio.
            pub fn unit(self) -> &'static str {
                match self { $(Self::$variant => $unit),* }
            }

            /// What it is, in words.
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $doc),* }
            }
        }
    };
}

signals! {
    Iops "iops" "I/Os a second" "I/Os a second that completed",
    CountedIops "counted-iops" "I/Os a second" "I/Os a second as the volume counts them",
    Throughput "throughput" "bytes a second" "bytes a second that were moved",
    ReadShare "read-share" "" "bytes read over all bytes moved",
    ReadSize "read-size" "bytes" "mean size of a read",
    WriteSize "write-size" "bytes" "mean size of a write",
    QueueDepth "queue-depth" "requests" "requests in flight on average",
    Latency "latency" "s" "mean latency of reads and writes",
    LatencyExcess "latency-excess" "" "mean latency over what the disk's own model takes for such requests below its limits",
    ReadExcess "read-excess" "" "mean latency of reads over what the disk's own model takes for them below its limits",
    WriteExcess "write-excess" "" "mean latency of writes over what the disk's own model takes for them below its limits",
    ReadsAloneSlow "reads-alone-slow" "" "1 where reads of a network volume take many times what the disk's model takes for them and writes do not, else 0",
    FlatTop "flat-top" "" "1 where the rate stays the same in neighbouring intervals while requests queue, else 0",
    LimitsKnown "limits-known" "" "1 where the volume's limits, or a check of them, are known, else 0",
    LinkClear "link-clear" "" "1 where the link of the instance is known to hold nothing up, or cannot be what does, else 0",
    FlushRate "flush-rate" "a second" "flushes a second",
    IopsUse "iops-use" "" "I/Os as the volume counts them over what it may do now, burst included",
    CountedUse "counted-use" "" "I/Os that the volume itself counted over what it may do now, burst included; not known where nobody tells its count",
    ThroughputUse "throughput-use" "" "bytes over what the volume may move now, burst included",
    IopsPaid "iops-paid" "" "I/Os as the volume counts them over its sustained rate",
    ThroughputPaid "throughput-paid" "" "bytes over the volume's sustained rate",
    IoLeft "io-left" "" "share of a full bucket of burst credits that is left; 1 where nothing bursts",
    BurstTimeLeft "burst-time-left" "s" "time until the burst credits are spent, at the pace of the last tenth of what was seen, or of a minute",
    BoundVolumeIops "bound-volume-iops" "" "share of time in which the volume's I/O rate held requests up",
    BoundVolumeThroughput "bound-volume-throughput" "" "share of time in which the volume's throughput held requests up",
    BoundVolume "bound-volume" "" "the larger of the volume's two",
    BoundInstanceIops "bound-instance-iops" "" "share of time in which the instance's I/O rate held requests up",
    BoundInstanceThroughput "bound-instance-throughput" "" "share of time in which the instance's throughput held requests up",
    BoundAny "bound-any" "" "share of time in which any limit of volume or instance held requests up",
    ExceededVolumeIops "exceeded-volume-iops" "" "share of time in which the volume counted more I/Os asked of it than it is provisioned for",
    ExceededVolumeThroughput "exceeded-volume-throughput" "" "share of time in which the volume counted more bytes asked of it than it is provisioned for",
    ExceededInstanceIops "exceeded-instance-iops" "" "share of time in which the instance counted more I/Os asked of its link than it lets through",
    ExceededInstanceThroughput "exceeded-instance-throughput" "" "share of time in which the instance counted more bytes asked of its link than it lets through",
    Stalled "stalled" "" "whether requests were in flight and none completed",
    InstanceIopsUse "instance-iops-use" "" "I/Os of all volumes over what the instance may do now, burst included",
    InstanceThroughputUse "instance-throughput-use" "" "bytes of all volumes over what the instance may move now, burst included",
    InstanceIopsUnsustained "instance-iops-unsustained" "" "I/Os of all volumes over what the instance sustains without its burst; known only where nobody tells what is left of the burst",
    InstanceThroughputUnsustained "instance-throughput-unsustained" "" "bytes of all volumes over what the instance sustains without its burst; known only where nobody tells what is left of the burst",
    InstanceIoLeft "instance-io-left" "" "share of the instance's burst of I/Os that is left; 1 where it has none to spend",
    InstanceByteLeft "instance-byte-left" "" "share of the instance's burst of bytes that is left; 1 where it has none to spend",
    CpuUse "cpu-use" "" "busy processors over all",
    PoolUse "pool-use" "" "busy threads over all, of the pool in which most are",
    HeldBack "held-back" "" "time that the engine held writes back (stalls, flow control), over the time",
    PendingBytes "pending-compaction" "bytes" "bytes that wait for compaction",
    Level0Files "level0-files" "files" "files on level 0",
    CompactionShare "compaction-share" "" "bytes of compaction over all bytes that the data disk moved in half a minute before and after",
    SyncLatency "sync-latency" "s" "mean time until the raft log is durable",
    SyncExcess "sync-excess" "" "that time over the disk's own for one such write",
    LogOnData "log-on-data" "" "1 where the raft log is on the data disk, else 0",
    DataBound "data-bound" "" "share of time in which a limit of volume or instance held the data disk up",
    DataUse "data-use" "" "the most used limit of the data disk and of the instance, as a share of it",
    DataReadShare "data-read-share" "" "bytes read over all bytes that the data disk moved",
    DataReadSize "data-read-size" "bytes" "mean size of a read of the data disk",
    DataBoundIops "data-bound-iops" "" "share of time in which an I/O rate, of volume or instance, held the data disk up",
    DataBoundThroughput "data-bound-throughput" "" "share of time in which a throughput, of volume or instance, held the data disk up",
    CacheMissShare "cache-miss-share" "" "blocks not found in the block cache over all asked for",
    CacheOfMemory "cache-of-memory" "" "block cache over the instance's memory",
    BlockSize "block-size" "bytes" "size of a data block before compression",
    SpaceLeft "space-left" "" "free bytes over the size of the fullest filesystem or volume",
    SpaceTimeLeft "space-time-left" "s" "time until that filesystem or volume is full, at the pace of all that was seen",
    TsoWait "tso-wait" "s" "mean time that clients wait for a timestamp",
    PdCpuUse "pd-cpu-use" "" "busy processors of the leading PD over all",
}

impl fmt::Display for DiagnosisSignal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.meaning())
    }
}
