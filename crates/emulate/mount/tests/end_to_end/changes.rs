//! What is asked of a live daemon.

use std::fs::File;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Command;

use disk::DiskFault;
use mount::{DaemonClient, Filesystem, MountRequest};
use units::Nanos;

use crate::place::{Place, eventually};

#[test]
fn what_is_counted_is_told_now_and_later() {
    let place = Place::new();
    let node = place.up("unlimited:1GiB");
    let before = place.client().sample().unwrap();
    let file = File::create(place.dir.join("letter")).unwrap();
    (&file).write_all(&[7; 1 << 20]).unwrap();
    file.sync_all().unwrap();
    drop(file);
    let after = place.client().reading().unwrap();
    assert!(after.sample.disks[0].write.bytes.0 >= before.disks[0].write.bytes.0 + (1 << 20));
    assert_eq!(after.latencies[0].write.len(), after.sample.disks[0].write.count);
    assert_eq!(node.disks[0].device.file_name().unwrap().to_str(), after.sample.disks[0].device.as_deref());
    eventually("a second is remembered", || !place.client().history(before.at).unwrap().is_empty());

    let mut stream = TcpStream::connect(node.metrics).unwrap();
    stream.write_all(b"GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").unwrap();
    let mut page = String::new();
    stream.read_to_string(&mut page).unwrap();
    let device = node.disks[0].device.file_name().unwrap().to_str().unwrap();
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("node_disk_writes_completed_total"), "{page}");
    assert!(page.contains(&format!("device=\"{device}\"")), "{page}");
    place.down().unwrap();
}

#[test]
fn the_kernel_serves_an_unlimited_disk_itself_and_its_counters_are_told() {
    let place = Place::new();
    let request = MountRequest { passthrough: true, ..place.request("unlimited:1GiB") };
    let node = mount::up(&place.home, &request).unwrap();
    let before = place.client().sample().unwrap().disks.remove(0);
    let file = File::create(place.dir.join("letter")).unwrap();
    (&file).write_all(&[7; 1 << 20]).unwrap();
    file.sync_all().unwrap();
    drop(file);
    let after = place.client().reading().unwrap();
    assert!(after.sample.disks[0].write.bytes.0 >= before.write.bytes.0 + (1 << 20));
    assert_eq!(after.latencies[0].write.len(), 0, "nobody times what the kernel serves itself");

    let refused = place.client().fault("data", DiskFault::Stall, Nanos::secs(1)).unwrap_err();
    assert!(refused.exit_code() == 1 && refused.to_string().contains("--passthrough"), "{refused}");
    place.down().unwrap();

    // What was written lies where the daemon finds it.
    mount::up(&place.home, &place.request("unlimited:1GiB")).unwrap();
    assert_eq!(std::fs::read(place.dir.join("letter")).unwrap(), [7; 1 << 20]);
    assert_eq!(node.disks[0].backing.metadata().unwrap().len(), 1 << 30);
    place.down().unwrap();
}

#[test]
fn the_kernel_keeps_no_limits_itself() {
    let place = Place::new();
    for limited in ["gp3:1GiB", "2x(gp2:1GiB)"] {
        let request = MountRequest { passthrough: true, ..place.request(limited) };
        let error = mount::up(&place.home, &request).unwrap_err();
        assert!(error.exit_code() == 2 && error.to_string().contains("unlimited"), "{error}");
    }
}

#[test]
fn nobody_else_can_reach_the_daemon() {
    use std::os::unix::fs::MetadataExt;
    let place = Place::new();
    let node = place.up("unlimited:1GiB");
    for entry in node.state.read_dir().unwrap().flatten() {
        let mode = entry.metadata().unwrap().mode() & 0o077;
        assert_eq!(mode, 0, "{}", entry.path().display());
    }
    assert!(node.metrics.ip().is_loopback());
    assert_eq!(node.disks[0].backing.metadata().unwrap().mode() & 0o777, 0o600);
    assert_eq!(place.backing.metadata().unwrap().mode() & 0o777, 0o700);
    place.down().unwrap();
}

#[test]
fn a_modified_volume_grows_and_may_not_shrink_or_hurry() {
    let place = Place::new();
    // XFS, for ext4 only grows under who has CAP_SYS_RESOURCE, which root in a container has not.
    let request = |disk| MountRequest { filesystem: Filesystem::Xfs, ..place.request(disk) };
    let node = mount::up(&place.home, &request("gp3:1GiB")).unwrap();
    let client = place.client();
    let modified = client.modify("data", &"gp3:2GiB,200MiB/s".parse().unwrap(), 1000.0).unwrap();
    assert!(modified.started < modified.optimizing && modified.optimizing < modified.completed);
    let device = node.disks[0].device.file_name().unwrap().to_str().unwrap().to_owned();
    let sectors = move || std::fs::read_to_string(format!("/sys/block/{device}/size")).unwrap();
    eventually("the device grows", || sectors().trim() == "4194304");
    let grow = modified.grow.unwrap();
    assert!(Command::new("sh").args(["-c", &grow]).status().unwrap().success(), "{grow}");
    let room = nix::sys::statvfs::statvfs(&place.dir).unwrap();
    assert!(room.blocks() * room.fragment_size() > 1_800_000_000);

    let shrunk = client.modify("data", &"gp3:1GiB".parse().unwrap(), 1e9).unwrap_err();
    assert!(shrunk.exit_code() == 1 && shrunk.to_string().contains("shrink"), "{shrunk}");
    assert_eq!(client.modify("raft", &"gp3:1GiB".parse().unwrap(), 1.0).unwrap_err().exit_code(), 2);
    client.modify("data", &"gp3:4GiB".parse().unwrap(), 1.0).unwrap();
    let again = client.modify("data", &"gp3:5GiB".parse().unwrap(), 1.0).unwrap_err();
    assert!(again.exit_code() == 1 && again.to_string().contains("try again in"), "{again}");

    // Its new size is its size.
    place.down().unwrap();
    assert_eq!(mount::find(&place.home, &place.dir).unwrap_err().exit_code(), 2);
    assert_eq!(mount::up(&place.home, &request("gp3:1GiB")).unwrap_err().exit_code(), 2);
    mount::up(&place.home, &request("gp3:4GiB")).unwrap();
    place.down().unwrap();
}

#[test]
fn a_disk_that_went_away_comes_back_with_what_was_synced() {
    let filesystems = [Filesystem::Ext4, Filesystem::Xfs];
    for (fault, filesystem) in
        [DiskFault::Detach, DiskFault::PowerCut].into_iter().flat_map(|f| filesystems.map(|fs| (f, fs)))
    {
        let place = Place::new();
        let request = MountRequest { filesystem, ..place.request("gp3:1GiB") };
        mount::up(&place.home, &request).unwrap();
        let file = File::create(place.dir.join("letter")).unwrap();
        (&file).write_all(b"dear reader").unwrap();
        file.sync_all().unwrap();
        place.client().fault("data", fault, Nanos::MAX).unwrap();
        (&file).write_all(b", again").unwrap();
        assert!(file.sync_all().is_err(), "{fault:?}");

        let busy = place.client().attach("data").unwrap_err();
        assert!(busy.exit_code() == 1 && busy.to_string().contains("letter"), "{busy}");
        drop(file);
        place.client().attach("data").unwrap();
        let read = std::fs::read_to_string(place.dir.join("letter")).unwrap();
        assert!(read.starts_with("dear reader"), "{fault:?}: {read}");
        std::fs::write(place.dir.join("more"), "more").unwrap();
        place.down().unwrap();
        place.assert_nothing_left();
    }
}

#[test]
fn a_stalled_disk_can_be_brought_down() {
    let place = Place::new();
    place.up("gp3:1GiB");
    std::fs::write(place.dir.join("letter"), "dear reader").unwrap();
    place.client().fault("data", DiskFault::Stall, Nanos::secs(1000)).unwrap();
    place.down().unwrap();
    place.assert_nothing_left();
    place.up("gp3:1GiB");
    assert_eq!(std::fs::read_to_string(place.dir.join("letter")).unwrap(), "dear reader");
    place.down().unwrap();
}

#[test]
fn credits_begin_and_change_as_asked() {
    let place = Place::new();
    let request = MountRequest { credits: Some(0.4), ..place.request("gp2:10GiB") };
    mount::up(&place.home, &request).unwrap();
    let share = |client: &DaemonClient| {
        let credit = client.sample().unwrap().disks[0].ios.unwrap();
        credit.now / credit.capacity
    };
    let client = place.client();
    assert!((share(&client) - 0.4).abs() < 0.01, "{}", share(&client));
    client.set_credits(Some("data"), 0.1).unwrap();
    assert!((share(&client) - 0.1).abs() < 0.01, "{}", share(&client));
    assert_eq!(client.set_credits(Some("data"), 2.0).unwrap_err().exit_code(), 2);
    place.down().unwrap();
}
