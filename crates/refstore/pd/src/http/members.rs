//! The member, its health, and the cluster as such.

use std::time::Duration;

use serde::Serialize;

use super::reply::Reply;
use super::{Ask, format};
use crate::cluster::Cluster;
use crate::shared::{About, VERSION};

#[derive(Serialize)]
struct Members {
    header: Header,
    members: [Member; 1],
    leader: Member,
    etcd_leader: Member,
}

#[derive(Serialize)]
struct Header {
    cluster_id: u64,
}

#[derive(Serialize)]
struct Member {
    name: String,
    member_id: u64,
    peer_urls: Vec<String>,
    client_urls: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deploy_path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    binary_version: Option<String>,
}

#[derive(Serialize)]
struct Health {
    name: String,
    member_id: u64,
    client_urls: Vec<String>,
    health: bool,
}

#[derive(Serialize)]
struct Version {
    version: String,
    build_time: &'static str,
    hash: &'static str,
    branch: &'static str,
}

#[derive(Serialize)]
struct Build {
    build_ts: &'static str,
    version: String,
    git_hash: &'static str,
    start_timestamp: u64,
}

#[derive(Serialize)]
struct Shape {
    id: u64,
    max_peer_count: u64,
}

#[derive(Serialize)]
struct ClusterStatus {
    raft_bootstrap_time: String,
    is_initialized: bool,
    replication_status: &'static str,
}

/// What release these answers are of; the program's own version says what it is.
const OWN: &str = concat!("diskwright-pd ", env!("CARGO_PKG_VERSION"));

pub(super) fn answer(cluster: &Cluster, about: &About, ask: &Ask) -> Reply {
    let record = &cluster.record;
    let brief = || {
        let url = || vec![about.url()];
        let name = about.name.clone();
        Member {
            name,
            member_id: record.member_id,
            peer_urls: url(),
            client_urls: url(),
            deploy_path: None,
            binary_version: None,
        }
    };
    let full =
        || Member { deploy_path: Some(about.data_dir.clone()), binary_version: Some(format!("v{VERSION}")), ..brief() };
    match (ask.method, ask.path.as_slice()) {
        ("GET", ["leader"]) => Reply::json(200, &brief()),
        // Nobody else could lead: PD with one member says so too, and does nothing.
        ("POST", ["leader", "resign"]) => Reply::text(200, "The resign command is submitted."),
        ("POST", ["leader", "transfer", name]) if *name == about.name => {
            Reply::text(200, "The transfer command is submitted.")
        }
        ("POST", ["leader", "transfer", _]) => Reply::text(500, "no valid pd to transfer etcd leader"),
        ("GET", ["members"]) => {
            let header = Header { cluster_id: record.cluster_id };
            Reply::json(200, &Members { header, members: [full()], leader: brief(), etcd_leader: full() })
        }
        ("GET", ["health"]) => {
            let (name, client_urls) = (about.name.clone(), vec![about.url()]);
            Reply::json(200, &[Health { name, member_id: record.member_id, client_urls, health: true }])
        }
        ("GET", ["ping"]) => Reply { status: 200, kind: "text/plain; charset=utf-8", body: String::new() },
        ("GET", ["version"]) => {
            Reply::json(200, &Version { version: format!("v{VERSION}"), build_time: "", hash: "", branch: OWN })
        }
        ("GET", ["status"]) => {
            let start_timestamp = about.started.as_secs();
            Reply::json(200, &Build { build_ts: "", version: format!("v{VERSION}"), git_hash: OWN, start_timestamp })
        }
        ("GET", ["cluster"]) => {
            let max_peer_count = record.settings.replication.max_replicas;
            Reply::json(200, &Shape { id: record.cluster_id, max_peer_count })
        }
        ("GET", ["cluster", "status"]) => {
            let since = Duration::from_nanos(record.bootstrapped.unwrap_or(0));
            // What never was is Go's zero time.
            let raft_bootstrap_time = match record.bootstrapped {
                Some(_) => format::instant(since),
                None => "0001-01-01T00:00:00Z".to_owned(),
            };
            let is_initialized = record.bootstrapped.is_some();
            Reply::json(200, &ClusterStatus { raft_bootstrap_time, is_initialized, replication_status: "majority" })
        }
        _ => Reply::nowhere(),
    }
}
