use std::os::unix::fs::{DirBuilderExt, symlink};
use std::process::{Child, Command};

use super::*;

/// A process of another's.
struct Other(Child);

impl Other {
    fn new() -> Self {
        Self(Command::new("sleep").arg("600").spawn().unwrap())
    }

    fn identity(&self) -> (i32, u64) {
        let pid = self.0.id() as i32;
        (pid, process::started(pid).unwrap())
    }

    fn lives(&mut self) -> bool {
        matches!(self.0.try_wait(), Ok(None))
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        let _ = self.0.kill().and_then(|()| self.0.wait());
    }
}

/// A scratch folder with one cluster in it, whose process is gone, and a record of it.
struct Left {
    place: tempfile::TempDir,
    folder: PathBuf,
    home: MountHome,
}

impl Left {
    fn new(record: impl FnOnce(&Path) -> Record) -> Self {
        let place = tempfile::Builder::new().prefix("record-").tempdir_in("/dev/shm").unwrap();
        let folder = place.path().join("cluster-a1");
        std::fs::DirBuilder::new().mode(0o700).create(&folder).unwrap();
        record(&folder).write(&folder).unwrap();
        let home = MountHome::open(place.path().join("run"), "/bin/true").unwrap();
        Self { place, folder, home }
    }

    fn sweep(&self) -> Result<u32, ClusterError> {
        sweep_in(&self.home, self.place.path())
    }

    #[track_caller]
    fn refused(&self, says: &str) {
        let error = self.sweep().unwrap_err().to_string();
        assert!(error.contains(says) && error.contains("nothing of it was touched"), "{error}");
        assert!(self.folder.exists());
    }
}

/// No process has begun then.
const NEVER: u64 = u64::MAX;

fn gone() -> Record {
    Record { starter: (1, NEVER), ..Record::default() }
}

#[test]
fn a_process_that_the_cluster_did_not_start_lives_on_whatever_a_record_says() {
    let mut other = Other::new();
    let left = Left::new(|_| Record { processes: vec![other.identity()], ..gone() });
    assert_eq!(left.sweep().unwrap(), 1);
    assert!(other.lives());
    assert!(!left.folder.exists(), "the rest is cleared away");
    for pid in [1, 0, -1] {
        Left::new(|_| Record { processes: vec![(pid, 0)], ..gone() }).refused(&format!("names the process {pid}"));
    }
}

#[test]
fn a_process_that_the_cluster_started_is_ended() {
    let mut started = None;
    let left = Left::new(|folder| {
        let child = Command::new("sleep").arg("600").env(crate::keeper::MARK, folder).spawn().unwrap();
        let child = started.insert(Other(child));
        // The kernel lets the starter go on before the new program's environment can be read.
        let environment = format!("/proc/{}/environ", child.0.id());
        while std::fs::read(&environment).unwrap().is_empty() {
            std::thread::yield_now();
        }
        Record { processes: vec![child.identity()], ..gone() }
    });
    // Nobody waits for it here, as nobody does for what a killed process left.
    let waiting = std::thread::spawn(move || started.unwrap().0.wait().unwrap());
    assert_eq!(left.sweep().unwrap(), 1);
    assert!(!waiting.join().unwrap().success());
}

#[test]
fn disks_outside_of_the_clusters_folder_stay_mounted_and_their_data_stays() {
    for elsewhere in ["/", "/dev/shm", "relative"] {
        Left::new(|_| Record { mounts: vec![elsewhere.into()], ..gone() }).refused("names the mounted folder");
    }
    Left::new(|folder| Record { mounts: vec![folder.join("../cluster-b2/n1")], ..gone() }).refused("cluster-b2/n1");
    Left::new(|folder| Record { mounts: vec![folder.join("..")], ..gone() }).refused("names the mounted folder");
    Left::new(|folder| Record { mounts: vec![folder.to_owned()], ..gone() }).refused("names the mounted folder");
}

#[test]
fn a_control_group_that_is_not_the_clusters_stays() {
    for group in ["user.slice", "../../../tmp", "diskwright-b2-n1", "diskwright-a1-../x", "diskwright-a1-n1/.."] {
        Left::new(|_| Record { groups: vec![group.to_owned()], ..gone() }).refused("names the control group");
    }
    let own = Left::new(|_| Record { groups: vec!["diskwright-a1-n1".to_owned()], ..gone() });
    assert_eq!(own.sweep().unwrap(), 1);
}

#[test]
fn a_link_in_the_place_of_a_clusters_folder_is_not_followed() {
    let other = Left::new(|_| gone());
    let left = Left::new(|_| gone());
    symlink(&other.folder, left.place.path().join("cluster-b2")).unwrap();
    assert_eq!(left.sweep().unwrap(), 1);
    assert!(other.folder.exists());
}

#[test]
fn a_record_of_another_users_is_not_read() {
    let left = Left::new(|_| gone());
    std::os::unix::fs::chown(&left.folder, Some(65534), None).unwrap();
    let error = left.sweep().unwrap_err().to_string();
    assert!(error.contains("belongs to nobody (uid 65534)"), "{error}");
    assert!(left.folder.exists());
}
