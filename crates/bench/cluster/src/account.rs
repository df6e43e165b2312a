//! The user that programs run as when root starts them.

use std::fs::{File, Metadata, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, fchown};
use std::path::{Path, PathBuf};

use nix::unistd::{Gid, Group, Uid, User, geteuid};

use crate::ClusterError;

/// Numbers among which a user is chosen that nothing else of the machine is: systemd's table of user numbers calls them unused,
/// between those of its transient services and `nobody` (systemd.io/UIDS-GIDS).
const UNUSED: std::ops::RangeInclusive<u32> = 65520..=65533;

/// A user and a group without an account, of the same number: it owns what its programs write, and nothing else of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Account(u32);

impl Account {
    /// The user for programs that this process starts; `None` if this process is not root and they run as itself.
    ///
    /// # Errors
    /// When all numbers have accounts.
    pub(crate) fn for_programs() -> Result<Option<Self>, ClusterError> {
        if !geteuid().is_root() {
            return Ok(None);
        }
        let is_free = |id: &u32| {
            matches!(User::from_uid(Uid::from_raw(*id)), Ok(None))
                && matches!(Group::from_gid(Gid::from_raw(*id)), Ok(None))
        };
        let free = UNUSED.into_iter().find(is_free).map(|id| Some(Self(id)));
        free.ok_or_else(|| {
            let (first, last) = (*UNUSED.start(), *UNUSED.end());
            ClusterError::NoFreeAccount { first, last }
        })
    }

    /// Its number, which is that of its group, too.
    pub(crate) fn id(self) -> u32 {
        self.0
    }

    /// Lets its programs pass through a folder of this process's, without seeing what is in it.
    pub(crate) fn admit(self, folder: &Path) -> std::io::Result<()> {
        chown(folder, None, Some(self.0))?;
        std::fs::set_permissions(folder, Permissions::from_mode(0o710))
    }

    /// Makes it the owner of a file or folder that was made for its owner only.
    pub(crate) fn give(self, file: &File) -> std::io::Result<()> {
        fchown(file, Some(self.0), Some(self.0))
    }

    /// The first folder on the way to `path`, an absolute path without links, through which it may not pass; `None` if it can reach
    /// it.
    pub(crate) fn stopped_at(self, path: &Path) -> Option<PathBuf> {
        let mut above: Vec<&Path> = path.ancestors().skip(1).collect();
        above.reverse();
        above.into_iter().find(|folder| !folder.metadata().is_ok_and(|found| self.passes(&found))).map(Path::to_owned)
    }

    fn passes(self, found: &Metadata) -> bool {
        let mode = found.mode();
        let bit = match (found.uid() == self.0, found.gid() == self.0) {
            (true, _) => 0o100,
            (_, true) => 0o010,
            _ => 0o001,
        };
        mode & bit != 0
    }
}

impl std::fmt::Display for Account {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "uid {}, a user without an account", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_has_no_account_and_is_not_nobody() {
        let account = Account::for_programs().unwrap().expect("these tests run as root");
        assert!(UNUSED.contains(&account.id()));
        assert_eq!(User::from_uid(Uid::from_raw(account.id())).unwrap(), None);
    }

    #[test]
    fn a_folder_that_keeps_it_out_is_named() {
        let account = Account::for_programs().unwrap().expect("these tests run as root");
        let place = tempfile::Builder::new().permissions(Permissions::from_mode(0o711)).tempdir_in("/dev/shm").unwrap();
        let (own, file) = (place.path().join("own"), place.path().join("own/file"));
        std::fs::create_dir(&own).unwrap();
        std::fs::write(&file, "").unwrap();
        std::fs::set_permissions(&own, Permissions::from_mode(0o700)).unwrap();
        assert_eq!(account.stopped_at(&file), Some(own.clone()));
        assert_eq!(account.stopped_at(&own), None);
        account.admit(&own).unwrap();
        assert_eq!(account.stopped_at(&file), None);
        assert_eq!(own.metadata().unwrap().permissions().mode() & 0o7777, 0o710);
        std::fs::set_permissions(place.path(), Permissions::from_mode(0o700)).unwrap();
        assert_eq!(account.stopped_at(&file), Some(place.path().to_owned()));
        account.give(&File::open(place.path()).unwrap()).unwrap();
        assert_eq!(account.stopped_at(&file), None);
    }
}
