//! The loop that talks to the cluster, which a thread of the client's turns, or a session that has none.

use std::sync::Arc;
use std::time::{Duration, Instant};

use signals::StopSignal;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};
use tokio::task::yield_now;

use crate::client::environment;
use crate::mailbox::{Mailbox, Tagged};
use crate::pd::Pd;
use crate::traffic::Meter;
use crate::worker::{Event, Worker, first};
use crate::{ClientError, RawClientOptions};

/// An event loop and what it runs.
pub(crate) struct Own {
    /// Before the runtime, which its timer and its connections need as they end.
    worker: Worker,
    runtime: Runtime,
}

impl Own {
    /// Ready as soon as the placement driver has told stores and regions.
    pub(crate) fn start(
        pd: Pd,
        options: RawClientOptions,
        channel: (UnboundedSender<Event>, UnboundedReceiver<Event>),
        meter: Arc<Meter>,
        seed: u64,
    ) -> Result<Self, ClientError> {
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| environment("an event loop for the client", &error))?;
        let started = runtime.block_on(async {
            let timeout = options.timeout;
            let mut worker = Worker::new(options, channel, meter, seed)
                .map_err(|error| environment("a timer for the client", &error))?;
            let learned = StopSignal::default().during(first(pd, timeout)).await;
            worker.learn(learned.map_err(|_| ClientError::Interrupted)??);
            Ok(worker)
        });
        match started {
            Ok(worker) => Ok(Self { worker, runtime }),
            Err(error) => {
                // A look-up of a name that was given up is not waited for.
                runtime.shutdown_background();
                Err(error)
            }
        }
    }

    /// Turns until the client and its last session are gone.
    pub(crate) fn run(self) {
        let Self { worker, runtime } = self;
        runtime.block_on(worker.run());
    }

    /// Sends what was asked, without waiting for anything.
    pub(crate) fn send(&mut self) {
        if self.worker.is_idle() {
            return;
        }
        self.runtime.block_on(async {
            self.worker.look();
            // The connections write meanwhile.
            yield_now().await;
        });
    }

    /// Turns until there are answers, `wait` at most; they go to `done`.
    pub(crate) fn poll(&mut self, mailbox: &Mailbox, wait: Duration, done: &mut Vec<Tagged>) {
        if wait.is_zero() && self.worker.is_idle() {
            mailbox.take(wait, done);
            return;
        }
        let (before, until) = (done.len(), Instant::now() + wait);
        self.runtime.block_on(async {
            // What has come needs no alarm, nor waits for one that might ring first each time.
            yield_now().await;
            self.worker.look();
            loop {
                mailbox.take(Duration::ZERO, done);
                if done.len() > before || Instant::now() >= until {
                    return;
                }
                self.worker.turn(Some(until)).await;
            }
        });
    }
}

impl std::fmt::Debug for Own {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Own").finish_non_exhaustive()
    }
}
