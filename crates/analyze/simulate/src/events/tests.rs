//! What events do, by sign, and what they must not break.

use deployment::Deployment;
use proptest::prelude::*;
use textfile::Text;
use units::Nanos;
use workload::Task;

use crate::testing::{clients, deployment, seconds, task, view};
use crate::world::World;
use crate::{EventScript, SimulateError, SimulationOptions, SimulationRun, simulate};

const GP3: &str = "gp3:500GiB";

/// Events at seconds, each a line of TOML.
fn script(lines: &[(f64, &str)]) -> EventScript {
    let event = |(at, line): &(f64, &str)| format!("[[events]]\nat = \"{at}s\"\n{line}\n");
    match lines {
        [] => EventScript::default(),
        lines => EventScript::from_text(&Text::new("e.toml", lines.iter().map(event).collect::<String>())).unwrap(),
    }
}

fn run(deployment: &Deployment, task: &Task, of: u64, lines: &[(f64, &str)]) -> SimulationRun {
    let options = SimulationOptions { script: script(lines), ..seconds(of) };
    simulate(deployment, task, &view(), &options).unwrap()
}

/// Six nodes in three zones, each with a log disk of its own.
fn six() -> Deployment {
    let mut six = deployment("gp3:500GiB", Some("gp3:20GiB"));
    six.nodes[0].count = 6;
    six
}

/// Operations a second from one second to another.
fn rate(run: &SimulationRun, from: u64, until: u64) -> f64 {
    let series = run.timeline.find("operations_per_second", &[("kind", "operation")]).unwrap();
    series.value(Nanos::secs(from), Nanos::secs(until)).unwrap()
}

fn p99(run: &SimulationRun) -> Nanos {
    run.summary.latency.unwrap().p99
}

fn refused(deployment: &Deployment, lines: &[(f64, &str)]) -> String {
    let options = SimulationOptions { script: script(lines), ..seconds(60) };
    match simulate(deployment, &clients(5.0), &view(), &options) {
        Err(error @ SimulateError::Events(_)) => error.to_string(),
        other => panic!("{other:?}"),
    }
}

/// Half reads, half writes, of more data than memory holds.
fn reads_and_writes() -> Task {
    let mut task = clients(60.0);
    (task.profile.point_reads, task.profile.updates) = (0.5, 0.5);
    task.profile.data = units::Bytes(300_000_000_000);
    task
}

#[test]
fn reads_of_one_slow_store_of_six_slow_down_all_and_the_more_the_slower_it_is() {
    let task = reads_and_writes();
    let healthy = run(&six(), &task, 20, &[]);
    let slow = |delay: &str| run(&six(), &task, 20, &[(0.0, &format!("fault = \"n1/data delay {delay}\""))]);
    let (two, fifty, second) = (slow("2ms"), slow("50ms"), slow("1s"));
    let rates = [&healthy, &two, &fifty, &second].map(|run| run.summary.operations_per_second);
    assert!(rates.is_sorted_by(|a, b| a > b), "{rates:?}");
    assert!(p99(&healthy) < p99(&fifty) && p99(&fifty) < p99(&second));
    assert!(second.summary.bound.iter().any(|bound| bound.what == "data disk: fault"), "{:?}", second.summary.bound);
}

#[test]
fn a_quorum_hides_one_slow_log_disk_but_not_two_of_three() {
    let three = deployment("gp3:500GiB", Some("gp3:20GiB"));
    let slow = |lines: &[(f64, &str)]| run(&three, &clients(60.0), 20, lines).summary.operations_per_second;
    let (one, two) = ((0.0, "fault = \"n1/log delay 50ms\""), (0.0, "fault = \"n2/log delay 50ms\""));
    let healthy = slow(&[]);
    assert!(slow(&[one]) > 0.8 * healthy);
    assert!(slow(&[one, two]) < 0.5 * healthy);
}

#[test]
fn a_slow_store_that_leads_nothing_hurts_less() {
    let slow = (0.0, "fault = \"n1/data delay 200ms\"");
    let leading = run(&six(), &reads_and_writes(), 20, &[slow]);
    let evicted = run(&six(), &reads_and_writes(), 20, &[slow, (0.0, "evict-leaders = \"n1\"")]);
    assert!(evicted.summary.operations_per_second > leading.summary.operations_per_second);
    assert!(p99(&evicted) < p99(&leading));
}

#[test]
fn a_zone_that_is_lost_stops_its_ranges_until_others_lead_them() {
    let lost = run(&six(), &clients(60.0), 90, &[(20.0, "zone-down = \"a for 40s\"")]);
    let (before, election, without, after) =
        (rate(&lost, 10, 20), rate(&lost, 23, 28), rate(&lost, 45, 60), rate(&lost, 80, 90));
    assert!(election < 0.1 * before, "clients wait for the election: {election} of {before}");
    assert!(without > 0.3 * before, "two zones of three go on: {without} of {before}");
    assert!(after > 0.8 * before, "the zone is back: {after} of {before}");
    assert!(lost.summary.bound.iter().any(|bound| bound.what == "node away"));
}

#[test]
fn without_a_quorum_nothing_is_written() {
    let lost = run(
        &deployment(GP3, None),
        &clients(20.0),
        60,
        &[(10.0, "node-down = \"n1\""), (10.0, "node-down = \"n2 for 30s\"")],
    );
    assert_eq!(rate(&lost, 15, 40), 0.0);
    assert!(rate(&lost, 50, 60) > 0.0, "two of three are a quorum");
}

#[test]
fn a_detached_disk_takes_its_node_with_it_until_it_is_attached() {
    let gone =
        run(&six(), &clients(60.0), 60, &[(10.0, "fault = \"n3/data detach\""), (30.0, "fault = \"n3/data attach\"")]);
    assert!(rate(&gone, 13, 18) < 0.5 * rate(&gone, 5, 10));
    assert!(rate(&gone, 50, 60) > 0.8 * rate(&gone, 5, 10));
}

#[test]
fn the_load_follows_its_factor_in_an_open_loop_and_in_a_closed_one() {
    let lines = [(10.0, "load = 2.0"), (20.0, "load = 0.0"), (30.0, "load = 1.0")];
    let open = run(&deployment(GP3, Some("gp3:20GiB")), &task(300.0), 40, &lines);
    for (from, expected) in [(2, 300.0), (12, 600.0), (22, 0.0), (32, 300.0)] {
        let rate = rate(&open, from, from + 8);
        assert!((rate - expected).abs() < 0.1 * expected.max(1.0), "from {from} s: {rate}");
    }
    let closed = run(&deployment(GP3, Some("gp3:20GiB")), &clients(20.0), 40, &lines);
    let in_flight = closed.timeline.find("in_flight", &[]).unwrap();
    for (from, most) in [(5, 20.0), (15, 40.0), (25, 0.0), (35, 20.0)] {
        let mean = in_flight.value(Nanos::secs(from), Nanos::secs(from + 4)).unwrap();
        assert!(mean <= most && mean >= 0.8 * most, "from {from} s: {mean} of {most}");
    }
}

#[test]
fn a_disk_that_becomes_faster_carries_more_and_one_that_is_degraded_less() {
    let own = deployment("gp3:500GiB", Some("gp3:20GiB"));
    let task = clients(400.0);
    let plain = run(&own, &task, 30, &[]).summary.operations_per_second;
    let faster = run(&own, &task, 30, &[(0.0, "modify = \"all/log gp3:20GiB,9000iops\"")]);
    let degraded = run(&own, &task, 30, &[(0.0, "fault = \"all/log degrade 10%\"")]);
    let stalled = run(&own, &task, 30, &[(10.0, "fault = \"all/log stall 5s\"")]);
    assert!(
        degraded.summary.operations_per_second < 0.9 * plain,
        "{} of {plain}",
        degraded.summary.operations_per_second
    );
    assert!(stalled.summary.operations_per_second < plain);
    // The cloud takes minutes to change a volume; nothing is lost meanwhile.
    assert!(faster.summary.operations_per_second >= 0.99 * plain);
}

#[test]
fn a_rate_limit_that_is_set_while_it_runs_lets_compaction_fall_behind() {
    let mut task = clients(100.0);
    task.profile.row = units::Bytes::kib(64);
    let own = deployment("gp3:500GiB,16000iops,1000MiB/s", Some("gp3:20GiB"));
    let limit = (0.0, "setting = \"rocksdb.rate-bytes-per-sec = 10MiB\"");
    let limited = run(&own, &task, 60, &[limit]);
    let free = run(&own, &task, 60, &[]);
    let [limited, free] = [limited, free].map(|run| run.summary.used.compaction_write_bytes);
    assert!(limited < 0.5 * free, "{limited} of {free}");
}

#[test]
fn a_smaller_block_cache_finds_less() {
    let mut task = clients(50.0);
    (task.profile.updates, task.profile.point_reads) = (0.0, 1.0);
    let hits =
        |lines: &[(f64, &str)]| run(&deployment(GP3, None), &task, 20, lines).summary.used.cache_hit_rate.unwrap();
    assert!(hits(&[(0.0, "setting = \"storage.block-cache.capacity = 1GiB\"")]) < hits(&[]));
}

#[test]
fn what_cannot_happen_is_refused_before_time_zero_at_its_line() {
    let shared = deployment(GP3, None);
    for (lines, parts) in [
        (vec![(1.0, "fault = \"n4/data stall 1s\"")], ["e.toml:3:9", "`n4`", "n1 to n3"]),
        (vec![(1.0, "fault = \"n1/log stall 1s\"")], ["e.toml:3:9", "no disk `log`", "is on `data`"]),
        (vec![(1.0, "zone-down = \"d\"")], ["e.toml:3:13", "`d`", "a to c"]),
        (vec![(1.0, "evict-leaders = \"all\"")], ["e.toml:3:17", "every node", "has to lead"]),
        (vec![(61.0, "load = 2")], ["e.toml:2:6", "never happens", "--for"]),
        (vec![(1.0, "modify = \"n1/data gp3:400GiB\"")], ["e.toml:3:10", "shrink", "500GiB"]),
        (vec![(1.0, "modify = \"n1/data pd-ssd:600GiB\"")], ["e.toml:3:10", "is AWS's", "cannot become"]),
        (
            vec![(1.0, "modify = \"n1/data gp3:600GiB\""), (9.0, "modify = \"n1/data gp3:700GiB\"")],
            ["e.toml:6:10", "still being modified", "`events.1.modify`"],
        ),
        (vec![(1.0, "setting = \"storage.block-cache.capacity = 4TiB\"")], ["e.toml:3:11", "m5.2xlarge", "4TiB"]),
    ] {
        let message = refused(&shared, &lines);
        for part in parts {
            assert!(message.contains(part), "{lines:?}: `{part}` is not in: {message}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]
    #[test]
    fn whatever_goes_away_and_comes_back_every_request_ends_and_replicas_hold_the_same_bytes(
        seed: u64, commits: bool, own: bool, nodes in prop::sample::select(vec![3u32, 6]),
        outages in prop::collection::vec((0.1..6.0f64, 0.1..30.0f64, 1..4u32), 1..4),
    ) {
        let mut task = clients(30.0);
        (task.profile.transactional, task.profile.point_reads) = (commits, 0.5);
        let mut deployment = deployment(GP3, own.then_some("gp3:20GiB"));
        deployment.nodes[0].count = nodes;
        let lines: Vec<(f64, String)> = outages
            .iter()
            .map(|(at, lasts, node)| (*at, format!("node-down = \"n{node} for {lasts}s\"")))
            .collect();
        let lines: Vec<(f64, &str)> = lines.iter().map(|(at, line)| (*at, line.as_str())).collect();
        let options = SimulationOptions { seed, script: script(&lines), ..seconds(40) };
        let mut world = World::new(&deployment, &task, &view(), &options, &mut |_| true).unwrap();
        world.stop_after(Nanos::secs(40));
        prop_assert!(world.at_rest(), "{}", world.under_way());
        let inserted = |node: &crate::world::Node| node.trees.iter().map(|tree| tree.inserted()).sum::<f64>();
        for node in &world.nodes {
            prop_assert!((node.counts.written - inserted(node)).abs() < 1.0);
            if nodes == 3 {
                let first = world.nodes[0].counts.written;
                prop_assert!((node.counts.written / first - 1.0).abs() < 1e-6, "{} of {first}", node.counts.written);
            }
        }
    }
}
