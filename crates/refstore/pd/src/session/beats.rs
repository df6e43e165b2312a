//! Heartbeats: the node's own, and a stream of those of the regions it leads.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use proto::pdpb::{RegionHeartbeatRequest, RegionHeartbeatResponse, RequestHeader, StoreHeartbeatRequest};
use tokio::sync::{Notify, mpsc};
use tokio::time::{Instant, MissedTickBehavior, interval, sleep, sleep_until};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Status, Streaming};

use super::HeartbeatSource;
use super::link::{Link, root_cause};

/// Between two heartbeats of a node; TiKV's `raftstore.pd-store-heartbeat-tick-interval` is 10 s, of which PD takes a
/// node as disconnected after 20. Here nodes are killed on purpose, and PD shall know soon.
const STORE: Duration = Duration::from_secs(2);
/// Between two heartbeats of a region that nothing happens to; TiKV's `raftstore.pd-heartbeat-tick-interval` is 60 s.
const REGION: Duration = Duration::from_secs(5);
/// Before the stream is opened again.
const PAUSE: Duration = Duration::from_millis(200);
/// Heartbeats that may wait for the network.
const WAITING: usize = 64;

/// Beats until it is aborted.
pub(super) async fn beat(link: Link, store_id: u64, heartbeats: HeartbeatSource, nudge: Arc<Notify>) {
    tokio::join!(of_node(link.clone(), store_id, &heartbeats), of_regions(link, store_id, &heartbeats, &nudge));
}

async fn of_node(mut link: Link, store_id: u64, heartbeats: &HeartbeatSource) {
    let mut clock = interval(STORE);
    clock.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut news = News { store_id, about: "heartbeat", lost: false };
    loop {
        clock.tick().await;
        let mut stats = (heartbeats.stats)();
        stats.store_id = store_id;
        let request = StoreHeartbeatRequest { header: header(&link, store_id), stats: Some(stats) };
        match link.client().store_heartbeat(request).await {
            Ok(_) => news.back(&link),
            Err(status) => {
                news.lost(&link, &status);
                link.turn();
            }
        }
    }
}

async fn of_regions(mut link: Link, store_id: u64, heartbeats: &HeartbeatSource, nudge: &Notify) {
    let mut news = News { store_id, about: "region heartbeats", lost: false };
    loop {
        let (sender, receiver) = mpsc::channel(WAITING);
        let opened = link.client().region_heartbeat(ReceiverStream::new(receiver)).await;
        let ended = match opened {
            Ok(answers) => {
                news.back(&link);
                stream(&link, store_id, heartbeats, nudge, sender, answers.into_inner()).await
            }
            Err(status) => status,
        };
        news.lost(&link, &ended);
        link.turn();
        sleep(PAUSE).await;
    }
}

/// One stream, until it ends: all regions first, then all each few seconds, and those that changed when nudged.
async fn stream(
    link: &Link,
    store_id: u64,
    heartbeats: &HeartbeatSource,
    nudge: &Notify,
    sender: mpsc::Sender<RegionHeartbeatRequest>,
    mut answers: Streaming<RegionHeartbeatResponse>,
) -> Status {
    let mut said: HashMap<u64, u64> = HashMap::new();
    let mut next = Instant::now();
    loop {
        tokio::select! {
            answer = answers.message() => match answer {
                Ok(Some(answer)) => obey(heartbeats, answer),
                Ok(None) => return Status::unavailable("the stream ended"),
                Err(status) => return status,
            },
            () = nudge.notified() => {
                let mut all = (heartbeats.regions)();
                all.retain(|region| said.get(&id(region)) != Some(&region.term));
                if !say(link, store_id, &sender, &mut said, all).await {
                    return Status::unavailable("the stream ended");
                }
            }
            () = sleep_until(next) => {
                next = Instant::now() + REGION;
                said.clear();
                if !say(link, store_id, &sender, &mut said, (heartbeats.regions)()).await {
                    return Status::unavailable("the stream ended");
                }
            }
        }
    }
}

async fn say(
    link: &Link,
    store_id: u64,
    sender: &mpsc::Sender<RegionHeartbeatRequest>,
    said: &mut HashMap<u64, u64>,
    regions: Vec<RegionHeartbeatRequest>,
) -> bool {
    for mut region in regions {
        said.insert(id(&region), region.term);
        region.header = header(link, store_id);
        if sender.send(region).await.is_err() {
            return false;
        }
    }
    true
}

fn obey(heartbeats: &HeartbeatSource, answer: RegionHeartbeatResponse) {
    if let Some(peer) = answer.transfer_leader.and_then(|transfer| transfer.peer) {
        (heartbeats.transfer)(answer.region_id, peer);
    }
}

fn id(region: &RegionHeartbeatRequest) -> u64 {
    region.region.as_ref().map_or(0, |region| region.id)
}

fn header(link: &Link, store_id: u64) -> Option<RequestHeader> {
    Some(RequestHeader { cluster_id: link.cluster_id, sender_id: store_id })
}

/// Says on stderr when the other side goes and comes, once each.
struct News {
    store_id: u64,
    about: &'static str,
    lost: bool,
}

impl News {
    fn lost(&mut self, link: &Link, status: &Status) {
        if !std::mem::replace(&mut self.lost, true) {
            let (store, about, address) = (self.store_id, self.about, link.address());
            textfile::log_line(format_args!(
                "store {store}: {about}: no placement driver at {address}: {}; trying on",
                root_cause(status)
            ));
        }
    }

    fn back(&mut self, link: &Link) {
        if std::mem::replace(&mut self.lost, false) {
            textfile::log_line(format_args!(
                "store {}: {}: placement driver at {} is back",
                self.store_id,
                self.about,
                link.address()
            ));
        }
    }
}
