use proptest::prelude::*;
use textfile::Text;

use super::*;

prop_compose! {
    fn fulls()(
        (nodes, replicas) in (1..20u32).prop_flat_map(|nodes| (Just(nodes), 1..=nodes)),
        rate in 1.0..1e6f64,
        rows in 2e3..1e10f64,
        row in 10.0..10_000.0f64,
        indexes in 0.0..5.0f64,
        written in 0.0..1e5f64,
        memory in 2..768u64,
        block_cache in prop::option::of(1..400u64),
    ) -> FullSizePlan {
        let memory = Bytes::gib(memory);
        let block_cache = block_cache.map(|gib| Bytes::gib(gib).min(memory));
        FullSizePlan { nodes, replicas, rate, rows, data: rows * row, written, indexes, memory, block_cache }
    }
}

prop_compose! {
    fn works()(gets in 0.0..50.0f64, scans in 0.0..5.0f64, scanned in 0.0..500.0f64, puts in 0.01..50.0f64, ios in 0.0..50.0f64) -> OperationCost {
        OperationCost { gets, scans, scanned, puts, ios }
    }
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
}

proptest! {
    #[test]
    fn every_node_keeps_its_share_of_the_load_and_of_the_data(full in fulls(), work in works(), processors in 1.0..64.0f64) {
        let scaling = PlanScaling::new(&full, &work, &MachineBudget { processors });
        let each = full.rate / f64::from(full.nodes);
        prop_assert!(near(scaling.rate / f64::from(scaling.nodes), each * scaling.load));
        let rows = full.rows / f64::from(full.nodes) * f64::from(scaling.nodes) * scaling.data;
        prop_assert!((scaling.rows as f64 - rows).abs() <= 0.5 + 1e-9 * rows);
    }

    #[test]
    fn caches_shrink_as_the_data_do(full in fulls(), work in works(), processors in 1.0..64.0f64) {
        let scaling = PlanScaling::new(&full, &work, &MachineBudget { processors });
        let caches = Caches::of(&full);
        // To the byte: sizes are whole.
        prop_assert!((scaling.block_cache.as_f64() - caches.block * scaling.data).abs() <= 1.0);
        let all = scaling.memory.as_f64() - constant("process");
        prop_assert!((all - (caches.block + caches.page) * scaling.data).abs() <= 1.0);
    }

    #[test]
    fn the_simulation_is_told_of_the_sizes_that_the_store_is(full in fulls(), work in works()) {
        let scaling = PlanScaling::new(&full, &work, &MachineBudget { processors: 2.0 });
        let (keys, constants) = (scaling.keys(), scaling.constants(simulate::Constants::reference_store()));
        let family = &keys["rocksdb"]["defaultcf"];
        let pairs = [
            ("memtable", &family["write-buffer-size"]),
            ("level_base", &family["max-bytes-for-level-base"]),
            ("file_size", &family["target-file-size-base"]),
            ("log_space", &keys["raft-engine"]["purge-threshold"]),
        ];
        for (name, key) in pairs {
            let said: Bytes = key.as_str().unwrap().parse().unwrap();
            prop_assert_eq!(constants.get(name), Some(said.as_f64()), "{}", name);
        }
    }

    #[test]
    fn nothing_grows_and_the_machine_carries_it(full in fulls(), work in works(), processors in 1.0..64.0f64) {
        let scaling = PlanScaling::new(&full, &work, &MachineBudget { processors });
        for share in [scaling.load, scaling.data, scaling.tree] {
            prop_assert!(share > 0.0 && share <= 1.0, "{scaling:?}");
        }
        prop_assert!(scaling.rate * work.cpu() <= processors * constant("processors_used") * (1.0 + 1e-9));
        prop_assert!(scaling.nodes >= full.replicas && scaling.nodes <= full.nodes);
        prop_assert!(scaling.nodes == full.nodes || scaling.nodes == NODES.max(full.replicas));
    }

    #[test]
    fn a_larger_machine_carries_no_less(full in fulls(), work in works(), one in 1.0..64.0f64, other in 1.0..64.0f64) {
        let load = |processors| PlanScaling::new(&full, &work, &MachineBudget { processors }).load;
        prop_assert!(load(one.min(other)) <= load(one.max(other)));
    }

    #[test]
    fn a_share_is_rounded_down_by_a_tenth_at_most(share in 1e-9..1.0f64) {
        let rounded = round(share);
        prop_assert!(rounded <= share * (1.0 + 1e-8) && rounded > share * 0.9, "{share} became {rounded}");
    }

    #[test]
    fn levels_keep_their_size_in_memtables(full in fulls(), work in works()) {
        let scaling = PlanScaling::new(&full, &work, &MachineBudget { processors: 2.0 });
        let keys = scaling.keys();
        let size = |section: &str, family: Option<&str>, key: &str| -> f64 {
            let table = keys[section].as_table().unwrap();
            let table = family.map_or(table, |family| table[family].as_table().unwrap());
            table[key].as_str().unwrap().parse::<Bytes>().unwrap().as_f64()
        };
        let memtable = size("rocksdb", Some("defaultcf"), "write-buffer-size");
        let level = size("rocksdb", Some("defaultcf"), "max-bytes-for-level-base");
        prop_assert!((level / memtable - constant("level_base") / constant("memtable")).abs() < 1e-5);
        prop_assert!(memtable >= constant("least_memtable"));
        let log = |key| size("raft-engine", None, key);
        prop_assert!(log("target-file-size") <= log("purge-threshold"));
    }
}

const PLANNED: &str = r#"
engine = "tikv"
region = "us-west-2"
zones = 3
[[nodes]]
role = "storage"
count = 9
instance = "m6gd.2xlarge"
data = "gp3:500GiB+cache(nvme:400GiB)"
log = "gp3:20GiB"
[settings]
block-size = "16KiB"
rate-limit = "100MiB/s"
follower-read = true
"#;

#[test]
fn a_deployment_keeps_its_disks_and_settings_but_for_what_is_scaled() {
    let planned = Deployment::from_text(&Text::new("plan.toml", PLANNED)).unwrap();
    let full = FullSizePlan {
        nodes: planned.storage_nodes(),
        replicas: planned.replicas(),
        rate: 50_000.0,
        rows: 1e9,
        data: 1e12,
        written: 500.0,
        indexes: 0.0,
        memory: Bytes::gib(32),
        block_cache: None,
    };
    let work = OperationCost { gets: 1.0, puts: 1.0, ..OperationCost::default() };
    let scaling = PlanScaling::new(&full, &work, &MachineBudget { processors: 2.0 });
    let run = scaling.deployment(&planned).unwrap();
    let (group, before) = (&run.nodes[0], &planned.nodes[0]);
    assert_eq!((group.count, run.zones), (3, 3));
    assert_eq!(group.log, before.log);
    let (data, was) = (group.data.as_ref().unwrap(), before.data.as_ref().unwrap());
    assert_eq!(data.volume, was.volume);
    let size = |disk: &disk::Disk| disk.cache.as_ref().unwrap().size;
    assert_eq!(size(data), size(was) * scaling.data);
    assert_eq!(run.settings.block_size, planned.settings.block_size);
    assert_eq!(run.settings.block_cache, Some(scaling.block_cache));
    assert_eq!(run.settings.rate_limit.unwrap().0, planned.settings.rate_limit.unwrap().0 * scaling.load);
    assert_eq!(run.settings.follower_read, None);
}

proptest! {
    #[test]
    fn a_memtable_fills_within_seconds_or_is_as_small_as_it_may_be(full in fulls(), work in works()) {
        let scaling = PlanScaling::new(&full, &work, &MachineBudget { processors: 2.0 });
        let filling = scaling.rate * full.written * f64::from(full.replicas) / f64::from(scaling.nodes);
        let seconds = scaling.tree * constant("memtable") / filling.max(f64::MIN_POSITIVE);
        let least = constant("least_memtable") / constant("memtable");
        let few_rows = scaling.rows as f64 <= 1.2 * constant("least_rows");
        prop_assert!(
            full.written == 0.0 || seconds <= constant("flush_every") * (1.0 + 1e-9) || scaling.tree <= least || few_rows,
            "{seconds} s, {scaling:?}"
        );
    }
}

#[test]
fn a_plan_that_fits_the_machine_is_run_as_it_is() {
    let full = FullSizePlan {
        nodes: 3,
        replicas: 3,
        rate: 100.0,
        rows: 1e5,
        data: 1e8,
        // Nothing is written, so nothing need be flushed.
        written: 0.0,
        indexes: 0.0,
        memory: Bytes::gib(8),
        block_cache: Some(Bytes::gib(2)),
    };
    let work = OperationCost { gets: 1.0, puts: 1.0, ..OperationCost::default() };
    let scaling = PlanScaling::new(&full, &work, &MachineBudget { processors: 2.0 });
    assert_eq!((scaling.load, scaling.data, scaling.tree, scaling.nodes), (1.0, 1.0, 1.0, 3));
    assert_eq!((scaling.rate, scaling.rows), (full.rate, full.rows as u64));
    assert_eq!(Some(scaling.block_cache), full.block_cache);
}
