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
fn months_without_an_idle_instant_are_counted_as_well() {
    const DAY: u64 = 86_400_000_000_000;
    let mut cpu = Cpu::new(2.0, 1.0, |_| 8);
    (0..10).for_each(|month| {
        let now = Nanos(30 * DAY * month);
        while cpu.next() <= now {
            let at = cpu.next();
            cpu.take();
            cpu.free(at, Pool::Compaction);
        }
        cpu.submit(now, Pool::Compaction, 86_400.0 * 40.0, month as usize);
    });
    assert_eq!(drain(&mut cpu), [(280 * DAY, 8), (310 * DAY, 9)]);
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

/// What is yet to happen where jobs with a hardware thread of their own end as events do: their ends, and what was done when.
#[derive(Default)]
struct Ends {
    own: Vec<(Nanos, Ticket)>,
    done: Vec<(usize, u64)>,
}

impl Ends {
    /// Lets all jobs end until an instant.
    fn run(&mut self, cpu: &mut Cpu<usize>, until: Nanos) {
        loop {
            let first = self.own.iter().map(|(at, _)| *at).min().unwrap_or(Nanos(u64::MAX));
            let at = first.min(cpu.next());
            if at > until || at == Nanos(u64::MAX) {
                return;
            }
            let ended = if first <= cpu.next() {
                let place = self.own.iter().position(|(at, _)| *at == first).unwrap();
                cpu.end(self.own.remove(place).1)
            } else {
                cpu.take()
            };
            if let Some((pool, job)) = ended {
                self.done.push((job, at.0));
                self.own.extend(cpu.begin_next(at, pool));
            }
        }
    }

    /// The same where all share.
    fn run_shared(&mut self, cpu: &mut Cpu<usize>, until: Nanos) {
        while cpu.next() <= until && cpu.next() < Nanos(u64::MAX) {
            let at = cpu.next();
            if let Some((pool, job)) = cpu.take() {
                self.done.push((job, at.0));
                cpu.free(at, pool);
            }
        }
    }
}

#[test]
fn a_job_with_a_thread_of_its_own_ends_later_if_more_jobs_come_than_there_are_threads() {
    let mut cpu = Cpu::new(1.0, 1.0, |_| 8);
    let mut ends = Ends::default();
    ends.own.extend(cpu.begin(Nanos(0), Pool::Read, 0.002, 0));
    assert_eq!((ends.own.len(), cpu.next()), (1, Nanos(u64::MAX)), "it is on nobody's list but the agenda");
    ends.own.extend(cpu.begin(Nanos(1_000_000), Pool::Read, 0.002, 1));
    ends.run(&mut cpu, Nanos(u64::MAX));
    assert_eq!(ends.done, [(0, 3_000_000), (1, 4_000_000)]);
    assert_eq!((cpu.running(), cpu.busy(Pool::Read)), (0, 0.004));
}

#[test]
fn a_job_with_a_thread_of_its_own_stands_still_while_all_do() {
    let mut cpu = Cpu::new(4.0, 1.0, |_| 8);
    let mut ends = Ends::default();
    ends.own.extend(cpu.begin(Nanos(0), Pool::Read, 0.002, 0));
    cpu.pause(Nanos(1_000_000));
    ends.run(&mut cpu, Nanos(5_000_000));
    assert_eq!(ends.done, []);
    cpu.resume(Nanos(5_000_000));
    ends.run(&mut cpu, Nanos(u64::MAX));
    assert_eq!(ends.done, [(0, 6_000_000)]);
}

proptest! {
    #[test]
    fn jobs_end_when_they_would_if_none_had_a_thread_of_its_own(
        jobs in prop::collection::vec((0..400_000u64, 1e-6..1e-3f64, 0..6usize), 1..200),
        threads in 1..5u32, quarters in 0..4u32, pool in 1..4u32,
    ) {
        let new = || Cpu::new(f64::from(threads) + 0.25 * f64::from(quarters), 1.0, |_| pool);
        let (mut cpu, mut all) = (new(), new());
        let (mut ends, mut expected, mut now) = (Ends::default(), Ends::default(), Nanos(0));
        for (index, (gap, seconds, of)) in jobs.iter().enumerate() {
            now += Nanos(*gap);
            ends.run(&mut cpu, now);
            expected.run_shared(&mut all, now);
            ends.own.extend(cpu.begin(now, Pool::ALL[*of], *seconds, index));
            all.submit(now, Pool::ALL[*of], *seconds, index);
        }
        ends.run(&mut cpu, Nanos(u64::MAX));
        expected.run_shared(&mut all, Nanos(u64::MAX));
        ends.done.sort_unstable();
        expected.done.sort_unstable();
        prop_assert_eq!(ends.done.len(), jobs.len());
        for (found, expected) in ends.done.iter().zip(&expected.done) {
            // A nanosecond for each time that one is rounded.
            prop_assert!(found.0 == expected.0 && found.1.abs_diff(expected.1) <= 400, "{found:?}, {expected:?}");
        }
    }

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
