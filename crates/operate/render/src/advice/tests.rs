use super::*;

#[test]
fn every_piece_of_advice_has_its_source_and_link() {
    let pieces: toml::Table = toml::from_str(include_str!("../../tables/advice.toml")).unwrap();
    for (name, piece) in &pieces {
        let filled = |key: &str| piece[key].as_str().is_some_and(|text| !text.trim().is_empty());
        assert!(filled("source") && piece["link"].as_str().unwrap().starts_with("https://"), "{name}");
    }
    assert!((0.5..=0.8).contains(&ADVICE.rate_limit_share.value), "the source's range");
}

/// TiKV's settings of a deployment's first group.
fn settings(deployment: &deployment::Deployment) -> Settings {
    let view = crate::testing::view(deployment);
    let site = Site::new(deployment, &view, TikvVersion::V8_5, None).unwrap();
    tikv(&site, site.storage().next().unwrap(), RAFT_DIR).unwrap()
}

#[test]
fn the_ceiling_of_compactions_follows_the_instance_where_it_lets_less_through_than_the_volume_has() {
    let deployment = crate::testing::deployment("tpcc-5000-m5.2xlarge.toml");
    let view = crate::testing::view(&deployment);
    let caps = view.instance(&deployment.nodes[0].instance).unwrap().caps.unwrap();
    let settings = settings(&deployment);
    let rate = settings.get("rocksdb.rate-bytes-per-sec").unwrap();
    assert_eq!(rate.value(), &SettingValue::Size(whole_mib(caps.throughput.0 * ADVICE.rate_limit_share.value)));
    assert!(rate.explained(TikvVersion::V8_5).text.contains("m5.2xlarge lets through"));
}

#[test]
fn the_log_is_kept_to_half_of_a_disk_that_its_default_size_would_fill() {
    let mut deployment = crate::testing::deployment("raft-dedicated.toml");
    let mut purge = |log: &str| {
        deployment.nodes[0].log = Some(log.parse().unwrap());
        settings(&deployment).get("raft-engine.purge-threshold").map(|setting| setting.value().clone())
    };
    assert_eq!(purge("gp3:10GiB"), Some(SettingValue::Size(Bytes::gib(5))));
    assert_eq!((purge("gp3:20GiB"), purge("2x(gp3:10GiB)")), (None, None));
}

#[test]
fn sizes_are_cut_to_whole_mebibytes_and_never_to_nothing() {
    assert_eq!(whole_mib(2.9 * 1024.0 * 1024.0), Bytes::mib(2));
    assert_eq!(whole_mib(10.0), Bytes::mib(1));
}

#[test]
fn locks_are_kept_in_memory_unless_the_deployment_says_otherwise() {
    let mut deployment = crate::testing::deployment("tpcc-5000-m5.2xlarge.toml");
    let mut of = |locks| {
        deployment.settings.locks = locks;
        let settings = settings(&deployment);
        ["pessimistic-txn.in-memory", "pessimistic-txn.pipelined"]
            .map(|key| settings.get(key).map(|one| one.value().clone()))
    };
    let off = Some(SettingValue::Bool(false));
    assert_eq!(of(None), [None, None]);
    assert_eq!(of(Some(LockMode::Memory)), [None, None]);
    assert_eq!(of(Some(LockMode::Pipelined)), [off.clone(), None]);
    assert_eq!(of(Some(LockMode::Written)), [off.clone(), off]);
}
