//! Takes filesystems out of the tree of folders.

use std::path::Path;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::mount::{MntFlags, umount2};

use crate::{FilesystemHolder, MountError, holders};

/// Unmounts what is at a path; that nothing is there is fine.
///
/// # Errors
/// When somebody uses it, with who.
pub(crate) fn now(at: &Path) -> Result<(), MountError> {
    // A process that just ended, or a scanner that looks at new devices, lets go within moments.
    const PATIENCE: Duration = Duration::from_secs(2);
    const PAUSE: Duration = Duration::from_millis(20);
    let begun = Instant::now();
    loop {
        match umount2(at, MntFlags::UMOUNT_NOFOLLOW) {
            Ok(()) | Err(Errno::EINVAL | Errno::ENOENT) => return Ok(()),
            Err(Errno::EBUSY) => {
                let holders: Vec<FilesystemHolder> = holders::of(at);
                if !holders.is_empty() || begun.elapsed() > PATIENCE {
                    return Err(MountError::Busy { place: at.to_owned(), holders });
                }
                std::thread::sleep(PAUSE);
            }
            Err(error) => return Err(MountError::system(format!("{} cannot be unmounted", at.display()), error)),
        }
    }
}

/// Takes what is at a path out of sight at once; it ends when its last user does.
pub(crate) fn lazily(at: &Path) {
    let _ = umount2(at, MntFlags::MNT_DETACH | MntFlags::UMOUNT_NOFOLLOW);
}
