//! Operations hold what the workload says.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

use textfile::Text;

use super::*;
use crate::Workload;

fn recipe(toml: &str, scale: WorkloadScale) -> Arc<OperationRecipe> {
    let head = "engine = \"tikv\"\nregion = \"us-west-2\"\n";
    let text = Text::new("test.toml", format!("{head}{toml}\n[targets]\nthroughput = 1"));
    let workload = Workload::from_text(&text, &mut |_: &Path| unreachable!("no file is named")).unwrap();
    Arc::new(OperationRecipe::new(&workload, scale).unwrap())
}

fn ycsb(core: &str, rows: u64) -> Arc<OperationRecipe> {
    recipe(&format!("[ycsb]\nworkload = \"{core}\"\nrecords = {rows}"), WorkloadScale::default())
}

/// The share of each kind in many draws.
fn shares(recipe: &Arc<OperationRecipe>, draws: u32) -> HashMap<String, f64> {
    let mut generator = recipe.generator(1, 0);
    let mut shares = HashMap::new();
    for _ in 0..draws {
        let planned = generator.draw().unwrap();
        generator.finished(planned.adds);
        *shares.entry(recipe.kinds()[planned.kind].clone()).or_default() += 1.0 / f64::from(draws);
    }
    shares
}

#[test]
fn the_core_workloads_mix_as_ycsb_mixes_them() {
    let expected: [(&str, &[(&str, f64)]); 6] = [
        ("A", &[("read", 0.5), ("update", 0.5)]),
        ("B", &[("read", 0.95), ("update", 0.05)]),
        ("C", &[("read", 1.0)]),
        ("D", &[("read", 0.95), ("insert", 0.05)]),
        ("E", &[("scan", 0.95), ("insert", 0.05)]),
        ("F", &[("read", 0.5), ("read-modify-write", 0.5)]),
    ];
    for (core, mix) in expected {
        for api in ["raw", "sql"] {
            let toml = format!("[ycsb]\nworkload = \"{core}\"\nrecords = 1000\napi = \"{api}\"\nfield-length = \"1B\"");
            let shares = shares(&recipe(&toml, WorkloadScale::default()), 40_000);
            assert_eq!(shares.len(), mix.len(), "{core} {api}: {shares:?}");
            for (name, share) in mix {
                // Five standard errors.
                assert!((shares[*name] - share).abs() < 0.0125, "{core} {api} {name}: {}", shares[*name]);
            }
        }
    }
}

#[test]
fn a_mix_changes_how_often_kinds_come_and_none_gives_back_the_workloads_own() {
    let recipe = recipe(
        "[mix]\nrows = 1000\nrow = \"100B\"\ndistribution = \"uniform\"\ncompressed = \"60%\"\ntransactional = false\n\
         [[mix.operations]]\nname = \"get\"\nweight = 35\nreads = 1\n\
         [[mix.operations]]\nname = \"list\"\nweight = 5\nscans = 1\nrows-per-scan = 8\n\
         [[mix.operations]]\nname = \"put\"\nweight = 60\nupdates = 1",
        WorkloadScale::default(),
    );
    let shares = |generator: &mut OperationGenerator| {
        let mut counts = [0.0f64; 3];
        (0..40_000).for_each(|_| counts[generator.draw().unwrap().kind] += 1.0 / 40_000.0);
        counts
    };
    let mut generator = recipe.generator(1, 0);
    for factors in [[1.0, 1.0, 1.0], [0.0, 30.0, 0.8], [1.0, 0.0, 0.0]] {
        let weights = recipe.mixed(factors).unwrap();
        let expected: Vec<f64> = [0.35, 0.05, 0.60].iter().zip(factors).map(|(share, factor)| share * factor).collect();
        let all: f64 = expected.iter().sum();
        assert!((weights.iter().sum::<f64>() - all).abs() < 1e-9, "so many times the operations: {weights:?}");
        generator.mix(&weights);
        for (found, expected) in shares(&mut generator).into_iter().zip(&expected) {
            // Five standard errors; what never comes, never comes.
            assert!((found - expected / all).abs() < 0.0125 && (found > 0.0) == (*expected > 0.0), "{factors:?}");
        }
    }
    generator.mix(&[]);
    assert!((shares(&mut generator)[2] - 0.60).abs() < 0.0125);
}

#[test]
fn a_kind_that_reads_and_writes_comes_as_often_as_both_are_to() {
    let both = ycsb("F", 100);
    assert!(both.mixed([2.0, 1.0, 2.0]).unwrap().iter().all(|weight| (weight - 1.0).abs() < 1e-9));
    let refused = both.mixed([1.0, 1.0, 2.0]).unwrap_err();
    assert!(refused.contains("`read-modify-write` reads and writes") && refused.contains("same factor"), "{refused}");
}

#[test]
fn the_same_seed_gives_the_same_operations_and_another_stream_others() {
    let draw = |seed, stream| {
        let recipe = ycsb("A", 1000);
        let mut generator = recipe.generator(seed, stream);
        (0..200).map(|_| generator.draw().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(draw(1, 0), draw(1, 0));
    assert_ne!(draw(1, 0), draw(1, 1));
    assert_ne!(draw(1, 0), draw(2, 0));
}

#[test]
fn a_ycsb_row_is_ten_fields_of_a_hundred_bytes() {
    let recipe = ycsb("A", 100);
    let (pairs, rows) = recipe.loader(1, 0, 1).batch().unwrap();
    assert_eq!((pairs.len() as u64, pairs[0].1.len()), (rows, 1000));
    assert_eq!(pairs[0].0, "user6284781860667377211");
}

#[test]
fn sizes_that_are_given_hold_for_what_is_loaded_and_written_and_every_row_is_read_back_in_them() {
    let given = [("uniform:1KiB..4KiB", 1024, 4096), ("zipfian:100B..2KiB", 100, 2048), ("300B", 300, 300)];
    for (text, low, high) in given {
        let scale = WorkloadScale { values: Some(text.parse().unwrap()), ..WorkloadScale::default() };
        let recipe = recipe("[ycsb]\nworkload = \"A\"\nrecords = 5000", scale);
        let mut loader = recipe.loader(1, 0, 1);
        let mut rows: HashMap<_, usize> = std::iter::from_fn(|| loader.batch())
            .flat_map(|(pairs, _)| pairs)
            .map(|(key, value)| (key, value.len()))
            .collect();
        assert_eq!(rows.len(), 5000);
        let loaded = (rows.values().sum::<usize>() + rows.len() * KeyEncoder::LONGEST) as f64;
        // Six standard errors of the zipfian, whose deviation is larger than its mean.
        assert!((recipe.loaded_bytes() / loaded - 1.0).abs() < 0.1, "{text}: {loaded}");
        let mut sizes: BTreeSet<_> = rows.values().copied().collect();
        let mut generator = recipe.generator(1, 0);
        for _ in 0..2000 {
            match generator.draw().unwrap().operation {
                Operation::Read { key } => sizes.extend([rows[&key]]),
                Operation::Update { key, value } => {
                    sizes.insert(value.len());
                    assert!(rows.insert(key, value.len()).is_some(), "{text}: a row that was not loaded");
                }
                other => panic!("{other:?} is none of workload A"),
            }
        }
        assert!(sizes.iter().all(|size| (low..=high).contains(size)), "{text}: {sizes:?}");
        assert_eq!(sizes.len() > 1, low < high, "{text}: {sizes:?}");
    }
}

#[test]
fn loaders_cover_every_key_once() {
    let toml = "[inserts]\nrow = \"100B\"\nrows-before = 2000\nrows-added = 1000\nindexes = 2\nindex-entry = \"64B\"";
    let recipe = recipe(toml, WorkloadScale::default());
    let mut keys = BTreeSet::new();
    for part in 0..3 {
        let mut loader = recipe.loader(1, part, 3);
        while let Some((pairs, _)) = loader.batch() {
            for (key, value) in pairs {
                assert!(!value.is_empty());
                assert!(keys.insert(key), "a key came twice");
            }
        }
        assert_eq!(loader.left(), 0);
    }
    assert_eq!(keys.len(), 2000 * 3);
    let rows = KeyEncoder { order: crate::KeyOrder::Hashed };
    assert!((0..2000).all(|row| keys.contains(&rows.key(row))));
}

#[test]
fn inserts_end_when_all_rows_are_added() {
    let toml = "[inserts]\nrow = \"100B\"\nrows-added = 1000\nrows-per-statement = 3";
    let mut generator = recipe(toml, WorkloadScale { adds: Some(10), ..WorkloadScale::default() }).generator(1, 0);
    let sizes: Vec<_> = std::iter::from_fn(|| generator.draw()).map(|planned| planned.adds.count()).collect();
    assert_eq!(sizes, [3, 3, 3, 1]);
}

#[test]
fn rows_are_read_only_once_they_are_there() {
    let recipe = ycsb("D", 10);
    let mut generator = recipe.generator(3, 0);
    let keys = KeyEncoder { order: crate::KeyOrder::Hashed };
    let unfinished: BTreeSet<_> = (10..500).map(|row| keys.key(row)).collect();
    for _ in 0..2000 {
        // Inserts are never told to be finished.
        if let Operation::Read { key } = generator.draw().unwrap().operation {
            assert!(!unfinished.contains(&key));
        }
    }
}

#[test]
fn a_mix_sends_its_rows_in_as_many_statements_as_it_says() {
    let toml = "[mix]\nrows = 1000\nrow = \"100B\"\n[[mix.operations]]\nname = \"order\"\nweight = 1\nreads = 4\n\
                updates = 1\ninserts = 1\nstatements = 3";
    let mut generator = recipe(toml, WorkloadScale::default()).generator(1, 0);
    let Operation::InTurn(statements) = generator.draw().unwrap().operation else { panic!("expected several") };
    assert_eq!(statements.iter().map(Vec::len).collect::<Vec<_>>(), [2, 2, 2]);
    assert!(matches!(statements[2][..], [Operation::Insert { .. }, Operation::Update { .. }]));
}

#[test]
fn split_keys_part_the_rows_evenly() {
    for order in ["hashed", "ordered"] {
        let toml = format!("[ycsb]\nworkload = \"C\"\nrecords = 40000\nkey-order = \"{order}\"\nfield-length = \"1B\"");
        let recipe = recipe(&toml, WorkloadScale::default());
        let cuts = recipe.split_keys(8);
        let mut counts = [0; 8];
        let mut loader = recipe.loader(1, 0, 1);
        while let Some((pairs, _)) = loader.batch() {
            pairs.iter().for_each(|(key, _)| counts[cuts.partition_point(|cut| cut <= key)] += 1);
        }
        // Cuts are found in a sample of 4096 keys, 512 for each region: four standard errors are under a fifth.
        assert!(counts.iter().all(|count| (4000..6000).contains(count)), "{order}: {counts:?}");
    }
}

#[test]
fn tpcc_is_refused_with_what_to_use() {
    let text =
        Text::new("t", "engine = \"tikv\"\nregion = \"us-west-2\"\n[tpcc]\nwarehouses = 10\n[targets]\nthroughput = 1");
    let workload = Workload::from_text(&text, &mut |_: &Path| unreachable!("no file is named")).unwrap();
    let error = OperationRecipe::new(&workload, WorkloadScale::default()).unwrap_err();
    assert_eq!(error.to_string(), "`tpcc` cannot be sent as raw keys; expected [ycsb], [inserts] or [mix]");
}
