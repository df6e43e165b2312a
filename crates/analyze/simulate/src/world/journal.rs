//! The journal of the data disk's filesystem, where the simulation is told of one: who syncs a file of a flush or compaction waits
//! for a commit, one is made at a time, and where the raft log has no disk of its own its syncs wait for the same ones
//! (fs/jbd2/commit.c). Entries that are applied meanwhile wait too: see [`World::log_in_commit`].

use disk::IoOperation;
use rand::RngExt;
use units::Nanos;

use super::World;
use super::event::Event;
use super::raft::APART;
use crate::disks::Which;
use crate::load::PAGE;

/// Writes of a commit, one after the other: a descriptor with the changed blocks, then the commit block.
const WRITES: u32 = 2;
/// Where it lies.
const PLACE: u64 = 1 << 46;
/// Where that of the log's own disk lies.
const LOG_PLACE: u64 = 1 << 45;
/// So many places of inodes and folders.
const PLACES: u64 = 1 << 10;

/// The journal of one filesystem.
#[derive(Debug, Clone, Default)]
pub(crate) struct Journal {
    /// Who waits for the commit that is being made, and who came since: a commit that has begun takes nothing more.
    now: Vec<Waiter>,
    next: Vec<Waiter>,
    /// Writes that the commit has yet to make, the one at the disk included.
    writes: u32,
    /// Where the last write was that nobody waits for.
    place: u64,
}

impl Journal {
    /// Where the next write goes that nobody waits for.
    pub(super) fn next_place(&mut self) -> u64 {
        self.place = (self.place + 1) % PLACES;
        PLACE + (u64::from(WRITES) + 1 + self.place) * APART
    }
}

/// Who waits for a commit.
#[derive(Debug, Clone, Copy)]
pub(super) enum Waiter {
    /// A thread that syncs files, for so many of them.
    Part(u32, u32),
    /// The raft log.
    Log,
}

impl World {
    /// Sends a write of a commit, after which so many are left: when who waits for it hears of it. The last one follows at once, and if
    /// the one before is still in flight for the disk, it is adjacent and counts with that one.
    fn write_commit(&mut self, node: usize, which: Which, left: u32, bytes: f64) -> Nanos {
        let share = self.c.commit_merged;
        let merged = left == 0 && share > 0.0 && self.random.random::<f64>() < share;
        let first = if which == Which::Log { LOG_PLACE } else { PLACE };
        let place = if merged { first + APART + bytes as u64 } else { first + u64::from(left) * APART };
        let done = self.nodes[node].disks.submit(which, self.now, IoOperation::Write, place, bytes as u32);
        // Who hears of it when it ends is too late.
        if share > 0.0 { Nanos(done.0 - 1) } else { done }
    }

    /// The writes of the log are done: now they are made durable.
    pub(super) fn log_written(&mut self, node: u16) {
        let c = self.c;
        let this = &mut self.nodes[node as usize];
        if this.writer.journal > 0 && c.file_commits > 0.0 && this.disks.share_one() {
            this.writer.journal = 0;
            return self.join_commit(node as usize, Waiter::Log);
        }
        if this.writer.journal > 0 {
            this.writer.journal -= 1;
            let left = this.writer.journal;
            let done = self.write_commit(node as usize, Which::Log, left, PAGE);
            return self.agenda.add(done, Event::Written(node));
        }
        let done = this.disks.submit(Which::Log, self.now, IoOperation::Flush, 0, 0);
        let done = done + Nanos::from_secs_f64(c.sync_overhead);
        if done > self.now { self.agenda.add(done, Event::Synced(node)) } else { self.log_synced(node) }
    }

    /// Somebody waits for a commit.
    pub(super) fn join_commit(&mut self, node: usize, waiter: Waiter) {
        let this = &mut self.nodes[node].journal;
        this.next.push(waiter);
        if this.now.is_empty() {
            self.begin_commit(node);
        }
    }

    fn begin_commit(&mut self, node: usize) {
        let this = &mut self.nodes[node].journal;
        std::mem::swap(&mut this.now, &mut this.next);
        this.writes = WRITES;
        self.log_in_commit(node, true);
        self.write_journal(node);
    }

    fn write_journal(&mut self, node: usize) {
        let this = &mut self.nodes[node];
        let files = this.journal.now.iter().any(|waiter| matches!(waiter, Waiter::Part(..)));
        let bytes = if files { self.c.commit_write } else { PAGE };
        let left = this.journal.writes - 1;
        let done = self.write_commit(node, Which::Data, left, bytes);
        self.agenda.add(done, Event::Journaled(node as u16));
    }

    /// A write of the journal is done.
    pub(super) fn journaled(&mut self, node: usize) {
        let this = &mut self.nodes[node].journal;
        if this.writes == WRITES {
            self.log_in_commit(node, false);
        }
        let this = &mut self.nodes[node].journal;
        this.writes -= 1;
        if this.writes > 0 {
            return self.write_journal(node);
        }
        let mut done = std::mem::take(&mut this.now);
        for waiter in &done {
            match *waiter {
                Waiter::Part(index, 1) => self.sync_on(index),
                Waiter::Part(index, left) => self.nodes[node].journal.next.push(Waiter::Part(index, left - 1)),
                Waiter::Log => self.log_written(node as u16),
            }
        }
        done.clear();
        let this = &mut self.nodes[node].journal;
        if this.now.is_empty() {
            this.now = done;
            if !this.next.is_empty() {
                self.begin_commit(node);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{clients, deployment, machine, seconds, small_tree, view};
    use crate::{Constants, RunSummary, SharedMachine, SimulationOptions, simulate};

    const SLOW: &str = "gp3:500GiB";

    fn run(log: Option<&str>, changes: &[(&str, f64)]) -> RunSummary {
        small_tree(SLOW, log, changes)
    }

    #[test]
    fn each_file_takes_the_writes_of_its_commits_and_those_that_nobody_waits_for() {
        let none = run(Some(SLOW), &[]);
        let some = run(Some(SLOW), &[("file_commits", 1.0), ("job_commits", 1.0), ("file_writes", 3.0)]);
        let per_op =
            |summary: &RunSummary| summary.used.disk_ios / summary.operations_per_second / summary.used.seconds;
        let files = (some.used.flush_bytes + some.used.compaction_write_bytes) / 1e6;
        let more = (per_op(&some) - per_op(&none)) * some.operations_per_second * some.used.seconds / files;
        assert!((3.0..=10.0).contains(&more), "{more} for each file");
    }

    #[test]
    fn entries_wait_while_a_commit_is_on_its_way() {
        let p99 = |summary: RunSummary| summary.latency.unwrap().p99.as_secs_f64();
        let none = p99(run(Some(SLOW), &[]));
        let some = p99(run(Some(SLOW), &[("file_commits", 20.0), ("commit_write", 131_072.0)]));
        assert!(some > 1.1 * none, "{some} instead of {none}");
    }

    #[test]
    fn commits_whose_writes_count_as_one_leave_more_of_a_log_disks_limit() {
        let syncs = |merged: f64| {
            let machine = SharedMachine { shares: [1.0, 0.1], ..machine(64.0) };
            let changes = [("log_writes_per_sync", 1.0), ("log_journal_writes", 2.0), ("commit_merged", merged)];
            let constants =
                changes.iter().fold(*Constants::embedded(), |c, (name, value)| c.with(name, *value).unwrap());
            let options = SimulationOptions { machine: Some(machine), constants, ..seconds(10) };
            let run = simulate(&deployment(SLOW, Some(SLOW)), &clients(64.0), &view(), &options).unwrap();
            run.summary.used.raft_log_syncs
        };
        let [three, two] = [0.0, 1.0].map(syncs);
        // Of three I/Os of a sync two are left: as long as syncs follow each other, half as many more.
        assert!((1.2..=1.5).contains(&(two / three)), "{two} syncs, and {three}");
    }

    #[test]
    fn a_log_that_shares_the_disk_waits_for_the_same_commits() {
        let alone = [("log_journal_writes", 2.0)];
        let shared = [("log_journal_writes", 2.0), ("file_commits", 3.0)];
        let p50 = |changes: &[(&str, f64)]| run(None, changes).latency.unwrap().p50.as_secs_f64();
        assert!(p50(&shared) > p50(&alone));
    }
}
