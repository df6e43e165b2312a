//! Real folders and loop devices. Needs root, loop devices and e2fsprogs.

use std::fs::OpenOptions;
use std::io::{Read, Seek, Write};
use std::process::Command;

use units::Nanos;

use super::*;

/// A loop device over a file of zeros, detached at the end.
struct Loop {
    device: PathBuf,
    _folder: tempfile::TempDir,
}

fn command(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output().unwrap_or_else(|e| panic!("{program}: {e}"));
    assert!(output.status.success(), "{program} {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

impl Loop {
    fn new(size: Bytes) -> Self {
        let folder = tempfile::tempdir_in("/dev/shm").unwrap();
        let file = folder.path().join("disk");
        std::fs::File::create(&file).unwrap().set_len(size.0).unwrap();
        let device = command("losetup", &["--find", "--show", file.to_str().unwrap()]).into();
        Self { device, _folder: folder }
    }

    fn text(&self) -> &str {
        self.device.to_str().unwrap()
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        _ = Command::new("losetup").arg("-d").arg(&self.device).status();
    }
}

fn blank() -> ProbeOptions {
    ProbeOptions { destroy: OverwriteScope::Blank, ..ProbeOptions::default() }
}

#[test]
fn a_blank_device_may_be_written_if_so_asked_and_is_only_read_else() {
    let disk = Loop::new(Bytes::mib(64));
    let target = ProbeTarget::at(&disk.device).unwrap();
    assert_eq!(target, ProbeTarget::Device(disk.device.clone()));
    let range = target.prepare(&blank()).unwrap();
    assert_eq!((range.writable, range.size, range.disk), (true, Bytes::mib(64), Some(Bytes::mib(64))));
    let range = target.prepare(&ProbeOptions::default()).unwrap();
    assert!(!range.writable && !range.fill);
}

#[test]
fn a_device_with_a_file_system_is_refused_and_keeps_it() {
    let disk = Loop::new(Bytes::mib(64));
    command("mkfs.ext4", &["-q", disk.text()]);
    let refused = ProbeTarget::at(&disk.device).unwrap().prepare(&blank()).unwrap_err();
    assert!(matches!(refused, ProbeError::HoldsData { .. }));
    assert!(refused.to_string().contains("it holds ext4"), "{refused}");
    command("fsck.ext4", &["-fn", disk.text()]);
    // It may be read, and destroyed when told.
    assert!(!ProbeTarget::at(&disk.device).unwrap().prepare(&ProbeOptions::default()).unwrap().writable);
    let anything = ProbeOptions { destroy: OverwriteScope::Anything, ..ProbeOptions::default() };
    assert!(ProbeTarget::at(&disk.device).unwrap().prepare(&anything).unwrap().writable);
}

#[test]
fn a_partition_table_and_bare_bytes_are_found() {
    let disk = Loop::new(Bytes::mib(64));
    let mut file = OpenOptions::new().write(true).read(true).open(&disk.device).unwrap();
    file.seek(std::io::SeekFrom::Start(500_000)).unwrap();
    file.write_all(b"x").unwrap();
    file.sync_all().unwrap();
    let refused = ProbeTarget::at(&disk.device).unwrap().prepare(&blank()).unwrap_err();
    assert!(refused.to_string().contains("byte 500000 is not zero"), "{refused}");
    // The signature of a DOS partition table, with one partition.
    file.rewind().unwrap();
    let mut sector = [0u8; 512];
    file.read_exact(&mut sector).unwrap();
    (sector[446 + 4], sector[446 + 8], sector[446 + 12]) = (0x83, 1, 64);
    (sector[510], sector[511]) = (0x55, 0xaa);
    file.rewind().unwrap();
    file.write_all(&sector).unwrap();
    file.sync_all().unwrap();
    let refused = ProbeTarget::at(&disk.device).unwrap().prepare(&blank()).unwrap_err();
    assert!(refused.to_string().contains("partition table (dos)"), "{refused}");
}

#[test]
fn a_mounted_device_is_in_use_and_the_folder_on_it_knows_its_size() {
    let disk = Loop::new(Bytes::mib(400));
    command("mkfs.ext4", &["-q", disk.text()]);
    let folder = tempfile::tempdir().unwrap();
    command("mount", &[disk.text(), folder.path().to_str().unwrap()]);
    let held = ProbeTarget::at(&disk.device).unwrap().prepare(&ProbeOptions::default());
    let range = ProbeTarget::at(folder.path()).unwrap().prepare(&ProbeOptions::default());
    let names = std::fs::read_dir(folder.path()).unwrap().count();
    let size = range.as_ref().map(|range| (range.disk, range.writable)).ok();
    drop(range);
    command("umount", &[folder.path().to_str().unwrap()]);
    assert!(matches!(held, Err(ProbeError::InUse { .. })), "{held:?}");
    assert_eq!(size, Some((Some(Bytes::mib(400)), true)));
    // Only ext4's own lost+found: the test file has no name.
    assert_eq!(names, 1);
}

#[test]
fn what_cannot_be_measured_is_refused_by_name() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let refused = ProbeTarget::at(file.path()).unwrap_err();
    assert!(refused.to_string().contains("is a file, not a folder"), "{refused}");
    assert!(ProbeTarget::at("/no/such/thing").unwrap_err().to_string().contains("not there"));
    let large = ProbeOptions { size: Some(Bytes::gib(1 << 30)), ..ProbeOptions::default() };
    let refused = ProbeTarget::at("/dev/shm").unwrap().prepare(&large).unwrap_err();
    assert!(matches!(refused, ProbeError::NoRoom { .. }), "{refused}");
}

#[test]
fn a_folder_is_probed_and_left_as_it_was() {
    let folder = tempfile::tempdir_in("/dev/shm").unwrap();
    let options = ProbeOptions {
        step: Nanos::millis(100),
        ramp: Nanos::millis(20),
        size: Some(Bytes::mib(32)),
        ..ProbeOptions::quick()
    };
    let mut seen = Vec::new();
    let target = ProbeTarget::at(folder.path()).unwrap();
    let probe = crate::run(&target, &options, &mut |at| seen.push((at.step, at.of, at.remaining))).unwrap();
    assert!(probe.fitted.iops.value.0 > 1000.0 && probe.fitted.written, "{:?}", probe.fitted);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    assert!(seen.is_sorted_by_key(|(step, ..)| *step) && seen.len() >= probe.measurements.len());
    let (last, of, remaining) = *seen.last().unwrap();
    assert!(last == of && remaining < seen[0].2, "{seen:?}");
}
