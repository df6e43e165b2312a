//! Wrong input: exit code 2, one line that says what and what to try, and nothing is touched.

use std::fs;
use std::process::Command;

use crate::nothing_lost::leftovers;
use crate::nothing_lost::place::Place;

#[test]
fn disks_instances_and_options_that_are_none() {
    let place = Place::new();
    for (line, parts) in [
        ("mount gp33:100GiB @dir", &["gp33", "`gp3`"][..]),
        ("mount gp3 @dir", &["no size"]),
        ("mount gp3:100TiB @dir", &["100TiB", "64TiB"]),
        ("mount gp3:100GiB,90000iops @dir", &["90000"]),
        ("mount gp3:100GiB @dir --instance m5.huge", &["m5.huge", "`m5."]),
        ("mount nvme:70GiB @dir", &["name an instance type"]),
        ("mount nvme:70GiB @dir --instance m5.large", &["m5.large"]),
        ("mount nvme:900GiB @dir --instance m5d.large", &["m5d.large"]),
        ("mount 40x(gp3:10GiB) @dir --instance m5.large", &["m5.large", "volumes"]),
        ("up @missing.toml @dir", &["missing.toml"]),
    ] {
        place.refused(line, parts);
        assert!(!place.path("dir").exists(), "`{line}` left a folder");
        assert_eq!(leftovers::files(&place.backing()).len(), 0, "`{line}` left a file");
    }
    for line in [
        "mount gp3:100GiB @dir --as-of yesterday",
        "mount gp3:100GiB @dir --filesystem btrfs",
        "mount gp3:100GiB @dir --credits 140%",
        "mount gp3:100GiB @dir --seed some",
        "mount gp3:100GiB",
    ] {
        // The parser of arguments may show the usage after its line.
        let run = place.run(line);
        assert_eq!(run.code, 2, "`{line}`\n{run}");
        assert!(run.stderr.starts_with("error: "), "`{line}`\n{run}");
        assert!(!place.path("dir").exists(), "`{line}` left a folder");
    }
    place.assert_nothing_left();
}

#[test]
fn folders_that_cannot_be_mounted_at() {
    let place = Place::new();
    fs::write(place.path("file"), "precious").unwrap();
    fs::create_dir(place.path("full")).unwrap();
    fs::write(place.path("full/precious"), "precious").unwrap();
    fs::create_dir(place.path("mounted")).unwrap();
    let mount = Command::new("mount").args(["-t", "tmpfs", "none"]).arg(place.path("mounted")).status().unwrap();
    assert!(mount.success());
    place.refused("mount gp3:1GiB @file", &["file", "folder"]);
    place.refused("mount gp3:1GiB @full", &["full", "empty"]);
    place.refused("mount gp3:1GiB @mounted", &["mounted"]);
    place.refused("mount gp3:1GiB @missing/below/file/../dir", &[]);
    place.assert_nothing_left_but(&["mount"]);
    assert_eq!(fs::read_to_string(place.path("file")).unwrap(), "precious");
    assert_eq!(fs::read_to_string(place.path("full/precious")).unwrap(), "precious");
    assert!(Command::new("umount").arg(place.path("mounted")).status().unwrap().success());
    assert_eq!(leftovers::files(&place.backing()).len(), 0);
    place.assert_nothing_left();
}

#[test]
fn folders_where_nothing_is_mounted() {
    let place = Place::new();
    fs::create_dir(place.path("empty")).unwrap();
    for verb in ["down @empty", "down @nowhere", "disks @empty", "fault @empty stall 1s", "modify @empty gp3:1GiB"] {
        place.refused(verb, &[]);
    }
    place.ok("disks");
    place.assert_nothing_left();
}

#[test]
fn data_that_is_kept_is_not_taken_for_another_disk() {
    let place = Place::new();
    place.ok("mount unlimited:2GiB @dir");
    fs::write(place.path("dir/file"), "precious").unwrap();
    place.ok("down @dir");
    place.refused("mount unlimited:1GiB @dir", &["2GiB"]);
    place.refused("mount unlimited:2GiB @dir --filesystem xfs", &["ext4"]);
    place.assert_nothing_left();
    // Another disk of that size may have it: people change the disk's type.
    place.ok("mount gp3:2GiB @dir");
    assert_eq!(fs::read_to_string(place.path("dir/file")).unwrap(), "precious");
    place.ok("down @dir --delete");
    place.assert_nothing_left();
}

#[test]
fn faults_that_are_none() {
    let place = Place::new();
    place.ok("mount unlimited:1GiB @dir");
    for line in [
        "explode",
        "stall",
        "stall soon",
        "stall -5s",
        "stall 0s",
        "slow 20x for",
        "slow 0x for 10s",
        "slow NaNx for 10s",
        "errors 200%",
        "errors -1%",
        "errors",
        "degrade 0% for 5m",
        "degrade 140% for 5m",
        "detach now",
        "stall 10s 10s",
    ] {
        let line = format!("fault @dir {line}");
        let run = place.run(&line);
        assert_eq!(run.code, 2, "`{line}`\n{run}");
        assert!(run.stderr.starts_with("error: "), "`{line}`\n{run}");
    }
    // None of them has done anything.
    fs::write(place.path("dir/file"), "content").unwrap();
    fs::File::open(place.path("dir/file")).unwrap().sync_all().unwrap();
    place.ok("down @dir");
    place.assert_nothing_left();
}

#[test]
fn modifications_that_no_cloud_makes() {
    let place = Place::new();
    place.ok("mount gp3:10GiB @dir");
    for (disk, parts) in [("gp33:10GiB", &["`gp3`"][..]), ("gp3:10GiB,90000iops", &["90000"])] {
        place.refused(&format!("modify @dir {disk}"), parts);
    }
    for speed in ["0x", "-1x", "fast", "infx"] {
        let run = place.run(&format!("modify @dir gp3:10GiB,4000iops --fast-forward {speed}"));
        assert_eq!(run.code, 2, "{speed}\n{run}");
    }
    // What the cloud itself refuses is a no rather than an error.
    for (disk, part) in [("gp3:9GiB", "shrink"), ("2x(gp3:10GiB)", "stripe"), ("gp3:10GiB+cache(nvme:1GiB)", "cache")] {
        let line = format!("modify @dir {disk}");
        place.run(&line).says(1, &line, &[part]);
    }
    // None of them counts; the second that counts comes too soon.
    place.ok("modify @dir gp3:10GiB,4000iops");
    let line = "modify @dir gp3:10GiB,5000iops";
    place.run(line).says(1, line, &["try again"]);
    place.ok("disks @dir");
    place.ok("down @dir");
    place.assert_nothing_left();
}
