use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::process::{Command, Stdio};

use crate::http;

fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_diskwright-pd"))
}

#[test]
fn it_says_where_it_serves_and_stops_when_told() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = program();
    command.args(["--client-urls", "http://127.0.0.1:0", "--data-dir"]).arg(folder.path());
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    out.read_line(&mut line).unwrap();
    let ready: serde_json::Value = serde_json::from_str(&line).unwrap();
    let addr: SocketAddr = ready["addr"].as_str().unwrap().parse().unwrap();
    assert_eq!(http(addr, "GET", "/pd/api/v1/ping", "").0, 200);
    let told = Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    assert!(told.success());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let mut rest = String::new();
    out.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "", "one line only");
}

#[test]
fn wrong_input_ends_with_2_and_words() {
    let folder = tempfile::tempdir().unwrap();
    let keys = folder.path().join("keys");
    std::fs::write(&keys, "62\n61\n").unwrap();
    let keys = keys.display().to_string();
    for (arguments, words) in [
        (vec!["--replicas", "5"], "--replicas 5 but --stores 3"),
        (vec!["--split-keys", &keys], "line 2: 61 sorts before the line above it"),
        (vec!["--regions", "0"], "--regions 0: expected 1 to 65536"),
        (vec!["--client-urls", "http://0.0.0.0:0"], "--allow-remote"),
    ] {
        let output = program().arg("--data-dir").arg(folder.path().join("pd")).args(&arguments).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(words), "{said}");
    }
}

#[test]
fn an_address_in_use_ends_with_3() {
    let folder = tempfile::tempdir().unwrap();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", taken.local_addr().unwrap());
    let output = program().args(["--client-urls", &url, "--data-dir"]).arg(folder.path()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("cannot listen on 127.0.0.1:"), "{said}");
}
