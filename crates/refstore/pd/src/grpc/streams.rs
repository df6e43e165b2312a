//! Timestamps, and region heartbeats: requests and answers in streams.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Instant;

use proto::pdpb::{RegionHeartbeatRequest, RegionHeartbeatResponse, Timestamp, TsoRequest, TsoResponse};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tokio_stream::{Stream, StreamExt};
use tonic::{Status, Streaming};

use super::header::{check, fine, kept};
use crate::shared::Shared;

/// Orders that may wait for a node to read them; there are never more than `leader-schedule-limit` at once.
const WAITING: usize = 256;
/// The most timestamps of one request: those of a millisecond.
const MOST: u32 = (1 << 18) - 1;

pub(super) type Timestamps = Pin<Box<dyn Stream<Item = Result<TsoResponse, Status>> + Send>>;
pub(super) type Orders = ReceiverStream<Result<RegionHeartbeatResponse, Status>>;

/// Answers each request with the last of the timestamps it asked for.
pub(super) fn timestamps(shared: Arc<Shared>, requests: Streaming<TsoRequest>) -> Timestamps {
    Box::pin(requests.map(move |request| {
        let request = request?;
        let began = Instant::now();
        if !(1..=MOST).contains(&request.count) {
            return Err(Status::invalid_argument(format!("tso count {}: expected 1 to {MOST}", request.count)));
        }
        let answer = kept(shared.with(|cluster, now| {
            check(cluster, request.header)?;
            let (physical, logical) = cluster.timestamps(request.count, now);
            let timestamp = Timestamp { physical: physical as i64, logical: logical as i64, suffix_bits: 0 };
            Ok(TsoResponse { header: fine(cluster), count: request.count, timestamp: Some(timestamp) })
        }));
        shared.meters.tso.observe(began.elapsed().as_secs_f64());
        answer.map(tonic::Response::into_inner)
    }))
}

/// Takes heartbeats in; the node that sends them gets its orders back.
pub(super) fn orders(shared: Arc<Shared>, mut heartbeats: Streaming<RegionHeartbeatRequest>) -> Orders {
    let (sender, receiver) = mpsc::channel(WAITING);
    tokio::spawn(async move {
        let mut known = 0;
        while let Ok(Some(said)) = heartbeats.message().await {
            let store = said.leader.as_ref().map_or(0, |leader| leader.store_id);
            if store != 0 && store != known {
                known = store;
                shared.listen(store, sender.clone());
            }
            let heard = kept(shared.with(|cluster, now| {
                check(cluster, said.header)?;
                Ok(cluster.hear_region(said, now))
            }));
            match heard {
                Ok(heard) => shared.meters.heard(store, heard.get_ref().is_ok()),
                Err(status) => {
                    let _ = sender.send(Err(status)).await;
                    return;
                }
            }
        }
    });
    ReceiverStream::new(receiver)
}
