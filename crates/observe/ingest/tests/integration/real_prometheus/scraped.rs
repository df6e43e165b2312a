//! A real Prometheus that scrapes a small exporter, behind a password.

use std::time::Instant;

use crate::real_prometheus::server::{PATIENCE, Prometheus, loaded, serve};
use ingest::GatherError;
use ingest::prometheus::{
    ClientAccess, PrometheusAuth, PrometheusOptions, PrometheusServer, QueryRange, SeriesGroup, gather,
};
use jiff::Timestamp;
use timeline::{SeriesPoints, Timeline};
use units::Nanos;

/// The password `test`, hashed by bcrypt at its lowest cost.
const USERS: &str = "basic_auth_users: {admin: '$2b$04$abcdefghijklmnopqrstuuoD8yw7MmybLKVooaTGGZAt3HXugv2.a'}\n";

fn values(timeline: &Timeline, name: &str) -> Vec<f64> {
    match timeline.find(name, &[("disk", "data"), ("node", "127.0.0.1")]).map(|series| &series.points) {
        Some(SeriesPoints::Values(_, points)) => points.iter().map(|point| point.value).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn what_is_scraped_is_gathered_with_the_right_password_only() {
    let begin = Instant::now();
    let exporter = serve(move || metrics::prometheus(&loaded(begin.elapsed().as_secs() + 1_000)));
    let folder = tempfile::tempdir().unwrap();
    let users = folder.path().join("users.yml");
    std::fs::write(&users, USERS).unwrap();
    let config = format!(
        "global: {{scrape_interval: 1s}}\nscrape_configs:\n- job_name: mounts\n  static_configs:\n  - targets: ['127.0.0.1:{exporter}']\n"
    );
    let prometheus = Prometheus::start(folder.path(), &config, &[format!("--web.config.file={}", users.display())]);
    let server = |user: &str, password: &str| {
        let secret = PrometheusAuth::Basic { user: user.to_owned(), password: password.to_owned() };
        let access = ClientAccess::default().secret(secret).unwrap();
        PrometheusServer::new(&format!("http://127.0.0.1:{}/", prometheus.port), access).unwrap()
    };
    let start = Timestamp::now();
    let range = || QueryRange { from: start, until: Timestamp::now(), step: Some(Nanos::secs(5)) };
    let options =
        PrometheusOptions { groups: vec![SeriesGroup::Disks, SeriesGroup::Mounts], ..PrometheusOptions::default() };

    let timeline = loop {
        match gather(&server("admin", "test"), &range(), &options) {
            Ok(timeline) if values(&timeline, "read_ops").len() >= 2 => break timeline,
            // Too early: nothing scraped, or no whole step yet.
            Ok(_) | Err(GatherError::Asked(_) | GatherError::Server(_)) if begin.elapsed() < PATIENCE => {}
            other => panic!("after {:?}: {other:?}", begin.elapsed()),
        }
        std::thread::sleep(std::time::Duration::from_millis(500));
    };
    // Both counters are scraped at once, so their growth is extrapolated alike.
    for (ops, bytes) in values(&timeline, "read_ops").into_iter().zip(values(&timeline, "read_bytes")) {
        assert!((bytes - ops * 16_384.0).abs() <= 1e-6 * bytes, "{ops} reads of {bytes} bytes");
    }
    assert!(values(&timeline, "read_ops").iter().any(|ops| *ops > 0.0));
    assert_eq!(values(&timeline, "iops_limit")[0], 300.0);

    let error = gather(&server("admin", "hunter2"), &range(), &options).unwrap_err();
    assert!(matches!(error, GatherError::Refused(_)), "{error}");
    let error = error.to_string();
    assert!(error.contains("missing, wrong or expired") && !error.contains("hunter2"), "{error}");
}
