//! Mounting and unmounting over and over leaves nothing behind.

use crate::nothing_lost::leftovers;
use crate::nothing_lost::place::{Place, times};

#[track_caller]
fn cycle(place: &Place, line: &str, count: u64) {
    for round in 0..count {
        place.ok(line);
        let file = place.path("dir/data");
        // Every third time the data is kept and found again.
        let kept = round % 3 == 1;
        if round % 3 == 2 {
            assert_eq!(std::fs::read_to_string(&file).unwrap(), (round - 1).to_string());
        } else {
            std::fs::write(&file, round.to_string()).unwrap();
        }
        assert!(!leftovers::of(place.root()).is_empty(), "the search for leftovers finds what is in use");
        place.ok(if kept { "down @dir" } else { "down @dir --delete" });
        place.assert_nothing_left();
        assert!(!place.path("dir").exists(), "`down` removes the folder that `mount` made");
        assert_eq!(leftovers::files(&place.backing()).is_empty(), !kept, "round {round}: {:?}", place.images());
    }
    place.ok("disks");
}

#[test]
fn mounting_and_unmounting_ext4_leaves_nothing() {
    cycle(&Place::new(), "mount gp3:1GiB @dir", times(8, 160));
}

#[test]
fn mounting_and_unmounting_xfs_leaves_nothing() {
    cycle(&Place::new(), "mount unlimited:1GiB @dir --filesystem xfs", times(2, 40));
}

#[test]
fn a_folder_that_was_there_before_stays() {
    let place = Place::new();
    std::fs::create_dir(place.path("dir")).unwrap();
    place.ok("mount unlimited:1GiB @dir");
    place.ok("down @dir --delete");
    assert_eq!(std::fs::read_dir(place.path("dir")).unwrap().count(), 0);
    place.assert_nothing_left();
}

#[test]
fn a_node_of_a_deployment_goes_up_and_down_as_a_whole() {
    let place = Place::new();
    let deployment = std::path::absolute("../../examples/raft-dedicated.toml").unwrap();
    let deployment = deployment.display();
    for _ in 0..2 {
        place.ok(&format!("up {deployment} @dir"));
        for disk in ["data", "raft"] {
            std::fs::write(place.path("dir").join(disk).join("file"), disk).unwrap();
        }
        assert_eq!(leftovers::loops(place.root()).len(), 2);
        assert_eq!(place.daemons().len(), 1, "one daemon serves the disks of a node");
        place.ok("down @dir");
        place.assert_nothing_left();
        assert_eq!(place.images().len(), 2);
    }
    place.ok(&format!("up {deployment} @dir"));
    place.kill_daemon();
    place.ok(&format!("up {deployment} @dir"));
    for disk in ["data", "raft"] {
        assert_eq!(std::fs::read_to_string(place.path("dir").join(disk).join("file")).unwrap(), disk);
    }
    place.ok("down @dir --delete");
    place.assert_nothing_left();
    assert_eq!(leftovers::files(&place.backing()), Vec::<std::path::PathBuf>::new());
}
