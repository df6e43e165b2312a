//! Answers that wait for their time, and the thread that sends them.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use parking_lot::Mutex;
use units::Nanos;

use crate::clock::{Alarm, Clock};

/// Answers due within this time leave together: less than a wake-up costs, and under a hundredth of any disk's latency.
const TOGETHER: Nanos = Nanos(3_000);

/// The lead follows the median lateness of wake-ups in steps of this size, so that a few very late ones (when the
/// processors are taken) do not make all others early.
const STEP: u64 = 50;

/// An answer that waits.
#[derive(Debug)]
pub(crate) struct Waiting<T> {
    /// When the model wants it to be there.
    pub(crate) due: Nanos,
    /// When it must leave for that.
    pub(crate) leave: Nanos,
    /// When its request arrived.
    pub(crate) arrived: Nanos,
    pub(crate) disk: usize,
    pub(crate) what: T,
}

/// A change of plan: what had arrived at a disk before `at` and is due at `from` or later is due `by` nanoseconds later.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Shift {
    pub(crate) at: Nanos,
    pub(crate) from: Nanos,
    pub(crate) by: i64,
}

impl<T> Waiting<T> {
    fn shift(&mut self, shift: Shift) {
        if self.arrived < shift.at && self.due >= shift.from {
            self.due = Nanos(self.due.0.saturating_add_signed(shift.by));
            self.leave = Nanos(self.leave.0.saturating_add_signed(shift.by));
        }
    }
}

impl<T> PartialEq for Waiting<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<T> Eq for Waiting<T> {}

impl<T> PartialOrd for Waiting<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Waiting<T> {
    /// The earliest is the greatest, as the standard heap gives out the greatest first.
    fn cmp(&self, other: &Self) -> Ordering {
        (other.leave, other.arrived).cmp(&(self.leave, self.arrived))
    }
}

/// A queue of answers by time.
#[derive(Debug)]
pub(crate) struct Lane<T> {
    clock: Clock,
    alarm: Alarm,
    queue: Mutex<Queue<T>>,
    closed: AtomicBool,
}

#[derive(Debug)]
struct Queue<T> {
    waiting: BinaryHeap<Waiting<T>>,
    /// For when the alarm is set; zero while the thread is awake and will look by itself.
    wakes: Nanos,
    /// How late the thread wakes up; the alarm is set so much earlier.
    lead: Nanos,
    /// The last change of plan of each disk, for requests that were on their way into the queue.
    shifts: Vec<Shift>,
}

impl<T> Queue<T> {
    fn wake_up_time(&self, now: Nanos) -> Nanos {
        self.waiting.peek().map_or(Nanos::MAX, |next| (next.leave - self.lead).max(now))
    }
}

impl<T> Lane<T> {
    pub(crate) fn new(clock: Clock, disks: usize) -> io::Result<Self> {
        let shifts = vec![Shift::default(); disks];
        let queue = Queue { waiting: BinaryHeap::new(), wakes: Nanos::MAX, lead: Nanos(0), shifts };
        Ok(Self { clock, alarm: Alarm::new(clock)?, queue: Mutex::new(queue), closed: AtomicBool::new(false) })
    }

    /// Lets an answer wait, unless `barred` says, once nobody can empty the lane any more, that it should not: then it
    /// comes back.
    pub(crate) fn push(&self, mut answer: Waiting<T>, barred: impl FnOnce(&Waiting<T>) -> bool) -> Option<Waiting<T>> {
        let mut queue = self.queue.lock();
        if barred(&answer) {
            return Some(answer);
        }
        answer.shift(queue.shifts[answer.disk]);
        let wakes = answer.leave - queue.lead;
        queue.waiting.push(answer);
        if wakes < queue.wakes {
            queue.wakes = wakes;
            self.alarm.set(wakes);
        }
        None
    }

    /// Sends answers, all that leave together at once, until the lane is closed.
    pub(crate) fn run(&self, mut send: impl FnMut(&mut Vec<Waiting<T>>)) {
        let mut due = Vec::new();
        while !self.closed.load(Relaxed) {
            self.alarm.wait();
            let mut now = self.clock.now();
            let mut queue = self.queue.lock();
            if queue.wakes <= now {
                let late = now - queue.wakes;
                let lead = queue.lead.0;
                queue.lead = Nanos(if late.0 > lead { lead + STEP } else { lead.saturating_sub(STEP) });
            }
            loop {
                while let Some(next) = queue.waiting.peek()
                    && next.leave <= now + TOGETHER
                {
                    due.extend(queue.waiting.pop());
                }
                if due.is_empty() {
                    break;
                }
                queue.wakes = Nanos(0);
                drop(queue);
                send(&mut due);
                due.clear();
                now = self.clock.now();
                queue = self.queue.lock();
            }
            queue.wakes = queue.wake_up_time(now);
            if queue.wakes < Nanos::MAX {
                self.alarm.set(queue.wakes);
            }
        }
    }

    /// Changes the plan for a disk.
    pub(crate) fn shift(&self, disk: usize, shift: Shift) {
        let mut queue = self.queue.lock();
        queue.shifts[disk] = shift;
        let mut all = std::mem::take(&mut queue.waiting).into_vec();
        all.iter_mut().filter(|w| w.disk == disk).for_each(|w| w.shift(shift));
        queue.waiting = all.into();
        // The thread wakes up and sets its alarm anew.
        self.alarm.set(Nanos(0));
    }

    /// Takes out all that waits for a disk.
    pub(crate) fn take(&self, disk: usize) -> Vec<Waiting<T>> {
        let mut queue = self.queue.lock();
        let (taken, rest): (Vec<_>, Vec<_>) =
            std::mem::take(&mut queue.waiting).into_iter().partition(|w| w.disk == disk);
        queue.waiting = rest.into();
        taken
    }

    /// Ends [`Lane::run`] and gives back what still waits.
    pub(crate) fn close(&self) -> Vec<Waiting<T>> {
        self.closed.store(true, Relaxed);
        let mut queue = self.queue.lock();
        self.alarm.set(Nanos(0));
        std::mem::take(&mut queue.waiting).into_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    fn waiting(clock: Clock, disk: usize, millis: u64) -> Waiting<u64> {
        let arrived = clock.now();
        let due = arrived + Nanos::millis(millis);
        Waiting { due, leave: due, arrived, disk, what: millis }
    }

    /// What a lane sends, in order, after `plan` was carried out.
    fn sent(plan: impl FnOnce(Clock, &Lane<u64>), count: usize) -> Vec<u64> {
        let clock = Clock::start();
        let lane = Lane::new(clock, 2).unwrap();
        let (sender, receiver) = mpsc::channel();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                lane.run(|due| {
                    due.iter().for_each(|w| {
                        assert!(clock.now() + TOGETHER >= w.leave, "early");
                        sender.send(w.what).unwrap();
                    })
                })
            });
            plan(clock, &lane);
            let got = receiver.iter().take(count).collect();
            lane.close();
            got
        })
    }

    fn push(lane: &Lane<u64>, answer: Waiting<u64>) {
        assert!(lane.push(answer, |_| false).is_none());
    }

    #[test]
    fn answers_leave_in_order_of_time_and_not_early() {
        let order = sent(|clock, lane| [30, 5, 10, 0].into_iter().for_each(|ms| push(lane, waiting(clock, 0, ms))), 4);
        assert_eq!(order, [0, 5, 10, 30]);
    }

    #[test]
    fn a_shift_moves_one_disks_answers_only() {
        let order = sent(
            |clock, lane| {
                for (disk, ms) in [(0, 20), (1, 30)] {
                    push(lane, waiting(clock, disk, ms));
                }
                lane.shift(0, Shift { at: clock.now(), from: Nanos(0), by: 30_000_000 });
                push(lane, waiting(clock, 0, 10));
            },
            3,
        );
        assert_eq!(order, [10, 30, 20], "what arrived after the shift is not shifted");
    }

    #[test]
    fn a_shift_backwards_lets_answers_leave_that_would_wait_for_hours() {
        let order = sent(
            |clock, lane| {
                push(lane, waiting(clock, 0, 3_600_000));
                let hour = Nanos::secs(3600);
                lane.shift(0, Shift { at: clock.now(), from: hour, by: -(hour.0 as i64) });
            },
            1,
        );
        assert_eq!(order, [3_600_000]);
    }

    #[test]
    fn what_is_taken_out_is_not_sent_and_what_is_barred_comes_back() {
        let order = sent(
            |clock, lane| {
                for (disk, ms) in [(0, 100), (1, 20), (0, 200)] {
                    push(lane, waiting(clock, disk, ms));
                }
                assert_eq!(lane.take(0).len(), 2);
                assert_eq!(lane.push(waiting(clock, 1, 7), |_| true).unwrap().what, 7);
            },
            1,
        );
        assert_eq!(order, [20]);
    }
}
