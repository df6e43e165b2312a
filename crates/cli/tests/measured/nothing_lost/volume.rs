//! What a disk keeps between mounts: its backing file, and the filesystem in it.

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::nothing_lost::leftovers;
use crate::nothing_lost::place::Place;
use crate::nothing_lost::process::{self, Run};

/// The smallest disk of these tests; logs and other small files are not disks.
const SMALLEST: u64 = 256 << 20;

impl Place {
    /// The backing files of all disks.
    pub(crate) fn images(&self) -> Vec<PathBuf> {
        self.images_in("backing")
    }

    /// The backing files in a folder of the place.
    pub(crate) fn images_in(&self, folder: &str) -> Vec<PathBuf> {
        let files = leftovers::files(&self.path(folder)).into_iter();
        files.filter(|path| path.metadata().is_ok_and(|found| found.size() >= SMALLEST)).collect()
    }

    /// Asserts that the only disk, which must be down, holds a consistent filesystem that was unmounted.
    #[track_caller]
    pub(crate) fn assert_filesystem_is_clean(&self) {
        self.assert_filesystem_is_clean_in("backing");
    }

    /// The same of the only disk in another backing folder.
    #[track_caller]
    pub(crate) fn assert_filesystem_is_clean_in(&self, folder: &str) {
        assert_eq!(leftovers::loops(self.root()), [""; 0], "checked while in use");
        let images = self.images_in(folder);
        let [image] = &images[..] else { panic!("one backing file expected: {images:?}") };
        let run = checked(image);
        assert_eq!(run.code, 0, "the filesystem is not consistent\n{run}{}", self.logs());
        // Words of e2fsck and of xfs_repair for a journal that was not replayed.
        for words in ["recover", "metadata changes in a log"] {
            assert!(!(run.stdout.clone() + &run.stderr).contains(words), "the filesystem was not unmounted\n{run}");
        }
    }
}

/// Checks a filesystem and changes nothing.
pub(crate) fn checked(image: &Path) -> Run {
    let mut magic = [0; 4];
    File::open(image).unwrap().read_exact(&mut magic).unwrap();
    let (tool, options) = if &magic == b"XFSB" { ("xfs_repair", "-nf") } else { ("e2fsck", "-fn") };
    let mut command = Command::new(tool);
    command.arg(options).arg(image);
    process::run(command, Duration::from_secs(60))
}
