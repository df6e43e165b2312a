//! The store's health as TiKV tells it: `grpc.health.v1`, which TiKV's clients ask after a request that failed and before they
//! come back to the store, and the slow score in answers.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use proto::kvrpcpb::HealthFeedback;
use tonic_health::ServingStatus;
use tonic_health::server::HealthReporter;

use crate::ReplicaAccess;

/// The whole server, in `grpc.health.v1`.
pub(crate) const WHOLE_SERVER: &str = "";
/// `server.health-feedback-interval`: between two answers of one stream that carry the slow score.
pub(crate) const FEEDBACK_INTERVAL: Duration = Duration::from_secs(1);
/// How often the replicas are asked; TiKV inspects its disks every 100 ms and changes a score after several.
const REPORT_INTERVAL: Duration = Duration::from_millis(500);
/// Slow scores of a store that answers at once, and of one whose disk failed or hangs.
const SCORES: (i32, i32) = (1, 100);

/// Keeps the status of the whole server up to date, until it is dropped. TiKV with a disk that hangs says `SERVICE_UNKNOWN`, which
/// clients treat as `UNKNOWN`.
pub(crate) async fn report(reporter: &HealthReporter, replicas: &dyn ReplicaAccess) {
    let mut told = ServingStatus::Serving;
    loop {
        let status = if replicas.broken() { ServingStatus::Unknown } else { ServingStatus::Serving };
        if status != told {
            reporter.set_service_status(WHOLE_SERVER, status).await;
            told = status;
        }
        tokio::time::sleep(REPORT_INTERVAL).await;
    }
}

/// Numbers the slow scores that a store sends.
#[derive(Debug)]
pub(crate) struct Feedback {
    store_id: u64,
    /// TiKV begins at the Unix time of its start in milliseconds, so that numbers grow over restarts.
    next: AtomicU64,
}

impl Feedback {
    /// Begins to count.
    pub(crate) fn new(store_id: u64) -> Self {
        let started = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis());
        Self { store_id, next: AtomicU64::new(u64::try_from(started).unwrap_or(0)) }
    }

    /// The next one.
    pub(crate) fn next(&self, replicas: &dyn ReplicaAccess) -> HealthFeedback {
        HealthFeedback {
            store_id: self.store_id,
            feedback_seq_no: self.next.fetch_add(1, Ordering::Relaxed),
            slow_score: if replicas.broken() { SCORES.1 } else { SCORES.0 },
        }
    }
}
