//! Turns `proto/` into code, without a `protoc` on the machine.

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=proto");
    let files = protox::compile(["tikvpb.proto", "pdpb.proto"], ["proto"])?;
    // Keys and values are slices of the message that brought them.
    tonic_prost_build::configure().bytes(".").compile_fds(files)?;
    Ok(())
}
