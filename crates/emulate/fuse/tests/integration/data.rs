//! What is written is what is read.

use crate::common;

use std::os::unix::fs::{FileExt, MetadataExt};
use std::time::Instant;

use common::{Stage, block};
use disk::{DiskLimits, ModificationRules};
use rustix::fs::{FallocateFlags, fallocate};
use units::{Bytes, Nanos};

#[test]
fn a_disk_reads_back_what_was_written_and_takes_its_time() {
    let stage = Stage::new("gp3:1GiB");
    let file = stage.open();
    let large: Vec<u8> = (0..3 << 20).map(|i| (i % 251) as u8).collect();
    file.write_all_at(&large, 12_345 * 512).unwrap();
    let mut read = vec![0; large.len()];
    file.read_exact_at(&mut read, 12_345 * 512).unwrap();
    assert!(read == large);
    let start = Instant::now();
    assert_eq!(block(&file, 0), [0; 4096]);
    // The model's least: the median of 440 µs times exp(-3.5 sigma).
    assert!(start.elapsed().as_micros() >= 150, "{:?}", start.elapsed());
    file.sync_all().unwrap();

    let sample = stage.server.sample();
    let disk = sample.disk("data").unwrap();
    assert_eq!((disk.write.bytes, disk.read.bytes), (Bytes(3 << 20), Bytes((3 << 20) + 4096)));
    assert_eq!((disk.flush.count, disk.errors, disk.in_flight), (1, 0, 0));
    assert!(disk.busy > Nanos(0) && disk.queued >= disk.busy && disk.busy < sample.at);
    let latencies = stage.server.latencies(0);
    assert_eq!((latencies.read.len(), latencies.write.len()), (disk.read.count, disk.write.count));
}

#[test]
fn nothing_is_beyond_the_end() {
    let stage = Stage::new("gp3:1GiB");
    let file = stage.open();
    assert_eq!(file.read_at(&mut [0; 4096], 1 << 30).unwrap(), 0);
    assert_eq!(file.write_at(&[1; 4096], 1 << 30).unwrap_err().raw_os_error(), Some(28));
}

#[test]
fn a_range_that_is_given_back_takes_no_space_and_reads_as_zeros() {
    let stage = Stage::new("gp3:1GiB");
    let file = stage.open();
    let space = || std::fs::metadata(&stage.backing).unwrap().blocks();
    file.write_all_at(&[9; 1 << 20], 0).unwrap();
    assert_eq!(space(), 2048, "only what was written takes space");
    for (flags, offset) in [
        (FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE, 0),
        (FallocateFlags::ZERO_RANGE | FallocateFlags::KEEP_SIZE, 512 << 10),
    ] {
        fallocate(&file, flags, offset, 512 << 10).unwrap();
    }
    assert_eq!(space(), 0);
    assert_eq!(block(&file, 1), [0; 4096]);
    assert_eq!(stage.server.sample().disks[0].flush.count, 0, "giving space back is no flush");
}

#[test]
fn a_volume_that_grows_has_a_larger_file_at_once() {
    let stage = Stage::new("gp3:8GiB");
    let rules = ModificationRules {
        cooldown: Nanos::secs(3600),
        per_day: None,
        modifying: Nanos::millis(5),
        optimizing_per_tib: Nanos(0),
    };
    let larger: DiskLimits = common::attachment("gp3:16GiB,4000iops", stage.backing.clone()).spec.volume;
    assert_eq!(stage.open().metadata().unwrap().len(), 8 << 30);
    stage.server.modify(0, &larger, "gp3:16GiB,4000iops", &rules).unwrap();
    assert_eq!(stage.open().metadata().unwrap().len(), 16 << 30);
    stage.open().write_all_at(&[1], (16 << 30) - 1).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(10));
    let sample = stage.server.sample();
    assert_eq!(sample.disks[0].disk, "gp3:16GiB,4000iops");
    assert_eq!(sample.disks[0].iops_limit.unwrap().0, 4000.0);
    let refused = stage.server.modify(0, &larger, "gp3:16GiB,4000iops", &rules).unwrap_err().to_string();
    assert!(refused.contains("try again at"), "{refused}");
}

#[test]
fn a_full_backing_store_is_told_to_the_writer_and_counted() {
    let folder = tempfile::tempdir_in("/dev/shm").unwrap();
    let small = folder.path().join("small");
    std::fs::create_dir(&small).unwrap();
    rustix::mount::mount("tmpfs", &small, "tmpfs", rustix::mount::MountFlags::empty(), Some(c"size=1m"))
        .expect("this test needs root");
    let stage = Stage::over("gp3:1GiB", folder, small.join("backing"));
    let file = stage.open();
    file.write_all_at(&[1; 512 << 10], 0).unwrap();
    let full = file.write_all_at(&[1; 1 << 20], 1 << 20).unwrap_err();
    assert_eq!(full.kind(), std::io::ErrorKind::StorageFull);
    assert!(stage.server.sample().disks[0].errors > 0);
    assert_eq!(block(&file, 3), [1; 4096], "what was written before is there");
    drop(file);
    stage.server.stop().unwrap();
    drop(stage.server);
    rustix::mount::unmount(&small, rustix::mount::UnmountFlags::DETACH).unwrap();
}
