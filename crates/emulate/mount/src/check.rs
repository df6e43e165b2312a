//! What has to hold before anything is mounted.

use std::fs::OpenOptions;
use std::path::Path;

use crate::plan::{Order, Planned};
use crate::{MountError, MountHome, MountRequest, files, mounts, system, unrecorded};

/// Whether the machine lets disks be mounted at all.
pub(crate) fn machine(request: &MountRequest) -> Result<(), MountError> {
    if !nix::unistd::geteuid().is_root() {
        return Err(MountError::Environment("mounting needs root: run it again with sudo".to_owned()));
    }
    let open = |path: &str| OpenOptions::new().read(true).write(true).open(path).map_err(|error| error.to_string());
    if let Err(error) = open("/dev/fuse") {
        return Err(MountError::Environment(format!(
            "FUSE is not to be had (/dev/fuse: {error}): load its module with `modprobe fuse`; in a container, run it with \
             `--device /dev/fuse --cap-add SYS_ADMIN`"
        )));
    }
    if let Err(error) = open("/dev/loop-control") {
        return Err(MountError::Environment(format!(
            "loop devices are not to be had (/dev/loop-control: {error}): load their module with `modprobe loop`; in a \
             container, run it with `--privileged`"
        )));
    }
    system::tool("losetup", "util-linux (mount)")?;
    request.filesystem.maker().map(drop)
}

/// Whether what was asked for is within bounds.
pub(crate) fn values(request: &MountRequest) -> Result<(), MountError> {
    if let Some(address) = request.metrics.filter(|address| !address.ip().is_loopback()) {
        return Err(MountError::Input(format!(
            "metrics are only served on this machine: {address} is not a loopback address such as 127.0.0.1:9100"
        )));
    }
    match request.credits {
        Some(share) if !(0.0..=1.0).contains(&share) => {
            Err(MountError::Input(format!("credits are a share of the full bucket, 0% to 100%, not {share}")))
        }
        _ => Ok(()),
    }
}

/// Whether records can hold the names of all folders: they are text.
pub(crate) fn names(home: &MountHome, request: &MountRequest) -> Result<(), MountError> {
    let folders = [&request.dir, &request.backing, &home.folder];
    match folders.into_iter().find(|folder| folder.to_str().is_none()) {
        Some(folder) => Err(MountError::Input(format!(
            "the name of the folder {} is not UTF-8: name one that is",
            folder.display()
        ))),
        None => Ok(()),
    }
}

/// Whether the folder is free for the disks, and out of the way of all others.
pub(crate) fn place(home: &MountHome, request: &MountRequest, disks: &[Planned]) -> Result<(), MountError> {
    let (dir, show) = (&request.dir, request.dir.display());
    if dir.parent().is_none() {
        return Err(MountError::Input("nothing can be mounted at the root folder: name another".to_owned()));
    }
    let apart = |a: &Path, b: &Path| !a.starts_with(b) && !b.starts_with(a);
    for (what, folder) in [("the state folder", &home.folder), ("the backing folder", &request.backing)] {
        if !apart(dir, folder) {
            let folder = folder.display();
            return Err(MountError::Input(format!("{show} and {what} {folder} lie in each other: name one elsewhere")));
        }
    }
    // Also those that are not ready yet.
    let orders = home.states().into_iter().filter_map(|state| files::read::<Order>(&state.order()));
    for other in orders.map(|order| order.request.dir).filter(|other| other != dir) {
        let (there, backing) = (other.display(), request.backing.display());
        if !apart(dir, &other) {
            return Err(MountError::Input(format!("{show} and {there}, where disks are mounted, lie in each other")));
        }
        if request.backing.starts_with(&other) {
            return Err(MountError::Input(format!(
                "{backing} is on a mounted disk of {there}: keep the data elsewhere"
            )));
        }
    }
    for at in disks.iter().map(|planned| &planned.at).chain([dir]) {
        if mounts::is_mounted(at) {
            if let Some(daemon) = unrecorded::serving(at) {
                return Err(daemon.refusal());
            }
            let at = at.display();
            return Err(MountError::Input(format!(
                "something is already mounted at {at}: unmount it, or name another"
            )));
        }
    }
    empty(dir, disks)
}

/// Whether a folder is empty but for empty folders in which the disks are to be mounted; a missing one is.
fn empty(dir: &Path, disks: &[Planned]) -> Result<(), MountError> {
    let unreadable = |error: std::io::Error| MountError::Input(format!("{}: {error}", dir.display()));
    let entries = match std::fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => {
            let dir = dir.display();
            return Err(MountError::Input(format!(
                "{dir} is no folder: name an empty one, or one that does not exist yet"
            )));
        }
        Err(error) => return Err(unreadable(error)),
    };
    for entry in entries {
        let path = entry.map_err(unreadable)?.path();
        let place = disks.iter().any(|planned| planned.at == path);
        if !place || std::fs::read_dir(&path).map_err(unreadable)?.next().is_some() {
            let (dir, path) = (dir.display(), path.display());
            return Err(MountError::Input(format!("{dir} is not empty, it has {path}: name an empty or a new folder")));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Facts;

    fn checked(home: &MountHome, request: &MountRequest) -> Result<(), String> {
        let disks = Facts::of(request).unwrap().plan(request).unwrap();
        let checked = values(request).and_then(|()| place(home, request, &disks));
        checked.map_err(|error| {
            assert_eq!(error.exit_code(), 2);
            error.to_string()
        })
    }

    fn request(dir: &Path, backing: &Path) -> MountRequest {
        MountRequest { backing: backing.to_owned(), ..MountRequest::single(dir, "gp3:1GiB".parse().unwrap()) }
    }

    #[test]
    fn a_folder_must_be_empty_or_new_and_apart_from_state_and_data() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path().canonicalize().unwrap();
        let home = MountHome::open(root.join("run"), "/bin/true").unwrap();
        let [dir, backing] = ["dir", "backing"].map(|name| root.join(name));
        assert_eq!(checked(&home, &request(&dir, &backing)), Ok(()));
        std::fs::create_dir(&dir).unwrap();
        assert_eq!(checked(&home, &request(&dir, &backing)), Ok(()));
        std::fs::write(dir.join("letter"), "").unwrap();
        assert!(checked(&home, &request(&dir, &backing)).unwrap_err().contains("not empty"));
        assert!(checked(&home, &request(&dir.join("letter"), &backing)).is_err());
        assert!(checked(&home, &request(&home.folder.join("x"), &backing)).unwrap_err().contains("state folder"));
        assert!(checked(&home, &request(&root.join("b"), &root.join("b/c"))).unwrap_err().contains("backing folder"));
        assert!(checked(&home, &request(Path::new("/proc"), &backing)).unwrap_err().contains("already mounted"));
    }

    #[test]
    fn metrics_beyond_this_machine_and_odd_credits_are_refused() {
        let mut request = request(Path::new("/srv/db"), Path::new("/srv/backing"));
        request.metrics = Some(([0, 0, 0, 0], 9100).into());
        assert!(values(&request).unwrap_err().to_string().contains("loopback"));
        request.metrics = None;
        request.credits = Some(1.5);
        assert_eq!(values(&request).unwrap_err().exit_code(), 2);
    }
}
