//! Secrets: to whom they are sent, and how.

use std::io::Write;
use std::process::{Command, Output};
use std::sync::{Arc, Mutex};

use crate::deaf_peers::live_pd::LivePd;
use crate::deaf_peers::peers::{Deaf, Peer, request};

fn run(line: &str, variables: &[(&str, &str)]) -> (i32, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_diskwright"));
    let Output { status, stderr, .. } =
        command.args(line.split_whitespace()).envs(variables.iter().copied()).output().unwrap();
    (status.code().expect("it ends by itself"), String::from_utf8_lossy(&stderr).into_owned())
}

const TOKEN: (&str, &str) = ("DISKWRIGHT_PROMETHEUS_TOKEN", "hush");

/// A server that answers everything with a redirect to a path of another, and what it heard.
fn leading_to(other: &str) -> (Peer, Arc<Mutex<String>>) {
    let (other, heard) = (other.to_owned(), Arc::<Mutex<String>>::default());
    let told = Arc::clone(&heard);
    let peer = Peer::serve(move |mut stream| {
        let Ok((head, _)) = request(&mut stream) else { return };
        told.lock().unwrap().push_str(&head);
        let _ = write!(stream, "HTTP/1.1 302 Go\r\nlocation: http://{other}/api\r\ncontent-length: 0\r\n\r\n");
    });
    (peer, heard)
}

#[test]
fn a_token_does_not_follow_a_redirect_to_another_server() {
    let other = Peer::start(Deaf::Silent);
    let (asked, heard) = leading_to(&other.address);
    let (code, said) = run(&format!("diagnose prometheus http://{}", asked.address), &[TOKEN]);
    assert!(code == 3 && said.contains(&asked.address) && said.contains(&other.address), "{code}: {said}");
    assert!(heard.lock().unwrap().contains("Bearer hush") && !said.contains("hush"), "{said}");
    let (code, said) = run(&format!("pilot run --pd http://{}", asked.address), &[("DISKWRIGHT_PD_TOKEN", "hush")]);
    assert!(code != 0 && said.contains(&other.address), "{code}: {said}");
    assert_eq!(other.reached(), 0);
}

#[test]
fn a_secret_leaves_this_machine_encrypted_or_not_at_all() {
    let live = LivePd::start();
    let folder = tempfile::tempdir().unwrap();
    let pilot = format!("pilot run --for 1s --pd http://{} --journal {}", live.peer.address, folder.path().display());
    // Nothing is sent there: it is refused before.
    for (line, variable) in [
        ("diagnose prometheus http://192.0.2.1:9090".to_owned(), TOKEN),
        ("diagnose prometheus http://192.0.2.1:9090 --user me".to_owned(), ("DISKWRIGHT_PROMETHEUS_PASSWORD", "hush")),
        (format!("{pilot} --prometheus http://192.0.2.1:9090"), TOKEN),
        ("pilot run --pd http://192.0.2.1:2379".to_owned(), ("DISKWRIGHT_PD_TOKEN", "hush")),
        (format!("{pilot} --tidb mysql://pilot@192.0.2.1"), ("DISKWRIGHT_DB_PASSWORD", "hush")),
        (
            "bench ../../examples/rds-inserts.toml --db mysql://bench@192.0.2.1/mine".to_owned(),
            ("DISKWRIGHT_DB_PASSWORD", "hush"),
        ),
    ] {
        let (code, said) = run(&line, &[variable]);
        assert!(code == 2 && said.contains("--insecure") && !said.contains("hush"), "{line}: {code}: {said}");
    }
    if cfg!(feature = "cloud") {
        let line = "diagnose cloudwatch --volume vol-0a1b2c3d --region us-west-2 --endpoint http://192.0.2.1";
        let (code, said) = run(line, &[]);
        assert!(code == 2 && said.contains("--insecure"), "{code}: {said}");
    }
}

#[cfg(feature = "cloud")]
#[test]
fn an_endpoint_of_one_service_of_aws_is_no_way_around_the_rule() {
    let keys = [("AWS_ACCESS_KEY_ID", "AKIANOBODY0000000000"), ("AWS_SECRET_ACCESS_KEY", "unsafe-secret")];
    let nobody = [("AWS_EC2_METADATA_DISABLED", "true"), ("AWS_CONFIG_FILE", "/nonexistent")];
    let peer = Peer::start(Deaf::Silent);
    let local = format!("http://{}", peer.address);
    let volume = "diagnose cloudwatch --volume vol-0a1b2c3d --region us-west-2";
    let role = "--role arn:aws:iam::123456789012:role/mine";
    let one_db = "diagnose rds mine --region us-west-2";
    for (line, service) in [
        (volume.to_owned(), "AWS_ENDPOINT_URL_EC2"),
        (one_db.to_owned(), "AWS_ENDPOINT_URL_RDS"),
        (format!("{volume} {role}"), "AWS_ENDPOINT_URL_STS"),
        (volume.to_owned(), "AWS_ENDPOINT_URL"),
    ] {
        let endpoint = [(service, "http://192.0.2.1")];
        let (code, said) = run(&line, &[keys, nobody, [endpoint[0], ("AWS_MAX_ATTEMPTS", "1")]].concat());
        assert!(code == 2 && said.contains("--insecure") && said.contains("192.0.2.1"), "{service}: {code}: {said}");
        assert!(!said.contains("unsafe-secret"), "{said}");
    }
    // Where one service is near, another that is far is refused when it is asked.
    let (code, said) = run(
        volume,
        &[keys, nobody, [("AWS_ENDPOINT_URL_EC2", "http://192.0.2.1"), ("AWS_ENDPOINT_URL", &local)]].concat(),
    );
    assert!(code == 2 && said.contains("192.0.2.1") && peer.reached() == 0, "{code}: {said}");
}

#[test]
fn a_password_in_an_argument_is_refused_with_the_way_to_give_it_and_is_not_repeated() {
    let live = LivePd::start();
    let folder = tempfile::tempdir().unwrap();
    let pilot = format!("pilot run --for 1s --pd http://{} --journal {}", live.peer.address, folder.path().display());
    let mut lines = vec![
        "diagnose prometheus http://me:hush@127.0.0.1:9".to_owned(),
        format!("{pilot} --prometheus http://me:hush@127.0.0.1:9"),
        "pilot run --pd http://me:hush@127.0.0.1:9".to_owned(),
        format!("{pilot} --tikv-status 1=http://me:hush@127.0.0.1:9"),
        format!("{pilot} --tidb mysql://me:hush@127.0.0.1:9"),
        format!("{pilot} --kubernetes https://me:hush@127.0.0.1:9"),
        format!("{pilot} --on examples/raft-dedicated.toml --limit 1=http://me:hush@127.0.0.1:9/metrics"),
        "bench examples/rds-inserts.toml --db mysql://me:hush@127.0.0.1:9/mine".to_owned(),
    ];
    if cfg!(feature = "cloud") {
        lines.push(
            "diagnose cloudwatch --volume vol-1 --region us-west-2 --endpoint http://me:hush@127.0.0.1:9".to_owned(),
        );
    }
    for line in lines {
        let mut command = Command::new(env!("CARGO_BIN_EXE_diskwright"));
        let ran = command.args(line.split_whitespace()).current_dir("../..").output().unwrap();
        let said = String::from_utf8_lossy(&ran.stderr);
        assert!(ran.status.code() == Some(2) && said.contains("password"), "{line}: {said}");
        assert!(!said.contains("hush"), "{line}: {said}");
    }
}
