use super::*;
use proptest::prelude::*;
use timeline::{Series, SeriesPoints};

const PUBLISHED: &str = include_str!("../../../../examples/tikv-node-iostat.txt");

fn text(content: &str) -> Text {
    Text::new("io.txt", content)
}

fn every(seconds: u64) -> IostatOptions {
    IostatOptions { interval: Some(Nanos::secs(seconds)), ..IostatOptions::default() }
}

/// The points of a disk's series: seconds of start and end, and value.
fn points(timeline: &Timeline, name: &str, disk: &str) -> Vec<(f64, f64, f64)> {
    let series: Option<&Series> = timeline.find(name, &[("disk", disk)]);
    match series.map(|series| &series.points) {
        Some(SeriesPoints::Values(_, points)) => {
            points.iter().map(|p| (p.from.as_secs_f64(), p.until.as_secs_f64(), p.value)).collect()
        }
        _ => Vec::new(),
    }
}

fn report(stamp: &str, rows: &[(&str, f64)]) -> String {
    let rows = rows.iter().map(|(device, reads)| format!("{device} {reads} 8.00 1 4 2.00 3.00 0.50 10.0\n"));
    let rows: String = rows.collect();
    format!("{stamp}\navg-cpu: %user %idle\n 1 99\n\nDevice r/s rkB/s w/s wkB/s r_await w_await aqu-sz %util\n{rows}\n")
}

#[test]
fn the_published_node_is_read_with_the_names_of_its_disks() {
    let disks = [("sdb", "data"), ("sdd", "raft")].map(|(device, disk)| (device.to_owned(), disk.to_owned()));
    let options = IostatOptions { disks: disks.into(), ..every(60) };
    let timeline = read(&text(PUBLISHED), &options).unwrap();
    assert_eq!(points(&timeline, "read_ops", "data"), [(0.0, 60.0, 1649.0 * 60.0)]);
    assert_eq!(points(&timeline, "write_bytes", "data"), [(0.0, 60.0, 304_644.0 * 1024.0 * 60.0)]);
    assert_eq!(points(&timeline, "flush_ops", "raft"), [(0.0, 60.0, 571.0 * 60.0)]);
    assert_eq!(points(&timeline, "queue_depth", "raft"), [(0.0, 60.0, 0.94)]);
    assert_eq!(points(&timeline, "busy_time", "raft"), [(0.0, 60.0, 60.0)]);
    assert_eq!(points(&timeline, "read_time", "data"), [], "the report has no latencies: a gap, not zero");
    assert_eq!(timeline.about.start, None);
}

#[test]
fn an_interval_that_nobody_knows_is_asked_for() {
    let error = read(&text(PUBLISHED), &IostatOptions::default()).unwrap_err();
    assert!(matches!(error, GatherError::NoInterval { .. }));
    assert!(error.to_string().contains("of how many seconds each is"), "{error}");
    assert!(read(&text(PUBLISHED), &every(0)).is_err());
}

#[test]
fn stamps_give_the_intervals_and_the_report_since_the_start_is_left_out() {
    let banner = "Linux 6.1 (host) \t11/21/26 \t_x86_64_\t(2 CPU)\n\n";
    let stamped = [("11/21/26 19:40:00", 900.0), ("11/21/26 19:40:10", 1.0), ("11/21/26 19:40:30", 2.0)];
    let reports: String = stamped.iter().map(|(stamp, reads)| report(stamp, &[("sda", *reads)])).collect();
    let timeline = read(&text(&format!("{banner}{reports}")), &IostatOptions::default()).unwrap();
    let read_ops = points(&timeline, "read_ops", "sda");
    // The most frequent interval is 20 s: that is what the first report's would be.
    assert_eq!(read_ops, [(20.0, 30.0, 10.0), (30.0, 50.0, 40.0)]);
    assert_eq!(timeline.about.start.unwrap().to_string(), "2026-11-21T19:39:40Z");
    let told = &timeline.about.notes[LEFT_OUT];
    assert!(told.starts_with("the first report, of 11/21/26 19:40:00: ") && told.contains("-y"), "{told}");
    let counts = IostatOptions { first: FirstReport::Counts, ..IostatOptions::default() };
    let all = read(&text(&format!("{banner}{reports}")), &counts).unwrap();
    assert_eq!(points(&all, "read_ops", "sda")[0], (0.0, 20.0, 18_000.0));
    assert!(!all.about.notes.contains_key(LEFT_OUT));
}

#[test]
fn a_report_that_is_left_out_is_told_with_what_was_moved_in_it_alone() {
    let of = |stamp: &str, mib: u32| format!("{stamp}\nDevice r/s rMB/s w/s wMB/s\nsda 1 {mib} 1 2\nsdb 1 1 1 1\n\n");
    let run = |reads: [u32; 2]| {
        let stamps = ["11/21/26 19:40:01", "11/21/26 19:40:02"];
        let reports: Vec<String> = stamps.iter().zip(reads).map(|(stamp, mib)| of(stamp, mib)).collect();
        format!("Linux 6.1 (host) \t11/21/26 \t_x86_64_\t(2 CPU)\n\n{}", reports.concat())
    };
    let told = |text_of: &str| read(&text(text_of), &IostatOptions::default()).unwrap().about.notes[LEFT_OUT].clone();
    assert!(told(&run([2300, 20])).ends_with("sda moved 2302 MiB/s in it, more than in any other"));
    assert!(!told(&run([10, 20])).contains("moved"), "the others have as much");
    assert!(told(&[run([10, 20]), run([10, 20])].concat()).starts_with("the first reports of 2 runs: "));
    let alone = format!("Linux 6.1 (host) \t11/21/26 \t_x86_64_\t(2 CPU)\n\n{}", of("11/21/26 19:40:01", 9));
    assert!(!read(&text(&alone), &every(1)).unwrap().about.notes.contains_key(LEFT_OUT), "one that is alone counts");
}

#[test]
fn a_disk_that_a_report_lacks_has_a_gap() {
    let reports = [
        report("11/21/26 19:40:10", &[("sda", 1.0), ("sdb", 1.0)]),
        report("11/21/26 19:40:20", &[("sda", 1.0)]),
        report("11/21/26 19:40:30", &[("sda", 1.0), ("sdb", 1.0)]),
    ];
    let timeline = read(&text(&reports.concat()), &IostatOptions::default()).unwrap();
    let spans: Vec<_> = points(&timeline, "write_ops", "sdb").iter().map(|(from, until, _)| (*from, *until)).collect();
    assert_eq!(spans, [(0.0, 10.0), (20.0, 30.0)]);
    assert_eq!(points(&timeline, "write_time", "sdb")[0].2, 10.0 * 1.0 * 3.0 * 1e-3);
}

#[test]
fn a_clock_that_goes_back_is_told_and_nothing_overlaps() {
    let stamps = ["11/21/26 19:40:10", "11/21/26 19:40:20", "11/21/26 19:40:15", "11/21/26 19:40:25"];
    let reports: String = stamps.iter().map(|stamp| report(stamp, &[("sda", 1.0)])).collect();
    let timeline = read(&text(&reports), &IostatOptions::default()).unwrap();
    assert_eq!(timeline.about.notes["clock"], "went back or stood still before 2026-11-21T19:40:15Z");
    timeline.validate().unwrap();
}

#[test]
fn one_await_for_all_is_the_time_of_reads_and_writes_together() {
    let old = "Device: r/s w/s rkB/s wkB/s avgqu-sz await svctm %util\nxvda 2 3 8 12 0.01 1.50 0.40 0.20\n";
    let timeline = read(&text(old), &every(10)).unwrap();
    assert_eq!(points(&timeline, "io_time", "xvda"), [(0.0, 10.0, 5.0 * (1.5 * 1e-3) * 10.0)]);
    assert_eq!(points(&timeline, "read_time", "xvda"), []);
    assert_eq!(points(&timeline, "flush_ops", "xvda"), []);
}

/// One report of a run: what devices `a` and `b` read and wrote a second, in hundredths.
type Rates = [(u32, u32); 2];

fn layout(reports: &[Rates], comma: bool, mega: bool) -> String {
    let number = |hundredths: u32| {
        let text = format!("{}.{:02}", hundredths / 100, hundredths % 100);
        if comma { text.replace('.', ",") } else { text }
    };
    let unit = if mega { "MB/s" } else { "kB/s" };
    let mut text = String::new();
    for rates in reports {
        text += &format!("Device r/s r{unit} w/s w{unit}\n");
        for (device, (reads, writes)) in ["a", "b"].into_iter().zip(rates) {
            text += &format!("{device} {0} {0} {1} {1}\n", number(*reads), number(*writes));
        }
        text.push('\n');
    }
    text
}

proptest! {
    #[test]
    fn what_iostat_prints_reads_back(
        reports in proptest::collection::vec(any::<[(u16, u16); 2]>(), 1..6),
        comma: bool,
        mega: bool,
        seconds in 1u64..100,
    ) {
        let reports: Vec<Rates> =
            reports.into_iter().map(|rates| rates.map(|(reads, writes)| (reads.into(), writes.into()))).collect();
        let timeline = read(&text(&layout(&reports, comma, mega)), &every(seconds)).unwrap();
        for (index, disk) in ["a", "b"].into_iter().enumerate() {
            let (ops, bytes) = (points(&timeline, "read_ops", disk), points(&timeline, "write_bytes", disk));
            prop_assert_eq!(ops.len(), reports.len());
            for (step, rates) in reports.iter().enumerate() {
                let (reads, writes) = rates[index];
                let factor = if mega { 1048576.0 } else { 1024.0 };
                let near = |value: f64, rate: f64| (value - rate * seconds as f64).abs() <= 1e-9 * value.abs();
                prop_assert!(near(ops[step].2, f64::from(reads) / 100.0));
                prop_assert!(near(bytes[step].2, f64::from(writes) / 100.0 * factor));
                prop_assert_eq!(ops[step].0, (step as u64 * seconds) as f64);
            }
        }
    }

    #[test]
    fn a_report_cut_off_anywhere_keeps_what_came_before(cut in 0.0..1.0f64) {
        let whole = layout(&[[(100, 200), (300, 400)]; 3], false, false);
        let end = (whole.len() as f64 * cut) as usize;
        // Cut between words, a report cannot be told from a whole one; the lines before are what they were.
        if let Ok(timeline) = read(&text(&whole[..end]), &every(1)) {
            let whole = read(&text(&whole), &every(1)).unwrap();
            let (part, all) = (points(&timeline, "read_ops", "a"), points(&whole, "read_ops", "a"));
            prop_assert_eq!(&part[..], &all[..part.len()]);
        }
    }
}

/// What sysstat 12.6 printed of a machine in its several forms, a second apart.
const PRINTED: [&str; 4] = [
    include_str!("../tests/iostat/stamped.txt"),
    include_str!("../tests/iostat/several-tables.txt"),
    include_str!("../tests/iostat/reports.json"),
    include_str!("../tests/iostat/megabytes.txt"),
];

#[test]
fn all_that_sysstat_prints_is_read() {
    for printed in PRINTED {
        let options = IostatOptions { first: FirstReport::Counts, ..every(1) };
        let timeline = read(&text(printed), &options).unwrap();
        for name in ["read_ops", "write_bytes", "read_time", "flush_time", "discard_ops", "busy_time", "queue_depth"] {
            let points = points(&timeline, name, "vda");
            assert!(points.len() >= 2, "{name} of {printed}");
            assert!(points.iter().all(|(from, until, _)| until - from == 1.0), "{name}: {points:?}");
        }
    }
}
