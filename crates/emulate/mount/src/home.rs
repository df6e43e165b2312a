//! The state folder: who may see it, and what is where in it.

use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use nix::fcntl::{Flock, FlockArg};
use private_dir::{FolderError, FolderFault, FolderPurpose};

use crate::MountError;

/// Where the state of mounted disks lives, and the program that serves them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MountHome {
    /// The state folder, with one folder for each mount in it; private to its user.
    pub folder: PathBuf,
    /// Run as `program daemon FOLDER` it must call [`daemon::run`](crate::daemon::run) with that folder.
    pub program: PathBuf,
}

/// Private to its user, without exception.
const STATE: FolderPurpose =
    FolderPurpose { what: "state folder", choose: "name another in DISKWRIGHT_RUN", allowed: 0 };

/// The longest path of a Unix socket, from `sockaddr_un` in unix(7), without the closing zero.
const LONGEST_SOCKET: usize = 107;

/// The longest name of a folder in the state folder and of a file in that.
const LONGEST_BELOW: usize = 60;

impl MountHome {
    /// Where the state lives unless people say otherwise.
    pub const FOLDER: &str = "/run/diskwright";

    /// Where the data lives unless people say otherwise.
    pub const BACKING: &str = "/var/lib/diskwright";

    /// Opens the state folder; creates it if it is missing.
    ///
    /// # Errors
    /// When it cannot be created, or others could get at what is in it.
    pub fn open(folder: impl Into<PathBuf>, program: impl Into<PathBuf>) -> Result<Self, MountError> {
        let folder = private_dir::open(&folder.into(), STATE).map_err(unusable)?;
        if folder.as_os_str().len() + LONGEST_BELOW > LONGEST_SOCKET {
            return Err(MountError::Input(format!(
                "the path of the state folder {} is too long for sockets in it: name one of at most {} bytes in \
                 DISKWRIGHT_RUN",
                folder.display(),
                LONGEST_SOCKET - LONGEST_BELOW
            )));
        }
        Ok(Self { folder, program: program.into() })
    }

    /// Makes all others that would mount or unmount wait until the lock is dropped.
    pub(crate) fn lock(&self) -> Result<Flock<std::fs::File>, MountError> {
        let path = self.folder.join("lock");
        let file = std::fs::File::options().create(true).truncate(false).write(true).mode(0o600).open(&path);
        let file = file.map_err(|error| MountError::system(path.display(), error))?;
        Flock::lock(file, FlockArg::LockExclusive).map_err(|(_, error)| MountError::system(path.display(), error))
    }

    /// The folder of a mount.
    pub(crate) fn state(&self, dir: &Path) -> State {
        State { folder: self.folder.join(name(dir)) }
    }

    /// The folders of all mounts.
    pub(crate) fn states(&self) -> Vec<State> {
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        let mut folders: Vec<PathBuf> = folders.map(|entry| entry.path()).collect();
        folders.sort();
        folders.into_iter().map(|folder| State { folder }).collect()
    }
}

/// Why a folder cannot be used. Who lacks the rights to it most likely is not root, which mounting needs anyway.
pub(crate) fn unusable(error: FolderError) -> MountError {
    let is_root = nix::unistd::geteuid().is_root();
    let not_ours =
        error.fault.is_denied() || matches!(error.fault, FolderFault::Owner(_) | FolderFault::OwnerOnTheWay(_));
    let advice = if not_ours && !is_root { "; mounting disks needs root: run it with sudo" } else { "" };
    MountError::Environment(format!("{error}{advice}"))
}

/// The folder that holds the state of one mount.
#[derive(Debug, Clone)]
pub(crate) struct State {
    pub(crate) folder: PathBuf,
}

impl State {
    /// What the daemon is to do.
    pub(crate) fn order(&self) -> PathBuf {
        self.folder.join("order.json")
    }

    /// What it did, once all is there.
    pub(crate) fn node(&self) -> PathBuf {
        self.folder.join("node.json")
    }

    /// Why it could not.
    pub(crate) fn error(&self) -> PathBuf {
        self.folder.join("error.json")
    }

    /// Its process.
    pub(crate) fn pid(&self) -> PathBuf {
        self.folder.join("pid.json")
    }

    /// Where it listens.
    pub(crate) fn socket(&self) -> PathBuf {
        self.folder.join("socket")
    }

    /// What it has to say.
    pub(crate) fn log(&self) -> PathBuf {
        self.folder.join("log")
    }

    /// Where the disks are files.
    pub(crate) fn disks(&self) -> PathBuf {
        self.folder.join("disks")
    }
}

/// A name for a folder that people recognise and no other folder has: its last part and a hash of its whole path.
pub(crate) fn name(dir: &Path) -> String {
    /// Short enough for a socket below the state folder.
    const READABLE: usize = 24;
    let last = dir.file_name().map_or("root".into(), |last| last.to_string_lossy());
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_');
    let readable: String = last.chars().take(READABLE).map(|c| if plain(c) { c } else { '_' }).collect();
    format!("{readable}-{:016x}", fnv1a(dir.as_os_str().as_encoded_bytes()))
}

/// FNV-1a, 64 bits (draft-eastlake-fnv): the names must be the same in every version of the program.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_hash_is_that_of_the_published_vectors() {
        assert_eq!(fnv1a(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(b"foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn a_folder_open_to_others_is_refused_with_what_to_do() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
        let error = MountHome::open(folder.path(), "/bin/true").unwrap_err();
        assert_eq!(error.exit_code(), 3);
        assert!(error.to_string().contains("chmod 700"), "{error}");
    }

    #[test]
    fn a_missing_folder_is_created_private() {
        let folder = tempfile::tempdir().unwrap();
        let home = MountHome::open(folder.path().join("a/b"), "/bin/true").unwrap();
        assert_eq!(home.folder.metadata().unwrap().mode() & 0o777, 0o700);
    }

    proptest! {
        #[test]
        fn every_path_has_a_name_that_is_a_file_name_and_fits_a_socket(path in "/.{0,200}") {
            let name = name(Path::new(&path));
            prop_assert!(!name.contains('/') && name.len() + "/socket/".len() <= LONGEST_BELOW, "{}", name);
        }

        #[test]
        fn two_paths_have_two_names(a in "/[a-c/]{0,8}", b in "/[a-c/]{0,8}") {
            prop_assert_eq!(a == b, name(Path::new(&a)) == name(Path::new(&b)));
        }
    }
}
