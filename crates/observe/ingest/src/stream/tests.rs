use proptest::prelude::*;

use super::*;

fn read(content: &str) -> Result<Timeline, String> {
    MetricStream.read(&[InputFile::new("s.jsonl", content)], &ReadOptions::default()).map_err(|error| error.to_string())
}

fn line(metric: &str, dimensions: &str, minute: u64, sum: f64) -> String {
    format!(
        r#"{{"metric_stream_name":"s","account_id":"1","region":"us-east-1","namespace":"AWS/EBS","metric_name":"{metric}","dimensions":{{{dimensions}}},"timestamp":{},"value":{{"max":{sum},"min":0.0,"sum":{sum},"count":2.0}},"unit":"Count"}}"#,
        1_795_290_000_000 + minute * 60_000
    ) + "\n"
}

const VOLUME: &str = r#""VolumeId":"vol-0123456789abcdef0""#;

#[test]
fn lines_become_the_series_of_their_volumes_by_the_statistic_that_means_something() {
    let text = line("VolumeReadOps", VOLUME, 0, 600.0)
        + &line("VolumeReadOps", VOLUME, 1, 1200.0)
        + &line("BurstBalance", VOLUME, 0, 90.0)
        + &line("SomethingElse", VOLUME, 0, 1.0)
        + &line("diskio_ebs_ec2_instance_performance_exceeded_iops", VOLUME, 0, 30e6)
        + "{\"metric_stream_name\":\"s\",\"metr";
    let timeline = read(&text).unwrap();
    let of = |name: &str, label: &str| {
        timeline.select(name, &[(label, "vol-0123456789abcdef0")]).next().unwrap().points().to_vec()
    };
    let ops = of("VolumeReadOps", "VolumeId");
    assert_eq!((ops[0].value, ops[1].value, ops[0].until), (600.0, 1200.0, Nanos::secs(60)));
    assert_eq!(of("BurstBalance", "VolumeId")[0].value, 45.0, "the mean is sum over count");
    assert_eq!(of("instance_iops_exceeded", "disk")[0].value, 30.0);
}

#[test]
fn a_line_that_is_none_is_pointed_at_and_a_stream_of_other_things_refused() {
    let error = read(&(line("VolumeReadOps", VOLUME, 0, 1.0) + "{\"metric_name\": 7}\n")).unwrap_err();
    assert!(error.starts_with("s.jsonl:2:1: is no line of a metric stream"), "{error}");
    assert!(read(&line("CPUCredits", VOLUME, 0, 1.0)).unwrap_err().contains("no line of a metric that is known"));
}

proptest! {
    #[test]
    fn streams_read_back(values in proptest::collection::vec(0.0f64..1e12, 1..50)) {
        let text: String = values.iter().enumerate().map(|(minute, value)| line("VolumeWriteBytes", VOLUME, minute as u64, *value)).collect();
        let timeline = read(&text).unwrap();
        let read: Vec<f64> = timeline.select("VolumeWriteBytes", &[]).next().unwrap().points().iter().map(|point| point.value).collect();
        prop_assert_eq!(read, values);
    }
}
