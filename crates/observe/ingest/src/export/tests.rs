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

fn mapped(content: &str, columns: &[(&str, &str)]) -> Result<Timeline, String> {
    let columns = columns.iter().map(|(label, metric)| ((*label).to_owned(), (*metric).to_owned())).collect();
    let options = ExportOptions { columns, ..ExportOptions::default() };
    super::read(&Text::new("panel.csv", content), &options).map_err(|error| error.to_string())
}

#[test]
fn semicolons_and_decimal_commas_are_those_of_another_country() {
    let text = "sep=;\n\"Time\";\"vol-0123456789abcdef0 VolumeReadOps Sum 300\"\n21.11.2026 19:40:00;1.234,5\n21.11.2026 19:45:00;7\n";
    assert_eq!(values(&read("x.csv", text).unwrap(), "VolumeReadOps"), [(0, 300, 1234.5), (300, 600, 7.0)]);
    let error = read("x.csv", &text.replace("1.234,5", "1,2,3")).unwrap_err().to_string();
    assert!(error.contains("`1,2,3` is no value"), "{error}");
}

#[test]
fn grafana_s_sheets_are_read_in_columns_and_in_rows() {
    let wide = "\"Time\",\"db write iops\"\n1795290000000,300\n1795290060000,null\n1795290120000,310\n";
    let long =
        "Series;Time;Value\ndb write iops;2026-11-21T19:40:00+00:00;300\ndb write iops;2026-11-21T19:42:00+00:00;310\n";
    for text in [wide, long] {
        let timeline = mapped(text, &[("db write iops", "write_iops disk:nvme1n1")]).unwrap();
        let series = timeline.select("write_iops", &[("disk", "nvme1n1")]).next().unwrap();
        let read: Vec<f64> = series.points().iter().map(|point| point.value).collect();
        assert_eq!(read, [300.0, 310.0], "{text}");
    }
}

#[test]
fn a_column_with_a_name_of_its_own_is_what_is_said_and_else_what_its_words_say() {
    let text = "timestamp,orders load,db burst\n2023-05-01T00:00:00.000Z,300,0\n2023-05-01T00:05:00.000Z,300,0\n";
    let timeline = mapped(text, &[("orders load", "WriteIOPS DBInstanceIdentifier:orders")]).unwrap();
    assert_eq!(values(&timeline, "WriteIOPS"), [(0, 300, 300.0), (300, 600, 300.0)]);
    assert!(timeline.about.notes[TAKEN].contains("`db burst` was taken for io_balance"), "{:?}", timeline.about.notes);
    let error = mapped(text, &[("order load", "WriteIOPS")]).unwrap_err();
    assert!(error.contains("has no column `order load`; its columns are `orders load`, `db burst`"), "{error}");
    let error = mapped("time,a,b\n2023-05-01T00:00:00Z,3,0\n", &[]).unwrap_err();
    assert!(error.contains("--map 'a=WriteIOPS'"), "{error}");
}

#[test]
fn a_series_without_an_id_is_of_the_only_volume_that_the_file_names() {
    let text = "Full label,us-east-1 AWS/EBS VolumeId:vol-0123456789abcdef0 VolumeWriteOps Sum 300,BurstBalance\n\
                2023/05/01 00:00:00,90000,0\n";
    let timeline = read("a.csv", text).unwrap();
    assert!(timeline.find("BurstBalance", &[("VolumeId", "vol-0123456789abcdef0")]).is_some());
}

#[test]
fn counters_of_the_agent_are_times_over_a_limit_in_either_unit() {
    let of = |value: &str| {
        let text = format!(
            "Label,diskio_ebs_volume_performance_exceeded_iops VolumeId:vol-0123456789abcdef0 Sum 60\n2023/05/01 00:00:00,{value}\n"
        );
        values(&read("a.csv", &text).unwrap(), "volume_iops_exceeded")[0].2
    };
    assert_eq!((of("30000000"), of("30000000000")), (30.0, 30.0), "microseconds, and nanoseconds of newer agents");
}

proptest! {
    #[test]
    fn sheets_of_either_country_read_back(values in proptest::collection::vec(0u32..1_000_000_000, 1..20)) {
        let header = "Time;vol-0123456789abcdef0 VolumeReadBytes Sum 60\n";
        let minute = |index: usize| format!("2026-11-21 {:02}:{:02}:00", index / 60, index % 60);
        let of = |delimiter: &str, point: &str| -> String {
            let rows = values.iter().enumerate();
            let rows = rows.map(|(index, value)| format!("{}{delimiter}{}{point}25\n", minute(index), value));
            header.replace(';', delimiter) + &rows.collect::<String>()
        };
        for text in [of(";", ","), of(";", "."), of(",", "."), of("\t", ",")] {
            let read: Vec<f64> = super::tests::values(&read("x.csv", &text).unwrap(), "VolumeReadBytes").into_iter().map(|(_, _, value)| value).collect();
            prop_assert_eq!(read, values.iter().map(|value| f64::from(*value) + 0.25).collect::<Vec<_>>());
        }
    }
}
