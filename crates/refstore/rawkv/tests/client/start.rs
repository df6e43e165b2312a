//! How a client starts.

use std::time::Duration;

use rawkv::{Client, ClientError, Options};

use crate::fake::{Fake, ask, get};

fn short() -> Options {
    Options { timeout: Duration::from_millis(300), ..Options::default() }
}

#[test]
fn nobody_at_the_address_is_a_fault_of_the_environment_that_names_it() {
    // Port 1 of the loopback is nobody's.
    let error = Client::connect("tikv://127.0.0.1:1", short()).unwrap_err();
    assert!(error.to_string().contains("127.0.0.1:1"), "{error}");
    assert!(error.to_string().contains("refused"), "{error}");
    assert_eq!(error.exit_code(), 3);
}

#[test]
fn a_follower_leads_to_the_leader() {
    let fake = Fake::single();
    let follower = fake.follower();
    let client = Client::connect(&follower.address, Options::default()).unwrap();
    ask(&mut client.session(), get("a")).unwrap();
}

#[test]
fn a_second_driver_is_asked_when_the_first_is_away() {
    let fake = Fake::single();
    let both = format!("127.0.0.1:1,{}", fake.driver.address);
    assert!(Client::connect(&both, Options::default()).is_ok());
}

#[test]
fn a_cluster_without_stores_or_regions_is_told_so() {
    let fake = Fake::single();
    let told = std::mem::take(&mut fake.shared.lock().told);
    let error = Client::connect(&fake.driver.address, short()).unwrap_err();
    assert!(error.to_string().contains("no regions"), "{error}");
    fake.shared.lock().told = told;
    fake.shared.lock().addresses.clear();
    let error = Client::connect(&fake.driver.address, short()).unwrap_err();
    assert!(error.to_string().contains("no stores"), "{error}");
}

#[test]
fn options_that_cannot_be_are_refused() {
    let fake = Fake::single();
    for options in [
        Options { threads: 0, ..Options::default() },
        Options { threads: 1000, ..Options::default() },
        Options { timeout: Duration::ZERO, ..Options::default() },
    ] {
        let error = Client::connect(&fake.driver.address, options).unwrap_err();
        assert!(matches!(error, ClientError::Input(_)), "{error}");
    }
}
