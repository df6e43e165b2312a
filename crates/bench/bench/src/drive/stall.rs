//! Stretches of a run in which nothing came back.

use units::Nanos;

use super::WindowSlice;

/// A stretch of a run in which nothing succeeded, though something was asked.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct RunStall {
    /// When it began, in seconds from the start of the warm-up.
    pub from_s: f64,
    /// How long it was, in seconds.
    pub seconds: f64,
}

impl RunStall {
    /// Shorter ones are not told: a crash's recovery, a write stall, the election of a leader.
    pub const LEAST_S: f64 = 15.0;

    /// The longest of a run's intervals of time, each with whether something succeeded in it; `None` if none is worth telling.
    pub fn longest(intervals: impl IntoIterator<Item = (Nanos, Nanos, bool)>) -> Option<Self> {
        let mut stalls = Stalls::default();
        intervals.into_iter().for_each(|(from, until, done)| stalls.note(from, until, done));
        stalls.longest()
    }
}

/// Watches for the longest stretch in which nothing succeeded.
#[derive(Debug, Default)]
pub(crate) struct Stalls {
    /// Since when nothing has succeeded.
    open: Option<Nanos>,
    longest: (Nanos, Nanos),
}

impl Stalls {
    /// Windows come in order. One in which nothing was asked neither begins a stretch nor ends one.
    pub(crate) fn take(&mut self, window: &WindowSlice) {
        let done = window.succeeded() > 0;
        if done || window.in_flight > 0 || window.backlog > 0 || window.failed() > 0 {
            self.note(window.from, window.until, done);
        }
    }

    fn note(&mut self, from: Nanos, until: Nanos, done: bool) {
        if done {
            self.open = None;
            return;
        }
        let since = *self.open.get_or_insert(from);
        if until - since > self.longest.1 - self.longest.0 {
            self.longest = (since, until);
        }
    }

    /// The longest, if it is worth telling.
    pub(crate) fn longest(&self) -> Option<RunStall> {
        let (from, until) = self.longest;
        let seconds = (until - from).as_secs_f64();
        (seconds >= RunStall::LEAST_S).then(|| RunStall { from_s: from.as_secs_f64(), seconds })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The longest stall of seconds in which so many succeeded and so many were in flight at the end.
    fn longest(seconds: &[(u64, u64)]) -> Option<(f64, f64)> {
        let mut stalls = Stalls::default();
        for (index, (done, in_flight)) in (0..).zip(seconds) {
            let mut window = WindowSlice::new(index, Nanos::secs(1), 1);
            (0..*done).for_each(|_| window.latencies[0].record(1).unwrap());
            window.in_flight = *in_flight;
            stalls.take(&window);
        }
        stalls.longest().map(|stall| (stall.from_s, stall.seconds))
    }

    #[test]
    fn fifteen_seconds_in_which_nothing_came_back_are_a_stall_and_fourteen_are_none() {
        let run = |silent: usize| [vec![(9, 4); 3], vec![(0, 4); silent], vec![(9, 4); 2]].concat();
        assert_eq!(longest(&run(15)), Some((3.0, 15.0)));
        assert_eq!(longest(&run(14)), None);
        assert_eq!(longest(&vec![(0, 4); 20]), Some((0.0, 20.0)), "one that lasts to the end");
        assert_eq!(longest(&[run(15), run(18)].concat()), Some((23.0, 18.0)), "the longest is told");
    }

    #[test]
    fn silence_is_no_stall_where_nothing_was_asked() {
        assert_eq!(longest(&vec![(0, 0); 60]), None);
    }
}
