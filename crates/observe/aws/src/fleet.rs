//! Every volume of a region, as a stream: a few batches are on their way at a time, and what was shown is forgotten.

use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;

use timeline::Timeline;

use crate::api::{Api, MOST_QUERIES};
use crate::assemble::{self, Types};
use crate::range::MetricRange;
use crate::{AwsError, VolumeFacts};

/// Batches that are fetched at a time. GetMetricData allows 50 calls a second, but a processor reads answers at the rate at
/// which some four connections bring them.
const WORKERS: usize = 4;

/// Of one batch: 24 MB as Timelines, whatever the range.
const MOST_POINTS: i64 = 1_000_000;

type Batch = Vec<VolumeFacts>;
type Outcome<T> = Result<Vec<T>, AwsError>;

/// A batch to fetch, and where its outcome goes.
type Job<T> = (Batch, SyncSender<Outcome<T>>);

/// Looks at every volume as it comes, and shows what was seen in the order of the list, whichever batch arrives first.
pub(crate) fn each_volume<T: Send>(
    api: &dyn Api,
    types: &Types,
    range: MetricRange,
    look: impl Fn(Timeline, VolumeFacts) -> T + Sync,
    mut show: impl FnMut(T) -> ControlFlow<()>,
) -> Result<(), AwsError> {
    // Both queues have an end: a listing that is faster than the metrics waits, and so does a fetch faster than `show`.
    let (jobs, queue) = sync_channel::<Job<T>>(0);
    let (order, outcomes) = sync_channel::<Receiver<Outcome<T>>>(WORKERS);
    let queue = Arc::new(Mutex::new(queue));
    let look = &look;
    thread::scope(|scope| {
        for _ in 0..WORKERS {
            let queue = Arc::clone(&queue);
            scope.spawn(move || work(api, range, &queue, look));
        }
        // With the last worker the queue ends, and with it the listing.
        drop(queue);
        scope.spawn(move || list(api, types, batch(range), &jobs, &order));
        for outcome in outcomes {
            // A worker that is gone without an answer has panicked; the scope passes that on.
            let Ok(outcome) = outcome.recv() else { break };
            if outcome?.into_iter().any(|seen| show(seen).is_break()) {
                return Ok(());
            }
        }
        Ok(())
    })
}

/// How many volumes fit one GetMetricData call and [`MOST_POINTS`].
fn batch(range: MetricRange) -> usize {
    let (from, until) = range.seconds();
    let series = metrics::published().len();
    let points = (until - from) * 1_000_000_000 / range.step().0.max(1).cast_signed() * series as i64;
    usize::try_from(MOST_POINTS / points.max(1)).unwrap_or(1).clamp(1, MOST_QUERIES / series)
}

/// Lists volumes and hands them on in batches until nobody wants more.
fn list<T>(
    api: &dyn Api,
    types: &Types,
    batch: usize,
    jobs: &SyncSender<Job<T>>,
    order: &SyncSender<Receiver<Outcome<T>>>,
) {
    let mut token = None;
    loop {
        let page = api.volumes(None, token.take()).and_then(|mut page| {
            assemble::complete(api, types, &mut page.items)?;
            Ok(page)
        });
        let page = match page {
            Ok(page) => page,
            Err(error) => {
                let (outcome, receiver) = sync_channel(1);
                let _ = outcome.send(Err(error));
                let _ = order.send(receiver);
                return;
            }
        };
        let mut volumes = page.items.into_iter().peekable();
        while volumes.peek().is_some() {
            let (outcome, receiver) = sync_channel(1);
            let some = volumes.by_ref().take(batch).collect();
            if order.send(receiver).is_err() || jobs.send((some, outcome)).is_err() {
                return;
            }
        }
        match page.next {
            Some(next) => token = Some(next),
            None => return,
        }
    }
}

fn work<T>(
    api: &dyn Api,
    range: MetricRange,
    queue: &Mutex<Receiver<Job<T>>>,
    look: &(impl Fn(Timeline, VolumeFacts) -> T + Sync),
) {
    loop {
        let job = queue.lock().unwrap_or_else(std::sync::PoisonError::into_inner).recv();
        let Ok((volumes, outcome)) = job else { return };
        let seen = assemble::timelines(api, &volumes, range).and_then(|timelines| {
            timelines.iter().try_for_each(Timeline::validate)?;
            Ok(timelines.into_iter().zip(volumes).map(|(timeline, volume)| look(timeline, volume)).collect())
        });
        // Nobody waits for it any more once the caller has stopped.
        let _ = outcome.send(seen);
    }
}

#[cfg(test)]
mod tests;
