//! Processes of the machine, and the files that each has open.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::FilesystemHolder;

/// Who has a block device itself open.
pub(crate) fn of_device(device: &Path) -> Vec<FilesystemHolder> {
    let mut found = BTreeSet::new();
    for pid in all() {
        let opened = links(pid).into_iter().find(|link| std::fs::read_link(link).is_ok_and(|target| target == device));
        if opened.is_some() {
            found.insert(process(pid, format!("the open device {}", device.display())));
        }
    }
    found.into_iter().collect()
}

/// A process as the user of something.
pub(crate) fn process(pid: i32, what: String) -> FilesystemHolder {
    let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    FilesystemHolder { pid: Some(pid), name: name.trim().to_owned(), what }
}

/// Numbers of all processes that this one sees.
pub(crate) fn all() -> impl Iterator<Item = i32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// The links to a process's open files.
pub(crate) fn links(pid: i32) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}
