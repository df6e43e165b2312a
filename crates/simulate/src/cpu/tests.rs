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
