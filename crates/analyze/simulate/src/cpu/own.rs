//! Jobs that have a hardware thread of their own: nothing changes when they end, until there are more jobs than threads.

use units::Nanos;

use super::{Cpu, PARTS, Pool, Running};

/// A job with a hardware thread of its own, and when it ends; none if it has come to share since.
pub(super) type Own<T> = Option<(Running<T>, Nanos)>;

/// The place of such a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ticket(u32);

impl<T: Copy> Cpu<T> {
    /// Adds a job as [`Cpu::submit`] does. One that gets a hardware thread of its own is none of those of which [`Cpu::next`] tells:
    /// it gives the instant at which the caller is to [`Cpu::end`] it.
    pub(crate) fn begin(&mut self, now: Nanos, pool: Pool, work: f64, task: T) -> Option<(Nanos, Ticket)> {
        let job = self.admitted(pool, work, task)?;
        self.on_its_own(now, job, Self::start)
    }

    /// Does what [`Cpu::free`] does; of the job that the thread takes it tells as [`Cpu::begin`] does.
    pub(crate) fn begin_next(&mut self, now: Nanos, pool: Pool) -> Option<(Nanos, Ticket)> {
        let job = self.waited(pool)?;
        self.on_its_own(now, job, Self::run)
    }

    /// Ends a job at its instant; none if it has come to share its thread with others since. Its thread takes no other until
    /// [`Cpu::begin_next`].
    pub(crate) fn end(&mut self, ticket: Ticket) -> Option<(Pool, T)> {
        let (job, _) = self.own.remove(ticket.0 as usize)?;
        self.alone -= 1;
        Some(self.done(job))
    }

    /// Whether a hardware thread is free.
    pub(super) fn has_room(&self) -> bool {
        self.running() + self.beside.0 < self.room && !self.paused
    }

    /// Lets a job run on a hardware thread of its own if one is free, and else as `shared` does.
    fn on_its_own(
        &mut self,
        now: Nanos,
        job: Running<T>,
        shared: impl FnOnce(&mut Self, Running<T>),
    ) -> Option<(Nanos, Ticket)> {
        if !self.has_room() {
            self.change(now, |cpu| shared(cpu, job));
            return None;
        }
        self.alone += 1;
        self.background += usize::from(self.holds(&job));
        // Rounded up: never before it is done.
        let end = now + Nanos(job.work.div_ceil(PARTS));
        Some((end, Ticket(self.own.insert(Some((job, end))) as u32)))
    }

    /// There are more jobs than threads: all share them from now on.
    pub(super) fn share_own(&mut self) {
        if self.alone == 0 {
            return;
        }
        self.alone = 0;
        // Put back, for tickets of what was moved are still out.
        let mut own = std::mem::take(&mut self.own);
        for (job, end) in own.iter_mut().filter_map(|(_, own)| own.take()) {
            self.share_with(job, (end - self.at).0.saturating_mul(PARTS));
        }
        self.own = own;
    }
}
