//! The power is cut at random points: a disk without a volatile cache loses nothing that it acknowledged, one with such a
//! cache nothing that was flushed.

use std::fs::File;
use std::io;
use std::time::Duration;

use rand::RngExt;

use crate::nothing_lost::overwrites::Keeps;
use crate::nothing_lost::place::{Place, random, times};
use crate::nothing_lost::writers::Writers;

/// Creates a file and flushes it.
fn touch(place: &Place) -> io::Result<()> {
    File::create(place.path("dir/touched"))?.sync_all()
}

/// Cuts the power while threads write, attaches the disk again and reads; gives how many overwrites were lost.
fn cut(disk: &str, keeps: Keeps, rounds: u64) -> usize {
    let place = Place::new();
    let mut random = random(&format!("power cut {rounds} times, {disk}"));
    place.ok(&format!("mount {disk} @dir"));
    let mut lost = 0;
    let mut written = Vec::new();
    for round in 0..rounds {
        // Appended records flush the whole disk all the time: in every other round nothing but overwrites.
        let writers = Writers::start(&place.path("dir"), round, random.random(), round % 2 == 0);
        let after = random.random_range(0..600);
        std::thread::sleep(Duration::from_millis(after));
        place.ok("fault @dir power-cut");
        assert!(touch(&place).is_err(), "the disk works without power");
        let now = writers.finish();
        place.ok("fault @dir attach");
        touch(&place).expect("attached again, the disk works");
        let gone = now.check(keeps);
        eprintln!("round {round}: cut after {after} ms, {gone} overwrites are gone that were acknowledged");
        lost += gone;
        written.push(now);
        // A later cut takes nothing from what earlier rounds had.
        for earlier in &written {
            earlier.check(keeps);
        }
    }
    let overwrites: u64 = written.iter().map(|w| w.acknowledged().1).sum();
    assert!(overwrites > 20 * rounds, "only {overwrites} overwrites were acknowledged");
    place.ok("down @dir");
    place.assert_filesystem_is_clean();
    place.assert_nothing_left();
    lost
}

#[test]
fn a_power_cut_loses_nothing_that_a_network_volume_acknowledged() {
    assert_eq!(cut("gp3:2GiB,3000iops", Keeps::Acknowledged, times(5, 50)), 0);
}

#[test]
fn a_power_cut_loses_of_local_flash_only_what_was_not_flushed() {
    let lost = cut("nvme:60GiB --instance m5d.large", Keeps::Flushed, times(8, 50));
    assert!(lost > 0, "no cut lost an acknowledged write that was not flushed: the cache does not forget");
}
