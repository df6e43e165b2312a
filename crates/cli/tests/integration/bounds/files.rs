//! Numbers of deployments, workloads and events that size memory.

use crate::bounds::confined::{File, example, refused};

#[test]
fn more_nodes_than_any_cluster_has_are_refused_by_every_verb_that_reads_a_deployment() {
    let many = File::changed("raft-dedicated.toml", "count = 3", "count = 4294967295");
    let path = many.path();
    let out = tempfile::tempdir().unwrap();
    let to = out.path().join("cluster");
    let workload = "examples/social-inserts.toml";
    for verb in [
        &["check", path][..],
        &["check", path, workload],
        &["simulate", path, workload],
        &["simulate", path, workload, "--sweep", "seed=1,2"],
        &["render", path, "--out", to.to_str().unwrap()],
        &["render", path, workload, "--out", to.to_str().unwrap()],
    ] {
        refused(verb, &["given.toml:", "`nodes.0.count`", "4294967295 is more than 10000", "write 10000 or less"]);
    }
    refused(
        &["simulate", "examples/raft-dedicated.toml", workload, "--sweep", "nodes=10001"],
        &["`nodes.0.count`", "10001 is more than 10000"],
    );
}

#[test]
fn more_clients_than_there_is_room_for_are_refused() {
    let many = File::changed("social-inserts.toml", "clients = 90", "clients = 100000000");
    let path = many.path();
    for verb in [
        &["plan", path][..],
        &["check", "examples/raft-dedicated.toml", path],
        &["simulate", "examples/raft-dedicated.toml", path],
    ] {
        refused(verb, &["given.toml:17:", "`inserts.clients` is 100000000; expected 1 to 1000000 clients"]);
    }
    refused(
        &["simulate", "examples/raft-dedicated.toml", "examples/social-inserts.toml", "--sweep", "clients=100000000"],
        &["clients", "1 to 1000000"],
    );
}

#[test]
fn events_that_multiply_the_load_beyond_that_are_refused_at_their_line() {
    let many = File::changed("social-inserts.toml", "clients = 90", "clients = 500000");
    let events = File::new("[[events]]\nat = \"1s\"\nload = 3.0\n");
    refused(
        &["simulate", "examples/raft-dedicated.toml", many.path(), "--for", "4s", "--events", events.path()],
        &["given.toml:3:", "1500000 clients are more than the 1000000 that there is room for"],
    );
    let scans = example("mix.toml").replace("rows-per-scan = 20", "rows-per-scan = 10000");
    let (scans, events) = (File::new(&scans), File::new("[[events]]\nat = \"1s\"\nmix = \"scans 1000x\"\n"));
    refused(
        &["simulate", "examples/raft-dedicated.toml", scans.path(), "--for", "4s", "--events", events.path()],
        &["given.toml:3:", "makes one operation touch 8.0e6 rows; expected at most 1e6"],
    );
}

#[test]
fn an_operation_that_touches_millions_of_rows_is_refused() {
    let scans = File::changed("mix.toml", "rows-per-scan = 20", "rows-per-scan = 100000000");
    refused(&["plan", scans.path()], &["given.toml:20:", "`mix.operations.0.rows-per-scan`", "at most 300000"]);
    let reads = example("mix.toml").replace("reads = 4\nscans = 1", "reads = 300000\nscans = 300000");
    refused(&["plan", File::new(&reads).path()], &["given.toml:", "`mix.operations`", "expected at most 1e6"]);
}
