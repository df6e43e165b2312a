use super::*;

#[test]
fn every_row_reads_once_and_has_its_source() {
    let [pd, mysql] = [include_str!("../../tables/pd_keys.csv"), include_str!("../../tables/mysql_keys.csv")]
        .map(|table| tikv_config::read(table).unwrap());
    for (program, rows) in [("TiKV", tikv_config::rows()), ("PD", &pd), ("MySQL", &mysql)] {
        let keys: Vec<_> =
            rows.iter().map(|row| key(row).unwrap_or_else(|error| panic!("{program}: {error}"))).collect();
        let names: std::collections::BTreeSet<_> = keys.iter().map(|key| key.name.as_str()).collect();
        assert_eq!(names.len(), keys.len(), "{program} has a key twice");
        assert!(keys.iter().all(|key| !key.source.is_empty()), "{program} has a key without a source");
    }
}

#[test]
fn every_default_is_within_the_bounds_of_its_key() {
    for table in [SettingsTable::tikv(), SettingsTable::pd(), SettingsTable::mysql()] {
        for (key, version) in table.keys().flat_map(|key| TikvVersion::ALL.map(|version| (key, version))) {
            if let Some(KeyDefault::Is(value)) = key.default(version) {
                // A limiter that is off, and a cache of no size, are defaults that no file would set.
                assert!(table.admit(version, 8, &key.name, value).is_ok(), "{} {value} in {version}", key.name);
            }
        }
    }
}

#[test]
fn the_reference_store_changes_nothing_online_that_tikv_8_5_does_not() {
    for row in tikv_config::rows().iter().filter(|row| row.store().is_some_and(|store| store.online)) {
        let key = SettingsTable::tikv().key(TikvVersion::V8_5, &row.key).unwrap_or_else(|error| panic!("{error}"));
        assert!(key.is_online(TikvVersion::V8_5), "{}", row.key);
    }
}

#[test]
fn a_key_that_there_is_not_is_refused_with_the_nearest() {
    let error = SettingsTable::tikv().key(TikvVersion::V8_5, "rocksdb.rate-byte-per-sec").unwrap_err().to_string();
    assert!(error.contains("TiKV has no setting") && error.contains("`rocksdb.rate-bytes-per-sec`"), "{error}");
}

#[test]
fn a_key_of_a_newer_version_is_refused_in_an_older_one() {
    let key = |version| SettingsTable::tikv().key(version, "raftstore.raft-write-batch-size-hint");
    assert!(key(TikvVersion::V8_5).is_ok());
    assert!(matches!(key(TikvVersion::V8_1), Err(SettingError::NotYet { .. })));
}

#[test]
fn values_of_another_kind_or_beyond_the_bounds_are_refused() {
    let admit =
        |key: &str, value: SettingValue| SettingsTable::tikv().admit(TikvVersion::V8_5, 8, key, &value).map(|_| ());
    let block = "rocksdb.defaultcf.block-size";
    assert_eq!(admit(block, SettingValue::Size(Bytes::kib(4))), Ok(()));
    assert!(matches!(admit(block, SettingValue::Size(Bytes::mib(33))), Err(SettingError::Range { .. })));
    assert!(matches!(admit(block, SettingValue::Int(4096)), Err(SettingError::Kind { .. })));
    assert!(matches!(admit("raftstore.apply-pool-size", SettingValue::Int(81)), Err(SettingError::Range { .. })));
    assert_eq!(admit("raftstore.apply-pool-size", SettingValue::Int(80)), Ok(()));
    let levels = |n: usize| SettingValue::Texts(vec!["zstd".to_owned(); n]);
    assert_eq!(admit("rocksdb.defaultcf.compression-per-level", levels(7)), Ok(()));
    assert!(admit("rocksdb.defaultcf.compression-per-level", levels(6)).is_err());
    assert!(admit("server.grpc-compression-type", SettingValue::text("zstd")).is_err());
    let label = |value: &str| SettingValue::Labels([("zone".to_owned(), value.to_owned())].into());
    assert_eq!(admit("server.labels", label("us-west-2a")), Ok(()));
    assert!(admit("server.labels", label("us west")).is_err());
}

fn patch(text: &str) -> TikvVersion {
    text.parse().unwrap()
}

/// tikv's `Default` of each section and its `#[online_config(skip)]`, tag by tag.
#[test]
fn defaults_and_online_change_with_the_patch() {
    let key = |name: &str| SettingsTable::tikv().key(TikvVersion::V8_5, name).unwrap();
    let default = |name: &str, version: &str| key(name).default(patch(version)).cloned();
    let grpc = |version: &str| default("server.grpc-concurrency", version);
    assert_eq!(
        ["7.5", "8.1", "8.5.0", "8.5.3"].map(grpc),
        [(); 4].map(|()| Some(KeyDefault::Is(SettingValue::Int(5))))
    );
    assert_eq!(["8.5.4", "8.5.7", "8.5.99"].map(grpc), [(); 3].map(|()| Some(KeyDefault::Computed)));
    let size = |bytes| Some(KeyDefault::Is(SettingValue::Size(bytes)));
    let ahead = |version: &str| default("rocksdb.compaction-readahead-size", version);
    assert_eq!((ahead("8.5.6"), ahead("8.5.7")), (size(Bytes(0)), size(Bytes::mib(2))));
    let manifest = |version: &str| default("rocksdb.max-manifest-file-size", version);
    assert_eq!((manifest("8.5.3"), manifest("8.5.4")), (size(Bytes::mib(128)), size(Bytes::mib(256))));
    let writers = |version: &str| default("raftstore.store-io-pool-size", version);
    assert_eq!(
        ["7.5.0", "7.5.7", "8.1.0", "8.5.0"].map(writers),
        [0, 0, 1, 1].map(|n| Some(KeyDefault::Is(SettingValue::Int(n))))
    );
    for name in ["soft-pending-compaction-bytes-limit", "hard-pending-compaction-bytes-limit", "l0-files-threshold"] {
        let flow = key(&format!("storage.flow-control.{name}"));
        let online = ["7.5.6", "7.5.7", "8.1.2", "8.5.0", "8.5.7"].map(|version| flow.is_online(patch(version)));
        assert_eq!(online, [false, true, false, true, true], "{name}");
    }
}

/// Where TiKV checks a value or its type ends, there is a bound, and its source says so.
#[test]
fn there_are_no_upper_bounds_but_tikvs_own() {
    let admit =
        |key: &str, value: SettingValue| SettingsTable::tikv().admit(TikvVersion::V8_5, 8, key, &value).map(|_| ());
    for (key, value) in [
        ("server.grpc-concurrency", 65),
        ("raftstore.raft-heartbeat-ticks", 1001),
        ("raftstore.raft-log-gc-threshold", 100_000_001),
        ("raftstore.store-io-pool-size", 81),
        ("rocksdb.defaultcf.max-write-buffer-number", 1001),
        ("rocksdb.defaultcf.level0-file-num-compaction-trigger", 100_001),
        ("rocksdb.defaultcf.num-levels", 8),
        ("storage.flow-control.memtables-threshold", 1001),
    ] {
        assert_eq!(admit(key, SettingValue::Int(value)), Ok(()), "{key}");
    }
    assert_eq!(admit("raftstore.raft-base-tick-interval", SettingValue::Duration(Nanos::secs(7200))), Ok(()));
    for (key, value) in [
        ("raftstore.apply-pool-size", 81),
        ("raftstore.raft-max-inflight-msgs", 16_385),
        ("raftstore.store-max-batch-size", 10_241),
        ("rocksdb.defaultcf.format-version", 6),
        ("rocksdb.defaultcf.num-levels", i64::from(i32::MAX) + 1),
    ] {
        assert!(matches!(admit(key, SettingValue::Int(value)), Err(SettingError::Range { .. })), "{key}");
    }
}

#[test]
fn defaults_and_online_change_with_the_version() {
    let key = |name: &str| SettingsTable::tikv().key(TikvVersion::V8_5, name).unwrap();
    let region = key("coprocessor.region-split-size");
    assert_eq!(region.default(TikvVersion::V8_1), Some(&KeyDefault::Is(SettingValue::Size(Bytes::mib(96)))));
    assert_eq!(region.default(TikvVersion::V8_5), Some(&KeyDefault::Is(SettingValue::Size(Bytes::mib(256)))));
    let flow = key("storage.flow-control.soft-pending-compaction-bytes-limit");
    assert!(!flow.is_online(TikvVersion::V8_1) && flow.is_online(TikvVersion::V8_5));
    let ahead = key("rocksdb.compaction-readahead-size");
    assert!(ahead.trap(TikvVersion::V8_5).is_some() && ahead.trap(TikvVersion::V7_5).is_none());
}
