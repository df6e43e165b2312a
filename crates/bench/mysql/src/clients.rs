//! The driver of crate `bench` over connections: one thread, however many clients.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use bench::{BenchError, Driver, FinishedOperation};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::timeout;

use crate::class::words;
use crate::client::Client;
use crate::{RetryBudget, SqlTarget, SqlWork};

/// Clients that one thread drives, each with a connection.
#[derive(Debug)]
pub(crate) struct Clients {
    runtime: Runtime,
    work: Vec<UnboundedSender<(u64, SqlWork)>>,
    idle: Vec<usize>,
    /// Work that waits for a client: the loops of `bench` give no more than there are.
    waiting: VecDeque<(u64, SqlWork)>,
    done: UnboundedReceiver<(usize, FinishedOperation)>,
}

/// Connections that are opened at once: more would find the server's queue full (`back_log`, 80 by default).
const AT_ONCE: usize = 32;

impl Clients {
    /// Connects so many clients.
    ///
    /// # Errors
    /// When one cannot be.
    pub(crate) fn connect(
        count: usize,
        target: &Arc<SqlTarget>,
        retries: &Arc<RetryBudget>,
        patience: Duration,
    ) -> Result<Self, BenchError> {
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| BenchError::database("a runtime", error))?;
        let clients = runtime.block_on(async {
            let mut clients = Vec::with_capacity(count);
            while clients.len() < count {
                let some: Vec<_> = (0..AT_ONCE.min(count - clients.len()))
                    .map(|_| {
                        let mut client = Client::new(target.clone(), retries.clone(), patience);
                        tokio::spawn(async move { client.connect().await.map(|()| client) })
                    })
                    .collect();
                for client in some {
                    match client.await {
                        Ok(Ok(client)) => clients.push(client),
                        Ok(Err(error)) => {
                            let at = clients.len() + 1;
                            let doing = format!("connection {at} of {count} is refused");
                            return Err(BenchError::database(doing, words(&error)));
                        }
                        Err(_) => return Err(BenchError::Thread),
                    }
                }
            }
            Ok(clients)
        })?;
        let (finished, done) = unbounded_channel();
        let work = (0..).zip(clients).map(|(at, client)| {
            let (sender, mut receiver) = unbounded_channel::<(u64, SqlWork)>();
            let finished = finished.clone();
            runtime.spawn(async move {
                let mut client = client;
                while let Some((tag, work)) = receiver.recv().await {
                    let outcome = client.perform(&work).await;
                    if finished.send((at, FinishedOperation { tag, outcome })).is_err() {
                        break;
                    }
                }
                client.close().await;
            });
            sender
        });
        let work: Vec<_> = work.collect();
        Ok(Self { idle: (0..work.len()).collect(), work, waiting: VecDeque::new(), done, runtime })
    }

    fn take(&mut self, (at, finished): (usize, FinishedOperation), done: &mut Vec<FinishedOperation>) {
        done.push(finished);
        match self.waiting.pop_front() {
            Some(next) => self.give(at, next),
            None => self.idle.push(at),
        }
    }

    fn give(&self, at: usize, work: (u64, SqlWork)) {
        // A client ends only with its sender.
        let _ = self.work[at].send(work);
    }
}

impl Driver<SqlWork> for Clients {
    fn submit(&mut self, tag: u64, work: SqlWork) {
        match self.idle.pop() {
            Some(at) => self.give(at, (tag, work)),
            None => self.waiting.push_back((tag, work)),
        }
    }

    fn flush(&mut self) {}

    fn poll(&mut self, wait: Duration, done: &mut Vec<FinishedOperation>) {
        let receiver = &mut self.done;
        // Clients run only while somebody waits for them.
        let first = self.runtime.block_on(async { timeout(wait, receiver.recv()).await });
        if let Ok(Some(first)) = first {
            self.take(first, done);
        }
        while let Ok(more) = self.done.try_recv() {
            self.take(more, done);
        }
    }
}

/// Connections that still close are given so long.
const CLOSING: Duration = Duration::from_millis(500);

impl Drop for Clients {
    fn drop(&mut self) {
        self.work.clear();
        let done = &mut self.done;
        self.runtime.block_on(async {
            let _ = timeout(CLOSING, async { while done.recv().await.is_some() {} }).await;
        });
    }
}
