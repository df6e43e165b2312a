//! How one thread asks: requests go out in batches, answers come back in batches.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::mpsc::UnboundedSender;

use crate::client::Threads;
use crate::mailbox::Mailbox;
use crate::own::Own;
use crate::worker::Event;
use crate::{RawRequest, RawResponse, RequestError};

/// How one thread asks. Nothing leaves before `flush`; answers come in any order, each with the tag of its request.
///
/// When it is dropped, what it has flushed may still be carried out.
#[derive(Debug)]
pub struct RawSession {
    number: u32,
    asked: Vec<(u64, RawRequest)>,
    mailbox: Arc<Mailbox>,
    events: UnboundedSender<Event>,
    /// The loop that answers, where no thread of the client's does.
    own: Option<Box<Own>>,
    _threads: Arc<Threads>,
}

impl RawSession {
    pub(crate) fn new(
        number: u32,
        mailbox: Arc<Mailbox>,
        events: UnboundedSender<Event>,
        threads: Arc<Threads>,
        own: Option<Box<Own>>,
    ) -> Self {
        Self { number, asked: Vec::new(), mailbox, events, own, _threads: threads }
    }

    /// Adds a request to the next batch. Tags are the caller's, and should differ among what is on its way.
    pub fn submit(&mut self, tag: u64, request: RawRequest) {
        self.asked.push((tag, request));
    }

    /// Sends what was submitted; it does not block.
    pub fn flush(&mut self) {
        if self.asked.is_empty() {
            return;
        }
        let room = self.asked.len();
        let asked = std::mem::replace(&mut self.asked, Vec::with_capacity(room));
        if let Err(unsent) = self.events.send(Event::Asked(self.number, asked))
            && let Event::Asked(_, asked) = unsent.0
        {
            let refused = || Err(RequestError::Refused("the client's thread has ended".to_owned()));
            self.mailbox.put(&mut asked.into_iter().map(|(tag, _)| (tag, refused())).collect());
        }
    }

    /// Appends all answers that are there to `done`. If there is none it waits for some, at most `wait`.
    pub fn poll(&mut self, wait: Duration, done: &mut Vec<(u64, Result<RawResponse, RequestError>)>) {
        match &mut self.own {
            Some(own) => own.poll(&self.mailbox, wait, done),
            None => self.mailbox.take(wait, done),
        }
    }

    /// Lets so long pass without looking for answers, once what was flushed is sent: its thread wakes up once for all that come
    /// meanwhile, where `poll` would for each. It returns at once where another thread takes answers in, which is woken by them in
    /// any case.
    pub fn rest(&mut self, span: Duration) {
        if let Some(own) = &mut self.own {
            let until = Instant::now() + span;
            own.send();
            std::thread::sleep(until.saturating_duration_since(Instant::now()));
        }
    }
}

impl Drop for RawSession {
    fn drop(&mut self) {
        let _ = self.events.send(Event::Closed(self.number));
    }
}
