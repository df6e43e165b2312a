//! The store that holds a disk's data is full: the writer is told, the filesystem stays whole, and people learn which.

use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;

use nix::errno::Errno;
use nix::fcntl::OFlag;

use crate::nothing_lost::overwrites::Keeps;
use crate::nothing_lost::place::Place;
use crate::nothing_lost::writers::Writers;

/// A filesystem in memory with so much space, unmounted at the end by its place.
struct Store(PathBuf);

impl Store {
    fn new(place: &Place, name: &str, mib: u32) -> Self {
        let store = Self(place.path(name));
        std::fs::create_dir(&store.0).unwrap();
        store.mount(&["-t", "tmpfs", "-o", &format!("size={mib}m,mode=700"), "nothing-lost"]);
        store
    }

    /// Gives it more or less space.
    fn resize(&self, mib: u32) {
        self.mount(&["-o", &format!("remount,size={mib}m")]);
    }

    fn mount(&self, options: &[&str]) {
        let status = Command::new("mount").args(options).arg(&self.0).status().unwrap();
        assert!(status.success(), "mount {options:?}");
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

/// Writes up to `mib` MiB, past the page cache if `direct`, and flushes each: the first error.
fn fill(path: &Path, mib: u64, direct: bool) -> io::Result<()> {
    let flags = if direct { OFlag::O_DIRECT } else { OFlag::empty() };
    let file = File::options().create(true).write(true).truncate(true).custom_flags(flags.bits()).open(path)?;
    let buffer = vec![0xa5; (1 << 20) + 4096];
    let from = buffer.as_ptr().align_offset(4096);
    for part in 0..mib {
        file.write_all_at(&buffer[from..from + (1 << 20)], part << 20)?;
        file.sync_data()?;
    }
    Ok(())
}

fn full(direct: bool) {
    let place = Place::new();
    let store = Store::new(&place, "store", 96);
    let line = "mount unlimited:1GiB @dir --backing @store/disks";
    place.ok(line);
    let dir = place.path("dir");
    let writers = Writers::start(&dir, 0, 1, true);
    let error = fill(&dir.join("filler"), 512, direct).expect_err("more was written than there is room for");
    let told = [Errno::ENOSPC, Errno::EIO, Errno::EROFS].map(|e| Some(e as i32));
    assert!(told.contains(&error.raw_os_error()), "{error}");
    // What others wrote before is not touched by it.
    let written = writers.finish();
    written.check(Keeps::Acknowledged);
    let disks = place.run("disks @dir");
    let all = place.logs() + &disks.stdout + &disks.stderr;
    assert!(all.contains("No space left") || all.contains("full"), "nothing says why the writer failed\n{disks}{all}");
    assert!(all.contains(store.0.to_str().unwrap()), "nothing says which store is full\n{disks}{all}");
    // Long after the writer was told, too.
    std::thread::sleep(std::time::Duration::from_secs(2));
    let seen: serde_json::Value = serde_json::from_str(&place.run("disks @dir --json").stdout).unwrap();
    let disk = &seen["nodes"][0]["disks"][0];
    assert!(disk["now"]["errors"].as_u64().is_some_and(|errors| errors > 0), "{seen:#}");
    let free = disk["backing_free"].as_str().and_then(|free| free.parse::<units::Bytes>().ok());
    assert!(free.is_some_and(|free| free < units::Bytes::mib(8)), "{seen:#}");
    let told = place.run("disks @dir").stdout;
    assert!(told.contains("errors since it was mounted"), "{told}");

    store.resize(1200);
    if fill(&dir.join("after"), 64, direct).is_err() {
        // A filesystem that could not write its journal has made itself read-only.
        place.ok("down @dir");
        let images = place.images_in("store/disks");
        let [image] = &images[..] else { panic!("one backing file expected: {images:?}") };
        written.check_disk(image);
        place.ok(line);
        fill(&dir.join("after"), 64, direct).expect("there is room again");
        written.check_after_abort(Keeps::Acknowledged);
    } else {
        written.check(Keeps::Acknowledged);
    }
    // A direct write that fails may leave its blocks beyond the end of its file, for ext4 sets the size last: they go with the file,
    // and all else is to be as it should.
    std::fs::remove_file(dir.join("filler")).unwrap();
    place.ok("down @dir");
    place.assert_filesystem_is_clean_in("store/disks");
    place.assert_nothing_left_but(&["mount"]);
    drop(store);
    place.assert_nothing_left();
}

#[test]
fn a_full_backing_store_fails_direct_writes_and_nothing_else() {
    full(true);
}

#[test]
fn a_full_backing_store_fails_flushes_of_cached_writes_and_nothing_else() {
    full(false);
}
