//! What is mounted where, as the kernel says.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// A mounted filesystem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MountPoint {
    /// Major and minor number of its device.
    pub(crate) device: (u32, u32),
    /// Where.
    pub(crate) at: PathBuf,
}

/// All that this process sees.
pub(crate) fn all() -> Vec<MountPoint> {
    of(&std::fs::read("/proc/self/mountinfo").unwrap_or_default())
}

/// Reads a mountinfo file, proc_pid_mountinfo(5).
pub(crate) fn of(mountinfo: &[u8]) -> Vec<MountPoint> {
    let lines = mountinfo.split(|byte| *byte == b'\n');
    let read = |line: &[u8]| {
        let mut fields = line.split(|byte| *byte == b' ').skip(2);
        let device = std::str::from_utf8(fields.next()?).ok()?.split_once(':')?;
        let device = (device.0.parse().ok()?, device.1.parse().ok()?);
        Some(MountPoint { device, at: unescaped(fields.nth(1)?) })
    };
    lines.filter_map(read).collect()
}

/// Spaces, tabs, line ends and backslashes are written as three octal digits after a backslash.
fn unescaped(text: &[u8]) -> PathBuf {
    let mut plain = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&byte, after)) = rest.split_first() {
        let octal = after.get(..3).filter(|_| byte == b'\\').and_then(|digits| std::str::from_utf8(digits).ok());
        match octal.and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            Some(escaped) => (plain.push(escaped), rest = &after[3..]),
            None => (plain.push(byte), rest = after),
        };
    }
    PathBuf::from(OsString::from_vec(plain))
}

/// Whether something is mounted at a path itself.
pub(crate) fn is_mounted(at: &Path) -> bool {
    all().iter().any(|mount| mount.at == at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_mountinfo_is_read_with_its_escapes() {
        let text = b"36 35 7:12 / /srv/a\\040b\\134c rw,noatime shared:1 - ext4 /dev/loop12 rw\nnonsense\n";
        assert_eq!(of(text), [MountPoint { device: (7, 12), at: PathBuf::from("/srv/a b\\c") }]);
    }

    #[test]
    fn the_root_is_mounted() {
        assert!(is_mounted(Path::new("/")));
    }
}
