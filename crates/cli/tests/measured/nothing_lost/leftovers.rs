//! What a place still holds of the machine: loop devices, mounts, processes, sockets, files.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::nothing_lost::process;

/// Everything outside of the filesystem that belongs to `root`, in words.
pub(crate) fn of(root: &Path) -> Vec<String> {
    let loops = loops(root).into_iter().map(|name| format!("loop device {name}"));
    let mounts = mounts(root).into_iter().map(|(kind, at)| format!("mount {} ({kind})", at.display()));
    let processes = process::all().filter(|p| p.belongs_to(root));
    let processes = processes.map(|p| format!("process {}: {}", p.pid, p.arguments.join(" ")));
    let sockets = fs::read_to_string("/proc/net/unix").unwrap();
    let sockets =
        sockets.lines().filter(|line| line.contains(root.to_str().unwrap())).map(|line| format!("socket {line}"));
    loops.chain(mounts).chain(processes).chain(sockets).collect()
}

/// All files under a folder, also sockets and links; none if there is no such folder.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => found.extend(files(&entry.path())),
            _ => found.push(entry.path()),
        }
    }
    found
}

/// The loop devices over files in `root`.
pub(crate) fn loops(root: &Path) -> Vec<String> {
    attached(|file| file.starts_with(root))
}

/// The loop devices over files that are out of reach: what is left where a FUSE folder was unmounted under its device.
pub(crate) fn unreachable() -> Vec<String> {
    attached(|file| file.parent() == Some(Path::new("/")) && !file.exists())
}

fn attached(wanted: impl Fn(&Path) -> bool) -> Vec<String> {
    let devices = fs::read_dir("/sys/block").unwrap().flatten();
    let over = |device: &fs::DirEntry| fs::read_to_string(device.path().join("loop/backing_file"));
    let found = devices.filter(|device| over(device).is_ok_and(|file| wanted(Path::new(file.trim_end()))));
    found.map(|device| device.file_name().to_string_lossy().into_owned()).collect()
}

/// The mounts under `root`, in the order they were made: kind of filesystem and mount point.
pub(crate) fn mounts(root: &Path) -> Vec<(String, PathBuf)> {
    mounts_of("self", root)
}

/// The same as a process sees it, which may live in another mount namespace.
fn mounts_of(process: &str, root: &Path) -> Vec<(String, PathBuf)> {
    // A process that has just ended sees nothing.
    let all = fs::read_to_string(format!("/proc/{process}/mounts")).unwrap_or_default();
    let fields = all.lines().filter_map(|line| {
        let mut fields = line.split(' ').skip(1);
        // As the kernel writes blanks (proc_pid_mounts(5)).
        Some((PathBuf::from(fields.next()?.replace("\\040", " ")), fields.next()?.to_owned()))
    });
    fields.filter(|(at, _)| at.starts_with(root)).map(|(at, kind)| (kind, at)).collect()
}

/// Takes its disks from a daemon, as it sees them: one that is killed as the last process of a mount namespace unmounts
/// them itself as it dies, and would wait for ever for writes that it no longer serves.
pub(crate) fn clear_inside(daemon: i32, root: &Path) {
    let daemon = daemon.to_string();
    let inside = |words: &[&str]| Command::new("nsenter").args(["-t", &daemon, "-m"]).args(words).output();
    for (_, at) in mounts_of(&daemon, root).iter().rev().filter(|(kind, _)| !kind.starts_with("fuse")) {
        let _ = inside(&["umount", "-l", at.to_str().unwrap()]);
    }
    let Ok(all) = inside(&["losetup", "--list", "--noheadings", "--output", "NAME,BACK-FILE"]) else { return };
    for line in String::from_utf8_lossy(&all.stdout).lines().filter(|line| line.contains(root.to_str().unwrap())) {
        let _ = inside(&["losetup", "-d", line.split_whitespace().next().unwrap()]);
    }
}

/// The FUSE connections of the machine, by the minor number of their mount's device.
pub(crate) fn connections(root: &Path) -> BTreeSet<String> {
    with_connections(root, |folder| {
        let entries = fs::read_dir(folder).unwrap().flatten();
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
    })
}

/// Aborts the connections of `root`, and those that came after `before` and are mounted nowhere: of a daemon that was
/// killed while it waited for its own disk. Nothing else ends those, and every `losetup` of the machine waits for them.
pub(crate) fn abort_connections(root: &Path, before: &BTreeSet<String>) {
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap();
    let others: Vec<&str> = mounts
        .lines()
        .map(|line| line.split(' ').collect::<Vec<_>>())
        .filter(|fields| !Path::new(fields[4]).starts_with(root))
        .filter_map(|fields| fields[2].strip_prefix("0:"))
        .collect();
    let now = connections(root);
    with_connections(root, |folder| {
        for name in now.difference(before).filter(|name| !others.contains(&name.as_str())) {
            let _ = fs::write(folder.join(name).join("abort"), "1");
        }
    });
}

fn with_connections<T>(root: &Path, what: impl FnOnce(&Path) -> T) -> T {
    let folder = root.join("connections");
    fs::create_dir_all(&folder).unwrap();
    let _ = Command::new("mount").args(["-t", "fusectl", "none"]).arg(&folder).status();
    let answer = what(&folder);
    let _ = Command::new("umount").arg(&folder).status();
    let _ = fs::remove_dir(&folder);
    answer
}

/// Gives back everything that `root` holds of the machine, after its daemons have ended.
pub(crate) fn clear(root: &Path) {
    let mounts = mounts(root);
    let unmount = |fuse: bool| {
        for (_, at) in mounts.iter().rev().filter(|(kind, _)| kind.starts_with("fuse") == fuse) {
            let _ = Command::new("umount").arg("-l").arg(at).status();
        }
    };
    // First what stands on the loop devices, then they, then what they stand on.
    unmount(false);
    for name in loops(root) {
        let _ = Command::new("losetup").arg("-d").arg(format!("/dev/{name}")).status();
    }
    unmount(true);
}
