//! Each kind of bad input ends in one message with its place and what to try.

use std::path::Path;

use diskwright_workload::Workload;
use textfile::{InputError, Text, read_text};

const IOSTAT: &str = include_str!("../../../../../examples/tikv-node-iostat.txt");

/// The message for a workload of `body`, after the three lines that all share.
fn message(body: &str) -> String {
    message_of(&format!("name = 'test'\nengine = 'tikv'\nregion = 'us-west-2'\n{body}"))
}

fn message_of(toml: &str) -> String {
    let mut open = |path: &Path| match path.to_str() {
        Some("node.txt") => Ok(Text::new(path, IOSTAT)),
        _ => Err(InputError::new(path, "there is no such file")),
    };
    Workload::from_text(&Text::new("w.toml", toml), &mut open).unwrap_err().to_string()
}

const GOALS: &str = "[targets]\nthroughput = 1000\n";

#[test]
fn names_that_are_not_known() {
    let messages = [
        message("[tpcc]\nwarehoses = 5000\n"),
        message("regoin = 'us-west-2'\n"),
        message("[tpc]\nwarehouses = 5000\n"),
        message("[targets]\navailability = 'zones'\n"),
        message("[ycsb]\nworkload = 'G'\nrecords = 1\n"),
        message("[sysbench]\ntest = 'readonly'\ntables = 1\nrows = 1\n"),
        message("[[mix.operations]]\nweight = 1\nread = 3\n"),
        message_of("engine = 'tidb'\n"),
    ];
    insta::assert_snapshot!(messages.join("\n"));
}

#[test]
fn keys_that_are_missing_or_too_many() {
    let messages = [
        message_of("engine = 'tikv'\n"),
        message("[tpcc]\nclients = 5\n"),
        message("[tpcc]\nwarehouses = 5\n"),
        message(GOALS),
        message(&format!("[tpcc]\nwarehouses = 5\n[ycsb]\nworkload = 'A'\nrecords = 5\n{GOALS}")),
        message(&format!("[inserts]\nrow = 100\nindexes = 2\nrows-added = 5\n{GOALS}")),
        message(&format!("[mix]\nrows = 5\nrow = 100\ndistribution = 'hotspot'\noperations = []\n{GOALS}")),
        message("[tpcc]\nwarehouses = 5\nwarehouses = 6\n"),
    ];
    insta::assert_snapshot!(messages.join("\n"));
}

#[test]
fn numbers_that_cannot_be() {
    let messages = [
        message("[tpcc]\nwarehouses = -5\n"),
        message("[tpcc]\nwarehouses = '100..10'\n"),
        message("[tpcc]\nwarehouses = 'many'\n"),
        message("[tpcc]\nwarehouses = true\n"),
        message("[targets]\np99 = '50 lightyears'\n"),
        message(&format!("[tpcc]\nwarehouses = 0\n{GOALS}")),
        message(&format!("[tpcc]\nwarehouses = '0..10'\n{GOALS}")),
        message(&format!("[tpcc]\nwarehouses = 1e300\n{GOALS}")),
        message(&format!("[tpcc]\nwarehouses = 1e12\n{GOALS}")),
        message(&format!("[tpcc]\nwarehouses = 5\nclients = 1e8\n{GOALS}")),
        message("[tpcc]\nwarehouses = 10\n[targets]\nthroughput = 0\n"),
        message(&format!("[tpcc]\nwarehouses = 10\n{GOALS}growth = 30\n")),
        message(&format!("[tpcc]\nwarehouses = 10\n{GOALS}durability = '101%'\n")),
        message(&format!("[ycsb]\nworkload = 'A'\nrecords = 10\ntheta = 1\n{GOALS}")),
        message(&format!("[mix]\nrows = 5\nrow = 100\n{GOALS}[[mix.operations]]\nweight = 0\nreads = 1\n")),
        message(&format!("[mix]\nrows = 5\nrow = 100\n{GOALS}[[mix.operations]]\nweight = 1\n")),
        message(&format!("[mix]\nrows = 5\nrow = 100\n{GOALS}[[mix.operations]]\nweight = 1\nscans = 1\n")),
    ];
    insta::assert_snapshot!(messages.join("\n"));
}

#[test]
fn measurements_that_do_not_fit() {
    let sizes = "nodes = 3\nstored = '100GiB'\n";
    let counters = "[measured.data]\nreads = 1\nread-throughput = 1\nwrites = 1\nwrite-throughput = 1\n";
    let messages = [
        message(&format!("[measured]\n{sizes}")),
        message(&format!("[measured]\niostat = 'node.txt'\n{sizes}")),
        message(&format!("[measured]\niostat = 'node.txt'\ndevices = {{ data = 'sdc' }}\n{sizes}")),
        message(&format!("[measured]\niostat = 'nodes.txt'\ndevices = {{ data = 'sdb' }}\n{sizes}")),
        message(&format!("[measured]\niostat = 'node.txt'\ndevices = {{ data = 'sdb' }}\n{sizes}{counters}")),
        message(&format!("[measured]\ndevices = {{ data = 'sdb' }}\n{sizes}{counters}")),
        message(&format!("[measured]\n{sizes}{counters}reeds = 1\n")),
    ];
    insta::assert_snapshot!(messages.join("\n"));
}

#[test]
fn files_that_are_none() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("w.toml");
    let read = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        let message = read_text(&path, textfile::LIMIT).map(|text| message_of(text.content()));
        message.unwrap_or_else(|error| error.to_string().replace(path.to_str().unwrap(), "w.toml"))
    };
    let messages = [
        read(b"name = 'caf\xE9'\n"),
        read(&vec![b'#'; 100_000_000]),
        read(b"name = \n"),
        read(b"name = 'x'\n[tpcc\n"),
        read(b"\x00\x01"),
        read(b""),
    ];
    insta::assert_snapshot!(messages.join("\n"));
}

#[test]
fn a_day_that_is_none_is_refused_with_its_place() {
    let message = |as_of: &str| message_of(&format!("as-of = {as_of}\nengine = 'tikv'\nregion = 'us-west-2'\n{GOALS}"));
    assert!(message("'last year'").starts_with("w.toml:1:9: "), "{}", message("'last year'"));
    assert!(message("'last year'").contains("not a date"));
    assert!(message("2020-11-30").contains("in quotes"), "{}", message("2020-11-30"));
}
