//! Files of clusters as people have them: what is read of them, and what is found wrong.

use catalog::{Catalog, CatalogView};
use deployment::{BlockCompression, NodeRole};
use import::{ImportOptions, ImportSeverity, ImportedCluster, SourceKind, import, recognise};
use textfile::Text;
use units::Bytes;

fn view() -> CatalogView {
    Catalog::embedded().at(None)
}

fn read(name: &str, content: &str, options: &ImportOptions) -> ImportedCluster {
    import(&[Text::new(name, content)], options, &view()).unwrap()
}

/// Keys of findings of a severity, with their places.
fn found(cluster: &ImportedCluster, severity: ImportSeverity) -> Vec<(String, String)> {
    let of = cluster.findings.iter().filter(|finding| finding.severity == severity);
    of.map(|finding| (finding.place.clone(), finding.key.clone())).collect()
}

fn has(found: &[(String, String)], place: &str, key: &str) -> bool {
    found.iter().any(|(at, of)| at == place && of == key)
}

const TOPOLOGY: &str = include_str!("../clusters/two-stores-on-one-host.yaml");
const TIKV: &str = include_str!("../clusters/tikv.toml");

#[test]
fn two_stores_on_one_host_and_a_limit_that_limits_nothing_are_seen() {
    let cluster = read("topology.yaml", TOPOLOGY, &ImportOptions::default());
    assert_eq!((cluster.groups[0].count, cluster.groups[0].per_host, cluster.zones), (Some(2), 2, 1));
    let wrong = found(&cluster, ImportSeverity::Wrong);
    assert!(has(&wrong, "topology.yaml:15", "rocksdb.rate-bytes-per-sec"), "{wrong:?}");
    assert!(has(&wrong, "topology.yaml:6", "storage.block-cache.capacity"), "{wrong:?}");
    assert!(has(&wrong, "topology.yaml:6", "replication.max-replicas"), "{wrong:?}");
    assert!(has(&found(&cluster, ImportSeverity::Mind), "topology.yaml:6", "host"));
    let holes: Vec<&str> = cluster.holes.iter().map(|hole| hole.key.as_str()).collect();
    assert_eq!(holes, ["region", "nodes.0.instance", "nodes.0.data"]);
    assert_eq!(cluster.settings.rate_limit, None, "it is no limit of the deployment");
}

#[test]
fn a_limit_is_held_against_the_disk_that_is_said() {
    let disk = |text: &str| ImportOptions {
        disks: [("data".to_owned(), text.parse().unwrap())].into(),
        instances: [("tikv".to_owned(), "m5.4xlarge".to_owned())].into(),
        stores: Some(3),
        ..ImportOptions::default()
    };
    let of = |limit: &str, volume: &str| {
        read("tikv.toml", &format!("[rocksdb]\nrate-bytes-per-sec = \"{limit}\"\n"), &disk(volume))
    };
    let slow = of("200MB", "gp3:1000GiB");
    assert!(
        has(&found(&slow, ImportSeverity::Wrong), "tikv.toml:2", "rocksdb.rate-bytes-per-sec"),
        "{:?}",
        slow.findings
    );
    assert_eq!(slow.settings.rate_limit, None);
    let fitting = of("100MB", "gp3:1000GiB");
    assert!(!fitting.is_wrong(), "{:?}", fitting.findings);
    assert_eq!(fitting.settings.rate_limit.unwrap().0, 100.0 * 1_048_576.0);
}

#[test]
fn settings_that_are_none_or_take_something_else_are_pointed_at() {
    let cluster = read("tikv.toml", TIKV, &ImportOptions { stores: Some(3), ..ImportOptions::default() });
    let wrong = found(&cluster, ImportSeverity::Wrong);
    assert!(has(&wrong, "tikv.toml:10", "rocksdb.max-background-jbos"), "{:?}", cluster.findings);
    assert!(has(&wrong, "tikv.toml:17", "raftstore.apply-pool-size"), "{:?}", cluster.findings);
    let settings = cluster.settings;
    assert_eq!((settings.block_cache, settings.block_size), (Some(Bytes::gib(16)), Some(Bytes::kib(64))));
    assert_eq!(settings.compression, Some(BlockCompression::Zstd));
}

#[test]
fn a_key_that_a_version_lacks_is_told_with_the_version() {
    let options = ImportOptions { version: Some("7.5.0".to_owned()), stores: Some(3), ..ImportOptions::default() };
    let cluster = read("tikv.toml", "[raftstore]\nraft-write-batch-size-hint = \"8KB\"\n", &options);
    let finding = cluster.findings.iter().find(|finding| finding.key.ends_with("size-hint")).unwrap();
    assert!(finding.severity == ImportSeverity::Wrong && finding.text.contains("7.5"), "{finding}");
}

#[test]
fn manifests_with_their_storage_classes_leave_only_the_region_open() {
    let text = include_str!("../clusters/operator-v1.yaml");
    let options = ImportOptions { region: Some("us-west-2".to_owned()), ..ImportOptions::default() };
    let cluster = read("cluster.yaml", text, &options);
    assert_eq!(cluster.holes, []);
    let deployment = cluster.deployment().unwrap();
    deployment.validate(&view()).unwrap();
    let stores = &deployment.nodes[0];
    assert_eq!((stores.count, stores.instance.as_str()), (4, "m5.4xlarge"));
    assert_eq!(stores.data.as_ref().unwrap().to_string(), "gp3:1000GiB,6000iops,250MiB/s");
    assert_eq!(stores.log.as_ref().unwrap().to_string(), "gp3:50GiB");
    let roles: Vec<(NodeRole, u32)> = deployment.nodes.iter().map(|group| (group.role, group.count)).collect();
    assert_eq!(roles, [(NodeRole::Storage, 4), (NodeRole::Sql, 2), (NodeRole::Pd, 3)]);
    assert_eq!((deployment.name.as_str(), cluster.version.as_deref()), ("orders", Some("v8.5.3")));
    assert!(cluster.is_wrong(), "10 GiB/s on 250 MiB/s");
}

#[test]
fn the_settings_of_mysql_are_held_against_its_disk_and_memory() {
    let options = ImportOptions {
        stores: Some(1),
        region: Some("us-east-1".to_owned()),
        instances: [("*".to_owned(), "r5.large".to_owned())].into(),
        disks: [("*".to_owned(), "gp3:500GiB".parse().unwrap())].into(),
        ..ImportOptions::default()
    };
    let cluster = read("my.cnf", include_str!("../clusters/my.cnf"), &options);
    let wrong = found(&cluster, ImportSeverity::Wrong);
    assert!(has(&wrong, "my.cnf:7", "innodb_io_capacity"), "{wrong:?}");
    assert!(has(&wrong, "my.cnf:6", "innodb_buffer_pool_size"), "{wrong:?}");
    let deployment = cluster.deployment().unwrap();
    assert_eq!((deployment.settings.doublewrite, deployment.settings.block_cache), (Some(false), Some(Bytes::gib(24))));
}

#[test]
fn each_file_is_recognised_and_others_are_refused() {
    let kind = |content: &str| recognise(&Text::new("x", content));
    assert_eq!(kind(TOPOLOGY), Some(SourceKind::Topology));
    assert_eq!(kind(include_str!("../clusters/operator-v1.yaml")), Some(SourceKind::Manifest));
    assert_eq!(kind(TIKV), Some(SourceKind::Tikv));
    assert_eq!(kind(include_str!("../clusters/my.cnf")), Some(SourceKind::MyCnf));
    assert_eq!(kind("[replication]\nmax-replicas = 3\n"), Some(SourceKind::Pd));
    assert_eq!(kind(include_str!("../../../../../examples/raft-dedicated.toml")), Some(SourceKind::Deployment));
    assert_eq!(kind("hello: world\n"), None);
    let error = import(&[Text::new("x.yaml", "hello: world\n")], &ImportOptions::default(), &view()).unwrap_err();
    assert!(error.to_string().contains("x.yaml: is nothing that can be imported"), "{error}");
    let error =
        import(&[Text::new("x.yaml", "tikv_servers:\n  - port: 7\n")], &ImportOptions::default(), &view()).unwrap_err();
    assert!(error.to_string().starts_with("x.yaml:2:"), "{error}");
}
