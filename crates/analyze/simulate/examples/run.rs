//! Simulates a deployment under a workload and prints the summary and how fast it went:
//! `cargo run --release -p diskwright-simulate --example run -- DEPLOYMENT WORKLOAD SECONDS`.

use std::time::Instant;

use catalog::Catalog;
use deployment::Deployment;
use simulate::{SimulationOptions, simulate};
use units::Nanos;
use workload::Workload;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [deployment, workload, seconds] = words.as_slice() else {
        return Err("expected a deployment, a workload and seconds".into());
    };
    let deployment = Deployment::read(deployment).map_err(|error| error.to_string())?;
    let task = Workload::read(workload).map_err(|error| error.to_string())?.middle()?;
    let options = SimulationOptions { span: Nanos::secs(seconds.parse()?), ..SimulationOptions::default() };
    let view = Catalog::embedded().at(deployment.as_of);
    let began = Instant::now();
    let run = simulate(&deployment, &task, &view, &options)?;
    let took = began.elapsed().as_secs_f64();
    println!("{:#?}", run.summary);
    println!("write amplification {:?}", run.summary.used.write_amplification());
    println!(
        "{took:.2} s for {seconds} s: {:.2} million events a second, {:.0} times real time",
        run.summary.events as f64 / took / 1e6,
        options.span.as_secs_f64() / took
    );
    Ok(())
}
