//! Small questions to the system: tools, processes, kernel files.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::MountError;

/// Where tools of administrators are, which is not always on the path.
const ADMINISTRATORS: [&str; 3] = ["/usr/local/sbin", "/usr/sbin", "/sbin"];

/// A tool's program.
///
/// # Errors
/// When it is not installed, with the package that has it.
pub(crate) fn tool(name: &str, package: &str) -> Result<PathBuf, MountError> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain(ADMINISTRATORS.iter().map(PathBuf::from));
    let mut found = folders.map(|folder| folder.join(name)).filter(|program| program.is_file());
    found.next().ok_or_else(|| {
        MountError::Environment(format!("`{name}` is not installed: install the package {package} and try again"))
    })
}

/// Runs a tool to its end and answers its exit code and what it said, in one line.
pub(crate) fn run(program: &Path, args: &[&std::ffi::OsStr]) -> Result<(i32, String), MountError> {
    let name = program.display();
    let output = Command::new(program).args(args).stdin(Stdio::null()).output();
    let output = output.map_err(|error| MountError::system(format!("`{name}` cannot be run"), error))?;
    let said = [output.stdout, output.stderr].concat();
    let said: Vec<_> = String::from_utf8_lossy(&said).split_whitespace().map(str::to_owned).collect();
    // Killed by a signal counts as the shell counts it.
    Ok((output.status.code().unwrap_or(128), said.join(" ")))
}

/// Runs a tool that has to succeed; answers what it said.
pub(crate) fn must(program: &Path, args: &[&std::ffi::OsStr]) -> Result<String, MountError> {
    match run(program, args)? {
        (0, said) => Ok(said),
        (code, said) => {
            let args: Vec<_> = args.iter().map(|arg| arg.to_string_lossy()).collect();
            Err(MountError::Environment(format!(
                "`{} {}` ended with {code}: {said}",
                program.display(),
                args.join(" ")
            )))
        }
    }
}

/// When a process started, in clock ticks since the machine did; `None` if there is none, only its corpse, or one that was
/// killed: such a one may wait for its own disk, for ever.
pub(crate) fn process_started(pid: i32) -> Option<u64> {
    let start = started(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)?;
    let is_killed = std::fs::read_to_string(format!("/proc/{pid}/status")).is_ok_and(|status| killed(&status));
    (!is_killed).then_some(start)
}

/// Whether nothing of a process can do anything any more.
pub(crate) fn process_is_gone(pid: i32) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat")).map_or(true, |stat| started(&stat).is_none())
}

/// Whether `/proc/PID/status` shows a SIGKILL on its way, proc_pid_status(5): masks in hexadecimal, the first signal's bit
/// is the lowest.
fn killed(status: &str) -> bool {
    const KILL: u64 = 1 << (nix::sys::signal::Signal::SIGKILL as u64 - 1);
    let masks = status.lines().filter_map(|line| line.strip_prefix("SigPnd:").or(line.strip_prefix("ShdPnd:")));
    masks.filter_map(|mask| u64::from_str_radix(mask.trim(), 16).ok()).any(|mask| mask & KILL != 0)
}

/// Reads a line of `/proc/PID/stat`, proc_pid_stat(5). The name, in parentheses, may hold anything.
fn started(stat: &str) -> Option<u64> {
    const STATE: usize = 3;
    const START: usize = 22;
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    let state = fields.next()?;
    if matches!(state, "Z" | "X") {
        return None;
    }
    fields.nth(START - STATE - 1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_has_started_and_none_has_number_zero() {
        assert!(process_started(std::process::id() as i32).is_some());
        assert_eq!(process_started(0), None);
    }

    #[test]
    fn a_kill_on_its_way_is_seen() {
        let status =
            |mask| format!("Name:\ta\nSigPnd:\t{mask}\nShdPnd:\t0000000000000000\nSigBlk:\t0000000000000100\n");
        assert!(killed(&status("0000000000000100")));
        assert!(!killed(&status("0000000000004000")), "SIGTERM");
        assert!(!killed(&std::fs::read_to_string("/proc/self/status").unwrap()));
    }

    #[test]
    fn a_start_is_read_after_any_name_and_a_corpse_has_none() {
        let rest = "1 1 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 4711 9 9";
        assert_eq!(started(&format!("7 (a) b) S {rest}")), Some(4711));
        assert_eq!(started(&format!("7 (a) Z {rest}")), None);
    }

    #[test]
    fn a_missing_tool_is_named_with_its_package() {
        let error = tool("mkfs.nothing", "nothing-progs").unwrap_err();
        assert_eq!(error.exit_code(), 3);
        assert!(error.to_string().contains("mkfs.nothing") && error.to_string().contains("nothing-progs"), "{error}");
    }
}
