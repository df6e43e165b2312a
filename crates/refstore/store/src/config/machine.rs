//! The processors and the memory that this process may use: the cgroup's share, not the machine's.

use std::fs;
use std::path::{Path, PathBuf};

/// What defaults depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostMachine {
    /// Processors.
    pub cpus: usize,
    /// Bytes of memory.
    pub memory: u64,
}

impl HostMachine {
    /// What this process may use: the least of the machine's memory and the limits of its cgroups, version 1 or 2.
    pub fn here() -> Self {
        let cpus = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let total = nix::sys::sysinfo::sysinfo().map_or(1 << 30, |info| info.ram_total());
        let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        let limit = limit_files(&groups, Path::new("/sys/fs/cgroup")).iter().filter_map(|file| limit(file)).min();
        Self { cpus, memory: limit.unwrap_or(u64::MAX).min(total) }
    }
}

/// The files that may limit the memory, from the process's own cgroup up: every ancestor counts.
fn limit_files(groups: &str, root: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else { continue };
        let (base, name) = if controllers.split(',').any(|c| c == "memory") {
            (root.join("memory"), "memory.limit_in_bytes")
        } else if controllers.is_empty() {
            (root.to_owned(), "memory.max")
        } else {
            continue;
        };
        let group = Path::new(path.trim_start_matches('/'));
        // In a container the path may be the host's, of which only the root is seen: the last ancestor covers that.
        files.extend(group.ancestors().map(|ancestor| base.join(ancestor).join(name)));
    }
    files
}

fn limit(file: &Path) -> Option<u64> {
    fs::read_to_string(file).ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_of_any_ancestor_counts_in_either_version() {
        let root = tempfile::tempdir().unwrap();
        let (v1, v2) = (root.path().join("memory/outer/inner"), root.path().join("slice"));
        fs::create_dir_all(&v1).unwrap();
        fs::create_dir_all(&v2).unwrap();
        fs::write(v1.join("memory.limit_in_bytes"), "9223372036854771712\n").unwrap();
        fs::write(root.path().join("memory/outer/memory.limit_in_bytes"), "268435456\n").unwrap();
        fs::write(v2.join("memory.max"), "max\n").unwrap();
        let groups = "12:cpu,cpuacct:/x\n3:memory:/outer/inner\n0::/slice\n";
        let limits: Vec<u64> = limit_files(groups, root.path()).iter().filter_map(|file| limit(file)).collect();
        assert_eq!(limits.iter().min(), Some(&(256 << 20)));
        assert_eq!(limits.len(), 2);
    }

    #[test]
    fn this_machine_has_memory_and_a_processor() {
        let here = HostMachine::here();
        assert!(here.cpus >= 1 && here.memory > 1 << 20);
    }
}
