//! What events become, and which are refused.

use std::path::Path;

use textfile::Text;
use workload::Workload;

use super::*;
use crate::StoreSettings;

const DEPLOYMENT: &str = r#"
engine = "tikv"
region = "us-west-2"
zones = 3
[[nodes]]
role = "storage"
count = 3
instance = "m5.2xlarge"
data = "gp3:100GiB"
"#;

const MIX: &str = r#"
name = "mixed"
engine = "tikv"
region = "us-west-2"
[mix]
rows = 1000
row = "1KiB"
transactional = false
[[mix.operations]]
name = "get"
weight = 40
reads = 1
[[mix.operations]]
name = "list"
weight = 10
scans = 1
rows-per-scan = 8
[[mix.operations]]
name = "put"
weight = 50
updates = 1
[targets]
throughput = 100
"#;

const WARM_UP: Nanos = Nanos::secs(10);
const MEASURED: Nanos = Nanos::secs(50);

fn spec(load: LoopKind, share: f64, settings: &str) -> StoreSpec {
    let none = &mut |_: &Path| unreachable!("the text names no file");
    let deployment =
        Deployment::from_text(&Text::new("d.toml", format!("{DEPLOYMENT}[settings]\n{settings}"))).unwrap();
    let limits = RunLimits { warm_least: WARM_UP, measure_most: MEASURED, ..RunLimits::default() };
    let workload = Workload::from_text(&Text::new("w.toml", MIX), none).unwrap();
    let launched = LaunchedStore { deployment, options: Default::default(), regions: 1, share };
    let plan = bench::RunPlan { limits, ..bench::RunPlan::new("", "", load, Default::default()) };
    StoreSettings::launched(workload, launched, plan)
}

fn open() -> StoreSpec {
    let load = LoopKind::Open { rate: 100.0, arrivals: bench::ArrivalSpacing::Poisson, in_flight: 10, backlog: 10 };
    spec(load, 1.0, "rate-limit = \"20MiB/s\"")
}

/// Events at seconds, each a line of TOML.
fn script(lines: &[(u64, &str)]) -> EventScript {
    let event = |(at, line): &(u64, &str)| format!("[[events]]\nat = \"{at}s\"\n{line}\n");
    EventScript::from_text(&Text::new("e.toml", lines.iter().map(event).collect::<String>())).unwrap()
}

fn refused(spec: StoreSpec, line: &str) -> String {
    let error = with_events(spec, &script(&[(20, line)])).unwrap_err();
    assert_eq!(error.exit_code(), 2, "{error}");
    error.to_string()
}

#[test]
fn loads_and_mixes_become_a_course_in_order_of_time() {
    let lines = [(30, "load = 2"), (20, "mix = \"scans 3x\""), (30, "mix = \"scans 0x, writes 0x\""), (40, "load = 0")];
    let spec = with_events(open(), &script(&lines)).unwrap();
    let turns: Vec<_> = spec.plan.course.turns().iter().map(|turn| (turn.at.as_secs_f64(), turn.load)).collect();
    // Three times the scans beside as much else are a fifth more operations; reads alone are four in ten.
    let expected = [(20.0, 0.4 + 0.3 + 0.5), (30.0, 2.0 * 1.2), (30.0, 2.0 * 0.4), (40.0, 0.0)];
    assert_eq!(turns.len(), expected.len());
    for (turn, expected) in turns.iter().zip(expected) {
        assert!(turn.0 == expected.0 && (turn.1 - expected.1).abs() < 1e-9, "{turns:?}");
    }
    let last = &spec.plan.course.turns()[3].weights;
    assert!(last[0] > 0.0 && last[1..] == [0.0, 0.0], "the mix outlasts the load: {last:?}");
}

#[test]
fn a_run_with_events_lasts_as_long_as_it_is_told_to() {
    let limits = with_events(open(), &script(&[(59, "load = 2")])).unwrap().plan.limits;
    assert_eq!((limits.warm_least, limits.warm_most), (WARM_UP, WARM_UP));
    assert_eq!((limits.measure_least, limits.measure_most), (MEASURED, MEASURED));
    let late = with_events(open(), &script(&[(60, "load = 2")])).unwrap_err().to_string();
    assert!(late.contains("e.toml:2:6") && late.contains("never happens") && late.contains("--most"), "{late}");
}

#[test]
fn disks_settings_and_nodes_become_actions_in_order_of_time() {
    let lines = [
        (30, "node-down = \"n2 for 5s\""),
        (20, "fault = \"all/data stall 1s\""),
        (33, "setting = \"rocksdb.rate-bytes-per-sec = 5MiB\""),
        (40, "zone-down = \"c\""),
    ];
    let spec = with_events(open(), &script(&lines)).unwrap();
    let stall = |node| {
        let rate = RequestedRate::Inject(DiskFault::Stall, Nanos::secs(1));
        (20, ClusterChange::Disk { node, disk: "data", rate })
    };
    let rate = Map::from_iter([("rocksdb.rate-bytes-per-sec".to_owned(), json!("5MiB"))]);
    let expected = [
        stall(0),
        stall(1),
        stall(2),
        (30, ClusterChange::Pause(1)),
        (33, ClusterChange::Set(rate)),
        (35, ClusterChange::Resume(1)),
        (40, ClusterChange::Pause(2)),
    ];
    let found: Vec<_> =
        spec.settings.actions.into_iter().map(|action| (action.at.0 / Nanos::secs(1).0, action.change)).collect();
    assert_eq!(found, expected);
    assert!(spec.plan.notes["events"].contains("zone-down"));
}

#[test]
fn what_cannot_be_made_to_happen_is_refused_with_its_line_and_what_to_do() {
    for (line, parts) in [
        ("modify = \"n1/data gp3:200GiB\"", ["e.toml:3:10", "`events.0.modify`", "diskwright simulate"]),
        ("evict-leaders = \"n1\"", ["e.toml:3:17", "not evicted", "diskwright simulate"]),
        ("fault = \"n1/data detach\"", ["e.toml:3:9", "ends with its disk", "`node-down`"]),
        ("fault = \"n1/log stall 1s\"", ["e.toml:3:9", "n1 has no disk `log`", "on `data`"]),
        ("node-down = \"n4\"", ["e.toml:3:13", "no node is called `n4`", "n1 to n3"]),
    ] {
        let message = refused(open(), line);
        assert!(parts.iter().all(|part| message.contains(part)), "{line}: {message}");
    }
}

#[test]
fn what_the_run_is_like_decides_what_can_be_made_to_happen() {
    let loop_of = || open().plan.load;
    let rate = "setting = \"rocksdb.rate-bytes-per-sec = 5MiB\"";
    let message = refused(spec(loop_of(), 1.0, ""), rate);
    assert!(message.contains("tunes itself") && message.contains("rate-limiter-auto-tuned=false"), "{message}");
    let message = refused(spec(loop_of(), 0.5, ""), "fault = \"n1/data heal\"");
    assert!(message.contains("--disk-share"), "{message}");
    let mut there = open();
    there.settings.source = DatabaseSource::Existing("tikv://h:1".to_owned());
    let message = refused(there.clone(), "node-down = \"n1\"");
    assert!(message.contains("tikv://h:1") && message.contains("--on"), "{message}");
    assert!(with_events(there, &script(&[(20, "load = 2"), (20, "mix = \"scans 2x\"")])).is_ok());
    let clients = spec(LoopKind::Closed { clients: 8, think: Nanos(0) }, 1.0, "");
    let message = refused(clients.clone(), "mix = \"scans 3x\"");
    assert!(message.contains("1.200 operations") && message.contains("--rate"), "{message}");
    assert!(with_events(clients, &script(&[(20, "mix = \"reads 0x, scans 5x\"")])).is_ok());
}
