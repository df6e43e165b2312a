//! Faults on a disk in use.

use crate::common;

use std::collections::BTreeSet;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::time::{Duration, Instant};

use common::{Stage, block};
use disk::DiskFault;
use units::Nanos;

const EIO: Option<i32> = Some(5);
const ENODEV: Option<i32> = Some(19);

fn error_of_a_read(file: &File) -> Option<i32> {
    file.read_at(&mut [0; 4096], 0).unwrap_err().raw_os_error()
}

/// Waits until so many requests wait for their answers.
fn until_in_flight(stage: &Stage, count: u64) {
    let start = Instant::now();
    while stage.server.sample().disks[0].in_flight < count {
        assert!(start.elapsed() < Duration::from_secs(10), "the requests did not arrive");
        std::thread::yield_now();
    }
}

#[test]
fn errors_are_errors_and_are_counted() {
    let stage = Stage::new("gp3:1GiB");
    stage.server.inject(0, DiskFault::Errors(1.0), Nanos::secs(1000));
    assert_eq!(error_of_a_read(&stage.open()), EIO);
    assert_eq!(stage.open().write_at(&[1; 4096], 0).unwrap_err().raw_os_error(), EIO);
    assert_eq!(stage.server.sample().disks[0].errors, 2);
    stage.server.heal(0);
    assert_eq!(block(&stage.open(), 0), [0; 4096], "a write that failed wrote nothing");
}

#[test]
fn a_stall_holds_up_what_is_in_flight_and_what_comes_until_it_is_healed() {
    let stage = Stage::new("gp3:1GiB");
    // A slow disk keeps the first request in flight long enough: over half a second in all but one case of 4000.
    stage.server.inject(0, DiskFault::Slow(4000.0), Nanos::secs(1000));
    let file = stage.open();
    std::thread::scope(|scope| {
        let first = scope.spawn(|| block(&file, 0));
        until_in_flight(&stage, 1);
        stage.server.inject(0, DiskFault::Stall, Nanos::secs(1000));
        let second = scope.spawn(|| block(&file, 1));
        until_in_flight(&stage, 2);
        // Longer than the first would have taken: 4000 × 440 µs × e.
        std::thread::sleep(Duration::from_millis(100));
        let held = stage.server.sample();
        assert_eq!(held.disks[0].in_flight, 2);
        assert!(held.disks[0].bound.fault >= Nanos::millis(90));
        let start = Instant::now();
        stage.server.heal(0);
        first.join().unwrap();
        second.join().unwrap();
        assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
    });
    assert_eq!(stage.server.sample().disks[0].read.count, 2);
}

#[test]
fn a_detached_disk_fails_what_is_in_flight_and_works_when_it_is_attached() {
    let stage = Stage::new("gp3:1GiB");
    stage.server.inject(0, DiskFault::Stall, Nanos::secs(1000));
    let file = stage.open();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| error_of_a_read(&file));
        until_in_flight(&stage, 1);
        stage.server.inject(0, DiskFault::Detach, Nanos::MAX);
        assert_eq!(waiting.join().unwrap(), EIO);
    });
    assert_eq!(error_of_a_read(&file), ENODEV);
    stage.server.heal(0);
    assert_eq!(block(&file, 0), [0; 4096]);
}

#[test]
fn without_a_volatile_cache_a_power_cut_loses_only_what_was_not_acknowledged() {
    let stage = Stage::new("gp3:1GiB");
    let file = stage.open();
    (0..32).for_each(|i| file.write_all_at(&[1; 4096], i * 4096).unwrap());
    stage.server.inject(0, DiskFault::Stall, Nanos::secs(1000));
    std::thread::scope(|scope| {
        let writes: Vec<_> = (16..48)
            .map(|i| {
                scope.spawn({
                    let file = &file;
                    move || file.write_at(&[2; 4096], i * 4096)
                })
            })
            .collect();
        until_in_flight(&stage, 32);
        stage.server.inject(0, DiskFault::PowerCut, Nanos(0));
        assert!(writes.into_iter().all(|write| write.join().unwrap().is_err()));
    });
    assert_eq!(error_of_a_read(&file), EIO, "until it is healed");
    stage.server.heal(0);
    assert!((0..16).all(|i| block(&file, i) == [1; 4096]), "acknowledged and not written again");
    let unsure: Vec<Vec<u8>> = (16..48).map(|i| block(&file, i)).collect();
    let whole = |value| unsure.iter().filter(|b| b.iter().all(|byte| *byte == value)).count();
    assert!(whole(2) > 0 && whole(1) + whole(0) > 0, "some is written and some is not");
    assert!(whole(0) + whole(1) + whole(2) < 32, "and some is torn");
    for torn in unsure.iter().flat_map(|block| block.chunks(512)) {
        assert_eq!(torn.iter().collect::<BTreeSet<_>>().len(), 1, "but no sector");
    }
}

#[test]
fn with_a_volatile_cache_a_power_cut_spares_what_was_flushed_and_not_all_else() {
    let stage = Stage::new("nvme:1GiB");
    let file = stage.open();
    (0..64).for_each(|i| file.write_all_at(&[1; 4096], i * 4096).unwrap());
    file.sync_data().unwrap();
    (32..96).for_each(|i| file.write_all_at(&[2; 4096], i * 4096).unwrap());
    stage.server.inject(0, DiskFault::PowerCut, Nanos(0));
    stage.server.heal(0);
    assert!((0..32).all(|i| block(&file, i) == [1; 4096]), "flushed and not written again");
    let rest: Vec<Vec<u8>> = (32..96).map(|i| block(&file, i)).collect();
    assert!(rest.iter().any(|block| block[..] == [2; 4096]), "some of it is kept");
    assert!(rest[..32].iter().any(|block| block[..] == [1; 4096]), "some is as it was flushed");
    assert!(rest[..32].iter().flatten().all(|byte| *byte != 0), "what was flushed is nowhere lost");
}
