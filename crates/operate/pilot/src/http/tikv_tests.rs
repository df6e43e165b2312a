use super::*;
use crate::twin::well;

fn find(health: &ClusterHealth, named: &[&str]) -> Result<TikvHttp, PilotError> {
    let named: Vec<String> = named.iter().map(|name| (*name).to_owned()).collect();
    TikvHttp::find(health, &named, &PilotAccess::default())
}

#[test]
fn a_server_of_no_store_is_refused() {
    let error = find(&well(3), &["http://127.0.0.1:9"]).unwrap_err();
    assert!(matches!(error, PilotError::Input(_)) && error.to_string().contains("no store says"), "{error}");
    let error = find(&well(3), &["9=http://127.0.0.1:20181"]).unwrap_err();
    assert!(error.to_string().contains("PD knows no store 9"), "{error}");
    let error = find(&well(3), &["1=http://10.0.0.1:20181"]).unwrap_err();
    assert!(error.to_string().contains("--insecure"), "{error}");
}

#[test]
fn what_is_beyond_this_machine_is_asked_only_if_it_is_named() {
    let mut health = well(3);
    health.stores.get_mut(&2).unwrap().status_address = "10.0.0.2:20180".to_owned();
    let found = find(&health, &[]).unwrap();
    assert!(found.peer(1).is_ok() && found.peer(3).is_ok());
    let error = found.peer(2).unwrap_err().to_string();
    assert!(error.contains("10.0.0.2:20180") && error.contains("--tikv-status 2=https://"), "{error}");
    let found = find(&health, &["https://10.0.0.2:20180"]).unwrap();
    assert!((1..=3).all(|store| found.peer(store).is_ok()));
}
