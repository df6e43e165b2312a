use super::*;
use crate::testing;
use rand::SeedableRng;

#[test]
fn operations_of_a_mix_are_one_thing_or_the_other_and_their_means_are_kept() {
    let mut task = testing::task(10_000.0);
    task.profile.point_reads = 0.5;
    task.profile.updates = 0.5;
    let load = Load::new(&task, &EngineSettings::default(), Constants::embedded());
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let drawn: Vec<_> = (0..10_000).map(|_| load.draw(&mut random)).collect();
    assert!(drawn.iter().all(|one| one.reads + one.records == 1));
    let reads: u32 = drawn.iter().map(|one| one.reads).sum();
    assert!((4700..5300).contains(&reads), "{reads}");
}

#[test]
fn uneven_operations_keep_their_mean() {
    let mut task = testing::task(10_000.0);
    (task.profile.point_reads, task.profile.statements, task.profile.spread) = (20.0, 20.0, 0.8);
    let load = Load::new(&task, &EngineSettings::default(), Constants::embedded());
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let reads: u32 = (0..50_000).map(|_| load.draw(&mut random).reads).sum();
    let mean = f64::from(reads) / 50_000.0;
    assert!((mean / 20.0 - 1.0).abs() < 0.02, "{mean}");
}

#[test]
fn who_locks_does_so_in_as_many_statements_as_the_mean_says_and_never_without_writing() {
    let mut task = testing::task(10_000.0);
    (task.profile.transactional, task.profile.statements, task.profile.spread) = (true, 12.0, 0.6);
    (task.profile.updates, task.profile.locking) = (8.0, 4.4);
    let settings = |locks| EngineSettings { locks: Some(locks), ..EngineSettings::default() };
    let load = |locks| Load::new(&task, &settings(locks), Constants::embedded());
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let written = load(LockMode::Written);
    let drawn: Vec<_> = (0..50_000).map(|_| written.draw(&mut random)).collect();
    let mean = f64::from(drawn.iter().map(|one| one.locking).sum::<u32>()) / 50_000.0;
    assert!((mean / 4.4 - 1.0).abs() < 0.02, "{mean}");
    assert!(drawn.iter().all(|one| one.records > 0 || one.locking == 0));
    assert_eq!(load(LockMode::Memory).draw(&mut random).locking, 0);
}
