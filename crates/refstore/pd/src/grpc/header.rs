//! What stands at the head of each request and answer.

use proto::pdpb::{Error, ErrorType, RequestHeader, ResponseHeader};
use tonic::{Response, Status};

use crate::cluster::Cluster;
use crate::error::PdError;

/// Refuses who means another cluster, in PD's words.
pub(super) fn check(cluster: &Cluster, header: Option<RequestHeader>) -> Result<(), Status> {
    let (own, asked) = (cluster.record.cluster_id, header.map_or(0, |header| header.cluster_id));
    if own == asked {
        return Ok(());
    }
    Err(Status::failed_precondition(format!("mismatch cluster id, need {own} but got {asked}")))
}

/// Of an answer.
pub(super) fn fine(cluster: &Cluster) -> Option<ResponseHeader> {
    Some(ResponseHeader { cluster_id: cluster.record.cluster_id, error: None })
}

/// Of a refusal.
pub(super) fn wrong(cluster: &Cluster, kind: ErrorType, message: &str) -> Option<ResponseHeader> {
    let error = Some(Error { r#type: kind.into(), message: message.to_owned() });
    Some(ResponseHeader { cluster_id: cluster.record.cluster_id, error })
}

/// Of a refusal to say where what is as long as nothing is anywhere.
pub(super) fn not_bootstrapped(cluster: &Cluster) -> Option<ResponseHeader> {
    wrong(cluster, ErrorType::NotBootstrapped, "cluster is not bootstrapped")
}

/// Answers only what was kept.
pub(super) fn kept<T>(answer: Result<Result<T, Status>, PdError>) -> Result<Response<T>, Status> {
    match answer {
        Ok(answer) => answer.map(Response::new),
        Err(error) => {
            textfile::log_line(format_args!("pd: {error}"));
            Err(Status::unavailable(error.to_string()))
        }
    }
}
