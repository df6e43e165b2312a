//! A Prometheus with a written history: what is gathered of our mounts is what they would record themselves, and TiKV's
//! counters come through a restart and a gap.

use crate::real_prometheus::server::{Prometheus, loaded};
use ingest::prometheus::{ClientAccess, PrometheusOptions, PrometheusServer, QueryRange, gather};
use jiff::Timestamp;
use testkit::tool;
use timeline::{SeriesPoints, Timeline, TimelineInfo};
use units::Nanos;

/// Noon of a day.
const BEGIN: i64 = 1_767_268_800;
/// Seconds between scrapes, and of a step.
const SCRAPE: u64 = 15;
const STEP: u64 = 60;
/// An hour.
const SPAN: u64 = 3_600;
/// TiKV restarts here.
const RESTART: u64 = 1_800;
/// Nothing is scraped in here.
const GAP: std::ops::Range<u64> = 2_400..2_700;

/// Threads as versions of TiKV and our store name them, each on a quarter of a processor, and their pools.
const THREADS: [(&str, &str); 12] = [
    ("apply_0", "apply"),
    ("apply-1", "apply"),
    ("raftstore_1_0", "raftstore"),
    ("rs-1-1", "raftstore"),
    ("rocksdb:low0", "rocksdb:low"),
    ("rocksdb_low", "rocksdb:low"),
    ("rocksdb:high0", "rocksdb:high"),
    ("sched-worker-po", "sched_worker_pool"),
    ("sched_worker_3", "sched_worker_pool"),
    ("unified_read_po", "unified_read_po"),
    ("unified-read-pool-2", "unified_read_po"),
    ("background_12", "background"),
];

/// What a node's TiKV tells so many seconds after the beginning.
fn tikv(second: u64) -> String {
    let up = if second < RESTART { 10_000 + second } else { second - RESTART };
    let mut text = String::new();
    let mut add = |line: String| text += &(line + "\n");
    add(format!("tikv_engine_flow_bytes{{db=\"kv\",type=\"flush_write_bytes\"}} {}", 1_000 * up));
    add(format!("tikv_engine_compaction_flow_bytes{{db=\"kv\",type=\"bytes_written\"}} {}", 9_000 * up));
    add(format!("tikv_engine_stall_micro_seconds{{db=\"kv\"}} {}", 100_000 * up));
    for (cf, bytes) in [("default", 3_000), ("write", 1_096)] {
        add(format!("tikv_engine_pending_compaction_bytes{{db=\"kv\",cf=\"{cf}\"}} {bytes}"));
    }
    // 2^30 bytes, as flow control tells them: the mean of log2 times 1e7.
    add("tikv_scheduler_pending_compaction_bytes{type=\"default\"} 300000000".to_owned());
    add("tikv_scheduler_throttle_flow 0".to_owned());
    // A version that keeps the raft log in RocksDB: the first name is not there.
    add(format!("tikv_engine_wal_file_synced{{db=\"raft\"}} {}", 570 * up));
    for (tid, (thread, _)) in THREADS.into_iter().enumerate() {
        add(format!("tikv_thread_cpu_seconds_total{{name=\"{thread}\",tid=\"{tid}\"}} {}", up as f64 / 4.0));
    }
    for (bound, rate) in [("0.001", 50), ("0.002", 90), ("+Inf", 100)] {
        add(format!("tikv_raftstore_append_log_duration_seconds_bucket{{le=\"{bound}\"}} {}", rate * up));
    }
    text
}

/// What one of two PDs tells, of which the first leads.
fn pd(second: u64, leads: bool) -> String {
    let mut text = format!(
        "service_member_role{{service=\"PD\"}} {}\nprocess_cpu_seconds_total {}\ngo_sched_gomaxprocs_threads 8\n",
        u8::from(leads),
        second as f64 * if leads { 2.0 } else { 0.25 }
    );
    if leads {
        text += "pd_cluster_status{type=\"store_up_count\"} 1\npd_cluster_status{type=\"region_count\"} 9\n";
        text += &format!("pd_server_handle_tso_duration_seconds_count {}\n", 500 * second);
    }
    text
}

/// The texts of all exporters with times, as promtool reads them.
fn history() -> String {
    let mut lines = Vec::new();
    for second in (0..=SPAN).step_by(SCRAPE as usize).filter(|second| !GAP.contains(second)) {
        let told = [
            (metrics::prometheus(&loaded(second)), "10.0.0.5:9750"),
            (tikv(second), "10.0.0.5:20180"),
            (pd(second, true), "10.0.0.1:2379"),
            (pd(second, false), "10.0.0.2:2379"),
        ];
        for (text, instance) in told {
            for line in text.lines().filter(|line| !line.starts_with('#')) {
                let (name, value) = line.rsplit_once(' ').unwrap();
                let labelled = match name.split_once('{') {
                    Some((name, labels)) => format!("{name}{{instance=\"{instance}\",{labels}"),
                    None => format!("{name}{{instance=\"{instance}\"}}"),
                };
                lines.push(format!("{labelled} {value} {}\n", BEGIN + second as i64));
            }
        }
    }
    lines.concat() + "# EOF\n"
}

fn points(timeline: &Timeline, name: &str, labels: &[(&str, &str)]) -> Vec<(u64, f64)> {
    let series = timeline.find(name, labels).unwrap_or_else(|| panic!("no {name}{labels:?}"));
    let SeriesPoints::Values(_, points) = &series.points else { panic!("{series} has no values") };
    points.iter().map(|point| (point.from.0 / 1_000_000_000, point.value)).collect()
}

/// Whether all points are near a value: within a tenth where growth is extrapolated to the ends of a window that holds no
/// sample of them.
fn all_near(points: &[(u64, f64)], wanted: f64) {
    for (from, value) in points {
        assert!((value - wanted).abs() <= 0.1 * wanted.abs(), "{value} at {from} s, expected {wanted}");
    }
}

#[test]
fn a_written_history_is_gathered() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("history.txt"), history()).unwrap();
    let blocks = tool("promtool")
        .args(["tsdb", "create-blocks-from", "openmetrics"])
        .args([folder.path().join("history.txt"), folder.path().join("data")])
        .output()
        .expect("`make tools` puts promtool in place");
    assert!(blocks.status.success(), "{}", String::from_utf8_lossy(&blocks.stderr));
    let server = Prometheus::start(folder.path(), "", &[]);
    let server = PrometheusServer::new(&format!("http://127.0.0.1:{}", server.port), ClientAccess::default())
        .map(|asked| (server, asked));
    let (_running, server) = server.unwrap();

    let at = |second: u64| Timestamp::from_second(BEGIN + second as i64).unwrap();
    let range = QueryRange { from: at(0), until: at(SPAN), step: None };
    let timeline = gather(&server, &range, &PrometheusOptions::default()).unwrap();
    assert_eq!(timeline.about.start, Some(at(0)));
    assert_eq!(timeline.about.notes["step"], format!("{STEP}s"));

    mounts_tell_what_they_record(&timeline);
    tikv_comes_through(&timeline);

    let pd = [("node", "10.0.0.1")];
    all_near(&points(&timeline, "pd_cpu_time", &pd), 2.0 * STEP as f64);
    all_near(&points(&timeline, "pd_processors", &pd), 8.0);
    all_near(&points(&timeline, "tso_requests", &pd), 500.0 * STEP as f64);
    assert!(timeline.find("pd_cpu_time", &[("node", "10.0.0.2")]).is_none(), "only the leader's counts");

    let late = QueryRange { from: at(10 * SPAN), until: at(11 * SPAN), step: None };
    let error = gather(&server, &late, &PrometheusOptions::default()).unwrap_err();
    assert!(error.to_string().contains("knows no series"), "{error}");
    let wrong = PrometheusOptions { selector: "a=".to_owned(), ..PrometheusOptions::default() };
    let error = gather(&server, &range, &wrong).unwrap_err();
    assert!(error.to_string().contains("check the selector"), "{error}");
}

/// Every series that crate `observe` makes of the samples is gathered, and its growth is the same.
fn mounts_tell_what_they_record(timeline: &Timeline) {
    let samples: Vec<_> = (0..=SPAN).step_by(STEP as usize).map(loaded).collect();
    let recorded = metrics::timeline(&samples, &[], TimelineInfo::default());
    let of_disk = [("disk", "data"), ("node", "10.0.0.5")];
    for series in &recorded.series {
        let mut labels = of_disk.to_vec();
        labels.extend(series.labels.get("limit").map(|limit| ("limit", limit.as_str())));
        let SeriesPoints::Values(_, ours) = &series.points else { continue };
        let found = points(timeline, &series.name, &labels);
        assert!(found.len() >= 50, "{} has {} points", series.name, found.len());
        assert_eq!(timeline.find(&series.name, &labels).unwrap().unit, series.unit, "{}", series.name);
        let (first, last) = (ours[0].value, ours[ours.len() - 1].value);
        if first == last {
            all_near(&found, first);
        } else {
            let (low, high) = (first.min(last), first.max(last));
            assert!(found.iter().all(|(_, value)| (low * 0.9..=high * 1.1).contains(value)), "{}", series.name);
        }
    }
    assert_eq!(timeline.about.notes["disk 10.0.0.5/data"], "gp2:100GiB");
}

fn tikv_comes_through(timeline: &Timeline) {
    let node = [("node", "10.0.0.5")];
    let flushed = points(timeline, "flush_bytes", &node);
    // A restart costs what happened between the last scrape and it.
    let restart = |from: &u64| (RESTART - STEP..RESTART + STEP).contains(from);
    let steady: Vec<_> = flushed.iter().copied().filter(|(from, _)| !restart(from)).collect();
    all_near(&steady, 1_000.0 * STEP as f64);
    assert!(flushed.iter().all(|(_, bytes)| (0.0..=1_200.0 * STEP as f64).contains(bytes)));
    let within = |from: &u64| *from >= GAP.start && *from + STEP <= GAP.end - STEP;
    assert!(!flushed.iter().any(|(from, _)| within(from)), "the gap is filled: {flushed:?}");
    let steps = SPAN / STEP;
    assert!(flushed.len() as u64 >= steps - (GAP.end - GAP.start) / STEP - 1, "{} points", flushed.len());

    all_near(
        &points(timeline, "stall_time", &node).iter().copied().filter(|(f, _)| !restart(f)).collect::<Vec<_>>(),
        6.0,
    );
    all_near(&points(timeline, "write_amplification", &node), 10.0);
    all_near(&points(timeline, "pending_compaction_bytes", &node), 4_096.0);
    all_near(&points(timeline, "flow_control_pending_bytes", &node), f64::from(1u32 << 30));
    assert!(timeline.select("throttle_rate", &[]).next().is_none(), "0 is no limit");
    let synced = points(timeline, "raft_log_syncs", &node);
    all_near(&synced.iter().copied().filter(|(f, _)| !restart(f)).collect::<Vec<_>>(), 570.0 * STEP as f64);
    for (_, pool) in THREADS {
        let threads = THREADS.iter().filter(|(_, other)| *other == pool).count();
        let busy = points(timeline, "cpu_time", &[("node", "10.0.0.5"), ("pool", pool)]);
        let steady: Vec<_> = busy.into_iter().filter(|(from, _)| !restart(from)).collect();
        all_near(&steady, 0.25 * threads as f64 * STEP as f64);
    }

    let appended = timeline.find("append_log_latency", &node).unwrap();
    let latency = appended.latencies(Nanos(0), Nanos::MAX).unwrap();
    let growth = 100.0 * (SPAN - (GAP.end - GAP.start)) as f64;
    assert!((latency.len() as f64 - growth).abs() <= 0.1 * growth, "{} of {growth}", latency.len());
    assert!((500_000..=1_001_000).contains(&latency.value_at_quantile(0.49)), "{latency:?}");
    let missing = &timeline.about.notes["missing"];
    assert!(missing.contains("all of tidb") && missing.contains("throttle_rate"), "{missing}");
}
