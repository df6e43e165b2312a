//! The checks of the fuzzer on arbitrary and on nearly valid bytes.

use proptest::prelude::*;

#[path = "../../../../../fuzz/checks/import.rs"]
mod import_check;
#[path = "../../../../../fuzz/checks/mutated.rs"]
mod mutated;

const FILES: [&str; 5] = [
    include_str!("../clusters/two-stores-on-one-host.yaml"),
    include_str!("../clusters/operator-v1.yaml"),
    include_str!("../clusters/tikv.toml"),
    include_str!("../clusters/my.cnf"),
    "[replication]\nmax-replicas = 5\n",
];
const WORDS: [&str; 12] = ["\n", "  ", "- ", ": ", "[", "]", "{", "&a", "*a", "4294967295", "\"", "tikv_servers:"];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_bytes_break_the_import(bytes in mutated::near(FILES.to_vec(), WORDS.to_vec())) {
        import_check::imported(&bytes);
    }
}
