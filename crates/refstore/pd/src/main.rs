//! `diskwright-pd`: arguments, the ready line, and the end.

#![forbid(unsafe_code)]

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
use pd::{PdArguments, PdError, PlacementServer};
use signals::StopSignal;

fn main() -> ExitCode {
    match run(&PdArguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            textfile::log_line(format_args!("diskwright-pd: {error}"));
            ExitCode::from(error.exit_code())
        }
    }
}

fn run(arguments: &PdArguments) -> Result<(), PdError> {
    let failed = |what: &str| {
        let what = what.to_owned();
        move |source| PdError::System { what, source }
    };
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed("start threads"))?;
    let _inside = runtime.enter();
    // Before the ready line: who reads it may ask for the end at once.
    signals::catch().map_err(failed("watch for SIGTERM"))?;
    let server = PlacementServer::start(arguments)?;
    let ready = serde_json::json!({ "addr": server.addr().to_string() });
    let mut out = std::io::stdout().lock();
    writeln!(out, "{ready}").and_then(|()| out.flush()).map_err(failed("write to standard output"))?;
    let _ = runtime.block_on(StopSignal::default().during(std::future::pending::<()>()));
    server.stop();
    Ok(())
}
