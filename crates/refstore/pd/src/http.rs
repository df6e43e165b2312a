//! PD's HTTP API: which request is answered by what. Answers depend on the cluster, the member and the time alone.

mod config;
mod format;
mod maintenance;
mod members;
mod operators;
mod regions;
mod reply;
mod schedulers;
mod stats;
mod stores;

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::{Query, Request};
use axum::response::Response;

use self::reply::Reply;
use crate::cluster::Cluster;
use crate::shared::{About, Shared};

/// The API's root.
const BASE: &str = "/pd/api/v1/";
/// That of the second version, of which only the maintenance lock is here.
const BASE_V2: &str = "/pd/api/v2/";
/// No request is larger than some settings.
const LARGEST: usize = 1 << 20;
/// PD's words where nothing is yet.
const NOT_BOOTSTRAPPED: &str = "[PD:cluster:ErrNotBootstrapped]TiKV cluster not bootstrapped, please start TiKV first";

/// A request.
#[derive(Debug, Default)]
struct Ask<'a> {
    method: &'a str,
    path: Vec<&'a str>,
    query: Vec<(String, String)>,
    body: &'a [u8],
}

impl Ask<'_> {
    /// The value of a parameter.
    fn query(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The body as an object.
    fn object(&self) -> Result<serde_json::Map<String, serde_json::Value>, Reply> {
        serde_json::from_slice(self.body).map_err(|error| Reply::text(400, &error.to_string()))
    }
}

/// Answers what gRPC does not.
pub(crate) async fn serve(shared: Arc<Shared>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let reply = match to_bytes(body, LARGEST).await {
        Err(_) => Reply::text(400, "the body is larger than 1 MiB, or it broke off"),
        Ok(body) => {
            let path = head.uri.path();
            let query = Query::try_from_uri(&head.uri).map(|Query(query)| query).unwrap_or_default();
            let answered = shared.with(|cluster, now| {
                if (head.method.as_str(), path) == ("GET", "/metrics") {
                    return Reply::metrics(shared.meters.text(cluster, &shared.about.name, now));
                }
                let (path, is_v2) = match (path.strip_prefix(BASE), path.strip_prefix(BASE_V2)) {
                    (Some(path), _) => (path, false),
                    (None, Some(path)) => (path, true),
                    (None, None) => return Reply::nowhere(),
                };
                let path = path.trim_end_matches('/').split('/').collect();
                let ask = Ask { method: head.method.as_str(), path, query, body: &body };
                match is_v2 {
                    false => answer(cluster, &shared.about, now, &ask),
                    true => maintenance::answer(cluster, now, &ask),
                }
            });
            answered.unwrap_or_else(|error| {
                textfile::log_line(format_args!("pd: {error}"));
                Reply::text(500, &error.to_string())
            })
        }
    };
    let built = Response::builder().status(reply.status).header("content-type", reply.kind);
    built.body(Body::from(reply.body)).unwrap_or_default()
}

fn answer(cluster: &mut Cluster, about: &About, now: Duration, ask: &Ask) -> Reply {
    match ask.path.first().copied().unwrap_or_default() {
        "store" | "stores" | "region" | "regions" | "stats" | "operators" if !cluster.is_bootstrapped() => {
            Reply::text(500, NOT_BOOTSTRAPPED)
        }
        "store" | "stores" => stores::answer(cluster, now, ask),
        "region" | "regions" => regions::answer(cluster, ask),
        "stats" => stats::answer(cluster, ask),
        "operators" => operators::answer(cluster, now, ask),
        "schedulers" | "scheduler-config" => schedulers::answer(cluster, now, ask),
        "config" => config::answer(cluster, about, ask),
        _ => members::answer(cluster, about, ask),
    }
}

#[cfg(test)]
mod tests;
