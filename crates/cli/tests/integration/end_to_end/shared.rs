//! A machine with other users: what one of them put in the place of a folder of ours is refused, with whose it is, and nothing
//! that it says is done. Needs root, to be two users.

use std::path::Path;
use std::process::{Child, Command};

use nix::unistd::Uid;

use crate::end_to_end::common::{Run, read};

const STORE: &str = "engine = \"tikv\"\nregion = \"us-west-2\"\nzones = 1\n[settings]\nreplicas = 1\n[[nodes]]\nrole = \"storage\"\n\
                     count = 1\ninstance = \"m5.2xlarge\"\ndata = \"gp3:100GiB\"\n";
const MARIADB: &str = "engine = \"innodb\"\nregion = \"us-west-2\"\nzones = 1\n[[nodes]]\nrole = \"storage\"\ncount = 1\n\
                       instance = \"m5.2xlarge\"\ndata = \"unlimited:2GiB\"\n";

/// A process that a planted record names; it must outlive the test.
struct Bystander(Child);

impl Bystander {
    fn lives(&mut self) -> bool {
        matches!(self.0.try_wait(), Ok(None))
    }

    /// A record that names it as one of a cluster whose process is gone, and much else.
    fn record(&self) -> String {
        let pid = self.0.id();
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
        let started = stat.rsplit_once(')').unwrap().1.split_whitespace().nth(19).unwrap();
        format!(
            r#"{{"starter":[1,1],"processes":[[{pid},{started}]],"mounts":["/dev/shm"],"groups":["../../../../../dev/shm/keep"]}}"#
        )
    }
}

impl Drop for Bystander {
    fn drop(&mut self) {
        let _ = self.0.kill().and_then(|()| self.0.wait());
    }
}

/// Runs the binary where `nobody` made `folder` first, with a record in it. What lies above it is empty memory, which only this run
/// sees.
fn run(folder: &str, record: &str, line: &[&str], own: &Path) -> Run {
    let above = Path::new(folder).ancestors().skip(1).find(|above| above.is_dir()).unwrap();
    let script = "mount -t tmpfs -o mode=1777 none \"$1\"; mkdir -p \"$1/keep\" \"$2/cluster-a1\"\n\
                  printf %s \"$3\" > \"$2/cluster-a1/cluster.json\"; chown -R nobody \"$2\"; above=$1; shift 3\n\
                  code=0; \"$@\" || code=$?; test -d \"$above/keep\" && exit $code";
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-ec", script, "sh"]).arg(above).args([folder, record]);
    command.arg(env!("CARGO_BIN_EXE_diskwright")).args(line).current_dir("../..");
    command.env_remove("DISKWRIGHT_PILOT").env("DISKWRIGHT_RUN", own.join("run"));
    // They are looked for before the folder is, and never started.
    command.env("DISKWRIGHT_STORE", "/bin/true").env("DISKWRIGHT_PD", "/bin/true");
    if folder == "/run/diskwright" {
        command.env_remove("DISKWRIGHT_RUN");
    }
    read(command.output().unwrap())
}

#[test]
fn each_default_folder_that_another_user_made_first_is_refused_and_what_lies_in_it_is_not_believed() {
    assert!(Uid::effective().is_root(), "this test gives folders to `nobody`: run it as root");
    let own = tempfile::tempdir().unwrap();
    let files = [("store.toml", STORE), ("mariadb.toml", MARIADB)].map(|(name, text)| {
        let path = own.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    });
    let mut bystander = Bystander(Command::new("sleep").arg("600").spawn().unwrap());
    let disk = own.path().join("disk").to_str().unwrap().to_owned();
    let (bench, state) = ("/dev/shm/diskwright-bench", "/run/diskwright");
    let lines: [(&str, &[&str], &str); 8] = [
        (bench, &["bench", "examples/ycsb-a-uniform.toml", "--records", "1k", "--on", &files[0]], "--scratch DIR"),
        (
            bench,
            &["bench", "examples/rds-inserts.toml", "--records", "1k", "--launch", "mariadb", "--on", &files[1]],
            "--scratch DIR",
        ),
        (bench, &["bench", "study", "examples/rds-study/study.toml"], "--scratch DIR"),
        ("/dev/shm/diskwright-prove", &["plan", "examples/mix.toml", "--prove", "1"], "--scratch DIR"),
        ("/dev/shm/diskwright-claims", &["claims", "--run", "mount", "--id", "A22"], "--scratch DIR"),
        (state, &["disks"], "DISKWRIGHT_RUN"),
        ("/var/lib/diskwright", &["mount", "gp3:1GiB", &disk], "--backing DIR"),
        ("/var/lib/diskwright/pilot", &["pilot", "status"], "--journal DIR"),
    ];
    for (folder, line, choose) in lines {
        let run = run(folder, &bystander.record(), line, own.path());
        assert_eq!((run.code, run.stdout.as_str()), (3, ""), "{line:?}: {}", run.stderr);
        for says in [folder, "belongs to nobody (uid 65534)", "root (uid 0)", choose] {
            assert!(run.stderr.contains(says), "{line:?} does not say `{says}`: {}", run.stderr);
        }
        assert!(bystander.lives(), "{line:?} ended a process that it did not start");
    }
}
