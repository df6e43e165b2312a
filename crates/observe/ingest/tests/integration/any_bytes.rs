//! The checks of the fuzzer on arbitrary and on nearly valid bytes.

use proptest::prelude::*;

#[path = "../../../../../fuzz/checks/any_format.rs"]
mod any_format;
#[path = "../../../../../fuzz/checks/cloudwatch_export.rs"]
mod cloudwatch_export;
#[path = "../../../../../fuzz/checks/diskstats.rs"]
mod diskstats;
#[path = "../../../../../fuzz/checks/iostat_timeline.rs"]
mod iostat_timeline;
#[path = "../../../../../fuzz/checks/mutated.rs"]
mod mutated;
#[path = "../../../../../fuzz/checks/prometheus_answer.rs"]
mod prometheus_answer;

const REPORTS: [&str; 4] = [
    include_str!("../../../../../examples/tikv-node-iostat.txt"),
    include_str!("../iostat/stamped.txt"),
    include_str!("../iostat/several-tables.txt"),
    include_str!("../iostat/reports.json"),
];
const STATS: &str = "8 0 sda 1 2 8 4 5 6 7 8 0 9 10 11 12 13 14 15 16\n8 1 sda1 1 2 8 4 5 6 7 8 0 9 10\n\n\
                     8 0 sda 4294967295 2 9 4 5 6 7 8 0 9 10 11 12 13 14 15 16\n7 0 loop0 1 2 3 4 5 6 7 8 0 9 10\n";
const EXPORTS: [&str; 3] = [
    "Id,m1\nStatusCode,Complete\nMessages,\n\
     Full label,us-east-1:AWS/EBS VolumeId:vol-0123456789abcdef0 VolumeReadOps Sum 300\n\
     Label,VolumeReadOps\n2026/02/14 14:20:00,600\n2026/02/14 14:25:00,\n2026/02/14 14:30:00,1200.5\n",
    r#"{"MetricDataResults": [{"Id": "m1", "Label": "VolumeReadOps", "Timestamps": ["2026-11-21T19:00:00+00:00"],
        "Values": [7.5], "StatusCode": "Complete"}], "Messages": []}"#,
    r#"{"Label": "BurstBalance", "Datapoints": [{"Timestamp": "2026-11-21T19:05:00Z", "Average": 2.0, "Unit": "Percent"}]}"#,
];
const ANSWERS: [&str; 2] = [
    r#"{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"instance":"h:1","device":"sda",
        "diskwright_part":"0","le":"0.5","name":"data"},"values":[[1800000060,"1"],[1800000120,"NaN"]],
        "value":[1800000060,"8"]}]}}"#,
    r#"{"status":"error","errorType":"execution","error":"too many samples"}"#,
];
/// A file of each format, by the format's name.
const FILES: [(&str, &str); 9] = [
    ("nvme", include_str!("../formats/nvme.txt")),
    ("fio", include_str!("../formats/fio.json")),
    ("metrics", include_str!("../formats/answer.json")),
    (
        "metrics",
        "node_disk_writes_completed_total{device=\"a\"} 1\nnode_disk_writes_completed_total{device=\"a\"} 9 1700000000000\n",
    ),
    (
        "sar",
        "Linux 5 (h) 11/21/2026 x\n\n00:10:01 DEV tps rkB/s wkB/s await %util\n00:20:01 sda 1.00 2.00 3.00 4.00 5.00\n",
    ),
    ("mysql", "Uptime\t5\nInnodb_data_reads\t1\nUptime\t9\nInnodb_data_reads\t7\n"),
    (
        "mysql",
        "2026-11-21 19:40:35 1 INNODB MONITOR OUTPUT\n1.5 reads/s, 16384 avg bytes/read, 3.1 writes/s, 8.2 fsyncs/s\n",
    ),
    (
        "stream",
        "{\"namespace\":\"AWS/EBS\",\"metric_name\":\"VolumeReadOps\",\"dimensions\":{\"VolumeId\":\"vol-01\"},\"timestamp\":1795290000000,\"value\":{\"max\":1,\"min\":0,\"sum\":6,\"count\":2},\"unit\":\"Count\"}\n",
    ),
    ("diskstats", STATS),
];
const WORDS: [&str; 22] = [
    "0",
    "-1",
    "1e300",
    "nan",
    "\n",
    "\n\n",
    "[",
    "]",
    "{",
    "}",
    "\"",
    ",",
    ":",
    ".",
    "Device",
    "avg-cpu:",
    "Linux",
    "2026-11-21 19:40:35",
    "31/12/99 00:00:00",
    "18446744073709551615",
    "\0",
    "é",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn no_bytes_break_the_reports(bytes in mutated::near(REPORTS.to_vec(), WORDS.to_vec())) {
        iostat_timeline::iostat_timeline(&bytes);
    }

    #[test]
    fn no_bytes_break_the_counters(bytes in mutated::near(vec![STATS], WORDS.to_vec())) {
        diskstats::diskstats(&bytes);
    }

    #[test]
    fn no_bytes_break_the_exports(bytes in mutated::near(EXPORTS.to_vec(), WORDS.to_vec())) {
        cloudwatch_export::cloudwatch_export(&bytes);
    }

    #[test]
    fn no_bytes_break_any_format(place in 0..FILES.len(), bytes in mutated::near(FILES.map(|(_, text)| text).to_vec(), WORDS.to_vec())) {
        any_format::read_as(FILES[place].0, &bytes);
        any_format::recognised(&bytes);
    }

    #[test]
    fn no_bytes_break_the_answers(bytes in mutated::near(ANSWERS.to_vec(), WORDS.to_vec())) {
        prometheus_answer::prometheus_answer(&bytes);
    }
}
