use proptest::prelude::*;
use timeline::MergeRule;

use super::*;
use crate::twin::{Twin, range};

fn query(metric: &'static str) -> Query {
    let dimensions = vec![("VolumeId", "vol-1".to_owned())];
    Query { namespace: "AWS/EBS", metric, dimensions, statistic: MergeRule::Sum, period: 60 }
}

fn twin(points: Vec<(i64, f64)>) -> Twin {
    Twin { points: [(("VolumeReadOps", "vol-1".to_owned()), points)].into(), ..Twin::default() }
}

/// What comes of the twin's one series: seconds after the range's start, and values.
fn seen(twin: &Twin) -> (Vec<(i64, f64)>, bool) {
    let fetched = fetch(twin, &[query("VolumeReadOps")], range()).unwrap().remove(0);
    let start = range().seconds().0;
    (fetched.points.iter().map(|(at, value)| (at - start, *value)).collect(), fetched.complete)
}

#[test]
fn pages_become_one_series() {
    let points: Vec<(i64, f64)> = (0..100).map(|minute| (minute * 60, minute as f64)).collect();
    for page in [0, 1, 7, 100] {
        assert_eq!(seen(&Twin { page, ..twin(points.clone()) }), (points.clone(), true), "{page} a page");
    }
}

#[test]
fn a_series_that_failed_is_asked_for_again() {
    let twin = Twin { statuses: std::sync::Mutex::new([Status::Failed].into()), ..twin(vec![]) };
    assert_eq!(seen(&twin), (vec![], true));
    assert_eq!(twin.calls.lock().unwrap().len(), 2);
}

#[test]
fn a_series_that_stays_partial_is_kept_and_said_to_be_incomplete() {
    let twin = twin(vec![(0, 1.0), (60, 2.0)]);
    twin.statuses.lock().unwrap().extend([Status::Partial; ROUNDS]);
    assert_eq!(seen(&twin), (vec![(0, 1.0), (60, 2.0)], false));
    assert_eq!(twin.calls.lock().unwrap().len(), ROUNDS);
}

#[test]
fn a_forbidden_series_names_the_action() {
    let twin = twin(vec![]);
    twin.statuses.lock().unwrap().push_back(Status::Forbidden);
    let error = fetch(&twin, &[query("VolumeReadOps")], range()).unwrap_err();
    assert!(error.to_string().contains("cloudwatch:GetMetricData"), "{error}");
}

#[test]
fn a_service_that_gives_one_token_for_ever_is_stopped() {
    let error = fetch(&Twin { stuck: true, ..twin(vec![]) }, &[query("VolumeReadOps")], range()).unwrap_err();
    assert!(error.to_string().contains("same page token"), "{error}");
}

#[test]
fn points_out_of_order_twice_or_outside_are_put_right() {
    let points = vec![(120, 3.0), (0, 1.0), (0, 1.5), (-60, 9.0), (7200, 9.0), (7140, 4.0), (180, f64::NAN)];
    assert_eq!(seen(&twin(points)).0, [(0, 1.5), (120, 3.0), (7140, 4.0)]);
}

#[test]
fn no_call_has_more_than_500_queries() {
    let twin = twin(vec![]);
    fetch(&twin, &vec![query("VolumeReadOps"); 1201], range()).unwrap();
    assert_eq!(*twin.calls.lock().unwrap(), [500, 500, 201]);
}

proptest! {
    #[test]
    fn whatever_comes_makes_a_valid_series(
        points in prop::collection::vec((-300i64..8000, prop::num::f64::ANY), 0..60), page in 0usize..9,
    ) {
        let fetched = fetch(&Twin { page, ..twin(points) }, &[query("VolumeReadOps")], range()).unwrap().remove(0);
        let (query, labels) = (query("VolumeReadOps"), [("VolumeId".to_owned(), "vol-1".to_owned())].into());
        let wanted = Wanted { query, unit: timeline::SeriesUnit::Count, labels };
        let series = fetched.series(&wanted, range()).into_iter().collect();
        timeline::Timeline { series, ..timeline::Timeline::default() }.validate().unwrap();
    }
}
