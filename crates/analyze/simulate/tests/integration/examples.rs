//! The events in `examples/` happen to the deployment that they name.

use std::path::Path;

use catalog::Catalog;
use deployment::Deployment;
use simulate::{EventScript, SimulationOptions, SimulationSetup, simulate_watched, variants};
use textfile::{LIMIT, read_text};
use units::Nanos;
use workload::Workload;

/// Holds events against a deployment, of a run that ends with its first second.
fn taken(events: &str, span: Nanos, sweep: &[String]) {
    let examples = Path::new("../../../examples");
    let deployment = Deployment::read(examples.join("raft-dedicated.toml")).unwrap();
    let task = Workload::read(examples.join("social-inserts.toml")).unwrap().middle().unwrap();
    let script = EventScript::from_text(&read_text(examples.join(events), LIMIT).unwrap()).unwrap();
    let base = SimulationSetup {
        deployment,
        task,
        options: SimulationOptions { span, script, ..SimulationOptions::default() },
    };
    for variant in variants(&base, sweep).unwrap() {
        let SimulationSetup { deployment, task, options } = variant.setup;
        simulate_watched(&deployment, &task, &Catalog::embedded().at(None), &options, &mut |now| now == Nanos(0))
            .unwrap();
    }
}

#[test]
fn the_example_of_all_events_is_taken() {
    taken("events.toml", Nanos::secs(30 * 60), &[]);
}

#[test]
fn the_example_of_a_slow_store_is_taken_by_six() {
    taken("events-slow-store.toml", Nanos::secs(12 * 60), &["nodes=6".to_owned()]);
}
