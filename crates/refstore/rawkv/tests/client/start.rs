//! How a client starts.

use std::time::Duration;

use rawkv::{ClientError, RawClient, RawClientOptions};

use crate::fake::{Fake, ask, get};

fn short() -> RawClientOptions {
    RawClientOptions { timeout: Duration::from_millis(300), ..RawClientOptions::default() }
}

#[test]
fn nobody_at_the_address_is_a_fault_of_the_environment_that_names_it() {
    // Port 1 of the loopback is nobody's.
    let error = RawClient::connect("tikv://127.0.0.1:1", short()).unwrap_err();
    assert!(error.to_string().contains("127.0.0.1:1"), "{error}");
    assert!(error.to_string().contains("refused"), "{error}");
    assert_eq!(error.exit_code(), 3);
}

#[test]
fn a_follower_leads_to_the_leader() {
    let fake = Fake::single();
    let follower = fake.follower();
    let client = RawClient::connect(&follower.address, RawClientOptions::default()).unwrap();
    ask(&mut client.session(), get("a")).unwrap();
}

#[test]
fn a_second_driver_is_asked_when_the_first_is_away() {
    let fake = Fake::single();
    let both = format!("127.0.0.1:1,{}", fake.driver.address);
    assert!(RawClient::connect(&both, RawClientOptions::default()).is_ok());
}

#[test]
fn a_cluster_without_stores_or_regions_is_told_so() {
    let fake = Fake::single();
    let told = std::mem::take(&mut fake.shared.lock().told);
    let error = RawClient::connect(&fake.driver.address, short()).unwrap_err();
    assert!(error.to_string().contains("no regions"), "{error}");
    fake.shared.lock().told = told;
    fake.shared.lock().addresses.clear();
    let error = RawClient::connect(&fake.driver.address, short()).unwrap_err();
    assert!(error.to_string().contains("no stores"), "{error}");
}

#[test]
fn options_that_cannot_be_are_refused() {
    let fake = Fake::single();
    for options in [
        RawClientOptions { threads: 0, ..RawClientOptions::default() },
        RawClientOptions { threads: 1000, ..RawClientOptions::default() },
        RawClientOptions { timeout: Duration::ZERO, ..RawClientOptions::default() },
    ] {
        let error = RawClient::connect(&fake.driver.address, options).unwrap_err();
        assert!(matches!(error, ClientError::Input(_)), "{error}");
    }
}
