//! Answers of a Prometheus: whatever a server says is series of a Timeline or one line.

use ingest::prometheus::{ClientAccess, PrometheusServer, QueryRange, gather_answered};

/// Takes the bytes for the answer to everything that is asked.
pub(crate) fn prometheus_answer(bytes: &[u8]) {
    let body = String::from_utf8_lossy(bytes);
    let at = |second| jiff::Timestamp::from_second(second).expect("a second of this century");
    let range = QueryRange { from: at(1_800_000_000), until: at(1_800_000_600), step: None };
    for status in [200, 422] {
        match gather_answered(status, &body, &range) {
            Ok(timeline) => timeline.validate().expect("what was gathered is valid"),
            Err(error) => assert_eq!(error.to_string().lines().count(), 1),
        }
    }
    if let Err(error) = PrometheusServer::new(&body, ClientAccess::default()) {
        assert_eq!(error.to_string().lines().count(), 1);
    }
}
