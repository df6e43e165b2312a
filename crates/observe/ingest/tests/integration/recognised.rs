//! What a file is gets recognised, by the table that subcommands and help are made of.

use ingest::formats::{FORMATS, named, read, recognise};
use ingest::{InputFile, ReadOptions, seems};

/// A file and the format that it is of.
const FILES: [(&str, &str); 14] = [
    ("iostat", include_str!("../../../../../examples/tikv-node-iostat.txt")),
    ("iostat", include_str!("../iostat/stamped.txt")),
    ("iostat", include_str!("../iostat/several-tables.txt")),
    ("iostat", include_str!("../iostat/reports.json")),
    ("nvme", include_str!("../formats/nvme.txt")),
    ("fio", include_str!("../formats/fio.json")),
    ("metrics", include_str!("../formats/answer.json")),
    ("metrics", "# TYPE node_load1 gauge\nnode_load1 0.5\n"),
    ("sar", "12:00:01 AM       DEV       tps     rkB/s     wkB/s\n"),
    ("diskstats", "   8       0 sda 1 2 3 4 5 6 7 8 0 9 10\n"),
    ("mysql", "| Innodb_data_reads | 7 |\n"),
    ("export", "timestamp,db write iops\n2023-05-01T00:00:00.000Z,300\n"),
    ("export", "Time;write iops\n21.11.2026 19:40:00;1.234,5\n"),
    (
        "stream",
        "{\"metric_stream_name\":\"s\",\"namespace\":\"AWS/EBS\",\"metric_name\":\"VolumeReadOps\",\"dimensions\":{}}",
    ),
];

#[test]
fn each_file_is_of_its_format() {
    for (format, text) in FILES {
        let found = recognise(&InputFile::new("file", text)).map(|format| format.name());
        assert_eq!(found, Some(format), "{}", &text[..text.len().min(80)]);
    }
}

#[test]
fn a_file_of_another_format_is_named_with_the_command_that_reads_it() {
    for (format, text) in FILES {
        for other in FORMATS.into_iter().filter(|other| other.name() != format) {
            if let Err(error) = read(other, &[InputFile::new("file", text)], &ReadOptions::default()) {
                let error = error.to_string();
                assert!(
                    error.contains(&format!("`diagnose {format}`")) || error.contains("no time stamps"),
                    "{}: {error}",
                    other.name()
                );
            }
        }
    }
}

#[test]
fn what_is_no_metrics_is_said_with_what_to_bring_instead() {
    let gzip: &[u8] = &[0x1F, 0x8B, 8, 0];
    for (bytes, what) in [
        (gzip, "packed with gzip"),
        (b"Device             tps    kB_read/s    kB_wrtn/s\nsda 1 2 3\n", "iostat without -x"),
        (b"<!DOCTYPE html><html>", "a web page"),
        (b"procs -----------memory---------- ---swap--\n", "what vmstat printed"),
        (b"wr: (groupid=0, jobs=1): err= 0\n", "fio's output for people"),
        (b"tikv_servers:\n  - host: a\n", "a TiUP topology"),
        (b"[rocksdb]\nmax-open-files = 1\n", "settings"),
        (&[0x96, 0xD5, 0x75, 0x21], "sysstat's own data"),
        (b"{\"a\": 1}", "another kind of JSON"),
    ] {
        let file = InputFile::new("file", bytes);
        assert!(recognise(&file).is_none(), "{what}");
        assert!(seems(&file).is_some_and(|stranger| stranger.what.starts_with(what)), "{what}: {:?}", seems(&file));
    }
}

#[test]
fn the_documentation_lists_every_format() {
    let pages = include_str!("../../../../../docs/design/diagnosis.md");
    for format in FORMATS {
        assert!(pages.contains(&format!("| `{}` | {} |", format.name(), format.about())), "{}", format.name());
    }
}

#[test]
fn every_format_has_a_name_of_its_own_and_help_that_fits_a_terminal() {
    let mut names = std::collections::BTreeSet::new();
    for format in FORMATS {
        for name in std::iter::once(format.name()).chain(format.aliases().iter().copied()) {
            assert!(names.insert(name), "{name}");
            assert_eq!(named(name).unwrap().name(), format.name());
        }
        assert!(format.help().contains("Examples:") && format.help().lines().all(|line| line.chars().count() <= 100));
    }
}
