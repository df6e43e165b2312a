//! Loop devices: block devices over files.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::{MountError, system};

/// A loop device that is in use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Loop {
    /// `loop3`.
    pub(crate) name: String,
    /// The file under it.
    pub(crate) file: PathBuf,
}

/// How a device is to present itself to the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Manner {
    /// Whether completed writes may be lost before a flush.
    pub(crate) volatile_cache: bool,
    /// Whether it is a spinning disk.
    pub(crate) rotational: bool,
}

/// All loop devices in use.
pub(crate) fn all() -> Vec<Loop> {
    let entries = std::fs::read_dir("/sys/block").into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let names = names.filter(|name| name.starts_with("loop"));
    names.filter_map(|name| backing(&name).map(|file| Loop { name, file })).collect()
}

fn backing(name: &str) -> Option<PathBuf> {
    let mut path = std::fs::read(format!("/sys/block/{name}/loop/backing_file")).ok()?;
    if path.last() == Some(&b'\n') {
        path.pop();
    }
    Some(PathBuf::from(OsStr::from_bytes(&path)))
}

fn losetup() -> Result<PathBuf, MountError> {
    system::tool("losetup", "util-linux (mount)")
}

/// Makes a device over a file, past the page cache of the file's filesystem.
pub(crate) fn attach(file: &Path) -> Result<Loop, MountError> {
    let args = [OsStr::new("--find"), OsStr::new("--show"), OsStr::new("--direct-io=on"), file.as_os_str()];
    let (code, said) = system::run(&losetup()?, &args)?;
    let name = said.strip_prefix("/dev/").filter(|name| code == 0 && name.starts_with("loop"));
    let name = name.ok_or_else(|| {
        MountError::Environment(format!(
            "no loop device is to be had: {said}. See those in use with `losetup`; free one with `losetup -d`; in a \
             container, give it /dev/loop-control and the loop devices"
        ))
    })?;
    Ok(Loop { name: name.to_owned(), file: file.to_owned() })
}

impl Loop {
    /// Its block device.
    pub(crate) fn device(&self) -> PathBuf {
        Path::new("/dev").join(&self.name)
    }

    fn set(&self, key: &str, value: &str) -> Result<(), MountError> {
        let path = format!("/sys/block/{}/queue/{key}", self.name);
        std::fs::write(&path, value).map_err(|error| MountError::system(format!("{path}: {value}"), error))
    }

    /// Makes the kernel treat it as the disk that it stands for.
    pub(crate) fn tune(&self, manner: Manner) -> Result<(), MountError> {
        // Without a volatile cache a flush is no request at all, as on the real volume.
        self.set("write_cache", if manner.volatile_cache { "write back" } else { "write through" })?;
        self.set("scheduler", "none")?;
        self.set("rotational", if manner.rotational { "1" } else { "0" })?;
        // The volumes do not discard; zeroes that the kernel punched would also bypass the limits.
        self.set("discard_max_bytes", "0")
    }

    /// Its size in bytes.
    pub(crate) fn size(&self) -> Option<u64> {
        const SECTOR: u64 = 512;
        let sectors = std::fs::read_to_string(format!("/sys/block/{}/size", self.name)).ok()?;
        sectors.trim().parse::<u64>().ok().map(|sectors| sectors * SECTOR)
    }

    /// Major and minor number.
    pub(crate) fn numbers(&self) -> Option<(u32, u32)> {
        let text = std::fs::read_to_string(format!("/sys/block/{}/dev", self.name)).ok()?;
        let (major, minor) = text.trim().split_once(':')?;
        Some((major.parse().ok()?, minor.parse().ok()?))
    }

    /// Takes over the size that its file has now.
    pub(crate) fn grow(&self) -> Result<(), MountError> {
        system::must(&losetup()?, &[OsStr::new("--set-capacity"), self.device().as_os_str()]).map(drop)
    }

    /// Frees it as soon as nobody uses it any more.
    pub(crate) fn let_go(&self) {
        if let Ok(losetup) = losetup() {
            let _ = system::run(&losetup, &[OsStr::new("--detach"), self.device().as_os_str()]);
        }
    }

    /// Frees it, and waits until it is free.
    pub(crate) fn detach(&self) -> Result<(), MountError> {
        // The kernel defers this while somebody has the device open.
        const PATIENCE: Duration = Duration::from_secs(5);
        const PAUSE: Duration = Duration::from_millis(10);
        let device = self.device();
        let begun = Instant::now();
        let mut said = String::new();
        while backing(&self.name).is_some_and(|file| file == self.file) {
            if begun.elapsed() > PATIENCE {
                let holders = crate::processes::of_device(&device);
                return Err(match holders.is_empty() {
                    true => MountError::Environment(format!("{} cannot be detached: {said}", device.display())),
                    false => MountError::Busy { place: device, holders },
                });
            }
            said = system::run(&losetup()?, &[OsStr::new("--detach"), device.as_os_str()])?.1;
            std::thread::sleep(PAUSE);
        }
        Ok(())
    }
}
