//! The processors of a node: hardware threads shared evenly by all jobs that run, which pools of threads admit.

mod own;
mod pool;
mod waking;

use std::collections::VecDeque;

use slab::Slab;
use units::Nanos;

use own::Own;
pub(crate) use own::Ticket;
pub(crate) use pool::Pool;
use waking::Waking;

/// The state of a pool.
#[derive(Debug, Clone)]
struct Threads<T> {
    most: u32,
    running: u32,
    /// Each with its work, in [`PARTS`] of a nanosecond.
    waiting: VecDeque<(u64, T)>,
    /// [`PARTS`] of thread-nanoseconds of the jobs that it finished.
    busy: u128,
}

/// A nanosecond of service has so many parts. In whole numbers a job that has a thread of its own, as most have, ends at an instant
/// that takes an addition to find; the parts keep what is rounded off a job's share of a thread small.
const PARTS: u64 = 1 << 10;
/// Such parts of a second.
const SECOND: f64 = 1e9 * PARTS as f64;
/// Of so much service, 52 days without an idle instant, all jobs count anew.
const MUCH: u64 = 1 << 62;

/// A job that runs.
#[derive(Debug, Clone, Copy)]
struct Running<T> {
    /// In [`PARTS`] of a nanosecond on one of these threads.
    work: u64,
    pool: Pool,
    task: T,
}

/// Processor sharing: each of n running jobs progresses at `speed × min(1, threads / n)`. As all progress alike, they end in
/// the order of the service that they still need, and one number, the service that each has had, stands for all of them.
#[derive(Debug, Clone)]
pub(crate) struct Cpu<T> {
    threads: f64,
    /// Jobs that have a whole one each.
    room: usize,
    /// [`PARTS`] of a second of an m5's thread.
    parts: f64,
    pools: [Threads<T>; Pool::ALL.len()],
    /// The jobs that run and, beside them, the service at which each is done. There are as few as there are threads, so that a
    /// scan for the first beats a heap.
    running: Vec<Running<T>>,
    ends: Vec<u64>,
    /// The place of the first to end.
    first: usize,
    /// [`PARTS`] of service that a job running since the last idle instant would have had.
    service: u64,
    /// How many times as long as alone each of them takes: 1 where all have a thread of their own.
    stretch: f64,
    at: Nanos,
    next: Nanos,
    /// Jobs elsewhere that run on the same hardware threads, and those of them that work in the background.
    beside: (usize, usize),
    /// Jobs here that run in the background, for longer than a slice.
    background: usize,
    /// Jobs whose threads wait for those of the background to give up a hardware thread.
    waking: Waking<Running<T>>,
    /// The slice, in [`PARTS`] of service.
    slice: u64,
    /// Jobs that have a hardware thread of their own, and how many they are.
    own: Slab<Own<T>>,
    alone: usize,
    paused: bool,
}

impl<T: Copy> Cpu<T> {
    /// Hardware threads, each worth `speed` of an m5's, behind pools of so many threads.
    pub(crate) fn new(threads: f64, speed: f64, most: impl Fn(Pool) -> u32) -> Self {
        let pool = |pool| Threads { most: most(pool).max(1), running: 0, waiting: VecDeque::new(), busy: 0 };
        Self {
            threads,
            room: threads as usize,
            parts: SECOND / speed,
            pools: Pool::ALL.map(pool),
            running: Vec::with_capacity(64),
            ends: Vec::with_capacity(64),
            first: 0,
            service: 0,
            stretch: 1.0,
            at: Nanos(0),
            next: Nanos(u64::MAX),
            beside: (0, 0),
            background: 0,
            waking: Waking::new(0.0),
            slice: 0,
            own: Slab::with_capacity(64),
            alone: 0,
            paused: false,
        }
    }

    /// The same; a thread that wakes where threads of the background hold all hardware threads waits up to a slice of time.
    pub(crate) fn with_slice(self, seconds: f64) -> Self {
        Self { waking: Waking::new(seconds), slice: (seconds * SECOND) as u64, ..self }
    }

    /// When the next job ends; the end of time if none runs.
    pub(crate) fn next(&self) -> Nanos {
        self.next
    }

    /// Adds a job of `work` seconds on a thread of an m5, to those of which [`Cpu::next`] tells.
    pub(crate) fn submit(&mut self, now: Nanos, pool: Pool, work: f64, task: T) {
        if let Some(job) = self.admitted(pool, work, task) {
            self.change(now, |cpu| cpu.start(job));
        }
    }

    /// The job, if its pool has a thread for it; else it waits for one.
    fn admitted(&mut self, pool: Pool, work: f64, task: T) -> Option<Running<T>> {
        let work = (work * self.parts) as u64;
        let threads = &mut self.pools[pool as usize];
        if threads.running < threads.most {
            threads.running += 1;
            return Some(Running { work, pool, task });
        }
        threads.waiting.push_back((work, task));
        None
    }

    /// Takes the job that ends at [`Cpu::next`]; none where one only begins then. Its thread takes no other until [`Cpu::free`].
    pub(crate) fn take(&mut self) -> Option<(Pool, T)> {
        if let Some(job) = self.waking.take(self.next) {
            self.advance(self.next);
            self.run(job);
            self.schedule();
            return None;
        }
        if self.running.is_empty() {
            return None;
        }
        self.advance(self.next);
        let done = self.running.swap_remove(self.first);
        // The instant was rounded up to a nanosecond: the job may have had a hair more than it needed.
        self.service = self.service.max(self.ends.swap_remove(self.first));
        if self.running.is_empty() {
            self.service = 0;
        }
        self.first = least(&self.ends);
        let done = self.done(done);
        self.schedule();
        Some(done)
    }

    /// Counts a job that is done.
    fn done(&mut self, job: Running<T>) -> (Pool, T) {
        self.pools[job.pool as usize].busy += u128::from(job.work);
        self.background -= usize::from(self.holds(&job));
        (job.pool, job.task)
    }

    /// A thread that has done its job, and what it waited for after it, takes the next.
    pub(crate) fn free(&mut self, now: Nanos, pool: Pool) {
        if let Some(job) = self.waited(pool) {
            self.change(now, |cpu| cpu.run(job));
        }
    }

    /// The next job for a thread of a pool, which has not slept and so need not wait for a processor; without one it sleeps.
    fn waited(&mut self, pool: Pool) -> Option<Running<T>> {
        let threads = &mut self.pools[pool as usize];
        let Some((work, task)) = threads.waiting.pop_front() else {
            threads.running -= 1;
            return None;
        };
        Some(Running { work, pool, task })
    }

    fn start(&mut self, job: Running<T>) {
        let running = self.running() + self.beside.0;
        // What serves requests gives a hardware thread up soon; that is what sharing stands for.
        let is_taken = job.pool.serves() && running as f64 >= self.threads;
        let held = is_taken.then(|| (self.background + self.beside.1) as f64 / running as f64);
        if let Some(job) = self.waking.add(self.at, held, job) {
            self.run(job);
        }
    }

    /// Whether a job works in the background, and for longer than a slice.
    fn holds(&self, job: &Running<T>) -> bool {
        !job.pool.serves() && job.work >= self.slice
    }

    fn run(&mut self, job: Running<T>) {
        self.background += usize::from(self.holds(&job));
        if !self.has_room() {
            self.share_own();
        }
        self.share_with(job, job.work);
    }

    /// Lets a job that needs so much more service share the threads.
    fn share_with(&mut self, job: Running<T>, left: u64) {
        let end = self.service.saturating_add(left);
        if self.ends.get(self.first).is_none_or(|first| end < *first) {
            self.first = self.ends.len();
        }
        self.running.push(job);
        self.ends.push(end);
    }

    /// Lets something change at an instant of which jobs run, or how fast.
    fn change(&mut self, now: Nanos, change: impl FnOnce(&mut Self)) {
        self.advance(now);
        change(self);
        self.schedule();
    }

    fn advance(&mut self, now: Nanos) {
        if !self.running.is_empty() && !self.paused {
            let parts = (now - self.at).0.saturating_mul(PARTS);
            let parts = if self.stretch == 1.0 { parts } else { scaled(parts, 1.0 / self.stretch) };
            self.service = self.service.saturating_add(parts);
            if self.service >= MUCH {
                self.ends.iter_mut().for_each(|end| *end = end.saturating_sub(self.service));
                self.service = 0;
            }
        }
        self.at = self.at.max(now);
    }

    fn schedule(&mut self) {
        let running = self.running() + self.beside.0;
        self.stretch = if running <= self.room { 1.0 } else { running as f64 / self.threads };
        self.next = self.ends.get(self.first).map_or(Nanos(u64::MAX), |end| {
            let left = end.saturating_sub(self.service);
            let left = if self.stretch == 1.0 { left } else { scaled(left, self.stretch) };
            // Rounded up: never before it is done.
            self.at + Nanos(left.div_ceil(PARTS))
        });
        self.next = self.next.min(self.waking.next().max(self.at));
        if self.paused {
            self.next = Nanos(u64::MAX);
        }
    }

    /// Everything stands still from an instant on.
    pub(crate) fn pause(&mut self, now: Nanos) {
        self.change(now, |cpu| {
            cpu.share_own();
            cpu.paused = true;
        });
    }

    /// It goes on.
    pub(crate) fn resume(&mut self, now: Nanos) {
        self.at = self.at.max(now);
        self.paused = false;
        self.schedule();
    }

    /// A pool has so many threads from now on; jobs that run stay.
    pub(crate) fn set_most(&mut self, pool: Pool, most: u32) {
        self.pools[pool as usize].most = most.max(1);
    }

    /// Jobs that run.
    pub(crate) fn running(&self) -> usize {
        self.running.len() + self.alone
    }

    /// Those of them that work in the background.
    pub(crate) fn background(&self) -> usize {
        self.background
    }

    /// From now on so many jobs elsewhere run on the same hardware threads, so many of them in the background.
    pub(crate) fn share(&mut self, now: Nanos, beside: (usize, usize)) {
        if self.beside != beside {
            self.change(now, |cpu| {
                cpu.beside = beside;
                if cpu.running() + beside.0 > cpu.room {
                    cpu.share_own();
                }
            });
        }
    }

    /// Thread-seconds that a pool has worked, its finished jobs only.
    pub(crate) fn busy(&self, pool: Pool) -> f64 {
        self.pools[pool as usize].busy as f64 / SECOND
    }

    /// Threads of a pool.
    pub(crate) fn most(&self, pool: Pool) -> u32 {
        self.pools[pool as usize].most
    }

    /// Hardware threads.
    pub(crate) fn threads(&self) -> f64 {
        self.threads
    }
}

/// Out of line: else processors would do this, which takes longer than all the rest, for jobs that are alone too.
#[inline(never)]
fn scaled(parts: u64, by: f64) -> u64 {
    (parts as f64 * by).round() as u64
}

/// The place of the least; 0 if there is none. No branch on what they are.
fn least(ends: &[u64]) -> usize {
    let (mut place, mut least) = (0, u64::MAX);
    for (index, end) in ends.iter().enumerate() {
        place = if *end < least { index } else { place };
        least = least.min(*end);
    }
    place
}

#[cfg(test)]
mod tests;
