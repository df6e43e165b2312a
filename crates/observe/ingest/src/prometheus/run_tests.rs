use super::super::twin::Twin;
use super::*;
use serde_json::{Value, json};
use timeline::SeriesPoints;

fn second(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn range() -> QueryRange {
    QueryRange { from: second(6_000), until: second(6_300), step: Some(Nanos::secs(60)) }
}

/// A server whose series are functions of a part's text: labels and values.
fn answer(path: &str, form: &[(&'static str, String)], of: &dyn Fn(&str) -> Vec<(Value, Value)>) -> (u16, String) {
    let query = &form[0].1;
    let item = |labels: Value, values: Value| match path {
        "/api/v1/query" => json!({"metric": labels, "value": values[0]}),
        _ => json!({"metric": labels, "values": values}),
    };
    let parts: Vec<(usize, &str)> = match query.contains("diskwright_part") {
        true => query.split("label_replace((").skip(1).enumerate().collect(),
        false => vec![(0, query.as_str())],
    };
    let mut items = Vec::new();
    for (index, part) in parts {
        // `label_replace` of processor time splits its part in two; only its first half names the metric asked for.
        for (mut labels, values) in of(part) {
            if query.contains("diskwright_part") {
                labels["diskwright_part"] = json!(index.to_string());
            }
            items.push(item(labels, values));
        }
    }
    (200, json!({"status": "success", "data": {"resultType": "matrix", "result": items}}).to_string())
}

fn run(of: impl Fn(&str) -> Vec<(Value, Value)>, options: &PrometheusOptions) -> Result<Timeline, GatherError> {
    let twin = Twin::new(|path, form| answer(path, form, &of));
    gather_from(&twin, &range(), options, &|| second(7_000))
}

fn time() -> (Value, Value) {
    (json!({}), json!([[7_000, "7000"]]))
}

fn points(timeline: &Timeline, name: &str, labels: &[(&str, &str)]) -> Vec<(u64, u64, f64)> {
    let seconds = |nanos: Nanos| nanos.0 / 1_000_000_000;
    match timeline.find(name, labels).map(|series| &series.points) {
        Some(SeriesPoints::Values(_, points)) => {
            points.iter().map(|p| (seconds(p.from), seconds(p.until), p.value)).collect()
        }
        _ => Vec::new(),
    }
}

#[test]
fn growth_is_of_the_step_before_its_time_and_a_gap_stays() {
    let of = |part: &str| {
        if part.starts_with("vector") {
            return vec![time()];
        }
        let reads = part.starts_with("(sum by (instance, device) (increase(node_disk_reads_completed_total");
        if !reads && !part.starts_with("sum by (instance, device) (increase(node_disk_reads_completed_total") {
            return vec![];
        }
        vec![(
            json!({"instance": "h:9100", "device": "nvme1n1"}),
            json!([[6060, "60"], [6120, "120"], [6240, "NaN"], [6300, "0"]]),
        )]
    };
    let disks = BTreeMap::from([("nvme1n1".to_owned(), "data".to_owned())]);
    let timeline = run(of, &PrometheusOptions { disks, ..PrometheusOptions::default() }).unwrap();
    let read = points(&timeline, "read_ops", &[("disk", "data"), ("node", "h")]);
    assert_eq!(read, [(0, 60, 60.0), (60, 120, 120.0), (240, 300, 0.0)]);
    assert_eq!(timeline.about.start, Some(second(6_000)));
    let missing = &timeline.about.notes["missing"];
    assert!(missing.contains("all of tikv") && missing.contains("write_ops"), "{missing}");
    assert!(!timeline.about.notes.contains_key("clock"));
}

#[test]
fn buckets_become_latencies() {
    let of = |part: &str| {
        if part.starts_with("vector") {
            return vec![time()];
        }
        if !part.contains("raft_engine_sync_log_duration_seconds_bucket") {
            return vec![];
        }
        let bucket =
            |le: &str, count: u32| (json!({"instance": "h:20180", "le": le}), json!([[6060, count.to_string()]]));
        vec![bucket("+Inf", 100), bucket("0.002", 100), bucket("0.001", 50)]
    };
    let timeline = run(of, &PrometheusOptions::default()).unwrap();
    let series = timeline.find("raft_log_sync_latency", &[("node", "h")]).unwrap();
    let SeriesPoints::Latencies(points) = &series.points else { panic!("{series:?}") };
    assert_eq!(points.len(), 1);
    assert_eq!(points[0].histogram.len(), 100);
    assert!(points[0].histogram.value_at_quantile(0.49) < 1_001_000);
}

#[test]
fn times_that_were_not_asked_for_are_left_out() {
    let of = |part: &str| {
        if part.starts_with("vector") {
            return vec![time()];
        }
        let values = json!([[5_000, "1"], [6_060, "2"], [1.8e29, "3"], [-7, "4"]]);
        vec![(json!({"instance": "h:1", "device": "sda", "le": "1"}), values)]
    };
    let options = PrometheusOptions { groups: vec![SeriesGroup::Disks], ..PrometheusOptions::default() };
    let timeline = run(of, &options).unwrap();
    assert_eq!(points(&timeline, "in_flight", &[("disk", "sda"), ("node", "h")]), [(0, 60, 2.0)]);
}

#[test]
fn nothing_known_of_the_range_is_told_with_what_to_check() {
    let of = |part: &str| if part.starts_with("vector") { vec![time()] } else { vec![] };
    let options = PrometheusOptions { selector: "{tidb_cluster=\"prod\"}".to_owned(), ..PrometheusOptions::default() };
    let error = run(of, &options).unwrap_err();
    assert!(matches!(error, GatherError::Input(_) | GatherError::Asked(_)));
    let error = error.to_string();
    assert!(error.contains("knows no series") && error.contains("{tidb_cluster=\"prod\"}"), "{error}");
    assert!(error.contains("1970-01-01T01:40:00Z"), "{error}");
}

#[test]
fn a_clock_that_is_off_is_in_the_notes() {
    let of = |part: &str| {
        let value = if part.starts_with("vector") { "7060" } else { "1" };
        vec![(json!({"instance": "h:1", "device": "sda", "le": "1"}), json!([[6060, value]]))]
    };
    let timeline = run(of, &PrometheusOptions::default()).unwrap();
    assert_eq!(timeline.about.notes["clock"], "the server's is +60 s ahead of this machine's");
}

#[test]
fn only_the_groups_that_are_wanted_are_asked_for() {
    let of = |part: &str| {
        assert!(!part.contains("tikv_") && !part.contains("pd_"), "{part}");
        let series = (json!({"instance": "h:1", "device": "sda"}), json!([[6060, "1"]]));
        if part.starts_with("vector") { vec![time()] } else { vec![series] }
    };
    let options = PrometheusOptions { groups: vec![SeriesGroup::Disks], ..PrometheusOptions::default() };
    let timeline = run(of, &options).unwrap();
    assert_eq!(points(&timeline, "queue_depth", &[("disk", "sda"), ("node", "h")]), [(0, 60, 1.0)]);
}

#[test]
fn few_queries_are_made() {
    let of = |part: &str| {
        let series = (json!({"instance": "h:1", "device": "sda"}), json!([[6060, "1"]]));
        if part.starts_with("vector") { vec![time()] } else { vec![series] }
    };
    let twin = Twin::new(|path, form| answer(path, form, &of));
    gather_from(&twin, &range(), &PrometheusOptions::default(), &|| second(7_000)).unwrap();
    assert!(twin.asked() <= 15, "{} queries", twin.asked());
}

#[test]
fn the_release_is_noted_and_only_what_it_tells_is_asked_and_missed() {
    let of = |release: Option<&'static str>| {
        move |part: &str| {
            if part.starts_with("vector") {
                vec![time()]
            } else if part.contains("pd_server_info") {
                release.map(|release| (json!({"version": release}), json!([[6_300, "1"]]))).into_iter().collect()
            } else if part.contains("tikv_engine_size_bytes{") {
                vec![(json!({"instance": "a:20180"}), json!([[6_060, "1"]]))]
            } else {
                vec![]
            }
        }
    };
    let notes = |release| run(of(release), &PrometheusOptions::default()).unwrap().about.notes;
    let old = notes(Some("v7.5.7"));
    assert_eq!(old["release"], "7.5.7");
    assert!(!old["missing"].contains("memory_limit") && old["missing"].contains("slow_score"), "{old:?}");
    let new = notes(Some("v8.5.7"));
    assert!(new["missing"].contains("memory_limit") && !new["missing"].contains("running_compactions"), "{new:?}");
    let unknown = notes(None);
    assert!(!unknown.contains_key("release") && unknown["missing"].contains("running_compactions"), "{unknown:?}");
}
