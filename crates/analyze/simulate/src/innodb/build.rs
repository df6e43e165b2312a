//! From a deployment and a task to the server at time zero.

use std::collections::VecDeque;

use catalog::CatalogView;
use deployment::{Deployment, NodeGroup};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use slab::Slab;
use units::{Bytes, Nanos};
use workload::{TableGrowth, Task};

use super::clean::Cleaner;
use super::pages::{Lands, Trees};
use super::pool::{BufferPool, KINDS};
use super::sync::SharedSync;
use super::world::{Counts, Each, World};
use crate::agenda::EventAgenda;
use crate::cpu::Cpu;
use crate::sent::{Seen, Sent};
use crate::steps::PAUSE;
use crate::{InnodbConstants, SimulateError, SimulationOptions};

/// Connections, and requests of disks, that are worked on at a time: as many as come.
const MANY: u32 = 1 << 16;
/// Share of the buffer pool that the change buffer takes at most (`innodb_change_buffer_max_size`, MySQL 5.7's default).
const CHANGE_BUFFER: f64 = 0.25;

/// How a table grows, where the workload does not say: from all its data on, without end.
pub(super) fn growth(task: &Task) -> TableGrowth {
    task.growth.unwrap_or_else(|| {
        let profile = &task.profile;
        let each = profile.row.as_f64() + profile.indexes * profile.index_entry.as_f64();
        TableGrowth { before: profile.data.as_f64() / each, added: f64::INFINITY, period: None, swept_indexes: 0.0 }
    })
}

/// Rollback segments: transactions are dealt to them in turn (`innodb_rollback_segments`, MySQL reference manual).
const ROLLBACK_SEGMENTS: u32 = 128;

/// The table's tree and those of its indexes before the run, and pages of undo logs: a header for each rollback segment, and a log
/// for each segment or client, whichever are more.
pub(super) fn trees(task: &Task, clients: u32, c: &InnodbConstants) -> [Trees; KINDS] {
    let (profile, growth) = (&task.profile, growth(task));
    let row = profile.row.as_f64() + c.row_overhead;
    let entry = profile.index_entry.as_f64() + c.entry_header;
    let in_order = growth.period.map_or(Lands::AtTheEnd, Lands::Swept);
    let trees = |lands, count, bytes| {
        let fill = if lands == Lands::Anywhere { c.fill } else { c.ordered_fill };
        Trees::new(lands, count, growth.before, bytes, c.page * fill)
    };
    let ordered = (profile.indexes - profile.random_indexes - growth.swept_indexes).max(0.0);
    [
        trees(if profile.random_keys { Lands::Anywhere } else { in_order }, 1.0, row),
        trees(Lands::Anywhere, profile.random_indexes, entry),
        trees(in_order, growth.swept_indexes, entry),
        trees(Lands::AtTheEnd, ordered, entry),
        // Each segment keeps the undo log of the last transaction for the next.
        Trees::fixed(c.undo_pages, clients.max(ROLLBACK_SEGMENTS) + ROLLBACK_SEGMENTS),
    ]
}

/// The buffer pool.
pub(super) fn pool_size(deployment: &Deployment, memory: f64, c: &InnodbConstants) -> f64 {
    deployment.settings.block_cache.map_or(memory * c.buffer_pool_share, Bytes::as_f64)
}

impl World {
    /// The server at time zero, on the first node of a group. The deployment has been checked.
    pub(super) fn new(
        deployment: &Deployment,
        group: &NodeGroup,
        task: &Task,
        view: &CatalogView,
        options: &SimulationOptions,
    ) -> Result<Self, SimulateError> {
        let (c, server, profile) = (options.innodb, options.server, &task.profile);
        let instance = view.instance(&group.instance)?;
        let mut random = Xoshiro256PlusPlus::seed_from_u64(options.seed);
        let seed = random.random();
        let disks = options.disks(group, instance, view, (seed, 1))?;
        let shared = options.machine.is_some();
        let (hardware, speed) = match options.machine {
            Some(machine) => (machine.processors, 1.0),
            None => (instance.sustained_threads()?, instance.thread_speed()),
        };
        let sent = Sent::of(task, options)?;
        let clients = if let Sent::Closed(clients) = sent { clients } else { 0 };
        let bytes = pool_size(deployment, options.memory(instance.memory), &c);
        let pool = BufferPool::new(trees(task, clients, &c), (bytes / c.page / (1.0 + c.inner_pages)) as u32);
        let rows = profile.inserts.max(1.0).round();
        let (row, entry) = (profile.row.as_f64(), profile.index_entry.as_f64());
        let entries = profile.indexes;
        let each = Each {
            rows,
            cpu: profile.statements * (c.cpu_statement + if shared { c.cpu_client } else { 0.0 })
                + rows * (1.0 + entries) * c.cpu_row
                + c.cpu_commit,
            delay: Nanos::from_secs_f64(profile.statements * if shared { c.local_statement } else { c.statement }),
            think: profile.think,
            redo: row + c.row_overhead + c.redo_record + entries * (entry + c.entry_header + c.redo_record),
            binlog: row,
            binlog_transaction: c.binlog_row,
            user: row,
        };
        let mut world = Self {
            c,
            server,
            doublewrite: deployment.settings.doublewrite.unwrap_or(true),
            shared,
            each,
            driver: options.driver,
            driven_until: Nanos(0),
            sent,
            most_in_flight: options.most_in_flight as usize,
            rows_left: growth(task).added,
            now: Nanos(0),
            agenda: EventAgenda::new(),
            random,
            cpu: Cpu::new(hardware, speed, |_| MANY),
            disks,
            pool,
            change_buffer: bytes * CHANGE_BUFFER / (entry + c.entry_header),
            steps: [0.0; KINDS],
            lsn: 0.0,
            redo: SharedSync::default(),
            binlog: SharedSync::default(),
            cleaner: Cleaner::default(),
            ops: Slab::new(),
            for_frames: VecDeque::new(),
            for_log: VecDeque::new(),
            frames_owed: 0,
            waiting_since: [None; 2],
            seen: Seen::new(),
            counts: Counts::default(),
            data_writes: 0.0,
            data_syncs: 0.0,
            served: 0,
            events: 0,
            pause: PAUSE,
            finished: None,
            rows_before: 0.0,
        };
        world.first_events();
        Ok(world)
    }
}
