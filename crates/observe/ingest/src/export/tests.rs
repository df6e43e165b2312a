use super::*;
use proptest::prelude::*;
use timeline::{MergeRule, SeriesPoints, SeriesUnit};

const CONSOLE: &str = "Id,m1,m2,m3\nStatusCode,Complete,PartialData,Complete\nMessages,,,\n\
    Full label,us-east-1:AWS/EBS VolumeId:vol-0123456789abcdef0 VolumeReadOps Sum 300,\
    us-east-1:AWS/EBS VolumeId:vol-0123456789abcdef0 BurstBalance Minimum 300,\
    us-east-1:AWS/EBS VolumeId:vol-0123456789abcdef0 VolumeWriteOps Average 300\n\
    Label,VolumeReadOps,BurstBalance,VolumeWriteOps\n\
    2026/02/14 14:20:00,600,99.5,3\n2026/02/14 14:25:00,,98.5,3\n2026/02/14 14:30:00,1200,97.5,3\n";

fn read(path: &str, content: &str) -> Result<Timeline, GatherError> {
    super::read(&Text::new(path, content), &ExportOptions::default())
}

fn values(timeline: &Timeline, name: &str) -> Vec<(u64, u64, f64)> {
    let seconds = |nanos: Nanos| nanos.0 / 1_000_000_000;
    let series = timeline.select(name, &[]).next();
    match series.map(|series| &series.points) {
        Some(SeriesPoints::Values(_, points)) => {
            points.iter().map(|p| (seconds(p.from), seconds(p.until), p.value)).collect()
        }
        _ => Vec::new(),
    }
}

#[test]
fn the_consoles_csv_is_read_with_its_gaps() {
    let timeline = read("io.csv", CONSOLE).unwrap();
    assert_eq!(values(&timeline, "VolumeReadOps"), [(0, 300, 600.0), (600, 900, 1200.0)]);
    assert_eq!(timeline.about.start.unwrap().to_string(), "2026-02-14T14:20:00Z");
    let balance = timeline.find("BurstBalance", &[("VolumeId", "vol-0123456789abcdef0")]).unwrap();
    assert_eq!(balance.unit, SeriesUnit::Percent);
    assert!(matches!(balance.points, SeriesPoints::Values(MergeRule::Min, _)));
    assert_eq!(timeline.about.notes["statuscode of column 2"], "PartialData");
    assert!(timeline.find("VolumeThroughputPercentage", &[]).is_none());
}

#[test]
fn a_mean_of_operations_is_left_out_and_the_sum_asked_for() {
    let timeline = read("io.csv", CONSOLE).unwrap();
    assert_eq!(values(&timeline, "VolumeWriteOps"), []);
    assert_eq!(timeline.about.notes["left out VolumeWriteOps"], "its Average says nothing; export the Sum");
}

#[test]
fn metric_data_is_read_in_any_order_and_over_pages() {
    let page = |time: &str, value: u32, more: &str| {
        format!(
            r#"{{"MetricDataResults": [{{"Id": "m1", "Label": "vol-0123456789abcdef0 VolumeReadBytes",
                "Timestamps": ["2026-11-21T19:0{time}:00+00:00", "2026-11-21T19:00:00+00:00"],
                "Values": [{value}, 7], "StatusCode": "Complete"}}], "Messages": []{more}}}"#
        )
    };
    let timeline = read("io.json", &page("2", 9, "")).unwrap();
    // Two points two minutes apart: without a period that is their distance.
    assert_eq!(values(&timeline, "VolumeReadBytes"), [(0, 120, 7.0), (120, 240, 9.0)]);
    let pages = page("1", 8, r#", "NextToken": "x""#) + &page("2", 9, "");
    let timeline = read("io.json", &pages).unwrap();
    assert_eq!(values(&timeline, "VolumeReadBytes"), [(0, 60, 7.0), (60, 120, 8.0), (120, 180, 9.0)]);
    assert!(timeline.about.notes["incomplete"].contains("NextToken"));
}

#[test]
fn metric_statistics_are_read_by_the_statistic_that_means_something() {
    let text = r#"{"Label": "VolumeWriteOps", "Datapoints": [
        {"Timestamp": "2026-11-21T19:05:00+00:00", "Average": 2.0, "Sum": 20.0, "Unit": "Count"},
        {"Timestamp": "2026-11-21T19:00:00+00:00", "Average": 1.0, "Sum": 10.0, "Unit": "Count"}]}"#;
    let timeline = read("exports/vol-77.json", text).unwrap();
    assert_eq!(values(&timeline, "VolumeWriteOps"), [(0, 300, 10.0), (300, 600, 20.0)]);
    // The answer does not say of which volume it is; the file's name may.
    assert!(timeline.find("VolumeWriteOps", &[("VolumeId", "vol-77")]).is_some());
}

#[test]
fn a_series_that_is_there_twice_is_refused() {
    let error = read("io.csv", "time,VolumeReadOps,VolumeReadOps\n2026-11-21 19:00:00,1,2\n").unwrap_err().to_string();
    let expected = "io.csv: has VolumeReadOps of `io` twice; expected it once; export labels with their VolumeId";
    assert_eq!(error, expected);
}

#[test]
fn what_is_no_export_is_told_with_what_to_try() {
    let error = |text: &str| read("io.csv", text).unwrap_err().to_string();
    assert!(error("hello\nworld\n").contains("is no export of CloudWatch"));
    assert!(error("{\"a\": 1}").contains("neither `MetricDataResults` nor `Datapoints`"));
    assert!(error("{\"MetricDataResults\": []}").contains("has no points"));
    assert!(error("{\"Datapoints\"").contains("is not JSON"));
    let unknown = error("time,NetworkIn\n2026-11-21 19:00:00,1\n");
    assert!(unknown.contains("no metric of disks that is known, only `NetworkIn`"), "{unknown}");
    let cell = error("time,VolumeReadOps\n2026-11-21 19:00:00,many\n2026-11-21 19:05:00,1\n");
    assert!(cell.starts_with("io.csv:2:1: `many` is no value"), "{cell}");
}

#[test]
fn a_last_line_that_is_half_written_is_left_out() {
    for end in ["2026-11-21 19:1", "2026-11-21 19:10:00,x", "2026-11-21 19:10:00,"] {
        let timeline = read("io.csv", &format!("time,VolumeReadOps\n2026-11-21 19:00:00,1\n{end}")).unwrap();
        assert_eq!(values(&timeline, "VolumeReadOps").len(), 1, "{end}");
    }
}

proptest! {
    #[test]
    fn a_sheet_reads_back(
        rows in proptest::collection::vec(proptest::option::of(0.0..1e9f64), 1..40),
        minutes in 1i64..60,
    ) {
        let begin: Timestamp = "2026-11-21T00:00:00Z".parse().unwrap();
        let mut text = format!(
            "Full label,eu-west-1:AWS/EBS VolumeId:vol-0123456789abcdef0 VolumeWriteBytes Sum {}\n",
            minutes * 60
        );
        for (step, value) in rows.iter().enumerate() {
            let at = Timestamp::from_second(begin.as_second() + step as i64 * minutes * 60).unwrap();
            let value = value.map_or_else(String::new, |value| value.to_string());
            text += &format!("{},{value}\n", Offset::UTC.to_datetime(at).strftime("%Y/%m/%d %H:%M:%S"));
        }
        let known: Vec<f64> = rows.iter().copied().flatten().collect();
        prop_assume!(!known.is_empty());
        let timeline = read("io.csv", &text).unwrap();
        let read: Vec<f64> = values(&timeline, "VolumeWriteBytes").iter().map(|(_, _, value)| *value).collect();
        prop_assert_eq!(read, known);
        let first = rows.iter().position(Option::is_some).unwrap() as i64;
        prop_assert_eq!(timeline.about.start.unwrap().as_second() - begin.as_second(), first * minutes * 60);
    }
}
