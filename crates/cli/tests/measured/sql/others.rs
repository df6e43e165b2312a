//! Other users of the machine get at nothing of a run. Needs root, to be two users.

use std::path::Path;
use std::process::{Command, Output};

use nix::sys::signal::Signal;

use crate::sql::place::Place;

const NOBODY: u32 = 65534;

/// Runs a program as another user.
fn by(user: u32, program: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new("setpriv");
    command.args([format!("--reuid={user}"), format!("--regid={user}"), "--clear-groups".to_owned(), "--".to_owned()]);
    command.arg(program).args(arguments).output().unwrap()
}

fn user_of(pid: i32) -> u32 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let uids = status.lines().find_map(|line| line.strip_prefix("Uid:")).unwrap();
    let uids: Vec<u32> = uids.split_whitespace().map(|uid| uid.parse().unwrap()).collect();
    assert!(uids.iter().all(|uid| *uid == uids[0]), "it could become another: {uids:?}");
    uids[0]
}

#[track_caller]
fn refused(output: &Output, says: &str) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains(says), "not refused with `{says}`: {output:?}");
}

#[test]
fn while_a_server_runs_another_user_is_kept_out_and_the_server_itself_is_not_root() {
    assert!(nix::unistd::geteuid().is_root(), "this test is two users: run it as root");
    let place = Place::new();
    let run = place.spawn("bench @inserts.toml --launch mariadb --on @fast.toml --least 60s --scratch @scratch");
    place.until("rows come in", || place.sql("SELECT COUNT(*) > 10 FROM bench.random_rows").as_deref() == Some("1"));
    let (pid, socket, folder) = (place.server().unwrap(), place.socket().unwrap(), place.started().unwrap());

    let user = user_of(pid);
    assert!(user != 0 && user != NOBODY, "the server runs as {user}");
    let environment = std::fs::read_to_string(format!("/proc/{pid}/environ")).unwrap();
    assert!(!environment.contains("CARGO"), "it got the environment of its starter: {environment}");

    let log_in = ["--no-defaults", "-u", "root", "-S", socket.to_str().unwrap(), "-e", "SELECT 1"];
    refused(&by(NOBODY, "mariadb", &log_in), "(13)");
    // Nor does the socket alone let anybody in.
    refused(&by(user, "mariadb", &log_in), "Access denied");
    let below = ["", "sql", "sql/files", "n1", "n1/data", "n1/data/mysql", "backing"];
    for path in below.iter().map(|name| folder.join(name)).chain([place.path("scratch")]) {
        assert!(path.is_dir(), "{} is not there", path.display());
        refused(&by(NOBODY, "ls", &[path.to_str().unwrap()]), "Permission denied");
    }
    for file in ["sql/sql.cnf", "sql.log", "cluster.json"] {
        refused(&by(NOBODY, "cat", &[folder.join(file).to_str().unwrap()]), "Permission denied");
    }
    // What the server may do itself ends at its own files.
    refused(&by(user, "ls", &[folder.to_str().unwrap()]), "Permission denied");
    refused(&by(user, "cat", &[folder.join("cluster.json").to_str().unwrap()]), "Permission denied");

    let outside = place.path("outside");
    assert_eq!(place.sql(&format!("SELECT 'x' INTO OUTFILE '{}'", outside.display())), None);
    assert!(!outside.exists());
    let inside = folder.join("sql/files/inside");
    place.sql(&format!("SELECT 'x' INTO OUTFILE '{}'", inside.display()));
    assert_eq!(std::fs::read_to_string(&inside).unwrap(), "x\n");
    assert_eq!(place.sql("SELECT @@skip_networking").as_deref(), Some("1"));

    place.kill(run.id() as i32, Signal::SIGINT);
    assert_eq!(place.wait(run).code, 130);
    assert!(!Path::new(&format!("/proc/{pid}")).exists(), "the server runs on");
    place.is_clear();
}

#[test]
fn a_scratch_folder_that_the_servers_user_cannot_reach_is_refused_with_what_keeps_it_out() {
    let place = Place::new();
    let closed = place.path("closed");
    private_dir::open(&closed, private_dir::FolderPurpose::SCRATCH).unwrap();
    let run = place.run("bench @inserts.toml --launch mariadb --on @fast.toml --scratch @closed/scratch");
    assert_eq!(run.code, 3, "{run:?}");
    for says in [closed.to_str().unwrap(), "may not pass through", "--scratch DIR", "/dev/shm"] {
        assert!(run.stderr.contains(says), "`{says}` is not in {run:?}");
    }
    place.is_clear();
}
