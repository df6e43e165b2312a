//! A host script run on loop devices, with folders of its own in the place of `/etc` and `/var/lib/diskwright`. Needs root.

use crate::common;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::{deployment, passes, rendered};
use render::{FileFormat, TikvVersion};

/// A file as a block device, let go when dropped.
struct Loop(String);

impl Loop {
    fn new(file: PathBuf) -> Self {
        File::create(&file).unwrap().set_len(64 << 20).unwrap();
        let output = passes(Command::new("losetup").args(["--find", "--show"]).arg(file));
        Self(String::from_utf8(output.stdout).unwrap().trim().to_owned())
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = Command::new("losetup").args(["--detach", &self.0]).status();
    }
}

/// The script in a mount namespace of its own: nothing of the machine's is changed.
fn inside(folder: &Path, commands: &str) -> Command {
    let script = format!(
        "set -e\nmount --make-rprivate /\ncp -a /etc etc\nmount --bind etc /etc\nmkdir lib\nmount --bind lib /var/lib\n{commands}"
    );
    let mut command = Command::new("unshare");
    command.args(["--mount", "bash", "-c", &script]).current_dir(folder);
    command
}

#[test]
fn disks_are_made_ready_once_and_devices_in_use_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let files = rendered(&deployment("raft-dedicated.toml"), TikvVersion::V8_5);
    let script: Vec<_> = files.into_iter().filter(|file| file.format == FileFormat::Host).collect();
    render::write(&script, folder.path(), false).unwrap();
    let [data, log] = ["data.img", "log.img"].map(|name| Loop::new(folder.path().join(name)));
    let run = format!("./prepare-tikv.sh --data {} --log {} --user root", data.0, log.0);
    let twice = format!(
        "{run}\n{run}\nfindmnt --noheadings --output SOURCE,OPTIONS /var/lib/diskwright/data\n\
         test -d /var/lib/diskwright/data/tikv -a -d /var/lib/diskwright/raft/raft-engine\n\
         grep --count /var/lib/diskwright /etc/fstab\n"
    );
    let said = String::from_utf8(passes(&mut inside(folder.path(), &twice)).stdout).unwrap();
    assert!(said.contains("/var/lib/diskwright/data is mounted already: left as it is"), "{said}");
    let mounted = said.lines().find(|line| line.starts_with(&data.0)).unwrap_or_else(|| panic!("{said}"));
    assert!(mounted.contains("noatime") && mounted.contains("nodelalloc"), "{said}");
    assert!(said.lines().any(|line| line == "2"), "each disk stands in fstab once: {said}");

    let again = tempfile::tempdir().unwrap();
    render::write(&script, again.path(), false).unwrap();
    let output = inside(again.path(), &run).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains(&format!("{} holds something", data.0)), "{said}");
}
