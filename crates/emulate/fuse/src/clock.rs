//! The present, and waking up in time for the future.

use std::io;
use std::os::fd::OwnedFd;

use rustix::time::{
    ClockId, Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, clock_gettime, timerfd_create,
    timerfd_settime,
};
use units::Nanos;

/// Time since a start, on a clock that never steps.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clock {
    start: u64,
}

const SECOND: u64 = 1_000_000_000;

fn monotonic() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    now.tv_sec as u64 * SECOND + now.tv_nsec as u64
}

impl Clock {
    pub(crate) fn start() -> Self {
        Self { start: monotonic() }
    }

    pub(crate) fn now(self) -> Nanos {
        Nanos(monotonic() - self.start)
    }
}

/// An alarm on such a clock.
#[derive(Debug)]
pub(crate) struct Alarm {
    clock: Clock,
    timer: OwnedFd,
}

impl Alarm {
    pub(crate) fn new(clock: Clock) -> io::Result<Self> {
        Ok(Self { clock, timer: timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::CLOEXEC)? })
    }

    /// Goes off at `at`, at once if that is past, and not at any time set before. A timerfd is as exact as the kernel's
    /// high-resolution timers; sleeps are not, because a thread's timer slack is added.
    pub(crate) fn set(&self, at: Nanos) {
        // Zero would disarm the timer.
        let at = at.0.saturating_add(self.clock.start).max(1);
        let it_value = Timespec { tv_sec: (at / SECOND) as i64, tv_nsec: (at % SECOND) as i64 };
        let it_interval = Timespec { tv_sec: 0, tv_nsec: 0 };
        // It fails only on a bad descriptor or time, and neither can be.
        let _ = timerfd_settime(&self.timer, TimerfdTimerFlags::ABSTIME, &Itimerspec { it_interval, it_value });
    }

    /// Sleeps until it goes off.
    pub(crate) fn wait(&self) {
        let mut expirations = [0; 8];
        // An interrupted wait is a wake-up too early, which the caller has to expect anyway.
        let _ = rustix::io::read(&self.timer, &mut expirations);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_alarm_goes_off_once_its_time_has_come() {
        let clock = Clock::start();
        let alarm = Alarm::new(clock).unwrap();
        for wait in [Nanos::millis(3), Nanos(0)] {
            let at = clock.now() + wait;
            alarm.set(at);
            alarm.wait();
            assert!(clock.now() >= at);
        }
    }
}
