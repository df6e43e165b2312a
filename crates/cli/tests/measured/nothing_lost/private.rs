//! Nobody else gets at the state, the data or the daemon.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use crate::nothing_lost::place::Place;

/// A path and, if it is a folder of the same filesystem, all below it.
fn all_below(path: &Path, found: &mut Vec<PathBuf>) {
    let here = fs::symlink_metadata(path).unwrap();
    found.push(path.to_owned());
    if here.is_dir() {
        for entry in fs::read_dir(path).unwrap().flatten() {
            if fs::symlink_metadata(entry.path()).is_ok_and(|below| below.dev() == here.dev()) {
                all_below(&entry.path(), found);
            }
        }
    }
}

#[test]
fn state_backing_files_and_sockets_are_for_their_owner_only() {
    let place = Place::new();
    place.ok("mount gp3:1GiB @dir");
    let mut found = Vec::new();
    all_below(&place.state(), &mut found);
    all_below(&place.backing(), &mut found);
    for path in &found {
        let mode = fs::symlink_metadata(path).unwrap().mode();
        assert_eq!(mode & 0o077, 0, "{} has mode {:o}", path.display(), mode & 0o7777);
    }
    let kinds: Vec<fs::FileType> = found.iter().map(|path| fs::symlink_metadata(path).unwrap().file_type()).collect();
    assert!(kinds.iter().any(FileTypeExt::is_socket), "the control socket is among {found:?}");
    assert_eq!(place.images().len(), 1);
    place.ok("down @dir");
}

/// Listening TCP sockets, IPv4 and IPv6: local address in the kernel's hexadecimal, and inode.
fn listening() -> Vec<(String, u64)> {
    const LISTEN: &str = "0A";
    let mut found = Vec::new();
    for table in ["/proc/net/tcp", "/proc/net/tcp6"] {
        // A kernel without IPv6 has no table for it.
        let text = fs::read_to_string(table).unwrap_or_default();
        for line in text.lines().skip(1) {
            let fields: Vec<&str> = line.split_whitespace().collect();
            if fields[3] == LISTEN {
                found.push((fields[1].split(':').next().unwrap().to_owned(), fields[9].parse().unwrap()));
            }
        }
    }
    found
}

fn sockets(pid: i32) -> BTreeSet<u64> {
    let open = fs::read_dir(format!("/proc/{pid}/fd")).unwrap().flatten();
    let links = open.filter_map(|entry| fs::read_link(entry.path()).ok());
    let inode = |link: PathBuf| link.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.parse().ok();
    links.filter_map(inode).collect()
}

#[test]
fn the_daemon_listens_on_loopback_only() {
    /// 127.0.0.1 and ::1 as the kernel prints them, in the byte order of the machine.
    const LOOPBACK: [&str; 4] =
        ["0100007F", "7F000001", "00000000000000000000000001000000", "00000000000000000000000000000001"];
    let place = Place::new();
    place.ok("mount gp3:1GiB @dir");
    let own = sockets(place.daemon());
    let listening: Vec<(String, u64)> = listening().into_iter().filter(|(_, inode)| own.contains(inode)).collect();
    assert!(!listening.is_empty(), "the metrics are served over TCP");
    for (address, _) in listening {
        assert!(LOOPBACK.contains(&address.as_str()), "listens on {address}");
    }
    place.ok("down @dir");
    for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:9100"] {
        place.refused(&format!("mount gp3:1GiB @dir --metrics {address}"), &["127.0.0.1"]);
        place.assert_nothing_left();
    }
}
