use super::*;

/// A fake program in place of a node: it runs `script`.
fn start(folder: &Path, script: &str) -> Process {
    let keeper = Keeper::new().unwrap();
    let arguments = ["-c".to_owned(), script.to_owned()];
    let program = Path::new("/bin/sh");
    let order = Order { program, arguments: &arguments, door: None, account: None, cluster: folder };
    let process = Process::start(&keeper, "n1", &order, &folder.join("log")).unwrap();
    // The keeper must outlive what it started.
    std::mem::forget(keeper);
    process
}

fn options(patience: Duration) -> ClusterOptions {
    ClusterOptions { patience, ..ClusterOptions::default() }
}

const LONG: Duration = Duration::from_secs(30);

#[test]
fn a_program_is_ready_once_it_says_where_it_serves() {
    let folder = tempfile::tempdir().unwrap();
    let line = r#"{"addr":"127.0.0.1:20160","status_addr":"127.0.0.1:20180"}"#;
    let mut process = start(folder.path(), &format!("echo starting >&2; echo '{line}'; exec sleep 60"));
    let ready = process.starting().ready(&options(LONG), &folder.path().join("log")).unwrap();
    assert_eq!(ready.addr.port(), 20160);
    assert_eq!(ready.status_addr.unwrap().port(), 20180);
    assert_eq!(tail(&folder.path().join("log")), "starting");
    let pid = process.pid();
    assert!(started(pid).is_some());
    drop(process);
    assert_eq!(started(pid), None);
}

#[test]
fn a_program_that_ends_is_told_with_the_end_of_its_log() {
    let folder = tempfile::tempdir().unwrap();
    let mut process = start(folder.path(), "echo 'no room' >&2; exit 3");
    let error = process.starting().ready(&options(LONG), &folder.path().join("log")).unwrap_err();
    assert_eq!(error.exit_code(), 3);
    assert_eq!(error.to_string(), "n1 ended before it was ready; its log:\nno room");
}

#[test]
fn a_program_that_says_something_else_is_not_ready() {
    let folder = tempfile::tempdir().unwrap();
    let mut process = start(folder.path(), "echo hello; exec sleep 60");
    let error = process.starting().ready(&options(LONG), &folder.path().join("log")).unwrap_err();
    assert!(error.to_string().starts_with("n1 says `hello`, not where it serves"), "{error}");
}

#[test]
fn a_program_that_takes_too_long_is_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let mut process = start(folder.path(), "exec sleep 60");
    let error = process.starting().ready(&options(Duration::from_millis(1)), &folder.path().join("log")).unwrap_err();
    assert!(error.to_string().contains("was not ready within 1ms"), "{error}");
    let interrupted = options(LONG);
    interrupted.interrupted.store(true, std::sync::atomic::Ordering::Relaxed);
    let error = process.starting().ready(&interrupted, &folder.path().join("log")).unwrap_err();
    assert!(matches!(error, ClusterError::Interrupted), "{error}");
}

#[test]
fn a_program_that_is_asked_to_end_does() {
    let folder = tempfile::tempdir().unwrap();
    let mut process =
        start(folder.path(), "trap 'exit 0' TERM; echo '{\"addr\":\"127.0.0.1:1\"}'; while :; do sleep 0.01; done");
    process.starting().ready(&options(LONG), &folder.path().join("log")).unwrap();
    assert!(process.is_running());
    assert_eq!(process.stop(), None);
    assert!(!process.is_running());
}

#[test]
fn a_program_ends_with_the_thread_that_keeps_it() {
    let folder = tempfile::tempdir().unwrap();
    let keeper = Keeper::new().unwrap();
    let arguments = ["60".to_owned()];
    let program = Path::new("/bin/sleep");
    let order = Order { program, arguments: &arguments, door: None, account: None, cluster: folder.path() };
    let mut process = Process::start(&keeper, "n1", &order, &folder.path().join("log")).unwrap();
    // Until the shell has become the program, the wish to end with the parent may not be known yet.
    let name = format!("/proc/{}/comm", process.pid());
    while std::fs::read_to_string(&name).unwrap().trim() != "sleep" {
        std::thread::sleep(Duration::from_millis(1));
    }
    drop(keeper);
    assert!(!process.wait(LONG).expect("it ends with its keeper").success());
}
