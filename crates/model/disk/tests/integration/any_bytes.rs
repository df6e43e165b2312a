//! The checks of the fuzzer on arbitrary and on nearly valid bytes.

use proptest::prelude::*;

#[path = "../../../../../fuzz/checks/disk.rs"]
mod disk_check;
#[path = "../../../../../fuzz/checks/mutated.rs"]
mod mutated;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_bytes_break_the_disk(
        bytes in mutated::near(
            vec!["gp3:1000GiB,6000iops,250MiB/s", "2x(gp2:1000GiB)", "4x(io2:100GiB,64k iops)+cache(nvme:200GiB)"],
            vec!["0", "-1", "1e300", "x(", ")", "+cache(", ",", ":", "GiB", "iops", "MiB/s", "nvme", "\0", "é", " "],
        )
    ) {
        disk_check::disk(&bytes);
    }
}
