use proptest::prelude::*;

use super::*;

fn read(files: &[&str], options: &ReadOptions) -> Result<Timeline, String> {
    let files: Vec<InputFile> = files.iter().map(|text| InputFile::new("q.json", *text)).collect();
    SavedMetrics.read(&files, options).map_err(|error| error.to_string())
}

#[test]
fn a_saved_range_is_read_as_a_server_s() {
    let timeline = read(&[include_str!("../../../tests/formats/answer.json")], &ReadOptions::default()).unwrap();
    let ops = timeline.select("write_ops", &[("node", "10.0.0.5"), ("disk", "nvme1n1")]).next().unwrap().points();
    assert_eq!((ops.len(), ops[0].value, ops[0].until), (1, 180_000.0, Nanos::secs(60)));
    assert_eq!(timeline.about.start.unwrap().as_second(), 1_700_000_000);
}

#[test]
fn counters_that_began_anew_and_levels_are_read_and_an_answer_to_rate_is_refused() {
    let of = |metric: &str, values: &str| {
        format!(
            r#"{{"status":"success","data":{{"resultType":"matrix","result":[{{"metric":{{{metric}"instance":"a:9100","device":"sda","mountpoint":"/data"}},"values":[{values}]}}]}}}}"#
        )
    };
    let anew = of(r#""__name__":"node_disk_reads_completed_total","#, r#"[0,"90"],[60,"100"],[120,"7"]"#);
    let points = read(&[&anew], &ReadOptions::default()).unwrap();
    let values: Vec<f64> =
        points.select("read_ops", &[]).next().unwrap().points().iter().map(|point| point.value).collect();
    assert_eq!(values, [10.0, 7.0]);
    let level = of(r#""__name__":"node_filesystem_avail_bytes","#, r#"[0,"90"],[60,"80"]"#);
    let timeline = read(&[&level], &ReadOptions::default()).unwrap();
    assert_eq!(timeline.select("filesystem_free_bytes", &[("mount", "/data")]).next().unwrap().points()[0].value, 80.0);
    let error = read(&[&of("", r#"[0,"1"]"#)], &ReadOptions::default()).unwrap_err();
    assert!(error.contains("an") && error.contains("query the counters themselves"), "{error}");
    let error = r#"{"status":"error","errorType":"bad_data","error":"parse error"}"#;
    assert!(read(&[error], &ReadOptions::default()).unwrap_err().contains("parse error"));
}

fn page(ops: u64, exceeded: f64) -> String {
    format!(
        "# HELP node_disk_writes_completed_total The total.\n# TYPE node_disk_writes_completed_total counter\n\
         node_disk_writes_completed_total{{device=\"nvme1n1\"}} {ops}\nnode_load1 0.5\n\
         aws_ebs_csi_ec2_exceeded_iops_seconds_total{{instance_id=\"i-0a\",volume_id=\"vol-0b\"}} {exceeded}\n"
    )
}

#[test]
fn two_pages_of_an_exporter_tell_what_happened_between_them() {
    let minute = ReadOptions { interval: Some(Nanos::secs(60)), ..ReadOptions::default() };
    let (was, now) = (page(100, 2.0), page(700, 32.0));
    for files in [vec![was.as_str(), now.as_str()], vec![&*(was.clone() + &now)]] {
        let timeline = read(&files, &minute).unwrap();
        assert_eq!(timeline.select("write_ops", &[("disk", "nvme1n1")]).next().unwrap().points()[0].value, 600.0);
        let exceeded = timeline.select("instance_iops_exceeded", &[("disk", "vol-0b")]).next().unwrap();
        assert_eq!((exceeded.points()[0].value, exceeded.points()[0].until), (30.0, Nanos::secs(60)));
        assert_eq!(timeline.about.start, None);
    }
    assert!(read(&[&was, &now], &ReadOptions::default()).unwrap_err().contains("have no time stamps"));
    let one = read(&[&was], &ReadOptions::default()).unwrap();
    assert!(one.about.notes.values().any(|note| note.contains("two tell what happened")), "{:?}", one.about);
    let exceeded = one.find("instance_iops_exceeded", &[("disk", "vol-0b")]).unwrap().points()[0];
    assert_eq!((exceeded.value, exceeded.until), (2.0, Nanos::secs(2)), "a time over a limit is a verdict by itself");
    let error = read(&["node_disk_writes_completed_total{device=\"a\" 7\n"], &minute).unwrap_err();
    assert!(error.starts_with("q.json:1:1: ") && error.contains("is no sample"), "{error}");
}

proptest! {
    #[test]
    fn samples_of_a_page_read_back(was in 0u64..1 << 50, grown in 0u64..1 << 40, label in "[ -~]{0,12}") {
        let escaped = label.replace('\\', "\\\\").replace('"', "\\\"");
        let line = |value: u64| format!("node_disk_read_bytes_total{{device=\"{escaped}\"}} {value}\n");
        let second = ReadOptions { interval: Some(Nanos::secs(1)), ..ReadOptions::default() };
        let timeline = read(&[&line(was), &line(was + grown)], &second).unwrap();
        if !label.starts_with("loop") {
            let bytes = timeline.select("read_bytes", &[("disk", label.as_str())]).next().unwrap();
            prop_assert_eq!(bytes.points()[0].value, grown as f64);
        }
    }
}
