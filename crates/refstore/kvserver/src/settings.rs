//! What can be set of the service. Names, units and defaults are TiKV's (`server.*`, `storage.*`, `readpool.*`).

use std::time::Duration;

use crate::FlowSettings;

/// `server.grpc-compression-type`, of what is sent; what comes in may be compressed always.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GrpcCompression {
    /// As it is.
    #[default]
    None,
    /// With gzip, when the other side takes it.
    Gzip,
}

/// Settings of the service.
#[derive(Debug, Clone, PartialEq)]
pub struct KvServerSettings {
    /// `server.grpc-concurrency`: threads that speak gRPC; 5.
    pub grpc_concurrency: usize,
    /// `server.grpc-concurrent-stream`: requests at once on a connection; 1024.
    pub grpc_concurrent_stream: u32,
    /// `server.grpc-stream-initial-window-size`: 2 MiB.
    pub grpc_stream_window: u32,
    /// `server.grpc-compression-type`.
    pub compression: GrpcCompression,
    /// `storage.scheduler-worker-pool-size`: threads that writes pass through; 4 on four to fifteen processors.
    pub scheduler_worker_pool_size: usize,
    /// `storage.scheduler-pending-write-threshold`: bytes of unanswered writes; above it a store is busy; 100 MiB.
    pub scheduler_pending_write_threshold: u64,
    /// `readpool.unified.max-thread-count`: threads that read; 80 % of the processors, 4 at least.
    pub read_pool_size: usize,
    /// `storage.max-key-size`: 8 KiB.
    pub max_key_size: usize,
    /// The store's label `zone`; empty without one.
    pub zone: String,
    /// Round trip to a store of another zone, as if it were there. Each side holds back half of it.
    pub zone_round_trip: Duration,
    /// `storage.flow-control.*`.
    pub flow: FlowSettings,
}

impl Default for KvServerSettings {
    fn default() -> Self {
        Self {
            grpc_concurrency: 5,
            grpc_concurrent_stream: 1024,
            grpc_stream_window: 2 << 20,
            compression: GrpcCompression::None,
            scheduler_worker_pool_size: 4,
            scheduler_pending_write_threshold: 100 << 20,
            read_pool_size: 4,
            max_key_size: 8 << 10,
            zone: String::new(),
            zone_round_trip: Duration::ZERO,
            flow: FlowSettings::default(),
        }
    }
}
