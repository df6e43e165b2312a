//! Nothing stays behind, and nothing is lost.

use std::net::TcpListener;
use std::path::Path;

use deployment::Deployment;
use mount::{Filesystem, MountRequest};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::place::{Place, eventually};

fn kind_of(dir: &Path) -> String {
    let mounts = std::fs::read_to_string("/proc/self/mounts").unwrap();
    let line = mounts.lines().find(|line| line.split(' ').nth(1) == dir.to_str()).unwrap();
    line.split(' ').nth(2).unwrap().to_owned()
}

#[test]
fn what_was_written_is_there_again_and_nothing_else_is_left() {
    let place = Place::new();
    for filesystem in [Filesystem::Ext4, Filesystem::Xfs] {
        let request = MountRequest { filesystem, ..place.request("unlimited:1GiB") };
        let node = mount::up(&place.home, &request).unwrap();
        assert!(node.is_alive());
        assert_eq!(kind_of(&place.dir), filesystem.name());
        std::fs::write(place.dir.join("letter"), "dear reader").unwrap();
        place.down().unwrap();
        assert!(!node.is_alive());
        place.assert_nothing_left();

        mount::up(&place.home, &request).unwrap();
        assert_eq!(std::fs::read_to_string(place.dir.join("letter")).unwrap(), "dear reader");
        mount::down(&place.home, &place.dir, true).unwrap();
        place.assert_nothing_left();
        assert!(!node.disks[0].backing.exists());
    }
}

#[test]
fn a_folder_that_people_made_stays() {
    let place = Place::new();
    std::fs::create_dir(&place.dir).unwrap();
    place.up("unlimited:1GiB");
    place.down().unwrap();
    assert!(place.dir.is_dir());
}

#[test]
fn after_a_killed_daemon_the_same_data_is_mounted_again() {
    for filesystem in [Filesystem::Ext4, Filesystem::Xfs] {
        let place = Place::new();
        let request = MountRequest { filesystem, ..place.request("unlimited:1GiB") };
        let first = mount::up(&place.home, &request).unwrap();
        let file = std::fs::File::create(place.dir.join("letter")).unwrap();
        std::io::Write::write_all(&mut &file, b"dear reader").unwrap();
        file.sync_all().unwrap();
        drop(file);
        std::fs::write(place.dir.join("unsynced"), [7; 1 << 20]).unwrap();
        kill(Pid::from_raw(first.pid), Signal::SIGKILL).unwrap();
        eventually("the daemon is dead", || !first.is_alive());

        let second = mount::up(&place.home, &request).unwrap();
        assert!(second.notes.iter().any(|note| note.contains("had died")), "{:?}", second.notes);
        assert_eq!(std::fs::read_to_string(place.dir.join("letter")).unwrap(), "dear reader");
        place.down().unwrap();
        place.assert_nothing_left();
    }
}

#[test]
fn a_start_that_was_cut_short_is_begun_anew() {
    let place = Place::new();
    let node = place.up("unlimited:1GiB");
    kill(Pid::from_raw(node.pid), Signal::SIGKILL).unwrap();
    eventually("the daemon is dead", || !node.is_alive());
    // As if its starter had been killed before the daemon was ready.
    std::fs::remove_file(node.state.join("node.json")).unwrap();
    let error = mount::up(&place.home, &place.request("unlimited:1GiB")).unwrap_err();
    assert!(error.to_string().contains("is being mounted by process"), "{error}");
    let order = node.state.join("order.json");
    let text = std::fs::read_to_string(&order).unwrap();
    let me = std::process::id();
    assert!(text.contains(&format!("\"pid\": {me}")), "{text}");
    std::fs::write(&order, text.replace(&format!("\"pid\": {me}"), "\"pid\": 0")).unwrap();
    place.up("unlimited:1GiB");
    place.down().unwrap();
    place.assert_nothing_left();
}

#[test]
fn a_killed_daemon_is_cleared_away_by_down_too() {
    let place = Place::new();
    let node = place.up("unlimited:1GiB");
    kill(Pid::from_raw(node.pid), Signal::SIGKILL).unwrap();
    eventually("the daemon is dead", || !node.is_alive());
    mount::down(&place.home, &place.dir, true).unwrap();
    place.assert_nothing_left();
}

#[test]
fn a_second_mount_at_the_same_place_is_refused() {
    let place = Place::new();
    let node = place.up("unlimited:1GiB");
    let error = mount::up(&place.home, &place.request("unlimited:1GiB")).unwrap_err();
    assert_eq!(error.exit_code(), 2);
    assert!(error.to_string().contains("already mounted"), "{error}");
    let within = MountRequest { dir: place.dir.join("x"), ..place.request("unlimited:1GiB") };
    assert!(mount::up(&place.home, &within).unwrap_err().to_string().contains("lie in each other"));
    assert!(node.is_alive());
    place.down().unwrap();
}

#[test]
fn a_failure_leaves_nothing_behind() {
    let place = Place::new();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = MountRequest { metrics: Some(taken.local_addr().unwrap()), ..place.request("unlimited:1GiB") };
    let small = MountRequest { filesystem: Filesystem::Xfs, ..place.request("unlimited:16MiB") };
    for (request, says) in [(port, "metrics"), (small, "xfs")] {
        let error = mount::up(&place.home, &request).unwrap_err();
        assert!(error.exit_code() == 2 && error.to_string().contains(says), "{error}");
        place.assert_nothing_left();
        assert!(!place.backing.exists());
    }
}

#[test]
fn a_filesystem_that_does_not_mount_is_repaired_and_that_is_said() {
    use std::os::unix::fs::FileExt;
    let place = Place::new();
    let node = place.up("unlimited:1GiB");
    std::fs::write(place.dir.join("letter"), "dear reader").unwrap();
    place.down().unwrap();
    // The checksum of the first group's descriptor, in the block after the superblock's.
    let file = std::fs::File::options().write(true).open(&node.disks[0].backing).unwrap();
    file.write_all_at(&[1, 2], 4096 + 0x1e).unwrap();
    let node = place.up("unlimited:1GiB");
    assert!(node.notes.iter().any(|note| note.contains("repaired")), "{:?}", node.notes);
    assert_eq!(std::fs::read_to_string(place.dir.join("letter")).unwrap(), "dear reader");
    place.down().unwrap();
}

#[test]
fn the_disks_of_a_node_are_mounted_together() {
    let place = Place::new();
    let text = "engine = \"tikv\"\nregion = \"us-west-2\"\nzones = 3\n[[nodes]]\nrole = \"storage\"\ncount = 3\n\
                instance = \"m5.2xlarge\"\ndata = \"gp3:10GiB\"\nlog = \"gp3:4GiB\"\n";
    let file = place.home.folder.with_file_name("deployment.toml");
    std::fs::write(&file, text).unwrap();
    let deployment = Deployment::read(&file).unwrap();
    let request = MountRequest::of_deployment(&place.dir, &deployment, 2).unwrap();
    let node = mount::up(&place.home, &MountRequest { backing: place.backing.clone(), ..request }).unwrap();
    assert_eq!(node.zone.as_deref(), Some("b"));
    let sample = place.client().sample().unwrap();
    assert_eq!(sample.instance.as_deref(), Some("m5.2xlarge"));
    let names: Vec<&str> = sample.disks.iter().map(|disk| disk.name.as_str()).collect();
    assert_eq!(names, ["data", "raft"]);
    for disk in &node.disks {
        assert_eq!(kind_of(&disk.at), "ext4");
        assert_eq!(mount::find(&place.home, &disk.at).unwrap(), node);
    }
    // One in use keeps both.
    let held = std::fs::File::create(place.dir.join("raft/log")).unwrap();
    assert_eq!(place.down().unwrap_err().exit_code(), 1);
    assert_eq!(kind_of(&place.dir.join("data")), "ext4");
    drop(held);
    place.down().unwrap();
    place.assert_nothing_left();
}
