//! A control group for one process: what it may take of the memory, its page cache included.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use units::Bytes;

use crate::ClusterError;

/// Where systems mount control groups (systemd; cgroups(7)).
const MOUNTED: &str = "/sys/fs/cgroup";

/// How this machine keeps the memory of control groups: the files of the kernel's cgroup-v2.rst and cgroup-v1/memory.rst.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Hierarchy {
    root: PathBuf,
    limit: &'static str,
    /// The limit that counts swap too, and whether it is of swap alone.
    swap: (&'static str, bool),
    used: &'static str,
    /// Where it counts the processes that it has killed for want of memory, as `oom_kill`.
    killed: &'static str,
}

impl Hierarchy {
    /// The one below this folder: version 2, else version 1.
    fn below(mounted: &Path) -> Option<Self> {
        let controllers = fs::read_to_string(mounted.join("cgroup.controllers")).unwrap_or_default();
        if controllers.split_whitespace().any(|controller| controller == "memory") {
            let (limit, swap, used) = ("memory.max", ("memory.swap.max", true), "memory.current");
            return Some(Self { root: mounted.to_owned(), limit, swap, used, killed: "memory.events" });
        }
        let root = mounted.join("memory");
        let swap = ("memory.memsw.limit_in_bytes", false);
        let (limit, used) = ("memory.limit_in_bytes", "memory.usage_in_bytes");
        root.join(limit).exists().then_some(Self { root, limit, swap, used, killed: "memory.oom_control" })
    }

    fn here() -> Option<Self> {
        Self::below(Path::new(MOUNTED))
    }
}

/// A group with a memory limit; removed when dropped.
#[derive(Debug)]
pub(crate) struct Group {
    hierarchy: Hierarchy,
    name: String,
    limit: Bytes,
}

impl Group {
    /// Makes a group that may take so much memory, of either version of control groups.
    ///
    /// # Errors
    /// When this machine has no control group of memory to give.
    pub(crate) fn new(name: &str, limit: Bytes) -> Result<Self, ClusterError> {
        type Cause = Box<dyn std::error::Error + Send + Sync>;
        let failed = |what: &'static str, source: Cause| ClusterError::MemoryLimit {
            group: name.to_owned(),
            limit,
            what,
            source,
        };
        check(name)?;
        let hierarchy = Hierarchy::here();
        let hierarchy =
            hierarchy.ok_or_else(|| failed("no group", format!("{MOUNTED} has no memory controller").into()))?;
        // Of version 2 groups below the root have only what it hands down; of version 1 there is no such file.
        let _ = fs::write(hierarchy.root.join("cgroup.subtree_control"), "+memory");
        fs::create_dir_all(hierarchy.root.join(name)).map_err(|error| failed("no group", error.into()))?;
        let group = Self { hierarchy, name: name.to_owned(), limit };
        group.set(group.hierarchy.limit, limit).map_err(|error| failed("no limit", error.into()))?;
        // Without this the limit only moves to swap. Where swap is not accounted for there is nothing to set.
        let (file, alone) = group.hierarchy.swap;
        let _ = group.set(file, if alone { Bytes(0) } else { limit });
        Ok(group)
    }

    fn folder(&self) -> PathBuf {
        self.hierarchy.root.join(&self.name)
    }

    fn set(&self, file: &str, bytes: Bytes) -> std::io::Result<()> {
        fs::write(self.folder().join(file), bytes.0.to_string())
    }

    /// The file to which a process writes its number to be in the group.
    pub(crate) fn door(&self) -> PathBuf {
        self.folder().join("cgroup.procs")
    }

    /// What its processes take now, page cache included.
    pub(crate) fn used(&self) -> Option<Bytes> {
        fs::read_to_string(self.folder().join(self.hierarchy.used)).ok()?.trim().parse().ok().map(Bytes)
    }

    /// What its processes may take, if the kernel has killed one that wanted more.
    pub(crate) fn exceeded(&self) -> Option<Bytes> {
        let text = fs::read_to_string(self.folder().join(self.hierarchy.killed)).ok()?;
        let count = text.lines().find_map(|line| line.strip_prefix("oom_kill "))?;
        (count.trim() != "0").then_some(self.limit)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if let Err(error) = remove(&self.name) {
            textfile::log_line(error);
        }
    }
}

/// Refuses a name that is none of a group of ours directly below the root: names are joined to the kernel's paths.
pub(crate) fn check(name: &str) -> Result<(), ClusterError> {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '_';
    if name.starts_with("diskwright-") && name.chars().all(plain) {
        return Ok(());
    }
    Err(ClusterError::ForeignGroup { group: name.to_owned() })
}

/// Removes a group whose processes have ended; fine if there is none.
pub(crate) fn remove(name: &str) -> Result<(), ClusterError> {
    check(name)?;
    /// The kernel takes a moment to forget a process that was waited for.
    const PATIENCE: Duration = Duration::from_secs(5);
    let Some(hierarchy) = Hierarchy::here() else { return Ok(()) };
    let folder = hierarchy.root.join(name);
    let from = Instant::now();
    loop {
        match fs::remove_dir(&folder) {
            Ok(()) => return Ok(()),
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(_) if from.elapsed() < PATIENCE => std::thread::sleep(Duration::from_millis(10)),
            Err(error) => {
                let folder = folder.display();
                return Err(ClusterError::system(format!("the control group {folder} stays"), error));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    fn unique(what: &str) -> String {
        format!("diskwright-test-{}-{what}", std::process::id())
    }

    /// Runs a script in a group; answers whether it went well.
    fn run(group: &Group, script: &str) -> bool {
        let door = group.door();
        let script = format!("echo $$ > {} && {script}", door.display());
        Command::new("/bin/sh").args(["-c", &script]).status().unwrap().success()
    }

    #[test]
    fn a_group_limits_the_page_cache_and_is_removed() {
        let limit = Bytes::mib(16);
        let group = Group::new(&unique("cache"), limit).unwrap();
        let folder = group.door().parent().unwrap().to_owned();
        // On a disk: what lies in memory only cannot leave the cache.
        let file = tempfile::NamedTempFile::new_in("/var/tmp").unwrap();
        let path = file.path().display();
        // What was written stays in the cache, as far as it may: four times the limit passes through it.
        assert!(run(&group, &format!("dd if=/dev/zero of={path} bs=1M count=64 conv=fsync 2> /dev/null")));
        let used = group.used().unwrap();
        assert!(used <= limit, "{used} are in memory");
        assert!(used >= Bytes::mib(1), "only {used} are in memory: the group did not hold the cache");
        drop(group);
        assert!(!folder.exists());
    }

    #[test]
    fn a_process_that_takes_more_is_ended() {
        let group = Group::new(&unique("heap"), Bytes::mib(16)).unwrap();
        assert_eq!(group.exceeded(), None);
        assert!(!run(&group, "exec dd if=/dev/zero of=/dev/null bs=64M count=1 2> /dev/null"));
        assert_eq!(group.exceeded(), Some(Bytes::mib(16)));
    }

    #[test]
    fn either_version_is_found_where_systems_mount_it() {
        let mounted = tempfile::tempdir().unwrap();
        let of = || Hierarchy::below(mounted.path()).map(|hierarchy| hierarchy.limit);
        assert_eq!(of(), None);
        fs::create_dir(mounted.path().join("memory")).unwrap();
        fs::write(mounted.path().join("memory/memory.limit_in_bytes"), "").unwrap();
        assert_eq!(of(), Some("memory.limit_in_bytes"));
        // A machine may mount version 2 beside version 1, with no controller in it.
        fs::write(mounted.path().join("cgroup.controllers"), "hugetlb\n").unwrap();
        assert_eq!(of(), Some("memory.limit_in_bytes"));
        fs::write(mounted.path().join("cgroup.controllers"), "cpu io memory\n").unwrap();
        assert_eq!(of(), Some("memory.max"));
    }

    #[test]
    fn a_name_that_leads_elsewhere_is_refused() {
        for name in ["", ".", "..", "system.slice", "/", "diskwright-/../..", "diskwright-a/b", "../diskwright-a"] {
            let error = remove(name).unwrap_err();
            assert!(error.to_string().contains("no control group of diskwright's"), "{error}");
            assert!(Group::new(name, Bytes::mib(16)).is_err());
        }
    }

    #[test]
    fn a_group_that_is_not_there_is_fine_to_remove() {
        remove(&unique("none")).unwrap();
    }
}
