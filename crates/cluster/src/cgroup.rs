//! A control group for one process: what it may take of the memory, its page cache included.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use cgroups_rs::fs::Controller;
use cgroups_rs::fs::cgroup::Cgroup;
use cgroups_rs::fs::hierarchies;
use cgroups_rs::fs::memory::MemController;
use units::Bytes;

use crate::ClusterError;

/// The only controller that is asked for.
const MEMORY: &str = "memory";

/// A group with a memory limit; removed when dropped.
#[derive(Debug)]
pub(crate) struct Group {
    group: Cgroup,
    name: String,
}

impl Group {
    /// Makes a group that may take so much memory, of either version of control groups.
    ///
    /// # Errors
    /// When this machine has no control group of memory to give.
    pub(crate) fn new(name: &str, limit: Bytes) -> Result<Self, ClusterError> {
        let failed = |what: &str, error: &dyn std::fmt::Display| {
            ClusterError::Environment(format!(
                "the memory of {name} cannot be limited: {what}: {error}. Run as root on a machine with the control group \
                 of memory (in a container: with its cgroup filesystem writable), or without a memory limit"
            ))
        };
        let only = Some(vec![MEMORY.to_owned()]);
        let group = Cgroup::new_with_specified_controllers(hierarchies::auto(), name, only);
        let group = Self { group: group.map_err(|error| failed("no group", &cause(&error)))?, name: name.to_owned() };
        let memory = group.memory().ok_or_else(|| failed("no group", &"the controller is not there"))?;
        let limited = i64::try_from(limit.0).map(|limit| memory.set_limit(limit));
        match limited {
            Ok(Ok(())) => {}
            Ok(Err(error)) => return Err(failed("no limit", &cause(&error))),
            Err(_) => return Err(ClusterError::Input(format!("{limit} of memory is more than any machine has"))),
        }
        // Without this the limit only moves to swap. Where swap is not accounted for there is nothing to set.
        let with_swap = if group.group.v2() { 0 } else { limit.0 as i64 };
        let _ = memory.set_memswap_limit(with_swap);
        Ok(group)
    }

    fn memory(&self) -> Option<&MemController> {
        self.group.controller_of()
    }

    /// The file to which a process writes its number to be in the group.
    pub(crate) fn door(&self) -> Option<PathBuf> {
        self.memory().map(|memory| memory.path().join("cgroup.procs"))
    }

    /// What its processes take now, page cache included.
    pub(crate) fn used(&self) -> Option<Bytes> {
        self.memory().map(|memory| Bytes(memory.memory_stat().usage_in_bytes))
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if let Err(error) = remove(&self.name) {
            eprintln!("{error}");
        }
    }
}

/// Removes a group whose processes have ended; fine if there is none.
pub(crate) fn remove(name: &str) -> Result<(), ClusterError> {
    /// The kernel takes a moment to forget a process that was waited for.
    const PATIENCE: Duration = Duration::from_secs(5);
    let only = vec![MEMORY.to_owned()];
    let group = Cgroup::load_with_specified_controllers(hierarchies::auto(), name, only);
    let Some(memory) = group.controller_of::<MemController>() else { return Ok(()) };
    let folder = memory.path().to_owned();
    let from = Instant::now();
    loop {
        match std::fs::remove_dir(&folder) {
            Ok(()) => return Ok(()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
            Err(_) if from.elapsed() < PATIENCE => std::thread::sleep(Duration::from_millis(10)),
            Err(error) => {
                let folder = folder.display();
                return Err(ClusterError::system(format!("the control group {folder} stays"), error));
            }
        }
    }
}

/// An error with what caused it, in one line.
fn cause(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text = format!("{text}: {error}");
        source = error.source();
    }
    text
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
        let door = group.door().unwrap();
        let script = format!("echo $$ > {} && {script}", door.display());
        Command::new("/bin/sh").args(["-c", &script]).status().unwrap().success()
    }

    #[test]
    fn a_group_limits_the_page_cache_and_is_removed() {
        let limit = Bytes::mib(16);
        let group = Group::new(&unique("cache"), limit).unwrap();
        let folder = group.door().unwrap().parent().unwrap().to_owned();
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
        assert!(!run(&group, "exec dd if=/dev/zero of=/dev/null bs=64M count=1 2> /dev/null"));
    }

    #[test]
    fn a_group_that_is_not_there_is_fine_to_remove() {
        remove(&unique("none")).unwrap();
    }
}
