//! Ending the FUSE connection of a daemon that was killed while one of its threads waited for its own disk: nothing else
//! ends that thread, which keeps the connection open, and every `losetup` of the machine waits for it.

use std::path::Path;

use nix::mount::{MntFlags, MsFlags, mount, umount2};

use crate::home::State;
use crate::mounts;

/// Where the kernel shows connections, if somebody mounted that; linux/Documentation/filesystems/fuse.rst.
const CONNECTIONS: &str = "/sys/fs/fuse/connections";

/// Aborts the connection of a state folder's FUSE mount, if there is one: all requests in it end with an error. For dead
/// daemons only.
pub(crate) fn connection(state: &State) {
    let disks = state.disks();
    let all = mounts::all();
    // A FUSE mount has a device of major number 0; its connection is called after the minor.
    for (_, number) in all.iter().filter(|mount| mount.at == disks).map(|mount| mount.device) {
        if abort(Path::new(CONNECTIONS), number).is_ok() {
            continue;
        }
        let folder = state.folder.join("connections");
        let none = None::<&str>;
        let mounted = std::fs::create_dir(&folder).is_ok()
            && mount(Some("fusectl"), &folder, Some("fusectl"), MsFlags::empty(), none).is_ok();
        if mounted {
            let _ = abort(&folder, number);
            let _ = umount2(&folder, MntFlags::MNT_DETACH);
        }
        let _ = std::fs::remove_dir(&folder);
    }
}

fn abort(connections: &Path, number: u32) -> std::io::Result<()> {
    let file = connections.join(number.to_string()).join("abort");
    std::fs::OpenOptions::new().write(true).open(file).and_then(|mut file| std::io::Write::write_all(&mut file, b"1"))
}
