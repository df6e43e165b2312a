//! Filesystems: which one a file holds, making one, mounting, repairing.

use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

use nix::errno::Errno;
use nix::mount::{MsFlags, mount};
use nix::unistd::{Whence, lseek};
use textfile::shell_word;

use crate::{MountError, system};

/// The filesystems that disks can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Filesystem {
    /// ext4.
    #[default]
    Ext4,
    /// XFS.
    Xfs,
}

impl std::fmt::Display for Filesystem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Content {
    /// Not a byte.
    Nothing,
    /// A filesystem that can be mounted here.
    Of(Filesystem),
    /// Something else.
    Foreign,
}

/// What a file holds.
pub(crate) fn content(file: &File) -> std::io::Result<Content> {
    // Both are places where the kernel itself looks: `EXT4_SUPER_MAGIC` in the superblock at 1024, and
    // `XFS_SB_MAGIC` at the very start.
    let mut start = [0; 2048];
    let read = file.read_at(&mut start, 0)?;
    let start = &start[..read];
    if start.starts_with(b"XFSB") {
        return Ok(Content::Of(Filesystem::Xfs));
    }
    if start.get(1024 + 56..1024 + 58) == Some(&[0x53, 0xef]) {
        return Ok(Content::Of(Filesystem::Ext4));
    }
    match lseek(file, 0, Whence::SeekData) {
        Err(Errno::ENXIO) => Ok(Content::Nothing),
        Ok(_) => Ok(Content::Foreign),
        Err(error) => Err(error.into()),
    }
}

impl Filesystem {
    /// As the kernel calls it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ext4 => "ext4",
            Self::Xfs => "xfs",
        }
    }

    /// The program that makes one.
    pub(crate) fn maker(self) -> Result<std::path::PathBuf, MountError> {
        match self {
            Self::Ext4 => system::tool("mkfs.ext4", "e2fsprogs"),
            Self::Xfs => system::tool("mkfs.xfs", "xfsprogs"),
        }
    }

    /// Makes one in a sparse file, which stays sparse, but for the log of XFS: all of it is written, 64 MiB to 2 GiB.
    pub(crate) fn make(self, file: &Path) -> Result<(), MountError> {
        let options: &[&str] = match self {
            // The file reads as zeroes: nothing needs to be zeroed now, nor in the background once it is mounted.
            Self::Ext4 => &["-F", "-q", "-E", "assume_storage_prezeroed=1,nodiscard"],
            Self::Xfs => &["-f", "-q", "-K"],
        };
        let args: Vec<&OsStr> = options.iter().map(OsStr::new).chain([file.as_os_str()]).collect();
        let (code, said) = system::run(&self.maker()?, &args)?;
        if code != 0 {
            return Err(MountError::Input(format!("no {self} can be made on this disk: {said}")));
        }
        Ok(())
    }

    /// Mounts a device, and repairs the filesystem first if that is the only way. Answers what people should know of it.
    pub(crate) fn mount(self, device: &Path, at: &Path) -> Result<Option<String>, MountError> {
        let first = match self.try_mount(device, at) {
            Ok(()) => return Ok(None),
            Err(error @ (Errno::ENODEV | Errno::ENOENT | Errno::EPERM | Errno::EACCES)) => {
                return Err(self.explained(device, at, error));
            }
            Err(error) => error,
        };
        let said = self.repair(device)?;
        self.try_mount(device, at).map_err(|error| self.explained(device, at, error))?;
        Ok(Some(format!("{} could not be mounted ({first}) and was repaired: {said}", at.display())))
    }

    fn try_mount(self, device: &Path, at: &Path) -> Result<(), Errno> {
        // Access times would turn reads into writes of their own.
        mount(Some(device), at, Some(self.name()), MsFlags::MS_NOATIME, None::<&str>)
    }

    fn explained(self, device: &Path, at: &Path, error: Errno) -> MountError {
        let what = format!("{} cannot be mounted at {}", device.display(), at.display());
        match error {
            Errno::ENODEV => MountError::Environment(format!(
                "{what}: this kernel has no {self}; load its module (`modprobe {self}`) or choose the other filesystem"
            )),
            Errno::EPERM | Errno::EACCES => MountError::Environment(format!(
                "{what}: not permitted; in a container, run it with the capability SYS_ADMIN and the loop devices"
            )),
            error => MountError::system(what, error),
        }
    }

    /// Repairs what can be repaired without a loss that people should decide on.
    fn repair(self, device: &Path) -> Result<String, MountError> {
        let (tool, args, fine) = match self {
            // 1: repaired; e2fsck(8).
            Self::Ext4 => (system::tool("e2fsck", "e2fsprogs")?, &["-p"][..], 0..=1),
            Self::Xfs => (system::tool("xfs_repair", "xfsprogs")?, &[][..], 0..=0),
        };
        let args: Vec<&OsStr> = args.iter().map(OsStr::new).chain([device.as_os_str()]).collect();
        let (code, said) = system::run(&tool, &args)?;
        let tool = tool.file_name().unwrap_or_default().to_string_lossy();
        if fine.contains(&code) {
            return Ok(format!("{tool} ended with {code}"));
        }
        Err(MountError::Environment(format!(
            "the {self} on {} cannot be mounted, nor repaired without a decision of yours: {tool} ended with {code}: \
             {said}. Repair the backing file by hand, or begin anew with `diskwright disk down --delete`",
            device.display()
        )))
    }

    /// The command that makes it as large as its device.
    pub(crate) fn grow_command(self, device: &Path, at: &Path) -> String {
        match self {
            Self::Ext4 => format!("resize2fs {}", device.display()),
            Self::Xfs => format!("xfs_growfs {}", shell_word(at)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_made_filesystem_is_recognised_and_takes_little_room() {
        use std::os::unix::fs::MetadataExt;
        for (filesystem, most) in [(Filesystem::Ext4, 1 << 20), (Filesystem::Xfs, 68 << 20)] {
            let file = tempfile::NamedTempFile::new().unwrap();
            file.as_file().set_len(1 << 30).unwrap();
            assert_eq!(content(file.as_file()).unwrap(), Content::Nothing);
            filesystem.make(file.path()).unwrap();
            assert_eq!(content(file.as_file()).unwrap(), Content::Of(filesystem));
            let taken = file.as_file().metadata().unwrap().blocks() * 512;
            assert!(taken < most, "{filesystem} takes {taken} bytes");
        }
    }

    #[test]
    fn what_is_no_filesystem_is_foreign() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "a letter").unwrap();
        assert_eq!(content(file.as_file()).unwrap(), Content::Foreign);
    }
}
