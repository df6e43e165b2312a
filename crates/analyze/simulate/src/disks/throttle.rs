//! How many writes through the page cache Linux lets at a disk (block/blk-wbt.c): few while reads take longer than its target, ever
//! more while nobody reads. Writes of the raft log and of the journal are not counted; those that wait here wait in order.

use disk::IoOperation;
use units::Nanos;

/// Requests at the disk before anything is known: `RWB_DEF_DEPTH`.
const DEPTH: u32 = 16;
/// Requests at the disk at most: three quarters of the queue's, `nr_requests`, 128 of a loop device and of an EBS volume's NVMe.
const MOST: u32 = 96;
/// How often latencies are looked at; more often the further it is throttled: `RWB_WINDOW_NSEC`.
const WINDOW: f64 = 100e6;
/// After so long without a read nobody reads: `close_io`.
const CLOSE: Nanos = Nanos(100_000_000);
/// Writes in a window without which its reads say nothing: `RWB_MIN_WRITE_SAMPLES`.
const FEWEST: u32 = 3;
/// Windows that say nothing before a step back: `RWB_UNKNOWN_BUMP`.
const UNKNOWN: u32 = 5;

/// Why a write goes to the disk now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wants {
    /// Somebody waits until it is durable: `REQ_SYNC`.
    Synced,
    /// It was only handed over.
    Soon,
}

/// What is let at one disk.
#[derive(Debug, Clone)]
pub(crate) struct Throttle {
    /// Reads are to take no longer; zero throttles nothing.
    target: Nanos,
    at_disk: u32,
    /// Halvings of the depth, doublings if below zero.
    step: i32,
    unknown: u32,
    window: Option<Window>,
    /// A read that is watched until it is done, since when and until when.
    watched: (Nanos, Nanos),
    /// When a read was last issued or done.
    read: Option<Nanos>,
}

/// What was seen since the last look.
#[derive(Debug, Clone, Default)]
struct Window {
    end: Nanos,
    length: Nanos,
    reads: u32,
    writes: u32,
    least: Nanos,
    /// Requests that are done after its end: when, and how long a read took.
    later: Vec<(Nanos, Option<Nanos>)>,
}

impl Window {
    fn add(&mut self, done: Nanos, read: Option<Nanos>) {
        match read {
            _ if done >= self.end => self.later.push((done, read)),
            Some(took) => {
                self.least = if self.reads == 0 { took } else { self.least.min(took) };
                self.reads += 1;
            }
            None => self.writes += 1,
        }
    }
}

/// What a window says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Said {
    TooLong,
    Fine,
    OnlyWrites,
    Nothing,
}

impl Throttle {
    /// Reads are to take no longer than `target`; with zero, all writes are let at the disk at once.
    pub(super) fn new(target: Nanos) -> Self {
        let watched = (Nanos(0), Nanos(0));
        Self { target, at_disk: 0, step: 0, unknown: 0, window: None, watched, read: None }
    }

    /// Whether one more write may go to the disk; if so, it counts as there until it is [`done`](Self::done).
    pub(super) fn lets(&mut self, now: Nanos, wants: Wants) -> bool {
        self.look(now);
        let lets = self.target == Nanos(0) || self.at_disk < self.limit(now, wants);
        self.at_disk += u32::from(lets);
        if lets && self.window.is_none() && self.target > Nanos(0) {
            self.open(now, Vec::new());
        }
        lets
    }

    /// A write that was let at the disk is done.
    pub(super) fn done(&mut self, now: Nanos) {
        self.look(now);
        self.at_disk -= 1;
    }

    /// A request went to the disk, whoever sent it, and is done at an instant.
    pub(super) fn sent(&mut self, at: Nanos, op: IoOperation, done: Nanos) {
        if op == IoOperation::Read {
            self.read = self.read.max(Some(done));
        }
        if self.window.is_none() || op == IoOperation::Flush {
            return;
        }
        self.look(at);
        if op == IoOperation::Read && self.watched.1 <= at {
            self.watched = (at, done);
        }
        if let Some(window) = &mut self.window {
            window.add(done, (op == IoOperation::Read).then_some(done - at));
        }
    }

    fn depth(&self) -> u32 {
        if self.step > 0 { 1 + ((DEPTH - 1) >> self.step) } else { (1 + ((DEPTH - 1) << -self.step)).min(MOST) }
    }

    /// `get_limit` and `calc_wb_limits`.
    fn limit(&self, now: Nanos, wants: Wants) -> u32 {
        let depth = self.depth();
        // A read of a disk that is away may be promised for the end of time.
        let reads = self.read.is_some_and(|read| now.0.saturating_sub(read.0) < CLOSE.0);
        match wants {
            Wants::Synced => depth,
            Wants::Soon if depth <= 2 => {
                if reads {
                    1
                } else {
                    depth
                }
            }
            Wants::Soon if reads => depth.div_ceil(4),
            Wants::Soon => depth.div_ceil(2),
        }
    }

    fn open(&mut self, at: Nanos, later: Vec<(Nanos, Option<Nanos>)>) {
        let length = Nanos((WINDOW / f64::from(self.step.max(0) + 1).sqrt()) as u64);
        let mut window = Window { end: at + length, length, ..Window::default() };
        later.into_iter().for_each(|(done, read)| window.add(done, read));
        self.window = Some(window);
    }

    /// Looks at all windows that have ended: `wb_timer_fn`.
    fn look(&mut self, now: Nanos) {
        while let Some(window) = self.window.take_if(|window| window.end <= now) {
            match self.said(&window) {
                Said::TooLong if self.depth() > 1 => {
                    self.step = if self.step < 0 { 0 } else { self.step + 1 };
                    self.unknown = 0;
                }
                Said::Fine | Said::OnlyWrites => self.up(),
                Said::Nothing => {
                    self.unknown += 1;
                    if self.unknown >= UNKNOWN && self.step > 0 {
                        self.up();
                    } else if self.unknown >= UNKNOWN && self.step < 0 {
                        self.step += 1;
                        self.unknown = 0;
                    }
                }
                Said::TooLong => {}
            }
            if self.step != 0 || self.at_disk > 0 {
                self.open(window.end, window.later);
            }
        }
    }

    fn up(&mut self) {
        if self.depth() < MOST {
            self.step -= 1;
        }
        self.unknown = 0;
    }

    /// `latency_exceeded`.
    fn said(&self, window: &Window) -> Said {
        let (since, until) = self.watched;
        let waits = if until > window.end { window.end - since } else { Nanos(0) };
        if waits > window.length || (waits > self.target && window.reads == 0) {
            return Said::TooLong;
        }
        if window.reads == 0 || window.writes < FEWEST {
            return if window.writes > 0 || self.at_disk > 0 { Said::OnlyWrites } else { Said::Nothing };
        }
        if window.least > self.target { Said::TooLong } else { Said::Fine }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MILLI: u64 = 1_000_000;

    fn at(millis: u64) -> Nanos {
        Nanos(millis * MILLI)
    }

    /// How many more writes may go to the disk; they are done at once.
    fn room(throttle: &mut Throttle, now: Nanos, wants: Wants) -> u32 {
        let lets = (0..1000).take_while(|_| throttle.lets(now, wants)).count() as u32;
        (0..lets).for_each(|_| throttle.done(now));
        lets
    }

    /// A second of writes, and of reads that take so long, of each ten milliseconds.
    fn second(throttle: &mut Throttle, from: u64, read: Option<u64>) {
        for tick in (from..from + 1000).step_by(10) {
            assert!(throttle.lets(at(tick), Wants::Synced), "one at a time");
            throttle.sent(at(tick), IoOperation::Write, at(tick + 3));
            if let Some(took) = read {
                throttle.sent(at(tick), IoOperation::Read, at(tick + took));
            }
            throttle.done(at(tick + 3));
        }
    }

    #[test]
    fn before_anything_is_known_half_of_sixteen_are_let_at_the_disk_and_all_if_somebody_waits() {
        let mut throttle = Throttle::new(at(2));
        assert_eq!(room(&mut throttle, at(0), Wants::Soon), 8);
        assert_eq!(room(&mut throttle, at(0), Wants::Synced), 16);
    }

    #[test]
    fn whoever_writes_alone_is_let_through_more_and_more() {
        let mut throttle = Throttle::new(at(2));
        second(&mut throttle, 0, None);
        assert_eq!(room(&mut throttle, at(1000), Wants::Synced), MOST);
    }

    #[test]
    fn reads_that_take_long_leave_one_write_at_the_disk_and_short_ones_a_quarter_of_the_depth() {
        let mut throttle = Throttle::new(at(2));
        second(&mut throttle, 0, Some(5));
        assert_eq!(room(&mut throttle, at(1000), Wants::Soon), 1);
        let mut throttle = Throttle::new(at(2));
        second(&mut throttle, 0, Some(1));
        assert_eq!(room(&mut throttle, at(1000), Wants::Soon), MOST / 4);
    }

    #[test]
    fn a_read_that_does_not_come_back_counts_as_long() {
        let mut throttle = Throttle::new(at(2));
        assert!(throttle.lets(at(0), Wants::Soon));
        throttle.sent(at(1), IoOperation::Read, at(10_000));
        assert_eq!(1 + room(&mut throttle, at(150), Wants::Synced), DEPTH / 2);
    }

    #[test]
    fn what_was_learnt_is_forgotten_step_by_step_when_nobody_asks() {
        let mut throttle = Throttle::new(at(2));
        second(&mut throttle, 0, Some(5));
        assert_eq!(room(&mut throttle, at(60_000), Wants::Synced), DEPTH);
    }

    #[test]
    fn without_a_target_nothing_is_throttled() {
        assert_eq!(room(&mut Throttle::new(at(0)), at(0), Wants::Soon), 1000);
    }
}
