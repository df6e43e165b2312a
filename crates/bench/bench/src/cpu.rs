//! What the driver itself takes of the machine.

use nix::sys::resource::{UsageWho, getrusage};
use units::Nanos;

/// Processor time until now, of this process and of the whole machine.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct CpuReading {
    /// Of all threads of this process, user and system.
    pub own: Nanos,
    /// Of everything that runs on the machine, idle and waiting excluded; `None` where `/proc/stat` cannot be read.
    pub machine: Option<Nanos>,
    /// Processors online.
    pub processors: u32,
}

/// What was taken between two readings.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct CpuUsage {
    /// Of all threads of this process.
    pub own: Nanos,
    /// Of everything that ran.
    pub machine: Option<Nanos>,
    /// What there was: the time that passed on all processors.
    pub there: Nanos,
}

/// The kernel counts `/proc/stat` in hundredths of a second for programs, whatever its own tick (proc(5), `USER_HZ`).
const TICK: Nanos = Nanos::millis(10);

impl CpuReading {
    /// Now.
    pub fn now() -> Self {
        let own = getrusage(UsageWho::RUSAGE_SELF).map_or(Nanos(0), |usage| {
            let span = |time: nix::sys::time::TimeVal| {
                Nanos(time.tv_sec().max(0) as u64 * 1_000_000_000 + time.tv_usec().max(0) as u64 * 1000)
            };
            span(usage.user_time()) + span(usage.system_time())
        });
        let machine = std::fs::read_to_string("/proc/stat").ok().and_then(|stat| busy(&stat));
        let processors = std::thread::available_parallelism().map_or(1, |count| count.get() as u32);
        Self { own, machine, processors }
    }

    /// What was taken from here until `later`, `passed` after.
    pub fn until(self, later: Self, passed: Nanos) -> CpuUsage {
        let machine = self.machine.zip(later.machine).map(|(from, until)| until - from);
        CpuUsage { own: later.own - self.own, machine, there: Nanos(passed.0 * u64::from(later.processors)) }
    }
}

impl CpuUsage {
    /// Share of the machine that the driver took, 0 to 1.
    pub fn of_machine(self) -> f64 {
        self.own.0 as f64 / (self.there.0.max(1)) as f64
    }

    /// Share of what was taken of the machine, 0 to 1.
    pub fn of_busy(self) -> Option<f64> {
        self.machine.filter(|busy| busy.0 > 0).map(|busy| (self.own.0 as f64 / busy.0 as f64).min(1.0))
    }
}

/// User, nice, system, irq, softirq and steal of the first line; idle and iowait are left out. Guests are in user.
fn busy(stat: &str) -> Option<Nanos> {
    let fields: Vec<u64> =
        stat.lines().next()?.strip_prefix("cpu ")?.split_whitespace().map_while(|field| field.parse().ok()).collect();
    let ticks: u64 = [0, 1, 2, 5, 6, 7].iter().filter_map(|at| fields.get(*at)).sum();
    (fields.len() >= 4).then_some(Nanos(ticks * TICK.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idle_and_waiting_are_not_busy() {
        let stat = "cpu  10 1 5 1000 500 2 3 4 0 0\ncpu0 1 1 1 1\n";
        assert_eq!(busy(stat), Some(Nanos::millis(250)));
        assert_eq!(busy("intr 1"), None);
    }

    #[test]
    fn what_a_loop_takes_is_seen() {
        let before = CpuReading::now();
        let mut sum = 0u64;
        while CpuReading::now().own - before.own < Nanos::millis(20) {
            sum = std::hint::black_box((0..100_000u64).fold(sum, |sum, number| sum ^ number.wrapping_mul(sum | 1)));
        }
        let cpu = before.until(CpuReading::now(), Nanos::secs(1));
        assert!(cpu.own >= Nanos::millis(20) && cpu.of_machine() > 0.0);
    }
}
