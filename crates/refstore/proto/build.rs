//! Turns `proto/` into code, without a `protoc` on the machine.

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=proto");
    let files = protox::compile(["tikvpb.proto", "pdpb.proto"], ["proto"])?;
    tonic_prost_build::configure()
        // Keys and values are slices of the message that brought them.
        .bytes(".")
        // It comes seldom, and would make each answer, moved several times on its way, seven times as large.
        .boxed("region_error")
        .compile_fds(files)?;
    Ok(())
}
