use proptest::prelude::*;

use super::*;

fn read(content: &str) -> Result<Timeline, String> {
    FioResult.read(&[InputFile::new("fio.json", content)], &ReadOptions::default()).map_err(|error| error.to_string())
}

fn rate(timeline: &Timeline, name: &str) -> f64 {
    let point = timeline.select(name, &[]).next().unwrap().points()[0];
    point.value / Nanos(point.until.0 - point.from.0).as_secs_f64()
}

#[test]
fn a_run_is_an_interval_of_the_disk_under_it() {
    let timeline = read(include_str!("../../tests/formats/fio.json")).unwrap();
    assert!((rate(&timeline, "write_ops") - 1029.9).abs() < 1e-6);
    assert_eq!(rate(&timeline, "write_bytes"), 135e6);
    let queue = timeline.select("queue_depth", &[("disk", "fio")]).next().unwrap().points()[0].value;
    assert!((queue - 1029.9 * 0.497).abs() < 1e-6, "by Little's law");
}

#[test]
fn jobs_of_a_group_ran_together_and_groups_one_after_the_other() {
    let job = |group: u32, iops: f64| {
        format!(
            r#"{{"jobname": "j", "groupid": {group}, "read": {{"iops": {iops}, "bw": 4000, "runtime": 30000, "lat_ns": {{"mean": 1000000}}}}, "write": {{"iops": 0}}}}"#
        )
    };
    let text = format!(
        "fio: a warning\n{{\"fio version\": \"fio-3.28\", \"timestamp\": 1795290035, \"jobs\": [{}, {}, {}], \"disk_util\": [{{\"name\": \"nvme1n1\", \"read_ios\": 9, \"write_ios\": 0}}, {{\"name\": \"dm-0\", \"read_ios\": 1, \"write_ios\": 0}}]}}\nj: (groupid=0",
        job(0, 1000.0),
        job(0, 500.0),
        job(1, 7.0)
    );
    let timeline = read(&text).unwrap();
    let ops = timeline.select("read_ops", &[("disk", "nvme1n1")]).next().unwrap().points();
    assert_eq!(ops.len(), 2);
    assert_eq!((ops[0].value, ops[1].from, ops[1].value), (45_000.0, Nanos::secs(30), 210.0));
    assert_eq!(timeline.about.start.unwrap().as_second(), 1_795_290_035 - 60);
}

#[test]
fn of_the_results_of_a_run_under_way_the_last_counts_and_another_json_is_refused() {
    let of = |iops: u32| {
        format!(r#"{{"fio version": "x", "jobs": [{{"jobname": "a", "write": {{"iops": {iops}, "bw_bytes": 1}}}}]}}"#)
    };
    assert!((rate(&read(&(of(1) + "\n" + &of(9))).unwrap(), "write_ops") - 9.0).abs() < 1e-9);
    assert!(read(r#"{"a": 1}"#).unwrap_err().contains("has no `jobs`"));
    assert!(read("{\"jobs\": [").unwrap_err().contains("is not JSON"));
}

proptest! {
    #[test]
    fn rates_that_fio_prints_read_back(
        sides in proptest::collection::vec((0.0f64..1e6, 0.0f64..1e10, 1.0f64..1e9), 2),
        millis in 1u64..10_000_000,
    ) {
        let side = |(iops, bytes, mean): (f64, f64, f64)| serde_json::json!({
            "iops": iops, "bw_bytes": bytes, "runtime": millis, "lat_ns": {"mean": mean}});
        let document = serde_json::json!({"fio version": "fio-3.36", "jobs": [
            {"jobname": "j", "groupid": 0, "read": side(sides[0]), "write": side(sides[1])}]});
        let timeline = read(&document.to_string()).unwrap();
        for ((iops, bytes, _), names) in sides.iter().zip([["read_ops", "read_bytes"], ["write_ops", "write_bytes"]]) {
            if *iops > 0.0 {
                prop_assert!((rate(&timeline, names[0]) - iops).abs() <= iops * 1e-9);
                prop_assert!((rate(&timeline, names[1]) - bytes).abs() <= bytes * 1e-9);
            }
        }
    }
}
