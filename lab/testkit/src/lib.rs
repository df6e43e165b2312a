//! The programs that `make tools` puts in place, for tests and benchmarks.

#![forbid(unsafe_code)]

use std::os::unix::fs::{MetadataExt, lchown};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A program by its name: beside the folder of the profile that this one was built in, where `make tools` puts it, or on the path.
pub fn tool(name: &str) -> Command {
    Command::new(program(name))
}

fn program(name: &str) -> PathBuf {
    let own = Some(folder("bin").join(name)).filter(|path| path.is_file());
    own.unwrap_or_else(|| PathBuf::from(name))
}

/// `nobody` and its group, on every Linux.
const NOBODY: u32 = 65534;

/// Becomes `nobody` and then the program `$1`, from an open file where it lies in a folder that only root can enter.
const BECOME: &str = r#"name=$(command -v "$1") && exec 9< "$name" || exit 127
shift
exec setpriv --reuid 65534 --regid 65534 --clear-groups --no-new-privs --pdeathsig KILL -- /proc/self/fd/9 "$@""#;

/// A program as [`tool`] finds it, to serve while a test runs: it begins in `work`, to which its arguments' paths are relative. For
/// root it runs as `nobody`, to whom the folder is given with all that is in it.
///
/// # Errors
/// When the folder cannot be given.
pub fn server(name: &str, work: &Path) -> std::io::Result<Command> {
    let is_root = std::fs::metadata("/proc/self")?.uid() == 0;
    let mut command = if is_root { Command::new("/bin/sh") } else { tool(name) };
    if is_root {
        give(work)?;
        command.args(["-c", BECOME, "sh"]).arg(program(name));
    }
    command.current_dir(work);
    Ok(command)
}

fn give(path: &Path) -> std::io::Result<()> {
    if path.symlink_metadata()?.is_dir() {
        for entry in std::fs::read_dir(path)? {
            give(&entry?.path())?;
        }
    }
    lchown(path, Some(NOBODY), Some(NOBODY))
}

/// A folder that `make tools` puts in place, beside that of the profile that this program was built in.
pub fn folder(name: &str) -> PathBuf {
    let target = std::env::current_exe().ok().and_then(|path| path.ancestors().nth(3).map(Path::to_owned));
    target.unwrap_or_default().join("tools").join(name)
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_make_tools_does_not_put_in_place_is_on_the_path() {
        let said = super::tool("echo").arg("here").output().unwrap();
        assert_eq!(said.stdout, b"here\n");
    }

    #[test]
    fn a_server_of_roots_is_nobody_and_has_its_folder() {
        let work = tempfile::tempdir().unwrap();
        std::fs::write(work.path().join("config"), "").unwrap();
        let script = "id -u; test -w config && touch new && ! test -r /root && echo mine";
        let said = super::server("sh", work.path()).unwrap().args(["-c", script]).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&said.stdout), "65534\nmine\n", "run this as root: {said:?}");
    }
}
