//! A client: its threads and sessions, and what it has counted.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};

use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};

use crate::mailbox::Mailbox;
use crate::own::Own;
use crate::pd::Pd;
use crate::traffic::Meter;
use crate::worker::Event;
use crate::{ClientError, ClientTraffic, RawClientOptions, RawSession};

/// The most threads of a client.
const THREADS: usize = 64;

/// A client of a cluster. Its threads end with it and its last session.
#[derive(Debug, Clone)]
pub struct RawClient {
    threads: Arc<Threads>,
}

/// The threads of a client; they end when nobody holds this any more.
#[derive(Debug)]
pub(crate) struct Threads {
    events: Vec<UnboundedSender<Event>>,
    sessions: AtomicU32,
    meter: Arc<Meter>,
    /// What it was made with.
    pd: String,
    options: RawClientOptions,
}

impl Drop for Threads {
    fn drop(&mut self) {
        for thread in &self.events {
            let _ = thread.send(Event::Stop);
        }
    }
}

impl RawClient {
    /// Asks the placement drivers for stores and regions, and starts the threads. `pd` is one address or several with commas
    /// between them: `127.0.0.1:2379`, `tikv://a:2379,b:2379`. A cluster that does not answer yet is given
    /// `options.timeout`.
    pub fn connect(pd: &str, options: RawClientOptions) -> Result<Self, ClientError> {
        if options.threads == 0 || options.threads > THREADS {
            let threads = options.threads;
            return Err(ClientError::Input(format!("{threads} threads for a client: expected 1 to {THREADS}")));
        }
        if options.timeout.is_zero() {
            return Err(ClientError::Input("a timeout of 0 leaves no time for any request; give it some".to_owned()));
        }
        let meter = Arc::new(Meter::default());
        // Dropped after a fault, it ends the threads that have started.
        let (events, sessions) = (Vec::new(), AtomicU32::new(0));
        let mut threads = Threads { events, sessions, meter, pd: pd.to_owned(), options };
        let mut started = Vec::new();
        for index in 0..threads.options.threads {
            let (events, receiver) = mpsc::unbounded_channel();
            let (sender, ready) = sync_channel(1);
            let (pd, options, meter) = (Pd::new(pd)?, threads.options.clone(), threads.meter.clone());
            let channel = (events.clone(), receiver);
            std::thread::Builder::new()
                .name(format!("rawkv-{index}"))
                .spawn(move || run(pd, options, channel, meter, seed(index as u32), &sender))
                .map_err(|error| environment("a thread for the client", &error))?;
            threads.events.push(events);
            started.push(ready);
        }
        for ready in started {
            let gone = || ClientError::Environment("a thread of the client ended as it started".to_owned());
            ready.recv().map_err(|_| gone())??;
        }
        Ok(Self { threads: Arc::new(threads) })
    }

    /// A way to ask, for one thread. Sessions are cheap.
    pub fn session(&self) -> RawSession {
        let number = self.threads.number();
        let events = self.threads.events[number as usize % self.threads.events.len()].clone();
        let mailbox = Arc::new(Mailbox::default());
        let _ = events.send(Event::Opened(number, mailbox.clone()));
        RawSession::new(number, mailbox, events, self.threads.clone(), None)
    }

    /// A session with connections of its own that works in the thread that polls it, and only while it does: no other thread
    /// is woken for a request or an answer. Dear to make, cheap to use.
    ///
    /// # Errors
    /// As [`Client::connect`].
    pub fn own_session(&self) -> Result<RawSession, ClientError> {
        let Threads { pd, options, meter, .. } = &*self.threads;
        let (number, mailbox) = (self.threads.number(), Arc::new(Mailbox::default()));
        let channel = mpsc::unbounded_channel();
        let events = channel.0.clone();
        let _ = events.send(Event::Opened(number, mailbox.clone()));
        // Other than those of the threads.
        let seed = seed(u32::MAX - number);
        let own = Own::start(Pd::new(pd)?, options.clone(), channel, meter.clone(), seed)?;
        Ok(RawSession::new(number, mailbox, events, self.threads.clone(), Some(Box::new(own))))
    }

    /// Bytes on the wire until now.
    pub fn traffic(&self) -> ClientTraffic {
        self.threads.meter.read(self.threads.options.zone.clone())
    }

    /// How often a try of a request failed and was followed by another, until now.
    pub fn retries(&self) -> u64 {
        self.threads.meter.retries.load(Ordering::Relaxed)
    }
}

impl Threads {
    /// Of a new session.
    fn number(&self) -> u32 {
        self.sessions.fetch_add(1, Ordering::Relaxed)
    }
}

/// Of the chance of one loop: other than that of any other, in this process and in others.
fn seed(number: u32) -> u64 {
    u64::from(std::process::id()) << 32 | u64::from(number)
}

/// What a thread does. It says on `ready` once whether it has started.
fn run(
    pd: Pd,
    options: RawClientOptions,
    channel: (UnboundedSender<Event>, UnboundedReceiver<Event>),
    meter: Arc<Meter>,
    seed: u64,
    ready: &SyncSender<Result<(), ClientError>>,
) {
    match Own::start(pd, options, channel, meter, seed) {
        Ok(own) => {
            let _ = ready.send(Ok(()));
            own.run();
        }
        Err(error) => {
            let _ = ready.send(Err(error));
        }
    }
}

pub(crate) fn environment(what: &str, error: &std::io::Error) -> ClientError {
    ClientError::Environment(format!("the system does not give {what}: {error}"))
}
