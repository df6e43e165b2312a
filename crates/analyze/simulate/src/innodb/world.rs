//! The server, its disks and its clients: events come from the agenda and from the processors, one at a time.

use std::collections::VecDeque;

use rand_xoshiro::Xoshiro256PlusPlus;
use slab::Slab;
use units::Nanos;

use super::clean::Cleaner;
use super::pool::{BufferPool, KINDS};
use super::sync::{Log, SharedSync};
use crate::agenda::EventAgenda;
use crate::cpu::{Cpu, Pool};
use crate::disks::Disks;
use crate::sent::{Seen, Sent};
use crate::steps::{Due, PAUSE, Stepped};
use crate::{InnodbConstants, ServerVariables};

/// Something that happens at an instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Event {
    /// The next operation of an open loop.
    Arrive,
    /// A statement reaches the server.
    Begin(u32),
    /// A page that an operation waits for has come.
    Read(u32),
    /// A request of a sync is done.
    Log(Log),
    /// A batch is in the doublewrite buffer.
    DoubleWritten,
    /// A batch is where it belongs.
    PagesWritten,
    /// The page cleaner looks around.
    Clean,
    /// The caller is to go on.
    Stop(Due),
}

/// What a thread has done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Task {
    /// A statement, all of its work.
    Statement(u32),
    /// What a page that came takes.
    Page(u32),
    /// Requests of disks, where all share processors: nobody waits for it.
    Served,
}

/// An operation under way.
#[derive(Debug, Clone, Copy)]
pub(super) struct Op {
    pub(super) start: Nanos,
    /// Pages of each kind that it is yet to read.
    pub(super) missing: [u16; KINDS],
    pub(super) client: bool,
}

/// What all operations have in common.
#[derive(Debug, Clone, Copy)]
pub(super) struct Each {
    /// Rows of a statement.
    pub(super) rows: f64,
    /// Core-seconds of a statement, the driver's share among them where it is on the machine.
    pub(super) cpu: f64,
    /// From a client to the server and back.
    pub(super) delay: Nanos,
    pub(super) think: Nanos,
    /// Bytes of a row in the redo log and in the binary log, of a transaction there, and as the user has them.
    pub(super) redo: f64,
    pub(super) binlog: f64,
    pub(super) binlog_transaction: f64,
    pub(super) user: f64,
}

/// What the server counted beside its logs and its cleaner.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Counts {
    pub(super) rows: f64,
    pub(super) reads: f64,
    pub(super) frame_waits: f64,
    /// Seconds in which somebody waited for a frame, and for room in the redo log.
    pub(super) frame_time: f64,
    pub(super) log_time: f64,
    /// Entries that wait in the change buffer for their leaf, and all that ever did.
    pub(super) buffered: f64,
}

/// Everything there is.
pub(super) struct World {
    pub(super) c: InnodbConstants,
    pub(super) server: ServerVariables,
    pub(super) doublewrite: bool,
    /// Whether driver and disks take their part of the processors.
    pub(super) shared: bool,
    pub(super) each: Each,
    /// What the clients' program takes for a statement, and until when it has such work.
    pub(super) driver: Nanos,
    pub(super) driven_until: Nanos,
    pub(super) sent: Sent,
    pub(super) most_in_flight: usize,
    /// Rows that are yet to be added.
    pub(super) rows_left: f64,
    pub(super) now: Nanos,
    pub(super) agenda: EventAgenda<Event>,
    pub(super) random: Xoshiro256PlusPlus,
    pub(super) cpu: Cpu<Task>,
    pub(super) disks: Disks,
    pub(super) pool: BufferPool,
    /// Entries that the change buffer holds at most.
    pub(super) change_buffer: f64,
    /// Leaves that a row steps on, by kind, at the rate of the last second.
    pub(super) steps: [f64; KINDS],
    /// Bytes of redo log until now.
    pub(super) lsn: f64,
    pub(super) redo: SharedSync,
    pub(super) binlog: SharedSync,
    pub(super) cleaner: Cleaner,
    pub(super) ops: Slab<Op>,
    /// Who waits for a free frame, and for room in the redo log.
    pub(super) for_frames: VecDeque<u32>,
    pub(super) for_log: VecDeque<u32>,
    /// Frames that new pages have taken beyond those that were free.
    pub(super) frames_owed: u32,
    pub(super) waiting_since: [Option<Nanos>; 2],
    pub(super) seen: Seen,
    pub(super) counts: Counts,
    /// Writes that InnoDB asked for on data files, and syncs of them.
    pub(super) data_writes: f64,
    pub(super) data_syncs: f64,
    pub(super) served: u64,
    pub(super) events: u64,
    /// How many there will be at the next pause.
    pub(super) pause: u64,
    /// When the last row was added, if that was all.
    pub(super) finished: Option<Nanos>,
    pub(super) rows_before: f64,
}

impl Stepped for World {
    fn now(&self) -> Nanos {
        self.now
    }

    fn stop_at(&mut self, at: Nanos, due: Due) {
        self.agenda.add(at, Event::Stop(due));
    }

    fn run(&mut self) -> Due {
        loop {
            if self.events >= self.pause {
                self.pause = self.events + PAUSE;
                return Due::Pause;
            }
            self.serve();
            let at = self.agenda.next_at();
            self.events += 1;
            if self.cpu.next() < at {
                self.now = self.now.max(self.cpu.next());
                if let Some((pool, task)) = self.cpu.take() {
                    self.cpu.free(self.now, pool);
                    match task {
                        Task::Statement(op) => self.execute(op),
                        Task::Page(op) => self.next_read(op),
                        Task::Served => {}
                    }
                }
                continue;
            }
            let Some((at, event)) = self.agenda.take() else { return Due::Tick };
            self.now = self.now.max(at);
            match event {
                Event::Stop(due) => return due,
                Event::Arrive => self.arrive(),
                Event::Begin(op) => self.cpu.submit(self.now, Pool::Read, self.each.cpu, Task::Statement(op)),
                Event::Read(op) => self.page_came(op),
                Event::Log(log) => self.log_step(log),
                Event::DoubleWritten => self.write_pages(),
                Event::PagesWritten => self.pages_written(),
                Event::Clean => self.round(),
            }
        }
    }
}

impl World {
    /// Requests of disks take their processor time where all share it.
    fn serve(&mut self) {
        if !self.shared {
            return;
        }
        let all = self.disks.submitted();
        if all > self.served {
            let work = (all - self.served) as f64 * self.c.cpu_io;
            self.served = all;
            self.cpu.submit(self.now, Pool::Flush, work, Task::Served);
        }
    }

    /// Each second.
    fn round(&mut self) {
        let rows_per_second = self.counts.rows - self.rows_before;
        self.rows_before = self.counts.rows;
        let used = self.pool.resident();
        self.pool.weigh(self.now, rows_per_second, self.c.sweep_dispersion, used);
        self.steps =
            std::array::from_fn(|kind| self.pool.trees[kind].steps(self.now, rows_per_second, self.c.sweep_dispersion));
        // A log that commits do not sync is synced all the same, each second.
        if self.server.flush_log_at_trx_commit != 1 && self.redo.pending > 0.0 && !self.syncing(Log::Redo) {
            self.write_log(Log::Redo);
        }
        if self.server.log_bin && !self.server.sync_binlog && self.binlog.pending > 0.0 && !self.syncing(Log::Binary) {
            self.write_log(Log::Binary);
        }
        self.clean_round();
    }
}
