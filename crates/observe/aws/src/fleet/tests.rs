use super::*;
use crate::AwsSession;
use crate::twin::{Twin, range, volume};

fn fleet(volumes: usize) -> Twin {
    let ids: Vec<String> = (0..volumes).map(|i| format!("vol-{i:04}")).collect();
    let points = ids.iter().enumerate().map(|(i, id)| (("VolumeReadOps", id.clone()), vec![(0, i as f64)]));
    Twin {
        points: points.collect(),
        volumes: ids.iter().map(|id| volume(id, "gp3:100GiB,3000iops,125MiB/s")).collect(),
        volumes_a_page: 37,
        ..Twin::default()
    }
}

fn both(timeline: Timeline, volume: VolumeFacts) -> (Timeline, VolumeFacts) {
    (timeline, volume)
}

#[test]
fn every_volume_is_shown_once_with_its_own_series_in_the_order_of_the_list() {
    let mut shown = 0;
    let session = AwsSession::over(Box::new(fleet(250)));
    session
        .each_volume(range(), both, |(timeline, volume)| {
            assert_eq!(volume.id, format!("vol-{shown:04}"));
            let reads = timeline.find("VolumeReadOps", &[("VolumeId", &volume.id)]).unwrap();
            assert_eq!(reads.points()[0].value, f64::from(shown));
            assert_eq!(timeline.series.len(), 1);
            shown += 1;
            ControlFlow::Continue(())
        })
        .unwrap();
    assert_eq!(shown, 250);
}

#[test]
fn nothing_more_is_shown_after_a_stop() {
    let mut shown = 0;
    let session = AwsSession::over(Box::new(fleet(250)));
    let stop_at_five = |()| {
        shown += 1;
        if shown == 5 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    session.each_volume(range(), |_, _| (), stop_at_five).unwrap();
    assert_eq!(shown, 5);
}

#[test]
fn an_error_in_the_middle_comes_after_what_was_read_before_it() {
    let mut shown = 0;
    let session = AwsSession::over(Box::new(Twin { denied_page: Some(2), ..fleet(250) }));
    let error = session.each_volume(
        range(),
        |_, _| (),
        |()| {
            shown += 1;
            ControlFlow::Continue(())
        },
    );
    assert!(matches!(error, Err(AwsError::Denied { .. })), "{error:?}");
    assert_eq!(shown, 2 * 37);
}

#[test]
fn an_account_without_volumes_shows_none() {
    let session = AwsSession::over(Box::new(fleet(0)));
    session.each_volume(range(), both, |(_, volume)| panic!("{} is not there", volume.id)).unwrap();
}

#[test]
fn a_batch_is_smaller_the_longer_the_range() {
    let now = range().until();
    let days = |days: u64| batch(MetricRange::last(units::Nanos::secs(days * 86_400), now).unwrap());
    let short = batch(range());
    assert!(short * metrics::published().len() <= MOST_QUERIES);
    assert!(days(14) < short && days(14) >= 1);
}
