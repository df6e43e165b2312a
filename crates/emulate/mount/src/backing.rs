//! The sparse files that keep the data of disks.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use nix::fcntl::{Flock, FlockArg, OFlag};
use private_dir::FolderPurpose;
use units::Bytes;

use crate::filesystem::{self, Content};
use crate::home::unusable;
use crate::plan::Planned;
use crate::{Filesystem, MountError};

/// Others may see which files there are, not put others in their place; the files themselves are for their owner only.
const BACKING: FolderPurpose =
    FolderPurpose { what: "backing folder", choose: "choose another with --backing DIR", allowed: 0o055 };

/// Makes the folder of backing files, private, if it is missing.
///
/// # Errors
/// When it cannot be made, or others could tamper with it.
pub(crate) fn folder(path: &Path) -> Result<(), MountError> {
    private_dir::open(path, BACKING).map(drop).map_err(unusable)
}

/// Sees to it that a disk's backing file is there and holds the filesystem. Answers whether it was made.
///
/// # Errors
/// When the file there holds something else, has another size, or is in use.
pub(crate) fn prepare(planned: &Planned, wanted: Filesystem) -> Result<bool, MountError> {
    let path = &planned.backing;
    let failed = |error: std::io::Error| MountError::system(path.display(), error);
    match private(OpenOptions::new().read(true).write(true)).open(path) {
        Ok(file) => match check(planned, wanted, file)? {
            Content::Nothing => make(planned, wanted).map(|()| true),
            _ => Ok(false),
        },
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => make(planned, wanted).map(|()| true),
        Err(error) => Err(failed(error)),
    }
}

/// A file that nobody else may see, and that is no link to elsewhere.
fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    options.mode(0o600).custom_flags(OFlag::O_NOFOLLOW.bits())
}

fn check(planned: &Planned, wanted: Filesystem, file: File) -> Result<Content, MountError> {
    let path = planned.backing.display();
    let system = |error: std::io::Error| MountError::system(&path, error);
    let found = file.metadata().map_err(system)?;
    let user = nix::unistd::geteuid().as_raw();
    if !found.is_file() || found.uid() != user {
        return Err(MountError::Environment(format!(
            "{path} is no file of user {user}: remove it, or choose another folder for the data with --backing"
        )));
    }
    let file = Flock::lock(file, FlockArg::LockExclusiveNonblock)
        .map_err(|(_, _)| MountError::from(fuse::ServeError::InUse { path: planned.backing.clone() }))?;
    let content = filesystem::content(&file).map_err(system)?;
    let advice = "mount it as what it is, remove it with `diskwright disk down DIR --delete` (once it is mounted) or by hand, \
                  or choose another folder with --backing";
    match content {
        Content::Nothing => {}
        Content::Foreign => {
            return Err(MountError::Input(format!(
                "{path} holds data but no filesystem that can be mounted: {advice}"
            )));
        }
        Content::Of(other) if other != wanted => {
            return Err(MountError::Input(format!("{path} holds {other}, not {wanted}: {advice}")));
        }
        Content::Of(_) if found.len() != planned.size().0 => {
            let (has, asked, disk) = (Bytes(found.len()), planned.size(), &planned.disk);
            return Err(MountError::Input(format!(
                "{path} holds a disk of {has}, but {disk} has {asked}: {advice}. A mounted disk grows with \
                 `diskwright disk modify`"
            )));
        }
        Content::Of(_) => {}
    }
    Ok(content)
}

/// Makes the file aside and renames it, so that there is never half a filesystem under its name.
fn make(planned: &Planned, wanted: Filesystem) -> Result<(), MountError> {
    let (path, aside) = (&planned.backing, planned.backing.with_extension("new"));
    let size = planned.size();
    let _ = std::fs::remove_file(&aside);
    let made = private(OpenOptions::new().write(true).create_new(true)).open(&aside);
    let file = made.map_err(|error| MountError::system(aside.display(), error))?;
    let made = file.set_len(size.0).map_err(|error| {
        MountError::Environment(format!(
            "{} cannot be made {size} large: {error}. It is sparse and takes only the room of what is written, but its \
             filesystem must allow files of that size: choose another with --backing",
            path.display()
        ))
    });
    let made = made.and_then(|()| wanted.make(&aside));
    let made = made.and_then(|()| std::fs::rename(&aside, path).map_err(|e| MountError::system(path.display(), e)));
    if made.is_err() {
        let _ = std::fs::remove_file(&aside);
    }
    made
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::MountRequest;
    use crate::plan::Facts;

    fn planned(folder: &Path, disk: &str) -> Planned {
        let request =
            MountRequest { backing: folder.to_owned(), ..MountRequest::single("/srv/db", disk.parse().unwrap()) };
        Facts::of(&request).unwrap().plan(&request).unwrap().remove(0)
    }

    #[test]
    fn a_file_is_made_private_and_found_again() {
        let folder = tempfile::tempdir().unwrap();
        let planned = planned(folder.path(), "gp3:1GiB");
        assert_eq!(prepare(&planned, Filesystem::Ext4), Ok(true));
        assert_eq!(prepare(&planned, Filesystem::Ext4), Ok(false));
        assert_eq!(planned.backing.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(folder.path().read_dir().unwrap().count(), 1);
    }

    #[test]
    fn a_folder_that_others_can_write_to_is_refused_and_one_that_they_can_read_is_not() {
        let place = tempfile::tempdir().unwrap();
        let (readable, writable) = (place.path().join("readable"), place.path().join("writable"));
        for (path, mode) in [(&readable, 0o755), (&writable, 0o1777)] {
            std::fs::create_dir(path).unwrap();
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
        }
        folder(&readable).unwrap();
        let error = folder(&writable).unwrap_err();
        assert_eq!(error.exit_code(), 3);
        assert!(error.to_string().contains("--backing DIR"), "{error}");
    }

    #[test]
    fn another_size_or_filesystem_or_content_is_refused_and_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let small = planned(folder.path(), "gp3:1GiB");
        prepare(&small, Filesystem::Ext4).unwrap();
        let before = std::fs::read(&small.backing).unwrap();
        let size = prepare(&planned(folder.path(), "gp3:2GiB"), Filesystem::Ext4).unwrap_err();
        assert!(size.to_string().contains("1GiB") && size.to_string().contains("2GiB"), "{size}");
        let other = prepare(&small, Filesystem::Xfs).unwrap_err();
        assert!(other.to_string().contains("holds ext4, not xfs"), "{other}");
        assert!(std::fs::read(&small.backing).unwrap() == before);
        std::fs::write(&small.backing, "a letter").unwrap();
        assert_eq!(prepare(&small, Filesystem::Ext4).unwrap_err().exit_code(), 2);
        assert_eq!(std::fs::read(&small.backing).unwrap(), b"a letter");
    }

    #[test]
    fn a_link_in_the_place_of_the_file_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let planned = planned(folder.path(), "gp3:1GiB");
        let target = folder.path().join("precious");
        std::fs::write(&target, "").unwrap();
        std::os::unix::fs::symlink(&target, &planned.backing).unwrap();
        assert!(prepare(&planned, Filesystem::Ext4).is_err());
        assert_eq!(target.metadata().unwrap().len(), 0);
    }

    #[test]
    fn a_file_that_another_daemon_serves_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let planned = planned(folder.path(), "gp3:1GiB");
        prepare(&planned, Filesystem::Ext4).unwrap();
        let held = File::open(&planned.backing).unwrap();
        let _held = Flock::lock(held, FlockArg::LockExclusiveNonblock).unwrap();
        assert!(prepare(&planned, Filesystem::Ext4).unwrap_err().to_string().contains("already served"));
    }
}
