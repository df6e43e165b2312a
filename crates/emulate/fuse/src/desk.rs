//! The way of a request from its arrival to its answer.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use disk::{DiskNode, IoOperation, IoRequest, IoStatus};
use fuser::{Errno, ReplyData, ReplyEmpty, ReplyWrite};
use parking_lot::Mutex;
use units::Nanos;

use crate::buffers::{Buffer, MOST, Pool};
use crate::clock::Clock;
use crate::lane::{Lane, Waiting};
use crate::meter::{Answered, Meter};
use crate::served::Served;
use crate::ticket::{Pending, Reply, Ticket};
use crate::volatile::revert;

/// Reads larger than this leave by a lane of their own: to copy one into the kernel takes as long as many small ones.
const LARGE: u32 = 64 << 10;

/// Where requests are taken in and answers given out.
#[derive(Debug)]
pub(crate) struct Desk {
    pub(crate) clock: Clock,
    pub(crate) disks: Vec<Served>,
    pub(crate) model: Mutex<Model>,
    /// For small answers and for large ones.
    pub(crate) lanes: [Lane<Pending>; 2],
    pool: Arc<Pool>,
}

/// What the disks are to do, and what they did.
#[derive(Debug)]
pub(crate) struct Model {
    pub(crate) node: DiskNode,
    pub(crate) meters: Vec<Meter>,
    /// While the overhead is measured, of one disk: the time that the model gives to each read.
    pub(crate) probe: Option<(usize, Vec<Nanos>)>,
}

impl Desk {
    pub(crate) fn new(clock: Clock, disks: Vec<Served>, node: DiskNode) -> io::Result<Self> {
        let lane = || Lane::new(clock, disks.len());
        let lanes = [lane()?, lane()?];
        let meters = vec![Meter::default(); disks.len()];
        let model = Mutex::new(Model { node, meters, probe: None });
        Ok(Self { clock, disks, model, lanes, pool: Arc::default() })
    }

    fn accept(&self, disk: usize, op: IoOperation, offset: u64, bytes: u32) -> Ticket {
        let mut model = self.model.lock();
        // Inside the lock, so that requests come to the model in order of time.
        let arrived = self.clock.now();
        let Model { node, meters, probe } = &mut *model;
        let hits = |node: &DiskNode| {
            (op == IoOperation::Read).then(|| node.devices[disk].cache_stats()).flatten().map(|c| c.hits)
        };
        let before = hits(node);
        let fate = node.submit(disk, arrived, IoRequest { op, offset, bytes });
        let hit = before.and_then(|before| Some(hits(node)? > before));
        meters[disk].arrive(arrived, &fate);
        if let Some((_, times)) = probe.as_mut().filter(|(probed, _)| op == IoOperation::Read && *probed == disk) {
            times.push(fate.at - arrived);
        }
        let outcome = match fate.status {
            IoStatus::Done => Ok(()),
            IoStatus::Failed | IoStatus::Lost => Err(Errno::EIO),
            IoStatus::Detached => Err(Errno::ENODEV),
        };
        Ticket {
            disk,
            op,
            offset,
            bytes,
            arrived,
            due: fate.at,
            hit,
            cuts: self.disks[disk].cuts(),
            outcome,
            counts: true,
        }
    }

    /// Reads `bytes`, no more than [`MOST`].
    pub(crate) fn read(&self, disk: usize, offset: u64, bytes: u32, reply: ReplyData) {
        let mut ticket = self.accept(disk, IoOperation::Read, offset, bytes);
        let mut buffer = None;
        if ticket.outcome.is_ok() {
            // At once rather than when the answer is due: then a slow backing file hides behind the disk's own latency.
            // Without a free buffer it is read when the answer is due.
            buffer = self.pool.lend(bytes as usize);
            if let Some(buffer) = &mut buffer {
                self.fetch(&mut ticket, buffer.bytes_mut());
            }
        }
        self.answer(ticket, Reply::Data(reply, buffer));
    }

    fn fetch(&self, ticket: &mut Ticket, into: &mut [u8]) {
        let served = &self.disks[ticket.disk];
        if let Err(error) = served.backing.read(into, ticket.offset) {
            ticket.outcome = Err(served.trouble(ticket.arrived, "read", &error));
        }
    }

    /// Writes.
    pub(crate) fn write(&self, disk: usize, offset: u64, data: &[u8], reply: ReplyWrite) {
        let mut ticket = self.accept(disk, IoOperation::Write, offset, data.len() as u32);
        let mut replaced = None;
        if ticket.outcome.is_ok() {
            match self.store(&ticket, data) {
                Ok(old) => replaced = old,
                Err(error) => {
                    ticket.outcome = Err(self.disks[disk].trouble(ticket.arrived, "write", &error));
                }
            }
        }
        self.answer(ticket, Reply::Written(reply, replaced));
    }

    /// Writes to the backing file; what is replaced is kept, for power may go before the answer.
    fn store(&self, ticket: &Ticket, data: &[u8]) -> io::Result<Option<Buffer>> {
        let served = &self.disks[ticket.disk];
        if let Some(volatile) = &served.volatile {
            let mut volatile = volatile.lock();
            // The power may have gone meanwhile; what it left must stay.
            if served.cuts() == ticket.cuts {
                volatile.keep(&served.backing, served.size(), ticket.offset, data.len() as u64)?;
                served.backing.write(data, ticket.offset)?;
            }
            return Ok(None);
        }
        let mut replaced = self.pool.lend(data.len());
        if let Some(replaced) = &mut replaced {
            served.backing.read(replaced.bytes_mut(), ticket.offset)?;
        }
        served.backing.write(data, ticket.offset)?;
        Ok(replaced)
    }

    /// Makes durable what was written.
    pub(crate) fn flush(&self, disk: usize, reply: ReplyEmpty) {
        let ticket = self.accept(disk, IoOperation::Flush, 0, 0);
        let sealed = self.disks[disk].volatile.as_ref().map(|volatile| volatile.lock().seal());
        self.answer(ticket, Reply::Flushed(reply, sealed));
    }

    /// Makes a range read as zeros. Where the caller only gives space back it takes no time, as a discard; else it is a
    /// write.
    pub(crate) fn clear(&self, disk: usize, offset: u64, length: u64, discard: bool, reply: ReplyEmpty) {
        let served = &self.disks[disk];
        let mut ticket = if discard {
            // As a flush it takes nothing of any limit, but waits for stalls and fails with the disk.
            Ticket { counts: false, ..self.accept(disk, IoOperation::Flush, offset, 0) }
        } else {
            self.accept(disk, IoOperation::Write, offset, u32::try_from(length).unwrap_or(u32::MAX))
        };
        if ticket.outcome.is_ok() {
            let mut volatile = served.volatile.as_ref().map(Mutex::lock);
            let kept = volatile.as_mut().map_or(Ok(()), |v| v.keep(&served.backing, served.size(), offset, length));
            if let Err(error) = kept.and_then(|()| served.backing.punch(offset, length)) {
                ticket.outcome = Err(served.trouble(ticket.arrived, "clear a range of", &error));
            }
        }
        self.answer(ticket, Reply::Done(reply));
    }

    /// Answers when it is time.
    fn answer(&self, ticket: Ticket, reply: Reply) {
        let leave = ticket.due - self.disks[ticket.disk].overhead.of(ticket.bytes.into());
        let now = self.clock.now();
        let large = ticket.op == IoOperation::Read && ticket.bytes > LARGE;
        let mut waiting =
            Waiting { due: ticket.due, leave, arrived: ticket.arrived, disk: ticket.disk, what: (ticket, reply) };
        if leave > now {
            let barred = |w: &Waiting<Pending>| self.cut_off(&w.what.0);
            match self.lanes[usize::from(large)].push(waiting, barred) {
                None => return,
                Some(back) => waiting = back,
            }
        }
        let disk = waiting.disk;
        let answered = self.give_out(waiting, now, &mut Vec::new());
        self.model.lock().meters[disk].leave(now, answered);
    }

    fn cut_off(&self, ticket: &Ticket) -> bool {
        self.disks[ticket.disk].cuts() != ticket.cuts
    }

    /// Gives out answers. `scratch` is for data that found no buffer.
    pub(crate) fn send(&self, due: &mut Vec<Waiting<Pending>>, scratch: &mut Vec<u8>) {
        let now = self.clock.now();
        let mut sent = Vec::with_capacity(due.len());
        for waiting in due.drain(..) {
            sent.push((waiting.disk, self.give_out(waiting, now, scratch)));
        }
        let mut model = self.model.lock();
        for (disk, answered) in sent {
            model.meters[disk].leave(now, answered);
        }
    }

    fn give_out(&self, waiting: Waiting<Pending>, now: Nanos, scratch: &mut Vec<u8>) -> Answered {
        let Waiting { leave, what: (mut ticket, reply), .. } = waiting;
        if ticket.outcome.is_ok() && self.cut_off(&ticket) {
            ticket.outcome = Err(Errno::EIO);
            self.tear(&ticket, &reply);
        }
        if let (Reply::Data(_, None), Ok(())) = (&reply, ticket.outcome) {
            scratch.resize(MOST, 0);
            let bytes = ticket.bytes as usize;
            self.fetch(&mut ticket, &mut scratch[..bytes]);
        }
        // As its sender sees it: the way here and back included.
        let took = now - ticket.arrived + self.disks[ticket.disk].overhead.of(ticket.bytes.into());
        self.note_latency(&ticket, took);
        self.reply(&ticket, reply, scratch);
        Answered {
            op: ticket.counts.then_some(ticket.op),
            bytes: ticket.bytes.into(),
            hit: ticket.hit,
            failed: ticket.outcome.is_err(),
            took,
            late: now - leave,
        }
    }

    fn note_latency(&self, ticket: &Ticket, took: Nanos) {
        if ticket.outcome.is_err() {
            return;
        }
        let mut latencies = self.disks[ticket.disk].latencies.lock();
        match ticket.op {
            IoOperation::Read => latencies.read.saturating_record(took.0),
            IoOperation::Write => latencies.write.saturating_record(took.0),
            IoOperation::Flush => {}
        }
    }

    fn reply(&self, ticket: &Ticket, reply: Reply, scratch: &[u8]) {
        match (reply, ticket.outcome) {
            (Reply::Data(reply, Some(buffer)), Ok(())) => reply.data(buffer.bytes()),
            (Reply::Data(reply, None), Ok(())) => reply.data(&scratch[..ticket.bytes as usize]),
            (Reply::Data(reply, _), Err(error)) => reply.error(error),
            (Reply::Written(reply, _), Ok(())) => reply.written(ticket.bytes),
            (Reply::Written(reply, _), Err(error)) => reply.error(error),
            (Reply::Flushed(reply, sealed), Ok(())) => {
                if let (Some(sealed), Some(volatile)) = (sealed, &self.disks[ticket.disk].volatile) {
                    volatile.lock().flushed(sealed);
                }
                reply.ok();
            }
            (Reply::Done(reply), Ok(())) => reply.ok(),
            (Reply::Flushed(reply, _) | Reply::Done(reply), Err(error)) => reply.error(error),
        }
    }

    /// Lets a write on which the power was cut be lost, torn or done.
    fn tear(&self, ticket: &Ticket, reply: &Reply) {
        let served = &self.disks[ticket.disk];
        if let Reply::Written(_, Some(replaced)) = reply
            && served.powerless.load(Relaxed)
            && let Err(error) = revert(&served.backing, ticket.offset, replaced.bytes(), &mut *served.rng.lock())
        {
            served.trouble(ticket.arrived, "write", &error);
        }
    }

    /// Fails at once all that waits for a disk that was cut off, the youngest first, as each undoes what it did.
    pub(crate) fn fail(&self, disk: usize) {
        let mut all: Vec<_> = self.lanes.iter().flat_map(|lane| lane.take(disk)).collect();
        all.sort_by_key(|w| std::cmp::Reverse(w.arrived));
        self.send(&mut all, &mut Vec::new());
    }
}
