//! Builds the two calls that RocksDB's C interface lacks, against the headers of the RocksDB that is linked.

fn main() {
    println!("cargo:rerun-if-changed=src/rate.cc");
    let rocksdb = std::env::var("DEP_ROCKSDB_CARGO_MANIFEST_DIR")
        .expect("librocksdb-sys tells where its sources are (its build.rs, cargo_manifest_dir)");
    cc::Build::new()
        .cpp(true)
        .std("c++20")
        .include(format!("{rocksdb}/rocksdb/include"))
        .warnings(false)
        .file("src/rate.cc")
        .compile("diskwright_rate");
}
