//! Tokens that stand for passwords of databases: signed here, so that no service is needed.

use std::path::Path;

use aws::{AwsOptions, AwsSession};

fn session(name: &str, lines: &str) -> AwsSession {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("aws-config-{name}"));
    std::fs::write(&file, format!("[profile test]\nregion = us-west-2\n{lines}")).unwrap();
    let profile = Some("test".to_owned());
    AwsSession::new(&AwsOptions { profile, config_file: Some(file), ..AwsOptions::default() }).unwrap()
}

const KEYS: &str = "aws_access_key_id = AKIANOBODY0000000000\naws_secret_access_key = unsafe-secret\n";
const HOST: &str = "orders.c1.us-west-2.rds.amazonaws.com";

#[test]
fn a_token_is_signed_for_one_user_of_one_database_and_shows_no_secret() {
    let session = session("token", KEYS);
    let token = session.db_token(HOST, 3306, "bench").unwrap();
    assert!(token.starts_with(&format!("{HOST}:3306/?Action=connect&DBUser=bench&")), "{token}");
    assert!(token.contains("X-Amz-Expires=900") && token.contains("us-west-2%2Frds-db%2Faws4_request"), "{token}");
    assert!(token.contains("X-Amz-Signature=") && !token.contains("unsafe-secret"), "{token}");
    let other = session.db_token(HOST, 3306, "guest").unwrap();
    let signature = |token: &str| token.split("X-Amz-Signature=").nth(1).unwrap().to_owned();
    assert_ne!(signature(&token), signature(&other));
}

#[test]
fn what_cannot_stand_in_a_token_is_refused() {
    let session = session("unfit", KEYS);
    for (host, user) in [("", "bench"), (HOST, ""), (HOST, "a&DBUser=root"), ("a host", "bench")] {
        let error = session.db_token(host, 3306, user).unwrap_err().to_string();
        assert!(error.contains("rds-db:connect"), "{error}");
    }
}

#[test]
fn without_keys_the_profile_is_named() {
    let error = session("without-keys", "").db_token(HOST, 3306, "bench").unwrap_err();
    assert!(matches!(error, aws::AwsError::NoCredentials { .. } | aws::AwsError::Profile { .. }), "{error}");
    assert!(error.to_string().contains("test"), "{error}");
}
