//! The checks of the fuzzer on arbitrary and on nearly valid bytes.

use proptest::prelude::*;

#[path = "../../../../../fuzz/checks/iostat.rs"]
mod iostat;
#[path = "../../../../../fuzz/checks/mutated.rs"]
mod mutated;
#[path = "../../../../../fuzz/checks/units.rs"]
mod units;
#[path = "../../../../../fuzz/checks/workload.rs"]
mod workload_check;

const REPORT: &str = include_str!("../../../../../examples/tikv-node-iostat.txt");

fn workloads() -> Vec<&'static str> {
    vec![
        include_str!("../../../../../examples/mix.toml"),
        include_str!("../../../../../examples/rds-inserts.toml"),
        include_str!("../../../../../examples/tikv-node-iostat.toml"),
        include_str!("../../../../../examples/tpcc-5000.toml"),
        include_str!("../../../../../examples/ycsb-a-uniform.toml"),
    ]
}

const WORDS: [&str; 18] =
    ["0", "1", "-1", "1e300", "nan", "'0..1'", "\"5..\"", "%", "GiB", "\n", "[", "]", "=", "\"", "..", "\0", "é", "#"];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn no_bytes_break_the_workload(bytes in mutated::near(workloads(), WORDS.to_vec())) {
        workload_check::workload(&bytes);
    }

    #[test]
    fn no_bytes_break_the_iostat_report(bytes in mutated::near(vec![REPORT], WORDS.to_vec())) {
        iostat::iostat(&bytes);
    }

    #[test]
    fn no_bytes_break_the_quantities(
        bytes in mutated::near(vec!["100GiB", "6k iops", "0.5..0.7", "99.9%", "50ms", "250MiB/s"], WORDS.to_vec())
    ) {
        units::units(&bytes);
    }
}
