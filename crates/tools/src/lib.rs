//! The programs that `make tools` puts in place, for tests and benchmarks.

#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};
use std::process::Command;

/// A program by its name: beside the folder of the profile that this one was built in, where `make tools` puts it, or on the path.
pub fn tool(name: &str) -> Command {
    let own = Some(folder("bin").join(name)).filter(|path| path.is_file());
    Command::new(own.unwrap_or_else(|| PathBuf::from(name)))
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
}
