//! What moto never does: pages of metrics, throttling, expired credentials, answers that are none.

#[path = "local/cloud.rs"]
mod cloud;
#[path = "local/http.rs"]
mod http;

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use aws::{AwsError, AwsOptions, AwsSession, MetricRange};
use cloud::Cloud;
use http::{Request, Response, serve};
use jiff::Timestamp;
use units::Nanos;

/// A session with keys of nobody, named by the test for a file of its own.
fn session(test: &str, endpoint: String) -> AwsSession {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("aws-config-{test}"));
    let keys = "aws_access_key_id = AKIANOBODY0000000000\naws_secret_access_key = unsafe-secret\n";
    std::fs::write(&file, format!("[profile test]\nregion = us-west-2\n{keys}")).unwrap();
    let profile = Some("test".to_owned());
    AwsSession::new(&AwsOptions { profile, config_file: Some(file), endpoint: Some(endpoint), ..AwsOptions::default() })
        .unwrap()
}

/// Five days by the minute: 7,200 points, of which 14 series are a page.
fn range() -> MetricRange {
    let now: Timestamp = "2026-11-21T12:05:00Z".parse().unwrap();
    MetricRange::last(Nanos::secs(5 * 86_400), now).unwrap()
}

fn cloud(volumes: usize) -> Cloud {
    Cloud::new(volumes, 7200, range().from().as_second(), 60)
}

#[test]
fn series_are_whole_over_many_pages() {
    let calls = AtomicUsize::new(0);
    let cloud = cloud(1);
    let endpoint = serve(move |request: &Request| {
        if request.path.ends_with("GetMetricData") {
            calls.fetch_add(1, Ordering::Relaxed);
        }
        let response = cloud.answer(request);
        assert!(calls.load(Ordering::Relaxed) < 10, "pages without end");
        response
    });
    let (timeline, _) = session("pages", endpoint).volume("vol-00000000", range()).unwrap();
    assert!(timeline.series.len() > 14, "more than a page: {}", timeline.series.len());
    for series in &timeline.series {
        // A series published every five minutes is asked for so; the server does not care and gives every minute.
        let every = series.points()[0].until.0 / 60_000_000_000;
        assert_eq!(series.points().len() as u64 * every, range_minutes(), "{series}");
    }
}

fn range_minutes() -> u64 {
    (range().until().as_second() - range().from().as_second()).unsigned_abs() / 60
}

#[test]
fn every_page_of_volumes_is_shown_with_its_instance() {
    let endpoint = serve({
        let cloud = Cloud::new(450, 1, range().from().as_second(), 300);
        move |request: &Request| cloud.answer(request)
    });
    let mut seen = 0;
    session("volumes", endpoint)
        .each_volume(
            range(),
            |timeline, volume| (timeline, volume),
            |(timeline, volume)| {
                assert_eq!(volume.id, format!("vol-{seen:08x}"));
                let instance = &volume.attachments[0].instance;
                assert_eq!(instance.id, format!("i-{:08x}", seen / 2));
                assert!(timeline.find("EBSReadOps", &[("InstanceId", &instance.id)]).is_some());
                seen += 1;
                ControlFlow::Continue(())
            },
        )
        .unwrap();
    assert_eq!(seen, 450);
}

#[test]
fn what_is_planned_for_instances_is_read_page_by_page() {
    let cloud = cloud(1);
    let events = session("events", serve(move |request: &Request| cloud.answer(request))).events().unwrap();
    let ids: Vec<(&str, &str)> = events.iter().map(|event| (event.instance.as_str(), event.id.as_str())).collect();
    assert_eq!(ids, [("i-0001", "instance-event-0001"), ("i-0002", "instance-event-0002")]);
    assert_eq!(events[0].code, "system-reboot");
    assert_eq!(events[0].not_before, Some("2026-12-01T03:00:00Z".parse().unwrap()));
}

fn refusal(code: &str) -> Response {
    let mut body = vec![0xa1];
    cloud::text(&mut body, "__type");
    cloud::text(&mut body, &format!("com.amazonaws.cloudwatch#{code}"));
    Response { status: 400, content_type: "application/cbor", body }
}

#[test]
fn throttling_is_waited_for() {
    let throttled = AtomicUsize::new(0);
    let cloud = cloud(1);
    let endpoint = serve(move |request: &Request| {
        let first_two = request.path.ends_with("GetMetricData") && throttled.fetch_add(1, Ordering::Relaxed) < 2;
        if first_two { refusal("ThrottlingException") } else { cloud.answer(request) }
    });
    let (timeline, _) = session("throttled", endpoint).volume("vol-00000000", range()).unwrap();
    assert!(!timeline.series.is_empty());
}

/// The error of a service that gives CloudWatch's callers that answer.
fn error_with(test: &str, answer: fn() -> Response) -> AwsError {
    let cloud = cloud(1);
    let endpoint = serve(
        move |request: &Request| {
            if request.path.ends_with("GetMetricData") { answer() } else { cloud.answer(request) }
        },
    );
    session(test, endpoint).volume("vol-00000000", range()).unwrap_err()
}

#[test]
fn an_expired_token_says_to_log_in_again() {
    let error = error_with("expired", || refusal("ExpiredTokenException"));
    assert!(
        error.to_string().starts_with("the AWS credentials have expired (seen at cloudwatch:GetMetricData)"),
        "{error}"
    );
    assert!(matches!(error, AwsError::Expired { .. }));
}

#[test]
fn an_answer_in_html_is_no_answer() {
    let html =
        || Response { status: 200, content_type: "text/html", body: b"<html>secret sign-in page</html>".to_vec() };
    let message = error_with("html", html).to_string();
    assert!(message.starts_with("the answer to cloudwatch:GetMetricData cannot be used"), "{message}");
    assert!(!message.contains("secret"), "{message}");
}

#[test]
fn an_answer_cut_short_is_no_answer() {
    let cut = || Response { status: 200, content_type: "application/cbor", body: b"\xa1\x71MetricData".to_vec() };
    let message = error_with("cut", cut).to_string();
    assert!(message.starts_with("the answer to cloudwatch:GetMetricData cannot be used"), "{message}");
}
