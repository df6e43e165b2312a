//! TiKV's published client drives a cluster of three nodes, unchanged.

use crate::common;

use common::{Program, QUICK, pd, store};
use tikv_client::{ColumnFamily, Key, KvPair, RawClient};

fn pair(key: &str, value: &str) -> KvPair {
    KvPair::new(key.to_owned(), value.to_owned())
}

#[tokio::test]
async fn the_published_client_drives_three_nodes() {
    let dir = tempfile::tempdir().unwrap();
    let pd = pd(dir.path(), 3, 3, 4);
    let mut nodes = ["a", "b", "c"].map(|name| Program::spawn(&mut store(dir.path(), &pd, name, QUICK)));
    nodes.iter_mut().for_each(Program::wait_ready);
    let client = RawClient::new(vec![pd.addr("addr")]).await.unwrap();

    client.put("k1".to_owned(), "v1".to_owned()).await.unwrap();
    assert_eq!(client.get("k1".to_owned()).await.unwrap(), Some(b"v1".to_vec()));
    assert_eq!(client.get("none".to_owned()).await.unwrap(), None);

    // Over regions: their borders are at 0x40, 0x80 and 0xC0. Scans end before the last region: from its end, which is
    // empty, this client would begin anew.
    let far = || KvPair::new(vec![0x90], "far".to_owned());
    let pairs = [pair("k2", "v2"), pair("k3", "v3"), far()];
    client.batch_put(pairs).await.unwrap();
    let keys = ["k1", "k3", "none"].map(str::to_owned);
    assert_eq!(client.batch_get(keys).await.unwrap(), [pair("k1", "v1"), pair("k3", "v3")]);
    let all = client.scan(vec![0]..vec![0xA0], 10).await.unwrap();
    assert_eq!(all, [pair("k1", "v1"), pair("k2", "v2"), pair("k3", "v3"), far()]);
    let reverse = client.scan_reverse("k1".to_owned().."k3".to_owned(), 10).await.unwrap();
    assert_eq!(reverse, [pair("k2", "v2"), pair("k1", "v1")]);
    let reverse = client.scan_keys_reverse("k1".to_owned().."k3".to_owned(), 10).await.unwrap();
    assert_eq!(reverse, ["k2", "k1"].map(|key| Key::from(key.to_owned())));
    // The second begins behind a border: this client asks the region before a border for what begins at it.
    let ranges = || [vec![0]..vec![0x70], vec![0x88]..vec![0xA0]];
    let some = client.batch_scan(ranges(), 2).await.unwrap();
    assert_eq!(some, [pair("k1", "v1"), pair("k2", "v2"), far()]);
    let keys = client.batch_scan_keys(ranges(), 1).await.unwrap();
    assert_eq!(keys, [Key::from("k1".to_owned()), Key::from(vec![0x90])]);

    let apart = client.with_cf(ColumnFamily::Write);
    assert_eq!(apart.get("k1".to_owned()).await.unwrap(), None);
    apart.put("k1".to_owned(), "w1".to_owned()).await.unwrap();
    assert_eq!(apart.get("k1".to_owned()).await.unwrap(), Some(b"w1".to_vec()));
    assert_eq!(client.get("k1".to_owned()).await.unwrap(), Some(b"v1".to_vec()));

    client.delete("k1".to_owned()).await.unwrap();
    client.delete_range("k2".to_owned().."k3".to_owned()).await.unwrap();
    let left = client.scan_keys(vec![0]..vec![0xA0], 10).await.unwrap();
    assert_eq!(left, [Key::from("k3".to_owned()), Key::from(vec![0x90])]);
    client.batch_delete(["k3".to_owned()]).await.unwrap();
    assert_eq!(client.get("k3".to_owned()).await.unwrap(), None);

    let atomic = client.with_atomic_for_cas();
    let swap = |from: Option<&str>, to: &str| {
        let from = from.map(|value| value.as_bytes().to_vec());
        atomic.compare_and_swap("c".to_owned(), from, to.to_owned())
    };
    assert_eq!(swap(None, "1").await.unwrap(), (None, true));
    assert_eq!(swap(None, "2").await.unwrap(), (Some(b"1".to_vec()), false));
    assert_eq!(swap(Some("1"), "2").await.unwrap(), (Some(b"1".to_vec()), true));
    assert_eq!(client.get("c".to_owned()).await.unwrap(), Some(b"2".to_vec()));

    // What this store has not, it says in the answer: a status of gRPC this client would take for a broken connection.
    let refused = client.put_with_ttl("t".to_owned(), "v".to_owned(), 5).await.unwrap_err().to_string();
    assert!(refused.contains("ttl is not enabled"), "{refused}");
    assert_eq!(client.get("t".to_owned()).await.unwrap(), None);
    let refused = client.get_key_ttl_secs("c".to_owned()).await.unwrap_err().to_string();
    assert!(refused.contains("ttl is not enabled"), "{refused}");
    let refused = client.coprocessor("count", "*", [vec![0]..vec![0xA0]], |_, _| Vec::new()).await;
    let refused = refused.unwrap_err().to_string();
    assert!(refused.contains("Coprocessor plugin is disabled!"), "{refused}");

    for node in nodes {
        assert_eq!(node.terminate().code(), Some(0));
    }
}
