//! A file as a whole: defaults, notation, what is refused and with which words.

use proptest::prelude::*;
use textfile::Text;

use super::*;

const MACHINE: HostMachine = HostMachine { cpus: 8, memory: 32 << 30 };

fn read(text: &str) -> Result<LoadedConfig, String> {
    load(&Text::new("tikv.toml", text), ConfigValues::new(), &MACHINE).map_err(|error| error.to_string())
}

fn fault(text: &str) -> String {
    read(text).unwrap_err()
}

#[test]
fn an_empty_file_is_tikvs_defaults_on_eight_processors() {
    let config = read("").unwrap().config;
    assert_eq!(config.size("storage.block-cache.capacity"), 15_461_882_265);
    assert_eq!(config.int("rocksdb.max-background-jobs"), 7);
    assert_eq!(config.int("rocksdb.max-background-flushes"), 2);
    assert_eq!(config.compactions(), 5);
    assert_eq!(config.int("rocksdb.max-sub-compactions"), 3);
    assert_eq!(config.int("storage.scheduler-worker-pool-size"), 4);
    assert_eq!(config.int("readpool.unified.max-thread-count"), 6);
    assert_eq!(config.int("server.grpc-concurrency"), 5);
    assert_eq!(config.size("raft-engine.batch-compression-threshold"), 4096);
    assert_eq!(config.size("raft-engine.purge-rewrite-threshold"), 1 << 30);
    assert_eq!(config.int("rocksdb.writecf.level0-stop-writes-trigger"), 20);
    assert!(config.bool("rocksdb.defaultcf.disable-write-stall"), "flow control stands in for it");
}

#[test]
fn every_key_without_a_value_is_meant_to_be_unset() {
    let config = read("").unwrap().config;
    for key in KEYS_BY_NAME.values() {
        assert_eq!(config.get(&key.name).is_none(), key.default == ConfigDefault::Unset, "{}", key.name);
    }
}

#[test]
fn a_file_wins_over_defaults_and_the_command_line_over_the_file() {
    let over = ConfigValues::from([("server.addr".to_owned(), ConfigValue::Text("127.0.0.1:1".to_owned()))]);
    let text = "[server]\naddr = '127.0.0.1:2'\n[server.labels]\nzone = 'a'\n[rocksdb.defaultcf]\nblock-size = '4KB'\n";
    let config = load(&Text::new("tikv.toml", text), over, &MACHINE).unwrap().config;
    assert_eq!(config.text("server.addr"), "127.0.0.1:1");
    assert_eq!(config.size("rocksdb.defaultcf.block-size"), 4096);
    assert_eq!(config.labels().collect::<Vec<_>>(), [(&"zone".to_owned(), &"a".to_owned())]);
}

#[test]
fn strange_keys_are_collected_with_their_lines() {
    let loaded = read("[log]\nlevel = 'info'\n[storage]\nreserve-spase = '1GB'\n").unwrap();
    let found: Vec<_> = loaded.unrecognised.iter().map(|key| (key.key.as_str(), key.line)).collect();
    assert_eq!(found, [("log.level", 2), ("storage.reserve-spase", 4)]);
    assert_eq!(loaded.unrecognised[1].meant.as_deref(), Some("storage.reserve-space"));
}

#[test]
fn faults_name_line_key_expectation_and_remedy() {
    assert_eq!(
        fault("[storage]\nreserve-space = '64mb'\n"),
        "tikv.toml:2:17: storage.reserve-space: unit `mb` is none of B, KB, KiB, MB, MiB, GB, GiB, TB, TiB, PB, PiB: write MB"
    );
    assert_eq!(
        fault("[rocksdb.defaultcf]\ncompression-per-level = ['no', 'lz4']\n"),
        "tikv.toml:2:25: rocksdb.defaultcf.compression-per-level: has 2 compressions, expected 7: one a level"
    );
    assert_eq!(
        fault("[rocksdb.defaultcf]\nblock-size = '64MB'\n"),
        "tikv.toml:2:14: rocksdb.defaultcf.block-size is 64MiB, expected at most 32MiB; write 32MiB or less"
    );
    assert!(
        fault("[raftstore]\nraft-store-max-leader-lease = '10s'\n").contains("less than the election timeout of 10s")
    );
    assert!(fault("[rocksdb.defaultcf]\nbottommost-level-compression = 'snappy'\n").contains("not built in"));
    assert!(fault("[rocksdb]\nmax-background-jobs = 81\n").contains("at most 80"));
    assert!(fault("[server.labels]\nzone = 'a b'\n").contains("has the value `a b`"));
    assert!(fault("memory-usage-limit = '1GB'\n[storage.block-cache]\ncapacity = '2GB'\n").contains("over the memory"));
    assert!(fault("[storage]\nreserve-space = true\n").contains("is a truth value, expected a size like 512MB"));
}

#[test]
fn a_percentage_of_memory_becomes_bytes() {
    let config = read("[storage.block-cache]\ncapacity = '25%'\n").unwrap().config;
    assert_eq!(config.size("storage.block-cache.capacity"), 8 << 30);
}

#[test]
fn the_log_is_set_as_raft_engine_would_have_it() {
    let config = |lines: &str| read(&format!("[raft-engine]\n{lines}")).unwrap().config;
    let raised = config("recovery-read-block-size = 1\nrecovery-threads = 0\npurge-threshold = '256MB'\n");
    assert_eq!(raised.size("raft-engine.recovery-read-block-size"), 512);
    assert_eq!(raised.int("raft-engine.recovery-threads"), 1);
    assert_eq!(raised.size("raft-engine.purge-rewrite-threshold"), 128 << 20);
    let limit = |lines: &str| config(lines).optional_size("raft-engine.prefill-limit");
    assert_eq!(limit("prefill-limit = '1GB'\n"), None);
    assert_eq!(limit("prefill-for-recycle = true\n"), Some(10 << 30));
    assert_eq!(limit("prefill-for-recycle = true\nprefill-limit = '1GB'\n"), Some(1 << 30));
    for name in ["tolerate-corrupted-tail-records", "tolerate-any-corruption", "absolute-consistency"] {
        assert_eq!(config(&format!("recovery-mode = '{name}'\n")).text("raft-engine.recovery-mode"), name);
    }
    assert!(fault("[raft-engine]\nformat-version = 1\n").contains("files of that format are not overwritten"));
    assert!(read("[raft-engine]\nformat-version = 1\nenable-log-recycle = false\n").is_ok());
    let prefilled = fault("[raft-engine]\nenable-log-recycle = false\nprefill-for-recycle = true\n");
    assert!(prefilled.contains("raft-engine.enable-log-recycle is false"), "{prefilled}");
    assert!(fault("[raft-engine]\nrecovery-threads = -1\n").contains("at least 0"));
}

#[test]
fn the_shown_configuration_is_nested_and_reads_back_as_itself() {
    let json = read("[storage]\nreserve-space = '64MB'\n").unwrap().config.json();
    assert_eq!(json["storage"]["reserve-space"], "64MiB");
    assert_eq!(json["rocksdb"]["defaultcf"]["titan"]["min-blob-size"], "32KiB");
    assert_eq!(json["rocksdb"]["write-buffer-limit"], Json::Null);
    for key in KEYS_BY_NAME.values() {
        let value = key.name.split('.').fold(&json, |json, part| &json[part]);
        if !value.is_null() {
            assert!(key.kind.read(value).is_ok(), "{} shows {value}", key.name);
        }
    }
}

proptest! {
    #[test]
    fn any_text_is_a_configuration_or_an_error(text in "\\PC{0,80}") {
        let _ = read(&text);
    }

    #[test]
    fn any_value_of_any_key_is_taken_or_refused(
        key in proptest::sample::select(KEYS_BY_NAME.keys().cloned().collect::<Vec<_>>()),
        value in prop_oneof![
            any::<i64>().prop_map(|v| v.to_string()),
            any::<f64>().prop_map(|v| format!("{v:?}")),
            "[a-z0-9.%]{0,8}".prop_map(|v| format!("'{v}'")),
            Just("[]".to_owned()),
            Just("{ a = 1 }".to_owned()),
        ],
    ) {
        let _ = read(&format!("{key} = {value}\n"));
    }
}
