use std::collections::BTreeMap;

use proptest::prelude::*;
use units::Nanos;

use super::*;
use crate::volume::{PAGE, VolumeCounter};

const TEXT: &str = include_str!("../../tests/formats/nvme.txt");

fn read(name: &str, bytes: impl Into<Vec<u8>>, options: &ReadOptions) -> Result<Timeline, String> {
    NvmeStatistics.read(&[InputFile::new(name, bytes)], options).map_err(|error| error.to_string())
}

fn minute() -> ReadOptions {
    ReadOptions { interval: Some(Nanos::secs(60)), ..ReadOptions::default() }
}

/// A page as the device answers it.
fn page(counters: [u64; 11]) -> Vec<u8> {
    let mut bytes = 0x3C23_B510u64.to_le_bytes().to_vec();
    bytes.extend(counters.iter().flat_map(|counter| counter.to_le_bytes()));
    bytes.resize(4096, 0);
    bytes
}

/// The text of `nvme amzn stats`.
fn text(counters: [u64; 11]) -> String {
    let [ro, wo, rb, wb, rt, wt, vi, vt, ii, it, queue] = counters;
    format!(
        "Total Ops:\n  Read: {ro}\n  Write: {wo}\nTotal Bytes:\n  Read: {rb}\n  Write: {wb}\nTotal Time (us):\n  Read: {rt}\n  \
         Write: {wt}\n\nEBS Volume Performance Exceeded (us):\n  IOPS: {vi}\n  Throughput: {vt}\n\nEC2 Instance EBS Performance \
         Exceeded (us):\n  IOPS: {ii}\n  Throughput: {it}\n\nQueue Length (point in time): {queue}\n\nRead IO Latency Histogram\n\
         [0 - 512 ] => 3\n"
    )
}

/// The JSON of `nvme amzn stats -o json`.
fn json(counters: [u64; 11]) -> String {
    let fields = PAGE.iter().zip(counters).map(|((_, names), counter)| {
        let name = match names[0] {
            name if name.starts_with("volume_performance") => format!("ebs_{name}"),
            name if name.starts_with("instance") => format!("ec2_{name}"),
            name => name.to_owned(),
        };
        format!("\"{name}\": {counter}")
    });
    format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
}

#[test]
fn one_sample_tells_how_long_a_limit_was_exceeded_and_no_rate() {
    let timeline = read("stats.txt", TEXT, &ReadOptions::default()).unwrap();
    let bound = timeline.select("instance_iops_exceeded", &[]).next().unwrap();
    assert_eq!((bound.labels["disk"].as_str(), bound.points()[0].value), ("stats", 51.0));
    assert!(timeline.select("read_ops", &[]).next().is_none());
    assert!(
        timeline.about.notes.values().any(|note| note.contains("51.0 s over the instance IOPS")),
        "{:?}",
        timeline.about
    );
}

#[test]
fn what_happened_between_two_samples_is_told_in_every_form() {
    let (was, now) = (
        [10, 20, 300, 400, 5_000, 6_000, 0, 7_000_000, 0, 0, 4],
        [70, 80, 900, 1_000, 6_000, 8_000, 0, 37_000_000, 60_000_000, 0, 9],
    );
    let forms = [
        [page(was), page(now)].concat(),
        (text(was) + &text(now)).into_bytes(),
        (json(was) + "\n" + &json(now)).into_bytes(),
        format!("[{}, {}]", json(was), json(now)).into_bytes(),
    ];
    for form in forms {
        let timeline = read("nvme1n1.bin", form, &minute()).unwrap();
        let value =
            |name: &str, labels: &[(&str, &str)]| timeline.select(name, labels).next().unwrap().points()[0].value;
        assert_eq!(
            (value("read_ops", &[("disk", "nvme1n1")]), value("write_bytes", &[]), value("read_time", &[])),
            (60.0, 600.0, 0.001)
        );
        assert_eq!(value("volume_throughput_exceeded", &[]), 30.0);
        assert_eq!((value("instance_iops_exceeded", &[]), value("in_flight", &[])), (60.0, 9.0));
    }
    let error = read("x", text(was) + &text(now), &ReadOptions::default()).unwrap_err();
    assert!(error.contains("have no time stamps"), "{error}");
}

#[test]
fn a_page_that_was_printed_in_hexadecimal_is_read() {
    let rows = page([7; 11])
        .chunks(16)
        .enumerate()
        .map(|(row, bytes)| {
            let words: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            format!("{:04x}: {} \"................\"\n", row * 16, words.join(" "))
        })
        .collect::<String>();
    let text = format!("Device:nvme1n1 log-id:208 namespace-id:0x1\n       0  1  2  3\n{rows}");
    let file = InputFile::new("nvme1n1.txt", text);
    assert!(NvmeStatistics.is_of(&file.glimpse()));
    assert_eq!(page::read(&file).unwrap()[0].values[&VolumeCounter::ReadOps], 7.0);
}

#[test]
fn samples_with_times_need_no_interval_and_devices_are_told_apart() {
    let one = [1; 11];
    let two = [61; 11];
    let dump = format!(
        "2026-11-21T19:40:00Z\n/dev/nvme1n1\n{}2026-11-21T19:40:00Z\n/dev/nvme2n1\n{}2026-11-21T19:42:00Z\n/dev/nvme1n1\n{}2026-11-21T19:42:00Z\n/dev/nvme2n1\n{}",
        text(one),
        text(one),
        text(two),
        text(one)
    );
    let timeline = read("x", dump, &ReadOptions::default()).unwrap();
    let ops = |disk: &str| timeline.select("read_ops", &[("disk", disk)]).next().unwrap().points()[0];
    assert_eq!((ops("nvme1n1").value, ops("nvme2n1").value, ops("nvme1n1").until), (60.0, 0.0, Nanos::secs(120)));
    assert_eq!(timeline.about.start.unwrap().to_string(), "2026-11-21T19:40:00Z");
}

#[test]
fn a_page_that_was_cut_off_and_text_that_is_no_count_are_refused() {
    let error = read("p.bin", page([1; 11])[..90].to_vec(), &minute()).unwrap_err();
    assert!(error.contains("p.bin: ends within page 1"), "{error}");
    let mut more = page([1; 11]);
    more.extend(b"junk");
    assert!(read("p.bin", more, &minute()).unwrap_err().contains("4 bytes after its last page"));
    let error = read("x.txt", "Total Ops:\n  Read: many\n", &minute()).unwrap_err();
    assert!(error.starts_with("x.txt:2:1: `Read: many` is no count"), "{error}");
    assert!(read("x.txt", "Queue Length: 3", &minute()).unwrap_err().contains("has no NVMe statistics"));
}

proptest! {
    #[test]
    fn counters_read_back_from_every_form(counters in any::<[u32; 11]>()) {
        let counters = counters.map(u64::from);
        let expected: BTreeMap<VolumeCounter, f64> = PAGE
            .iter()
            .zip(counters)
            .map(|((counter, _), value)| (*counter, if counter.is_time() { value as f64 / 1e6 } else { value as f64 }))
            .collect();
        let file = InputFile::new("x", page(counters));
        prop_assert_eq!(&page::read(&file).unwrap()[0].values, &expected);
        for form in [text(counters), json(counters)] {
            let read = written::read(&InputFile::new("x", form), &ReadOptions::default()).unwrap();
            prop_assert_eq!(&read[0].values, &expected);
        }
    }
}
