//! The daemon is killed at random points; all that was acknowledged is there when the disk is mounted again.

use std::time::{Duration, Instant};

use rand::RngExt;

use crate::nothing_lost::overwrites::Keeps;
use crate::nothing_lost::place::{Place, random, times};
use crate::nothing_lost::process;
use crate::nothing_lost::volume::checked;
use crate::nothing_lost::writers::{Writers, Written};

/// Long enough for some hundred flushes, and for ext4 to commit its journal by itself (every 5 s) in some rounds.
const LONGEST_MS: u64 = 1500;

/// Kills while threads write, then mounts again: what was acknowledged in this and all earlier rounds must be there.
fn killed(disk: &str, rounds: u64) {
    let place = Place::new();
    let mut random = random(&format!("killed {rounds} times, {disk}"));
    let mut written: Vec<Written> = Vec::new();
    let (mut records, mut overwrites) = (0, 0);
    for round in 0..rounds {
        place.ok(&format!("mount {disk} @dir"));
        written.iter().for_each(|earlier| assert_eq!(earlier.check(Keeps::Acknowledged), 0));
        let writers = Writers::start(&place.path("dir"), round, random.random(), true);
        let after = random.random_range(0..LONGEST_MS);
        eprintln!("round {round}: killed after {after} ms");
        std::thread::sleep(Duration::from_millis(after));
        place.kill_daemon();
        let now = writers.finish();
        let counts = now.acknowledged();
        (records, overwrites) = (records + counts.0, overwrites + counts.1);
        written.push(now);
        // People may bring it down first or mount again at once.
        if random.random_bool(0.3) {
            place.ok("down @dir");
            place.assert_nothing_left();
        }
    }
    assert!(records > 20 * rounds && overwrites > 20 * rounds, "only {records} records, {overwrites} overwrites");
    place.ok(&format!("mount {disk} @dir"));
    written.iter().for_each(|earlier| assert_eq!(earlier.check(Keeps::Acknowledged), 0));
    place.ok("down @dir");
    place.assert_filesystem_is_clean();
    place.assert_nothing_left();
}

#[test]
fn kill_9_loses_nothing_acknowledged_by_a_limited_disk() {
    // Its requests wait in the daemon.
    killed("gp3:2GiB,3000iops", times(5, 40));
}

#[test]
fn kill_9_loses_nothing_acknowledged_by_an_unlimited_disk() {
    killed("unlimited:2GiB", times(5, 40));
}

#[test]
fn kill_9_loses_nothing_of_a_disk_that_the_kernel_serves_itself() {
    // It goes on without its daemon, until the next mount or down takes it away.
    killed("unlimited:2GiB --passthrough", times(5, 40));
}

#[test]
fn kill_9_loses_nothing_acknowledged_on_xfs() {
    killed("unlimited:2GiB --filesystem xfs", times(3, 20));
}

#[test]
fn kill_9_of_a_daemon_whose_disk_is_in_use_loses_nothing_either() {
    let place = Place::new();
    for round in 0..times(2, 10) {
        place.ok("mount unlimited:1GiB @dir");
        let writers = Writers::start(&place.path("dir"), round, 1, true);
        // A database that does not notice that its disk is gone, and keeps its files open.
        let user = std::fs::File::open(place.path("dir/blocks-0")).unwrap();
        std::thread::sleep(Duration::from_millis(200));
        place.kill_daemon();
        let written = writers.finish();
        for line in ["mount unlimited:1GiB @dir", "down @dir"] {
            place.run(line).says(1, line, &[&std::process::id().to_string(), "blocks-0"]);
        }
        drop(user);
        place.ok("mount unlimited:1GiB @dir");
        written.check(Keeps::Acknowledged);
        place.ok("down @dir");
        place.assert_filesystem_is_clean();
        place.assert_nothing_left();
    }
}

#[test]
fn kill_9_of_a_mount_in_the_making_leaves_nothing_that_hinders_the_next() {
    let place = Place::new();
    let mut random = random("killed while mounting");
    let begun = Instant::now();
    place.ok("mount unlimited:1GiB @dir");
    let longest = begun.elapsed().as_millis() as u64;
    let writers = Writers::start(&place.path("dir"), 0, 1, true);
    std::thread::sleep(Duration::from_millis(200));
    let written = writers.finish();
    for round in 0..times(8, 100) {
        place.ok("down @dir");
        let after = random.random_range(0..longest);
        eprintln!("round {round}: killed after {after} ms");
        let mount = place.start("mount unlimited:1GiB @dir");
        std::thread::sleep(Duration::from_millis(after));
        for pid in place.daemons() {
            process::end(pid, nix::sys::signal::Signal::SIGKILL);
        }
        // Either nothing was there to kill yet, or it tells that the daemon ended; it must not wait for ever.
        let done = process::finish(mount, Duration::from_secs(20)).code == 0;
        if !done || place.daemons().is_empty() {
            place.ok("mount unlimited:1GiB @dir");
        }
        written.check(Keeps::Acknowledged);
    }
    place.ok("down @dir");
    place.assert_filesystem_is_clean();
    place.assert_nothing_left();
}

#[test]
fn the_check_of_the_filesystem_notices_damage() {
    let place = Place::new();
    place.ok("mount unlimited:1GiB @dir");
    std::fs::create_dir(place.path("dir/folder")).unwrap();
    place.ok("down @dir");
    place.assert_filesystem_is_clean();
    let [image] = &place.images()[..] else { panic!("one backing file") };
    let file = std::fs::File::options().write(true).open(image).unwrap();
    // The first group's descriptors and bitmaps follow the superblock.
    std::os::unix::fs::FileExt::write_all_at(&file, &[0x55; 64 << 10], 8 << 10).unwrap();
    assert_ne!(checked(image).code, 0);
}
