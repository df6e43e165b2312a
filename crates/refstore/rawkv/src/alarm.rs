//! An alarm that is exact to the kernel's timers: the runtime's own sleeps are whole milliseconds.

use std::io;
use std::os::fd::OwnedFd;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create, timerfd_settime,
};
use tokio::io::unix::AsyncFd;

/// So much later than asked for is on time: a wait that is computed anew names the same instant by a little less.
const SLACK: Duration = Duration::from_micros(1);

#[derive(Debug)]
pub(crate) struct Alarm {
    timer: AsyncFd<OwnedFd>,
    due: Option<Instant>,
}

impl Alarm {
    pub(crate) fn new() -> io::Result<Self> {
        let timer = timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::CLOEXEC | TimerfdFlags::NONBLOCK)?;
        #[expect(deprecated, reason = "it is unsound for types that do not keep their descriptor; an owned one does")]
        let timer = AsyncFd::new(timer)?;
        Ok(Self { timer, due: None })
    }

    /// Goes off at `due`, or before at a time set earlier. It costs a call to the system only if nothing that was set comes
    /// before.
    pub(crate) fn set(&mut self, due: Option<Instant>) {
        let Some(due) = due.filter(|due| self.due.is_none_or(|set| set > *due + SLACK)) else { return };
        self.due = Some(due);
        // Zero would disarm it.
        let wait = due.saturating_duration_since(Instant::now()).max(Duration::from_nanos(1));
        let it_value = Timespec { tv_sec: wait.as_secs() as i64, tv_nsec: i64::from(wait.subsec_nanos()) };
        let it_interval = Timespec { tv_sec: 0, tv_nsec: 0 };
        // It fails only on a bad descriptor or time, and neither can be.
        let _ =
            timerfd_settime(self.timer.get_ref(), TimerfdTimerFlags::empty(), &Itimerspec { it_interval, it_value });
    }

    /// Ready once for each time that it went off.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        while let Poll::Ready(Ok(mut ready)) = self.timer.poll_read_ready(cx) {
            let mut expirations = [0; 8];
            let read = rustix::io::read(self.timer.get_ref(), &mut expirations);
            // There is nothing more to read before it goes off again, which tells itself anew.
            ready.clear_ready();
            if read.is_ok() {
                self.due = None;
                return Poll::Ready(());
            }
        }
        Poll::Pending
    }
}
