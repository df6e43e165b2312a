//! The checks of the fuzzer on arbitrary and on nearly valid bytes.

use proptest::prelude::*;

#[path = "../../../../../fuzz/checks/deployment.rs"]
mod deployment_check;
#[path = "../../../../../fuzz/checks/mutated.rs"]
mod mutated;

fn deployments() -> Vec<&'static str> {
    vec![
        include_str!("../../../../../examples/raft-dedicated.toml"),
        include_str!("../../../../../examples/rds-io1.toml"),
        include_str!("../../../../../examples/tpcc-5000-m5d.2xlarge.toml"),
        include_str!("../../../../../examples/undeliverable.toml"),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn no_bytes_break_the_deployment(
        bytes in mutated::near(
            deployments(),
            vec!["0", "-1", "1e300", "nan", "gp9", "GiB", "iops", "\n", "[", "]", "=", "\"", "'", "2020-02-30", "\0", "é", "#"],
        )
    ) {
        deployment_check::deployment(&bytes);
    }
}
