//! Answers on their way to a client: gathered while the connection is busy, and sent in one message.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use parking_lot::Mutex;
use proto::tikvpb::BatchCommandsResponse;
use proto::tikvpb::batch_commands_response::Response;

/// Answers in one message, at most: a message is on its way before the next ones are ready.
const GATHERED: usize = 256;

/// Answers that wait for a client; shared by all that answer it.
#[derive(Default)]
pub(crate) struct Outbox {
    waiting: Mutex<Waiting>,
}

#[derive(Default)]
struct Waiting {
    responses: Vec<Response>,
    ids: Vec<u64>,
    /// Requests without an answer.
    open: usize,
    /// Nobody listens any more.
    gone: bool,
    waker: Option<Waker>,
}

impl Outbox {
    /// An empty one that expects answers to so many requests.
    pub(crate) fn expecting(requests: usize) -> Arc<Self> {
        let outbox = Self::default();
        outbox.expect(requests);
        Arc::new(outbox)
    }

    /// So many requests more have come.
    pub(crate) fn expect(&self, requests: usize) {
        self.waiting.lock().open += requests;
    }

    /// Answers a request.
    pub(crate) fn push(&self, id: u64, response: Response) {
        self.add(|waiting| {
            waiting.ids.push(id);
            waiting.responses.push(response);
            1
        });
    }

    /// Answers requests; empties the lists, which are of one length.
    pub(crate) fn append(&self, ids: &mut Vec<u64>, responses: &mut Vec<Response>) {
        self.add(|waiting| {
            let count = ids.len();
            waiting.ids.append(ids);
            waiting.responses.append(responses);
            count
        });
    }

    fn add(&self, add: impl FnOnce(&mut Waiting) -> usize) {
        let mut waiting = self.waiting.lock();
        if waiting.gone {
            return;
        }
        let count = add(&mut waiting);
        waiting.open = waiting.open.saturating_sub(count);
        let waker = waiting.waker.take();
        drop(waiting);
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// What is ready; nothing when all requests are answered and, as `last` says, no more will come.
    pub(crate) fn poll(&self, context: &mut Context<'_>, last: bool) -> Poll<Option<BatchCommandsResponse>> {
        let mut waiting = self.waiting.lock();
        if waiting.ids.is_empty() {
            if last && waiting.open == 0 {
                return Poll::Ready(None);
            }
            if !waiting.waker.as_ref().is_some_and(|waker| waker.will_wake(context.waker())) {
                waiting.waker = Some(context.waker().clone());
            }
            return Poll::Pending;
        }
        let rest = waiting.ids.len().min(GATHERED);
        let later = (waiting.ids.split_off(rest), waiting.responses.split_off(rest));
        let request_ids = std::mem::replace(&mut waiting.ids, later.0);
        let responses = std::mem::replace(&mut waiting.responses, later.1);
        Poll::Ready(Some(BatchCommandsResponse { responses, request_ids, ..Default::default() }))
    }

    /// The answer to the only request.
    pub(crate) async fn only(&self) -> Option<Response> {
        let message = poll_fn(|context| self.poll(context, true)).await;
        message.and_then(|mut message| message.responses.pop())
    }

    /// The client is gone: further answers are dropped.
    pub(crate) fn leave(&self) {
        let mut waiting = self.waiting.lock();
        waiting.gone = true;
        waiting.ids.clear();
        waiting.responses.clear();
    }
}
