//! A snapshot that comes in: its pieces go to the replica on a thread that may block.

use std::sync::Arc;

use proto::raft_serverpb::{Done, SnapshotChunk};
use raftstore::Refusal;
use tokio::sync::mpsc;
use tonic::{Status, Streaming};

use crate::ReplicaAccess;

/// Pieces that wait for the disk.
const WAITING: usize = 4;

/// Takes a snapshot, and answers when the replica has all of it.
pub(crate) async fn receive(
    replicas: Arc<dyn ReplicaAccess>,
    mut chunks: Streaming<SnapshotChunk>,
) -> Result<Done, Status> {
    let first = chunks.message().await?;
    let Some(SnapshotChunk { message: Some(message), data }) = first else {
        return Err(Status::invalid_argument(
            "the first piece of a snapshot has to have the message that announces it",
        ));
    };
    let (pieces, mut waiting) = mpsc::channel(WAITING);
    let sink = tokio::task::spawn_blocking(move || {
        let mut sink = replicas.snapshot(message)?;
        loop {
            match waiting.blocking_recv() {
                Some(Some(piece)) => sink.write(piece)?,
                Some(None) => return sink.finish(),
                // The stream broke: what is there is not all.
                None => return Err(Refusal::Unknown("the stream of the snapshot broke".to_owned())),
            }
        }
    });
    let mut next = Some(data).filter(|data| !data.is_empty());
    loop {
        if let Some(piece) = next.take() {
            // A thread that gave up says why below.
            if pieces.send(Some(piece)).await.is_err() {
                break;
            }
        }
        match chunks.message().await? {
            Some(chunk) => next = Some(chunk.data),
            None => {
                let _ = pieces.send(None).await;
                break;
            }
        }
    }
    drop(pieces);
    match sink.await {
        Ok(Ok(())) => Ok(Done {}),
        Ok(Err(Refusal::Region(error))) => Err(Status::failed_precondition(error.message)),
        Ok(Err(Refusal::Unknown(why))) => Err(Status::aborted(why)),
        Err(error) => Err(Status::internal(format!("the thread of the snapshot ended: {error}"))),
    }
}
