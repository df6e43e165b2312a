//! Disks: whatever parses prints text that parses to the same disk.

use disk::Disk;

/// Reads the bytes as a disk.
pub(crate) fn disk(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match text.parse::<Disk>() {
        Ok(disk) => assert_eq!(disk.to_string().parse::<Disk>().unwrap(), disk),
        Err(error) => assert!(error.at <= text.len() && !error.message.is_empty()),
    }
}
