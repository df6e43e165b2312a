//! A client's stream of batches: what comes in is handed to the pools, and what they answer goes out gathered.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Instant;

use proto::kvrpcpb::RawCoprocessorResponse;
use proto::tikvpb::batch_commands_request::request::Cmd as Ask;
use proto::tikvpb::batch_commands_response::Response;
use proto::tikvpb::batch_commands_response::response::Cmd as Answer;
use proto::tikvpb::{BatchCommandsEmptyResponse, BatchCommandsRequest, BatchCommandsResponse};
use tokio_stream::Stream;
use tonic::{Status, Streaming};

use super::NO_PLUGIN;
use super::health::FEEDBACK_INTERVAL;
use super::outbox::Outbox;
use super::shared::Shared;
use super::store_wide;
use super::tasks::{Read, Write};

/// Both directions of a client's stream. Requests are taken only while the client takes answers.
pub(crate) struct Conversation {
    shared: Arc<Shared>,
    requests: Option<Streaming<BatchCommandsRequest>>,
    outbox: Arc<Outbox>,
    /// When an answer carried the slow score last.
    fed: Option<Instant>,
}

impl Conversation {
    /// Begins to answer.
    pub(crate) fn new(shared: Arc<Shared>, requests: Streaming<BatchCommandsRequest>) -> Self {
        Self { shared, requests: Some(requests), outbox: Outbox::expecting(0), fed: None }
    }
}

impl Conversation {
    /// Adds what the store tells of itself.
    fn complete(&mut self, message: BatchCommandsResponse) -> BatchCommandsResponse {
        let due = self.fed.is_none_or(|fed| fed.elapsed() >= FEEDBACK_INTERVAL);
        if due {
            self.fed = Some(Instant::now());
        }
        let health_feedback = due.then(|| self.shared.feedback.next(&*self.shared.replicas));
        BatchCommandsResponse { transport_layer_load: self.shared.load.percent(), health_feedback, ..message }
    }
}

impl Stream for Conversation {
    type Item = Result<BatchCommandsResponse, Status>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        while let Some(requests) = &mut self.requests {
            match Pin::new(requests).poll_next(context) {
                Poll::Ready(Some(Ok(message))) => dispatch(&self.shared, &self.outbox, message),
                // A broken stream cannot be answered either; the answers on the way are dropped with this.
                Poll::Ready(Some(Err(status))) => return Poll::Ready(Some(Err(status))),
                Poll::Ready(None) => self.requests = None,
                Poll::Pending => break,
            }
        }
        let answers = self.outbox.poll(context, self.requests.is_none());
        answers.map(|message| message.map(|message| Ok(self.complete(message))))
    }
}

impl Drop for Conversation {
    fn drop(&mut self) {
        self.outbox.leave();
    }
}

/// Hands requests to the pools: all reads of a message as one task, all its writes as another.
fn dispatch(shared: &Shared, outbox: &Arc<Outbox>, message: BatchCommandsRequest) {
    let since = Instant::now();
    let count = message.requests.len().min(message.request_ids.len());
    outbox.expect(count);
    let (mut reads, mut writes) = (Vec::with_capacity(count), Vec::new());
    for (id, request) in message.request_ids.into_iter().zip(message.requests) {
        match request.cmd {
            Some(Ask::RawGet(_) | Ask::RawBatchGet(_) | Ask::RawScan(_) | Ask::RawBatchScan(_)) => {
                reads.extend(request.cmd.map(|ask| (id, ask)));
            }
            Some(Ask::Empty(ask)) => {
                let cmd = Some(Answer::Empty(BatchCommandsEmptyResponse { test_id: ask.test_id }));
                outbox.push(id, Response { cmd });
            }
            Some(Ask::RawCoprocessor(_)) => {
                let response = RawCoprocessorResponse { error: NO_PLUGIN.to_owned(), ..Default::default() };
                outbox.push(id, Response { cmd: Some(Answer::RawCoprocessor(response)) });
            }
            Some(Ask::GetHealthFeedback(_)) => {
                let cmd = Some(Answer::GetHealthFeedback(store_wide::feedback(shared)));
                outbox.push(id, Response { cmd });
            }
            // A kind that this store does not know: TiKV answers as emptily.
            None => outbox.push(id, Response { cmd: None }),
            Some(ask) => writes.push((id, ask)),
        }
    }
    if !reads.is_empty() {
        // The threads go only when the service goes, and the connection with it.
        let _ = shared.read(Read { to: outbox.clone(), since, asks: reads, leave: None });
    }
    if !writes.is_empty() {
        let _ = shared.write(Write::Batch { to: outbox.clone(), since, asks: writes });
    }
}
