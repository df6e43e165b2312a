//! What is said where the environment has no credentials or no region. The environment of a process cannot be changed safely,
//! so the test runs itself again in others.

use std::process::Command;

use aws::{AwsOptions, AwsSession, MetricRange};
use units::Nanos;

const CHILD: &str = "DISKWRIGHT_TEST_ENDPOINT";

/// What a process with only those variables is told.
fn told(variables: &[(&str, &str)]) -> String {
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "nobody::without_credentials_or_region_the_way_to_them_is_told", "--nocapture"])
        .env_clear()
        .envs([("HOME", "/nonexistent"), ("AWS_EC2_METADATA_DISABLED", "true"), (CHILD, "http://127.0.0.1:1")])
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    let output = String::from_utf8(child.stdout).unwrap();
    output.lines().find_map(|line| Some(line.split_once("told: ")?.1.to_owned())).expect("the child tells something")
}

#[test]
fn without_credentials_or_region_the_way_to_them_is_told() {
    if let Ok(endpoint) = std::env::var(CHILD) {
        let options = AwsOptions { endpoint: Some(endpoint), ..AwsOptions::default() };
        let range = MetricRange::last(Nanos::secs(3600), "2026-11-21T12:00:00Z".parse().unwrap()).unwrap();
        let error = AwsSession::new(&options).and_then(|session| session.volume("vol-1", range)).unwrap_err();
        println!("told: {error}");
        return;
    }
    let region = ("AWS_REGION", "us-west-2");
    let profile = ("AWS_PROFILE", "nobody");
    for (variables, words) in [
        (&[region][..], "no AWS credentials were found: run `aws sso login`"),
        (&[], "no AWS region is set: name one such as us-west-2"),
        (&[region, profile], "no AWS credentials were found"),
        (
            &[region, ("AWS_ACCESS_KEY_ID", "AKIANOBODY0000000000"), ("AWS_SECRET_ACCESS_KEY", "unsafe-secret")],
            "http://127.0.0.1:1 does not answer ec2:DescribeVolumes: no connection",
        ),
    ] {
        let told = told(variables);
        assert!(told.starts_with(words), "{variables:?}: {told}");
        assert!(!told.contains("secret"), "{told}");
    }
}
