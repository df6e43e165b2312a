//! What a whole run keeps to.

use deployment::{ClusteredIndex, Deployment, LockMode};
use engine::OfferedLoad;
use proptest::prelude::*;
use units::{Bytes, Nanos};
use workload::{Engine, Task};

use crate::testing::{clients, deployment, seconds, task, view};
use crate::world::World;
use crate::{RunSummary, SimulateError, SimulationOptions, SimulationRun, simulate, simulate_watched};

const GP3: &str = "gp3:500GiB";
const FAST: &str = "gp3:500GiB,16000iops,1000MiB/s";

fn run(deployment: &Deployment, task: &Task, options: &SimulationOptions) -> SimulationRun {
    simulate(deployment, task, &view(), options).unwrap()
}

fn refused(deployment: &Deployment, task: &Task) -> String {
    simulate(deployment, task, &view(), &seconds(5)).unwrap_err().to_string()
}

/// The sum of a series over all that have the name.
fn sum(run: &SimulationRun, name: &str) -> f64 {
    let series = run.timeline.series.iter().filter(|series| series.name == name);
    series.flat_map(|series| series.points()).map(|point| point.value).sum()
}

/// A mix of reads and two-phase commits.
fn mixed(load: f64) -> Task {
    let mut task = clients(load);
    (task.profile.transactional, task.profile.statements, task.profile.spread) = (true, 6.0, 0.5);
    (task.profile.point_reads, task.profile.inserts, task.profile.indexes) = (4.0, 1.0, 1.0);
    task.profile.index_entry = Bytes(40);
    task
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_does_not() {
    let of = |seed| {
        let run = run(&deployment(GP3, Some("gp3:20GiB")), &mixed(20.0), &SimulationOptions { seed, ..seconds(10) });
        format!("{:?}", (run.timeline, run.summary))
    };
    let first = of(7);
    assert!(first == of(7), "two runs of one seed differ");
    assert!(first != of(8), "the seed does not matter");
}

#[test]
fn a_timeline_is_valid_and_has_the_series_of_a_measured_run() {
    let run = run(&deployment(GP3, Some("gp3:20GiB")), &mixed(20.0), &seconds(10));
    run.timeline.validate().unwrap();
    for name in
        ["operations_per_second", "latency", "write_ops", "raft_log_syncs", "flush_bytes", "cpu_time", "zone_bytes"]
    {
        assert!(run.timeline.series.iter().any(|series| series.name == name), "{name}");
    }
    let of_disk = [("disk", "log"), ("node", "n2"), ("zone", "b")];
    assert_eq!(run.timeline.find("write_ops", &of_disk).unwrap().points().len(), 10);
}

#[test]
fn clients_are_as_many_as_throughput_times_latency_says() {
    for count in [1.0, 16.0, 200.0] {
        let summary = run(&deployment(FAST, None), &clients(count), &seconds(20)).summary;
        let inside = summary.operations_per_second * summary.latency.unwrap().mean.as_secs_f64();
        assert!((inside / count - 1.0).abs() < 0.02, "Little's law: {inside} of {count}");
    }
}

#[test]
fn locks_that_are_written_cost_log_bytes_and_the_statement_that_waits_for_them_time() {
    let mut task = mixed(20.0);
    task.profile.locking = 2.0;
    let of = |locks| {
        let mut deployment = deployment(FAST, None);
        deployment.settings.locks = Some(locks);
        run(&deployment, &task, &seconds(20)).summary
    };
    let [memory, pipelined, written] = [LockMode::Memory, LockMode::Pipelined, LockMode::Written].map(of);
    let logged =
        |summary: &RunSummary| summary.used.raft_log_bytes / (summary.operations_per_second * summary.used.seconds);
    assert!(logged(&pipelined) > 1.1 * logged(&memory), "{} {}", logged(&pipelined), logged(&memory));
    assert!((logged(&written) / logged(&pipelined) - 1.0).abs() < 0.05, "{} {}", logged(&written), logged(&pipelined));
    let mean = |summary: &RunSummary| summary.latency.unwrap().mean.as_secs_f64();
    assert!(mean(&pipelined) < 1.1 * mean(&memory), "{} {}", mean(&pipelined), mean(&memory));
    // Each of the two waits for a write to the log and its way through raft.
    assert!(mean(&written) > mean(&pipelined) + 2.0 * 0.0005, "{} {}", mean(&written), mean(&pipelined));
}

#[test]
fn a_key_that_is_kept_beside_its_row_costs_a_request_and_a_record_more() {
    let mut task = mixed(20.0);
    let apart = workload::OperationProfile { lookups: 3.0, point_reads: 8.0, indexes: 2.0, ..task.profile.clone() };
    task.profile.keys_apart = Some(Box::new(apart));
    let of = |which| {
        let mut deployment = deployment(FAST, Some(FAST));
        deployment.settings.clustered_index = which;
        run(&deployment, &task, &seconds(20)).summary
    };
    let (on, int_only) = (of(None), of(Some(ClusteredIndex::IntOnly)));
    assert_eq!(on, of(Some(ClusteredIndex::On)));
    let each = |summary: &RunSummary, amount: f64| amount / (summary.operations_per_second * summary.used.seconds);
    let cpu = |summary: &RunSummary| each(summary, summary.used.node_cpu);
    let logged = |summary: &RunSummary| each(summary, summary.used.raft_log_bytes);
    assert!(cpu(&int_only) > 1.2 * cpu(&on), "{} {}", cpu(&int_only), cpu(&on));
    assert!(logged(&int_only) > 1.05 * logged(&on), "{} {}", logged(&int_only), logged(&on));
    let mean = |summary: &RunSummary| summary.latency.unwrap().mean.as_secs_f64();
    // Two of three requests go to another zone.
    let trips = 3.0 * 2.0 / 3.0 * crate::Constants::embedded().zone_round_trip;
    assert!(mean(&int_only) > mean(&on) + trips, "{} {}", mean(&int_only), mean(&on));
}

#[test]
fn a_log_disk_of_its_own_raises_throughput_and_lowers_the_99th_percentile() {
    let task = clients(60.0);
    let shared = run(&deployment(GP3, None), &task, &seconds(20)).summary;
    let own = run(&deployment(GP3, Some("gp3:20GiB")), &task, &seconds(20)).summary;
    assert!(own.operations_per_second > shared.operations_per_second);
    assert!(own.latency.unwrap().p99 < shared.latency.unwrap().p99);
}

#[test]
fn an_open_loop_that_asks_too_much_says_so_and_tells_no_latency() {
    let saturated = run(&deployment(GP3, None), &task(100_000.0), &seconds(10)).summary;
    let found = saturated.saturated.unwrap();
    assert!(found.carried < found.offered && found.dropped > 0, "{found:?}");
    assert_eq!(saturated.latency, None);
    let result = ::run::RunResult::from(&saturated);
    assert!(!result.serves_offered_load() && result.latency.is_none());
    assert_eq!(result.throughput.in_unit(), saturated.throughput);
    let calm = run(&deployment(GP3, None), &task(500.0), &seconds(10)).summary;
    assert_eq!(calm.saturated, None);
    let result = ::run::RunResult::from(&calm);
    assert!(result.serves_offered_load() && result.latency.unwrap().p99 == calm.latency.unwrap().p99);
    assert!((calm.operations_per_second / 500.0 - 1.0).abs() < 0.1);
    assert!(calm.latency.unwrap().p99 < Nanos::millis(50));
}

#[test]
fn writes_stall_when_compaction_cannot_keep_up_and_flow_control_takes_its_place() {
    let mut slow = deployment("gp3:500GiB,16000iops,1000MiB/s", Some("gp3:20GiB"));
    slow.settings.rate_limit = Some(units::BytesPerSec::mib(10.0));
    let mut task = clients(100.0);
    task.profile.row = Bytes::kib(64);
    let stalls = run(&slow, &task, &SimulationOptions { flow_control: false, ..seconds(60) });
    assert!(sum(&stalls, "stall_time") > 0.0);
    assert_eq!(sum(&stalls, "throttle_time"), 0.0);
    assert!(stalls.summary.bound.iter().any(|bound| bound.what == "write stall"), "{:?}", stalls.summary.bound);
    let controlled = run(&slow, &task, &seconds(60));
    assert_eq!(sum(&controlled, "stall_time"), 0.0);
    assert!(sum(&controlled, "throttle_time") > 0.0 || controlled.summary.refused > 0);
}

#[test]
fn a_full_disk_ends_the_run() {
    let mut task = task(20_000.0);
    (task.profile.updates, task.profile.inserts) = (0.0, 1.0);
    (task.profile.row, task.profile.data) = (Bytes::kib(16), Bytes(1_000_000_000));
    task.profile.compressed = 1.0;
    let summary = run(&deployment("gp3:22GiB,11000iops,1000MiB/s", None), &task, &seconds(200)).summary;
    let full = summary.full.expect("300 MB a second fill some GiB");
    assert!(full.at < Nanos::secs(200) && summary.until == full.at);
}

#[test]
fn a_faster_processor_carries_more_where_it_binds() {
    let mut small = deployment(FAST, Some(FAST));
    let at = |deployment: &Deployment| {
        let options = SimulationOptions { load: Some(OfferedLoad::Closed(400.0)), ..seconds(10) };
        run(deployment, &clients(1.0), &options).summary
    };
    let few = at(&small);
    small.nodes[0].instance = "m5.4xlarge".to_owned();
    assert!(at(&small).operations_per_second > few.operations_per_second);
}

#[test]
fn what_cannot_start_is_refused_with_the_reason() {
    let good = deployment(GP3, None);
    let mut none = good.clone();
    none.nodes[0].data = None;
    assert!(refused(&none, &task(1.0)).contains("nodes.0.data"));
    let mut large = task(1.0);
    large.profile.data = Bytes::gib(4000);
    assert!(refused(&good, &large).contains("larger disk"), "{}", refused(&good, &large));
    assert!(refused(&deployment(GP3, Some("gp3:5GiB")), &task(1.0)).contains("raft log"));
    let other = Task { engine: Engine::InnoDb, ..task(1.0) };
    assert!(refused(&good, &other).contains("is for InnoDB"));
    let span =
        simulate(&good, &task(1.0), &view(), &SimulationOptions { span: Nanos(0), ..SimulationOptions::default() });
    assert!(matches!(span, Err(SimulateError::Span { .. })));
}

#[test]
fn whoever_watches_is_heard_before_time_begins_and_in_the_midst_of_a_second() {
    let deployment = deployment(FAST, None);
    let never = simulate_watched(&deployment, &task(1.0), &view(), &seconds(5), &mut |_| false);
    assert_eq!(never, Err(SimulateError::Ended));
    // Half a million operations each second are more events than happen between two pauses.
    let mut heard = Vec::new();
    let options = SimulationOptions { most_in_flight: 100, ..seconds(2) };
    let watch = &mut |now| {
        heard.push(now);
        heard.len() < 12
    };
    simulate_watched(&deployment, &task(5e6), &view(), &options, watch).unwrap();
    let begun: Vec<_> = heard.iter().filter(|now| **now > Nanos(0)).collect();
    assert!(begun.len() > 5 && *begun[4] < Nanos::secs(1), "{heard:?}");
}

#[test]
fn more_than_there_is_room_or_grain_for_is_refused() {
    let good = deployment(GP3, None);
    assert!(refused(&good, &clients(1_000_001.0)).contains("1000001 clients are more than the 1000000"));
    assert!(refused(&good, &task(2e9)).contains("one each nanosecond"));
    let mut many = good.clone();
    many.nodes[0].count = 1001;
    let error = simulate(&many, &task(1.0), &view(), &seconds(5)).unwrap_err();
    assert_eq!((error.key().as_deref(), error.to_string().contains("1001 storage nodes")), (Some("nodes"), true));
}

#[test]
fn many_nodes_have_fewer_points_and_few_have_all() {
    let hour = SimulationOptions { span: Nanos::secs(3600), ..SimulationOptions::default() };
    let steps = [1, 3, 6, 30, 1000].map(|nodes| hour.actual_step(nodes));
    assert_eq!(steps, [1, 1, 1, 1, 28].map(Nanos::secs), "{steps:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]
    #[test]
    fn every_request_ends_and_bytes_are_conserved(
        seed: u64, count in 1u32..80, reads in 0.0..6.0f64, commits: bool, own: bool, flow_control: bool,
    ) {
        let mut task = mixed(f64::from(count));
        (task.profile.point_reads, task.profile.transactional) = (reads, commits);
        let deployment = deployment(GP3, own.then_some("gp3:20GiB"));
        let options = SimulationOptions { seed, flow_control, ..seconds(4) };
        let mut world = World::new(&deployment, &task, &view(), &options, &mut |_| true).unwrap();
        world.stop_after(Nanos::secs(4));
        prop_assert!(world.at_rest(), "{}", world.under_way());
        // Each replica has written what was proposed, and a compaction reads what it rewrites.
        for node in &world.nodes {
            let inserted: f64 = node.trees.iter().map(|tree| tree.inserted()).sum();
            prop_assert!((node.counts.written - inserted).abs() < 1.0);
            prop_assert!((node.counts.written / world.nodes[0].counts.written - 1.0).abs() < 1e-9, "three replicas");
            prop_assert!(node.counts.wal >= inserted * 0.999);
        }
    }

    #[test]
    fn no_disk_does_more_than_its_limits(seed: u64, count in 20u32..200, own: bool) {
        let deployment = deployment(GP3, own.then_some("gp3:20GiB"));
        let options = SimulationOptions { seed, ..seconds(10) };
        let run = run(&deployment, &clients(f64::from(count)), &options);
        // 3,000 I/Os and 125 MiB a second, and what a bucket of 20 ms lets through at once.
        for (name, limit) in [("counted_ios", 3000.0), ("read_bytes+write_bytes", 125.0 * 1_048_576.0)] {
            for node in ["n1", "n2", "n3"] {
                let points = |name: &str| -> f64 {
                    run.timeline.select(name, &[("node", node), ("disk", "data")]).flat_map(|s| s.points()).map(|p| p.value).sum()
                };
                let moved: f64 = name.split('+').map(points).sum();
                prop_assert!(moved <= limit * 10.1, "{node}: {moved} {name}");
            }
        }
    }
}
