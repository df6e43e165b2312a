//! The threads that read. The reads of one message are one task: a hop of threads costs more than a read from memory. A read
//! that takes long came from the disk, and then half of what is left goes to another thread.

use std::sync::Arc;
use std::time::{Duration, Instant};

use proto::kvrpcpb::Context;
use proto::tikvpb::batch_commands_request::request::Cmd as Ask;
use raftstore::Refusal;

use super::checksum;
use super::keys;
use super::kind::{Fault, Kind, answer, context};
use super::lookup::Lookup;
use super::metrics::METRICS;
use super::shared::Shared;
use super::tasks::{Read, ReadTask};

/// A read that takes longer was not from memory: a block from memory is decompressed in less, and no cloud disk answers so fast.
const SLOW: Duration = Duration::from_micros(150);

/// What is said to those who ask at the end.
const STOPS: &str = "the store stops";

/// A thread that reads, until nobody can ask any more.
pub(crate) fn run(shared: &Arc<Shared>, tasks: &crossbeam_channel::Receiver<Option<ReadTask>>) {
    let mut key = Vec::new();
    while let Ok(Some(task)) = tasks.recv() {
        let mut read = match task {
            ReadTask::Keys(read) => read,
            ReadTask::Checksum(task) => {
                checksum::run(shared, task);
                continue;
            }
        };
        let leave = match read.leave {
            Some(leave) => leave,
            None => {
                METRICS.reads_wait.observe(read.since.elapsed().as_secs_f64());
                let wipes = shared.replicas.wipes();
                ask_leave(shared, &mut read, wipes);
                wipes
            }
        };
        if !read.asks.is_empty() {
            serve(shared, read, leave, &mut key);
        }
    }
}

/// Leaves the requests that may be read now. Others are answered, or come back with leave.
fn ask_leave(shared: &Arc<Shared>, read: &mut Read, wipes: u64) {
    let since = Instant::now();
    let mut last: Option<(Context, bool)> = None;
    let mut later: Vec<(Context, Vec<(u64, Ask)>)> = Vec::new();
    let mut kept = Vec::with_capacity(read.asks.len());
    for (id, ask) in read.asks.drain(..) {
        let Some(kind) = Kind::of(&ask) else { continue };
        let none = Context::default();
        let asked = context(&ask).unwrap_or(&none);
        let known = last.as_ref().filter(|(context, _)| context == asked).map(|(_, now)| Ok(*now));
        let outcome = known.unwrap_or_else(|| {
            keys::api(asked)?;
            let now = shared.replicas.read_now(asked).map_err(Fault::from)?;
            last = Some((asked.clone(), now));
            Ok(now)
        });
        match outcome {
            Ok(true) => kept.push((id, ask)),
            Ok(false) => match later.iter_mut().find(|(context, _)| context == asked) {
                Some((_, asks)) => asks.push((id, ask)),
                None => later.push((asked.clone(), vec![(id, ask)])),
            },
            Err(fault) => {
                METRICS.read(kind, read.since.elapsed());
                read.to.push(id, answer(kind, Err(fault)));
            }
        }
    }
    read.asks = kept;
    if !read.asks.is_empty() {
        METRICS.snapshot.observe(since.elapsed().as_secs_f64());
    }
    for (asked, asks) in later {
        let waiting = Read { to: read.to.clone(), since: read.since, asks, leave: Some(wipes) };
        let again = Arc::downgrade(shared);
        let done = move |outcome: Result<(), Refusal>| {
            METRICS.snapshot.observe(since.elapsed().as_secs_f64());
            let fault = match (outcome, again.upgrade()) {
                (Ok(()), Some(shared)) => match shared.read(waiting) {
                    Ok(()) => return,
                    Err(lost) => return lost.into_iter().for_each(|read| refuse(read, &Fault::busy(STOPS))),
                },
                (Ok(()), None) => Fault::busy(STOPS),
                (Err(refusal), _) => refusal.into(),
            };
            refuse(waiting, &fault);
        };
        shared.replicas.read_later(&asked, Box::new(done));
    }
}

fn refuse(read: Read, fault: &Fault) {
    for (id, ask) in read.asks {
        if let Some(kind) = Kind::of(&ask) {
            METRICS.read(kind, read.since.elapsed());
            read.to.push(id, answer(kind, Err(fault.clone())));
        }
    }
}

fn serve(shared: &Arc<Shared>, mut read: Read, leave: u64, key: &mut Vec<u8>) {
    let mut region = None;
    let mut begun = Instant::now();
    let mut answered = 0;
    let (mut ids, mut responses) = (Vec::with_capacity(read.asks.len()), Vec::with_capacity(read.asks.len()));
    let mut next = 0;
    while let Some((id, ask)) = read.asks.get(next) {
        next += 1;
        let Some(kind) = Kind::of(ask) else { continue };
        let wanted = context(ask).map_or(0, |context| context.region_id);
        if region.as_ref().is_none_or(|(known, _)| *known != wanted) {
            region = Some((wanted, shared.replicas.region(wanted)));
        }
        ids.push(*id);
        responses.push(match &region {
            Some((_, Some(region))) => {
                let state = &*shared.state;
                Lookup { state, region, max_key_size: shared.max_key_size, key }.answer(kind, ask)
            }
            _ => answer(kind, Err(keys::unknown_region(wanted))),
        });
        let now = Instant::now();
        let slow = now - begun > SLOW;
        begun = now;
        if slow || next == read.asks.len() {
            if shared.replicas.wipes() != leave {
                // What was read may be half of a range: ask again.
                read.asks.drain(..answered);
                let _ = shared.read(Read { leave: None, ..read });
                return;
            }
            let took = read.since.elapsed();
            read.asks[answered..next]
                .iter()
                .filter_map(|(_, ask)| Kind::of(ask))
                .for_each(|kind| METRICS.read(kind, took));
            read.to.append(&mut ids, &mut responses);
            answered = next;
            let left = read.asks.len() - next;
            if slow && left > 1 {
                let asks = read.asks.split_off(next + left / 2);
                let _ = shared.read(Read { to: read.to.clone(), since: read.since, asks, leave: Some(leave) });
            }
        }
    }
}
