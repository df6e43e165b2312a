//! What every format keeps, and what none may do.

use std::path::Path;

use proptest::prelude::*;
use proptest::sample::Index;
use units::Bytes;

use super::{TimelineFormat, bytes};
use crate::testing::{any_timeline, histograms, latency_point, point, timeline, values};
use crate::{MergeRule, Timeline};

const FORMATS: [TimelineFormat; 3] = [TimelineFormat::Parquet, TimelineFormat::Csv, TimelineFormat::Json];

/// Without the series that no file holds.
fn with_points(mut all: Timeline) -> Timeline {
    all.series.retain(|series| !series.points.is_empty());
    all
}

fn sample() -> Timeline {
    let mut ops = values("ops", MergeRule::Sum, vec![point(0, 1, 3000.0), point(1, 2, 2999.5)]);
    ops.labels.insert("disk".into(), "data".into());
    let mut all = timeline(vec![ops, histograms("read_latency", vec![latency_point(0, 2, &[440_000, 720_000])])]);
    all.about.title = "gp3".into();
    all.about.start = Some("2026-01-02T03:04:05.000000006Z".parse().unwrap());
    all.about.notes.insert("instance".into(), "m5.2xlarge".into());
    all
}

fn text(format: TimelineFormat) -> String {
    String::from_utf8(format.encode(&sample()).unwrap()).unwrap()
}

fn fault(format: TimelineFormat, text: &str) -> String {
    format.decode(text.as_bytes().to_vec(), "t").unwrap_err().to_string()
}

#[test]
fn csv_is_a_table_that_opens_as_it_is() {
    let text = text(TimelineFormat::Csv);
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines[0], "series,labels,unit,merge,from_ns,until_ns,value,histogram,about");
    assert_eq!(
        lines[1],
        r#"ops,"{""disk"":""data""}",Count,sum,0,1000000000,3000.0,,"{""version"":1,""title"":""gp3"",""start"":""2026-01-02T03:04:05.000000006Z"",""notes"":{""instance"":""m5.2xlarge""}}""#
    );
    assert_eq!(lines[2], r#"ops,"{""disk"":""data""}",Count,sum,1000000000,2000000000,2999.5,,"#);
    assert!(lines[3].starts_with("read_latency,{},None,histogram,0,2000000000,,HISTEwAAA"), "{}", lines[3]);
}

#[test]
fn json_has_these_keys() {
    let text = text(TimelineFormat::Json);
    let start = r#"{"about":{"version":1,"title":"gp3","start":"2026-01-02T03:04:05.000000006Z","notes":{"instance":"m5.2xlarge"}},"series":[{"name":"ops","labels":{"disk":"data"},"unit":"Count","merge":"sum","points":[{"from_ns":0,"until_ns":1000000000,"value":3000.0},"#;
    assert!(text.starts_with(start), "{text}");
    assert!(text.contains(r#""merge":"histogram","points":[{"from_ns":0,"until_ns":2000000000,"histogram":"HISTE"#));
}

#[test]
fn rows_may_come_in_any_order_and_columns_too() {
    let text = "value,merge,unit,series,until_ns,from_ns,mine\n2,sum,Count,ops,2000000000.0,1000000000,x\n\
                1,sum,Count,ops,1000000000,0.0,y\n";
    let read = TimelineFormat::Csv
        .decode(text.replace("unit,", "unit,labels,").replace("Count,", "Count,,").into(), "t")
        .unwrap();
    assert_eq!(read, timeline(vec![values("ops", MergeRule::Sum, vec![point(0, 1, 1.0), point(1, 2, 2.0)])]));
}

#[test]
fn a_unit_that_a_data_frame_took_for_a_gap_is_none() {
    let frame = text(TimelineFormat::Csv).replace(",None,", ",,");
    assert_eq!(TimelineFormat::Csv.decode(frame.into(), "t").unwrap(), sample());
}

#[test]
fn a_csv_fault_has_its_line() {
    let wrong = text(TimelineFormat::Csv).replace("2999.5", "fast");
    assert_eq!(
        fault(TimelineFormat::Csv, &wrong),
        "t:3:1: `fast` is no number; was it written by diskwright, and whole?"
    );
    let message = fault(TimelineFormat::Csv, "a,b\n1,2\n");
    assert!(message.starts_with("t: has no column `series`, expected series, labels, "), "{message}");
}

#[test]
fn a_json_fault_has_its_place() {
    let message = fault(TimelineFormat::Json, "{\"series\":\n 5}");
    assert!(message.starts_with("t:2:2: invalid type: integer `5`, expected a sequence"), "{message}");
}

#[test]
fn a_series_that_changes_its_unit_is_refused() {
    let wrong = text(TimelineFormat::Csv).replace("Count,sum,1000000000", "Bytes,sum,1000000000");
    let message = fault(TimelineFormat::Csv, &wrong);
    assert!(message.contains("ops{disk=\"data\"} is Bytes (sum) here and Count (sum) before"), "{message}");
}

#[test]
fn a_newer_version_says_so() {
    let message = fault(TimelineFormat::Json, &text(TimelineFormat::Json).replace("\"version\":1", "\"version\":2"));
    assert!(message.contains("format version 2, expected 1: read it with a newer diskwright"), "{message}");
}

#[test]
fn what_is_not_parquet_is_refused() {
    let message = fault(TimelineFormat::Parquet, "series,labels");
    assert!(message.contains("Parquet"), "{message}");
}

#[test]
fn overlapping_points_in_a_file_are_refused() {
    let wrong = text(TimelineFormat::Csv).replace("sum,1000000000,", "sum,999999999,");
    assert!(fault(TimelineFormat::Csv, &wrong).contains("starts before the one before it ends"));
}

#[test]
fn the_extension_chooses_the_format() {
    assert_eq!(TimelineFormat::of("a/b.PARQUET").unwrap(), TimelineFormat::Parquet);
    let message = |path: &str| TimelineFormat::of(path).unwrap_err().to_string();
    assert_eq!(message("a.xlsx"), "a.xlsx: `.xlsx` is not a format of Timelines; name it .parquet, .csv or .json");
    assert_eq!(message("a"), "a: has no extension, so its format is not known; name it .parquet, .csv or .json");
}

#[test]
fn files_are_written_whole_and_read_back() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["t.parquet", "t.csv", "t.json"] {
        let path = folder.path().join(name);
        sample().write(&path).unwrap();
        assert_eq!(Timeline::read(&path).unwrap(), sample());
    }
    assert_eq!(folder.path().read_dir().unwrap().count(), 3);
}

#[test]
fn an_invalid_timeline_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    let all = timeline(vec![values("ops", MergeRule::Sum, vec![point(0, 1, f64::NAN)])]);
    let message = all.write(&path).unwrap_err().to_string();
    assert!(message.contains("t.csv: is not written: ops: the point from 0ns is NaN"), "{message}");
    assert!(!path.exists());
}

#[test]
fn a_missing_file_is_named() {
    let message = Timeline::read("/no/such/t.csv").unwrap_err().to_string();
    assert_eq!(message, "/no/such/t.csv: there is no such file; check the path");
}

#[test]
fn a_file_is_read_to_the_limit_only_and_what_has_no_end_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.csv");
    std::fs::write(&path, [b'x'; 1025]).unwrap();
    let message = bytes(&path, Bytes::kib(1)).unwrap_err().to_string();
    assert!(message.contains("is larger than 1KiB; write it in parts"), "{message}");
    let message = bytes(Path::new("/dev/zero"), Bytes::kib(1)).unwrap_err().to_string();
    assert!(message.contains("is a device, expected a file"), "{message}");
    assert_eq!(bytes(&path, Bytes(1025)).unwrap().len(), 1025);
}

#[test]
fn the_rows_of_a_parquet_file_may_lie_in_many_groups() {
    let points = (0..20).map(|at| point(at, at + 1, at as f64)).collect();
    let all = timeline(vec![values("a", MergeRule::Max, points), sample().series.remove(1), sample().series.remove(0)]);
    for group in [1, 7, 20, 23, 100] {
        let bytes = super::parquet_write::encode_in_groups(&all, group).unwrap();
        assert_eq!(TimelineFormat::Parquet.decode(bytes, "t").unwrap(), all, "groups of {group}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_was_written_reads_back(all in any_timeline()) {
        for format in FORMATS {
            let read = format.decode(format.encode(&all).unwrap(), "t").unwrap();
            prop_assert_eq!(&read, &with_points(all.clone()), "{:?}", format);
        }
    }

    #[test]
    fn any_bytes_are_a_timeline_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        for format in FORMATS {
            let _ = format.decode(bytes.clone(), "t");
            // With Parquet's marks at both ends the metadata is looked at as well.
            let _ = format.decode([b"PAR1", &bytes[..], &(bytes.len() as u32).to_le_bytes(), b"PAR1"].concat(), "t");
        }
    }

    #[test]
    fn a_damaged_file_is_a_timeline_or_an_error(
        all in any_timeline(), damages in proptest::collection::vec((any::<Index>(), any::<u8>(), 0..5u8), 1..6),
    ) {
        for format in FORMATS {
            let mut bytes = format.encode(&all).unwrap();
            for (at, byte, how) in &damages {
                let at = at.index(bytes.len());
                match how {
                    0 => bytes.truncate(at.max(1)),
                    1 => bytes.insert(at, *byte),
                    2 => drop(bytes.remove(at)),
                    _ => bytes[at] = *byte,
                }
                if bytes.is_empty() {
                    break;
                }
            }
            if let Ok(read) = format.decode(bytes, "t") {
                prop_assert!(read.validate().is_ok());
            }
        }
    }
}
