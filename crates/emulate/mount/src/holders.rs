//! Who keeps a filesystem from being unmounted.

use std::collections::BTreeSet;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use nix::sys::stat::{major, minor};

use crate::processes::process;
use crate::{FilesystemHolder, loops, mounts, processes};

/// Who uses the filesystem that is mounted at a path. One entry for each process and kind of use.
pub(crate) fn of(at: &Path) -> Vec<FilesystemHolder> {
    let seen = mounts::all();
    // The topmost of several at one place.
    let Some(device) = seen.iter().rev().find(|mount| mount.at == at).map(|mount| mount.device) else {
        return Vec::new();
    };
    let mut found = BTreeSet::new();
    for mount in seen.iter().filter(|mount| mount.at != at) {
        if mount.at.starts_with(at) {
            found.insert(kernel("a nested mount", &mount.at));
        } else if mount.device == device {
            found.insert(kernel("a second mount of it", &mount.at));
        }
    }
    for nested in loops::all().into_iter().filter(|nested| nested.file.starts_with(at)) {
        found.insert(kernel("a loop device", &nested.device()));
    }
    for pid in processes::all() {
        of_process(pid, device, &mut found);
    }
    found.into_iter().collect()
}

fn kernel(name: &str, what: &Path) -> FilesystemHolder {
    FilesystemHolder { pid: None, name: name.to_owned(), what: what.display().to_string() }
}

fn of_process(pid: i32, device: (u32, u32), found: &mut BTreeSet<FilesystemHolder>) {
    // Following the link in /proc gives the file itself, also if it was deleted or is seen under another path.
    let on_device = |link: &Path| {
        std::fs::metadata(link).is_ok_and(|file| (major(file.dev()) as u32, minor(file.dev()) as u32) == device)
    };
    let shown =
        |link: &Path| std::fs::read_link(link).map_or_else(|_| String::new(), |path| path.display().to_string());
    for (key, what) in [("cwd", "its working folder"), ("root", "its root folder"), ("exe", "its program")] {
        let link = PathBuf::from(format!("/proc/{pid}/{key}"));
        if on_device(&link) {
            found.insert(process(pid, format!("{what} {}", shown(&link))));
        }
    }
    let open: Vec<PathBuf> = processes::links(pid).into_iter().filter(|link| on_device(link)).collect();
    if let Some(first) = open.first() {
        let more = if open.len() > 1 { format!(" and {} more", open.len() - 1) } else { String::new() };
        found.insert(process(pid, format!("the open file {}{more}", shown(first))));
    }
    let maps = std::fs::read_to_string(format!("/proc/{pid}/maps")).unwrap_or_default();
    if let Some(path) = mapped(&maps, device) {
        found.insert(process(pid, format!("the mapped file {path}")));
    }
    if elsewhere(pid, device) {
        found.insert(process(pid, "a mount of it in the process's own namespace".to_owned()));
    }
}

/// The first file of a device in a list of mappings, proc_pid_maps(5).
fn mapped(maps: &str, device: (u32, u32)) -> Option<&str> {
    let wanted = format!("{:02x}:{:02x}", device.0, device.1);
    let mut lines = maps.lines().filter_map(|line| {
        let mut fields = line.splitn(6, ' ').skip(3);
        (fields.next()? == wanted).then(|| fields.nth(1).unwrap_or_default().trim_start())
    });
    lines.next()
}

/// Whether a process lives in another mount namespace that also has the filesystem mounted.
fn elsewhere(pid: i32, device: (u32, u32)) -> bool {
    let namespace = |pid: &str| std::fs::read_link(format!("/proc/{pid}/ns/mnt")).ok();
    let theirs = namespace(&pid.to_string());
    if theirs.is_none() || theirs == namespace("self") {
        return false;
    }
    let text = std::fs::read(format!("/proc/{pid}/mountinfo")).unwrap_or_default();
    mounts::of(&text).iter().any(|mount| mount.device == device)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mapped_file_is_found_by_its_device() {
        let maps = "55e0-55e1 r--p 00000000 07:0c 131 /srv/a b\n7f00-7f01 rw-p 00000000 00:00 0 \n";
        assert_eq!(mapped(maps, (7, 12)), Some("/srv/a b"));
        assert_eq!(mapped(maps, (7, 1)), None);
    }

    #[test]
    fn this_process_holds_the_filesystem_of_its_program() {
        let file = std::env::current_exe().unwrap().metadata().unwrap();
        let mut found = BTreeSet::new();
        of_process(std::process::id() as i32, (major(file.dev()) as u32, minor(file.dev()) as u32), &mut found);
        assert!(found.iter().any(|holder| holder.what.starts_with("its program")), "{found:?}");
    }
}
