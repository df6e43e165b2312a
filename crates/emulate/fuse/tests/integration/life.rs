//! Starting and ending.

use crate::common;

use std::os::unix::fs::FileExt;

use common::{Stage, block, mounted, start};
use disk::DiskFault;
use fuse::ServeError;
use units::Nanos;

#[test]
fn a_backing_file_is_served_only_once() {
    let stage = Stage::new("gp3:1GiB");
    let elsewhere = tempfile::tempdir_in("/dev/shm").unwrap();
    let second = start("gp3:1GiB", elsewhere.path().to_owned(), stage.backing.clone());
    assert!(matches!(second, Err(ServeError::InUse { path }) if path == stage.backing));
    assert!(!mounted(elsewhere.path()));
    stage.server.stop().unwrap();
    drop(stage.server);
    let again = start("gp3:1GiB", elsewhere.path().to_owned(), stage.backing.clone()).unwrap();
    again.stop().unwrap();
}

#[test]
fn a_server_that_stops_leaves_no_mount_and_all_data() {
    let stage = Stage::new("gp3:1GiB");
    stage.open().write_all_at(&[5; 4096], 8192).unwrap();
    assert!(mounted(&stage.folder()));
    stage.server.stop().unwrap();
    assert!(!mounted(&stage.folder()));
    stage.server.stop().expect("twice is no error");
    let data = std::fs::File::open(&stage.backing).unwrap();
    assert_eq!(block(&data, 2), [5; 4096]);
}

#[test]
fn a_server_does_not_stop_while_a_disk_is_open_and_goes_on() {
    let stage = Stage::new("gp3:1GiB");
    let file = stage.open();
    let refused = stage.server.stop().unwrap_err().to_string();
    assert!(refused.contains("busy") && refused.contains("disks"), "{refused}");
    assert_eq!(block(&file, 0), [0; 4096]);
}

#[test]
fn a_server_that_is_dropped_lets_nobody_hang() {
    let stage = Stage::new("gp3:1GiB");
    let (file, folder) = (stage.open(), stage.folder());
    stage.server.inject(0, DiskFault::Stall, Nanos::secs(1000));
    let waiting = std::thread::spawn(move || file.read_at(&mut [0; 4096], 0));
    while stage.server.sample().disks[0].in_flight == 0 {
        std::thread::yield_now();
    }
    drop(stage.server);
    assert!(waiting.join().unwrap().is_err());
    assert!(!mounted(&folder));
}
