//! `diskwright-store`: arguments, the ready line, and the end.

#![forbid(unsafe_code)]

/// As TiKV has it, for RocksDB too: with glibc's a node's memory grows with its threads, and nodes are measured in little memory.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
use store::config::{HostMachine, LoadedConfig};
use store::{NodeError, StoreArguments, StoreNode, configure};

fn main() -> ExitCode {
    let arguments = StoreArguments::parse();
    match run(&arguments) {
        Ok(code) => code,
        Err(error) => {
            textfile::log_line(format_args!("diskwright-store: {error}"));
            ExitCode::from(error.exit_code())
        }
    }
}

fn run(arguments: &StoreArguments) -> Result<ExitCode, NodeError> {
    let machine = HostMachine::here();
    let loaded = configure(arguments, &machine)?;
    report(arguments, &loaded);
    if arguments.config_check {
        let strange = !loaded.unrecognised.is_empty();
        return Ok(if strange { ExitCode::from(2) } else { ExitCode::SUCCESS });
    }
    let failed = |what: &str| {
        let what = what.to_owned();
        move |source| NodeError::System { what, source }
    };
    let node = StoreNode::start(arguments, loaded.config, machine)?;
    // Not before: a start that waits for other nodes ends at once by default, which loses nothing. Not after the ready line:
    // who reads it may ask for the end.
    signals::catch().map_err(failed("watch for SIGTERM"))?;
    let ready = serde_json::json!({ "addr": node.addr().to_string(), "status_addr": node.status_addr().to_string() });
    let mut out = std::io::stdout().lock();
    writeln!(out, "{ready}").and_then(|()| out.flush()).map_err(failed("write to standard output"))?;
    signals::wait();
    node.stop();
    Ok(ExitCode::SUCCESS)
}

/// Tells of keys that mean nothing here.
fn report(arguments: &StoreArguments, loaded: &LoadedConfig) {
    let file = arguments.config.as_deref().unwrap_or_else(|| "command line".as_ref()).display();
    for key in &loaded.unrecognised {
        let meant = key.meant.as_ref().map(|meant| format!("; did you mean `{meant}`?")).unwrap_or_default();
        textfile::log_line(format_args!("{file}:{}: unrecognized configuration key `{}`{meant}", key.line, key.key));
    }
}
