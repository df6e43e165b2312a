//! The processors of a node: hardware threads shared evenly by all jobs that run, which pools of threads admit.

use std::collections::VecDeque;

use units::Nanos;

/// Pools of threads, named as TiKV's threads are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pool {
    /// gRPC and scheduler: from a request's arrival until its proposal.
    Scheduler,
    /// Raft groups: proposals, messages, acknowledgements.
    Store,
    /// Committed entries into the memtable.
    Apply,
    /// Reads.
    Read,
    /// Flushes.
    Flush,
    /// Compactions.
    Compaction,
}

impl Pool {
    /// All pools.
    pub(crate) const ALL: [Self; 6] =
        [Self::Scheduler, Self::Store, Self::Apply, Self::Read, Self::Flush, Self::Compaction];

    /// Whether requests go through it; the others work in the background.
    pub(crate) fn serves(self) -> bool {
        !matches!(self, Self::Flush | Self::Compaction)
    }

    /// As the series `cpu_time` names it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Scheduler => "sched_worker_pool",
            Self::Store => "raftstore",
            Self::Apply => "apply",
            Self::Read => "unified_read_po",
            Self::Flush => "rocksdb:high",
            Self::Compaction => "rocksdb:low",
        }
    }
}

/// The state of a pool.
#[derive(Debug, Clone)]
struct Threads<T> {
    most: u32,
    running: u32,
    waiting: VecDeque<(f64, T)>,
    /// Thread-seconds of the jobs that it finished.
    busy: f64,
}

/// The golden ratio, less one.
const GOLDEN: f64 = 0.618_033_988_749_894_9;

/// A job that runs.
#[derive(Debug, Clone, Copy)]
struct Running<T> {
    work: f64,
    pool: Pool,
    task: T,
}

/// Processor sharing: each of n running jobs progresses at `speed × min(1, threads / n)`. As all progress alike, they end in
/// the order of the service that they still need, and one number, the service that each has had, stands for all of them.
#[derive(Debug, Clone)]
pub(crate) struct Cpu<T> {
    threads: f64,
    speed: f64,
    pools: [Threads<T>; Pool::ALL.len()],
    /// The jobs that run and, beside them, the service at which each is done. There are as few as there are threads, so that a
    /// scan for the first beats a heap.
    running: Vec<Running<T>>,
    ends: Vec<f64>,
    /// The place of the first to end.
    first: usize,
    /// Seconds of service that a job running since the last idle instant would have had.
    service: f64,
    /// Service a second of each of them.
    rate: f64,
    at: Nanos,
    next: Nanos,
    /// Jobs elsewhere that run on the same hardware threads, and those of them that work in the background.
    beside: (usize, usize),
    /// Jobs here that run in the background, for longer than a slice.
    background: usize,
    /// A thread that wakes waits up to so many seconds where those of the background hold all hardware threads.
    slice: f64,
    /// Jobs whose threads wait so, and until when.
    waking: Vec<(Nanos, Running<T>)>,
    /// When the first of them runs; the end of time if there is none.
    wakes: Nanos,
    /// What stands in for chance: steps of the golden ratio, which fill an interval evenly.
    phase: f64,
    paused: bool,
}

impl<T: Copy> Cpu<T> {
    /// Hardware threads, each worth `speed` of an m5's, behind pools of so many threads.
    pub(crate) fn new(threads: f64, speed: f64, most: impl Fn(Pool) -> u32) -> Self {
        let pool = |pool| Threads { most: most(pool).max(1), running: 0, waiting: VecDeque::new(), busy: 0.0 };
        Self {
            threads,
            speed,
            pools: Pool::ALL.map(pool),
            running: Vec::with_capacity(64),
            ends: Vec::with_capacity(64),
            first: 0,
            service: 0.0,
            rate: speed,
            at: Nanos(0),
            next: Nanos(u64::MAX),
            beside: (0, 0),
            background: 0,
            slice: 0.0,
            waking: Vec::new(),
            wakes: Nanos(u64::MAX),
            phase: 0.0,
            paused: false,
        }
    }

    /// The same; a thread that wakes where threads of the background hold all hardware threads waits up to a slice of time.
    pub(crate) fn with_slice(self, seconds: f64) -> Self {
        Self { slice: seconds, ..self }
    }

    /// When the next job ends; the end of time if none runs.
    pub(crate) fn next(&self) -> Nanos {
        self.next
    }

    /// Adds a job of `work` seconds on a thread of an m5.
    pub(crate) fn submit(&mut self, now: Nanos, pool: Pool, work: f64, task: T) {
        let threads = &mut self.pools[pool as usize];
        if threads.running < threads.most {
            threads.running += 1;
            self.advance(now);
            self.start(pool, work, task);
            self.schedule();
        } else {
            threads.waiting.push_back((work, task));
        }
    }

    /// Takes the job that ends at [`Cpu::next`]; none where one only begins then. Its thread takes no other until [`Cpu::free`].
    pub(crate) fn take(&mut self) -> Option<(Pool, T)> {
        if self.wakes <= self.next && self.wakes < Nanos(u64::MAX) {
            self.wake();
            return None;
        }
        if self.running.is_empty() {
            return None;
        }
        self.advance(self.next);
        let done = self.running.swap_remove(self.first);
        // The instant was rounded up to a nanosecond: the job may have had a hair more than it needed.
        self.service = self.service.max(self.ends.swap_remove(self.first));
        self.pools[done.pool as usize].busy += done.work / self.speed;
        self.background -= usize::from(self.holds(&done));
        if self.running.is_empty() {
            self.service = 0.0;
        }
        self.first = least(&self.ends);
        self.schedule();
        Some((done.pool, done.task))
    }

    /// A thread that has done its job, and what it waited for after it, takes the next.
    pub(crate) fn free(&mut self, now: Nanos, pool: Pool) {
        let threads = &mut self.pools[pool as usize];
        match threads.waiting.pop_front() {
            // It has not slept: it need not wait for a processor.
            Some((work, task)) => {
                self.advance(now);
                self.run(Running { work, pool, task });
                self.schedule();
            }
            None => threads.running -= 1,
        }
    }

    fn start(&mut self, pool: Pool, work: f64, task: T) {
        let job = Running { work, pool, task };
        match self.wait(pool) {
            Some(wait) => {
                let at = self.at + Nanos::from_secs_f64(wait);
                self.wakes = self.wakes.min(at);
                self.waking.push((at, job));
            }
            None => self.run(job),
        }
    }

    /// How long a thread that wakes waits for a hardware thread: until the slice ends of what holds it, if that works in the
    /// background. What serves requests gives it up soon; that is what sharing stands for.
    fn wait(&mut self, pool: Pool) -> Option<f64> {
        let running = self.running.len() + self.beside.0;
        if self.slice == 0.0 || !pool.serves() || (running as f64) < self.threads {
            return None;
        }
        let held = (self.background + self.beside.1) as f64 / running as f64;
        self.phase = (self.phase + GOLDEN).fract();
        (self.phase < held).then(|| self.slice * self.phase / held)
    }

    /// Whether a job works in the background, and for longer than a slice.
    fn holds(&self, job: &Running<T>) -> bool {
        !job.pool.serves() && job.work >= self.slice * self.speed
    }

    /// The first of the threads that wait runs.
    fn wake(&mut self) {
        let first = self.waking.iter().enumerate().min_by_key(|(_, (at, _))| *at).map(|(place, _)| place);
        let Some(place) = first else { return };
        self.advance(self.next);
        let (_, job) = self.waking.swap_remove(place);
        self.wakes = self.waking.iter().map(|(at, _)| *at).min().unwrap_or(Nanos(u64::MAX));
        self.run(job);
        self.schedule();
    }

    fn run(&mut self, job: Running<T>) {
        let end = self.service + job.work;
        self.background += usize::from(self.holds(&job));
        if self.ends.get(self.first).is_none_or(|first| end < *first) {
            self.first = self.ends.len();
        }
        self.running.push(job);
        self.ends.push(end);
    }

    fn advance(&mut self, now: Nanos) {
        if !self.running.is_empty() && !self.paused {
            self.service += (now - self.at).as_secs_f64() * self.rate;
        }
        self.at = self.at.max(now);
    }

    fn schedule(&mut self) {
        let running = (self.running.len() + self.beside.0) as f64;
        self.rate = if running <= self.threads { self.speed } else { self.speed * self.threads / running };
        self.next = self.ends.get(self.first).map_or(Nanos(u64::MAX), |end| {
            let left = (end - self.service).max(0.0) / self.rate;
            // Rounded up, without the call that `ceil` is on older processors: never before it is done.
            let nanos = (left * 1e9) as u64;
            self.at + Nanos(nanos + u64::from((nanos as f64) < left * 1e9))
        });
        self.next = self.next.min(self.wakes.max(self.at));
        if self.paused {
            self.next = Nanos(u64::MAX);
        }
    }

    /// Everything stands still from an instant on.
    pub(crate) fn pause(&mut self, now: Nanos) {
        self.advance(now);
        self.paused = true;
        self.schedule();
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
        self.running.len()
    }

    /// Those of them that work in the background.
    pub(crate) fn background(&self) -> usize {
        self.background
    }

    /// From now on so many jobs elsewhere run on the same hardware threads, so many of them in the background.
    pub(crate) fn share(&mut self, now: Nanos, beside: (usize, usize)) {
        if self.beside != beside {
            self.advance(now);
            self.beside = beside;
            self.schedule();
        }
    }

    /// Thread-seconds that a pool has worked, its finished jobs only.
    pub(crate) fn busy(&self, pool: Pool) -> f64 {
        self.pools[pool as usize].busy
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

/// The place of the least; 0 if there is none. Four minima side by side and no branch on what they are.
fn least(ends: &[f64]) -> usize {
    let min = |a: f64, b: f64| if b < a { b } else { a };
    let mut lanes = [f64::INFINITY; 4];
    let (chunks, rest) = ends.as_chunks::<4>();
    for chunk in chunks {
        lanes = std::array::from_fn(|lane| min(lanes[lane], chunk[lane]));
    }
    let least = rest.iter().copied().chain(lanes).fold(f64::INFINITY, min);
    ends.iter().position(|end| *end == least).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn drain(cpu: &mut Cpu<usize>) -> Vec<(u64, usize)> {
        let mut ends = Vec::new();
        while cpu.next() < Nanos(u64::MAX) {
            let at = cpu.next();
            let Some((pool, job)) = cpu.take() else { continue };
            cpu.free(at, pool);
            ends.push((at.0, job));
        }
        ends
    }

    #[test]
    fn two_jobs_on_one_thread_take_twice_as_long_each() {
        let mut cpu = Cpu::new(1.0, 1.0, |_| 8);
        cpu.submit(Nanos(0), Pool::Read, 0.001, 0);
        cpu.submit(Nanos(0), Pool::Read, 0.001, 1);
        assert_eq!(drain(&mut cpu), [(2_000_000, 0), (2_000_000, 1)]);
    }

    #[test]
    fn jobs_elsewhere_on_the_same_threads_slow_down_as_ones_here_do() {
        let mut cpu = Cpu::new(1.0, 1.0, |_| 8);
        cpu.submit(Nanos(0), Pool::Read, 0.001, 0);
        cpu.share(Nanos(0), (3, 0));
        cpu.share(Nanos(2_000_000), (0, 0));
        assert_eq!(drain(&mut cpu), [(2_500_000, 0)], "a quarter of 2 ms, then alone");
    }

    #[test]
    fn a_pool_of_one_thread_does_one_job_after_the_other() {
        let mut cpu = Cpu::new(8.0, 2.0, |_| 1);
        (0..3).for_each(|job| cpu.submit(Nanos(0), Pool::Apply, 0.002, job));
        assert_eq!(drain(&mut cpu), [(1_000_000, 0), (2_000_000, 1), (3_000_000, 2)]);
        assert!((cpu.busy(Pool::Apply) - 0.003).abs() < 1e-12);
    }

    #[test]
    fn a_thread_that_waits_for_something_takes_no_job_and_no_processor() {
        let mut cpu = Cpu::new(1.0, 1.0, |_| 1);
        cpu.submit(Nanos(0), Pool::Read, 0.001, 0);
        cpu.submit(Nanos(0), Pool::Read, 0.001, 1);
        cpu.submit(Nanos(0), Pool::Apply, 0.003, 2);
        assert_eq!((cpu.next(), cpu.take()), (Nanos(2_000_000), Some((Pool::Read, 0))));
        // The other pool has the processor for itself.
        assert_eq!((cpu.next(), cpu.take()), (Nanos(4_000_000), Some((Pool::Apply, 2))));
        cpu.free(Nanos(4_000_000), Pool::Apply);
        assert_eq!(cpu.take(), None);
        cpu.free(Nanos(9_000_000), Pool::Read);
        assert_eq!(drain(&mut cpu), [(10_000_000, 1)]);
    }

    #[test]
    fn a_thread_that_wakes_beside_compactions_waits_for_half_a_slice_in_the_mean() {
        let mut cpu = Cpu::new(2.0, 1.0, |_| 8).with_slice(0.004);
        cpu.submit(Nanos(0), Pool::Compaction, 1e6, 0);
        let ended = |cpu: &mut Cpu<usize>, from: Nanos| {
            cpu.submit(from, Pool::Read, 1e-6, 1);
            loop {
                let at = cpu.next();
                if let Some((pool, _)) = cpu.take() {
                    cpu.free(at, pool);
                    return (at - from).as_secs_f64();
                }
            }
        };
        assert!(ended(&mut cpu, Nanos(0)) < 1e-5, "the other processor is free");
        cpu.submit(Nanos(0), Pool::Compaction, 1e6, 0);
        let waits: Vec<f64> = (1..=1000).map(|at| ended(&mut cpu, Nanos::millis(10 * at))).collect();
        let mean = waits.iter().sum::<f64>() / 1000.0;
        assert!((mean - 0.002).abs() < 1e-4 && waits.iter().all(|wait| *wait < 0.0041), "{mean}");
    }

    proptest! {
        #[test]
        fn no_more_work_is_done_than_there_are_threads(
            jobs in prop::collection::vec((0..1_000_000u64, 1e-6..1e-3f64, 0..6usize), 1..200),
            threads in 1..9u32, pool in 1..4u32, slice in prop::sample::select(vec![0.0, 0.003]),
        ) {
            let mut cpu = Cpu::new(f64::from(threads), 1.0, |_| pool).with_slice(slice);
            let (mut now, mut work, mut ends) = (Nanos(0), 0.0, 0);
            for (index, (gap, seconds, of)) in jobs.iter().enumerate() {
                now += Nanos(*gap);
                while cpu.next() <= now {
                    let at = cpu.next();
                    if let Some((pool, _)) = cpu.take() {
                        cpu.free(at, pool);
                        ends += 1;
                    }
                }
                cpu.submit(now, Pool::ALL[*of], *seconds, index);
                work += seconds;
            }
            let last = drain(&mut cpu);
            ends += last.len();
            prop_assert_eq!(ends, jobs.len(), "every job ends");
            prop_assert!(last.last().unwrap().0 as f64 / 1e9 >= work / f64::from(threads) - 1e-6);
            let busy: f64 = Pool::ALL.iter().map(|pool| cpu.busy(*pool)).sum();
            prop_assert!((busy - work).abs() < 1e-9);
        }
    }
}
