use super::*;
use proptest::prelude::*;
use std::collections::VecDeque;
use std::io;
use timeline::SeriesPoints;

/// A line of a device that did so many reads and writes of 4 KiB, each of 2 ms.
fn line(number: &str, name: &str, reads: u64, writes: u64) -> String {
    let (r, w) = (reads, writes);
    format!("{number} {name} {r} 1 {} {} {w} 2 {} {} 3 {r} {w} 0 0 0 0 5 6\n", r * 8, r * 2, w * 8, w * 2)
}

/// A machine whose counters and clocks are written beforehand.
struct Script {
    texts: VecDeque<String>,
    now: u64,
    wall: i64,
    /// How late a wait ends.
    late: u64,
}

impl SampleSource for Script {
    fn read(&mut self) -> io::Result<String> {
        self.texts.pop_front().ok_or_else(|| io::Error::other("no more"))
    }
    fn now(&mut self) -> Nanos {
        Nanos::secs(self.now)
    }
    fn wall(&mut self) -> Timestamp {
        Timestamp::from_second(self.wall + self.now as i64).unwrap()
    }
    fn layers(&mut self) -> crate::stack::MachineStack {
        [("dm-0".to_owned(), vec!["sda1".to_owned(), "sdb".to_owned()])].into()
    }
    fn wait_until(&mut self, at: Nanos) -> bool {
        self.now = at.0 / 1_000_000_000 + self.late;
        !self.texts.is_empty()
    }
}

fn script(texts: &[String]) -> Script {
    Script { texts: texts.iter().cloned().collect(), now: 100, wall: 1_700_000_000, late: 0 }
}

fn run(texts: &[String], options: &DiskstatsOptions) -> Timeline {
    record(&mut script(texts), SampleSchedule { every: Nanos::secs(10), span: None }, options).unwrap()
}

fn points(timeline: &Timeline, name: &str, disk: &str) -> Vec<(u64, u64, f64)> {
    let seconds = |nanos: Nanos| nanos.0 / 1_000_000_000;
    match timeline.find(name, &[("disk", disk)]).map(|series| &series.points) {
        Some(SeriesPoints::Values(_, points)) => {
            points.iter().map(|p| (seconds(p.from), seconds(p.until), p.value)).collect()
        }
        _ => Vec::new(),
    }
}

#[test]
fn counters_become_points_between_samples() {
    let texts = [(0, 0), (100, 50), (100, 80)].map(|(reads, writes)| line("8 0", "sda", reads, writes));
    let timeline = run(&texts, &DiskstatsOptions::default());
    assert_eq!(points(&timeline, "read_ops", "sda"), [(0, 10, 100.0), (10, 20, 0.0)]);
    assert_eq!(points(&timeline, "write_bytes", "sda"), [(0, 10, 50.0 * 4096.0), (10, 20, 30.0 * 4096.0)]);
    assert_eq!(points(&timeline, "read_time", "sda")[0].2, 0.2);
    assert_eq!(points(&timeline, "queue_depth", "sda")[0].2, 0.05 / 10.0);
    assert_eq!(timeline.about.start, Some(Timestamp::from_second(1_700_000_100).unwrap()));
}

#[test]
fn a_device_that_is_gone_leaves_a_gap() {
    let (here, gone) = (|reads| line("8 0", "sda", reads, 0), line("8 16", "sdb", 1, 1));
    let timeline = run(&[here(10), gone.clone(), here(500), here(600)], &DiskstatsOptions::default());
    assert_eq!(points(&timeline, "read_ops", "sda"), [(20, 30, 100.0)]);
    // Another device under the same name has no past here.
    let other = line("8 32", "sda", 700, 0);
    let timeline = run(&[here(10), other, line("8 32", "sda", 705, 0)], &DiskstatsOptions::default());
    assert_eq!(points(&timeline, "read_ops", "sda"), [(10, 20, 5.0)]);
}

#[test]
fn parts_and_idle_devices_are_left_out_unless_named() {
    let all = |n| {
        let names = ["sda", "sda1", "nvme0n1", "nvme0n1p2", "md127"];
        let lines = names.iter().enumerate().map(|(i, name)| line(&format!("8 {i}"), name, n, n));
        lines.collect::<String>() + &line("7 0", "loop0", 0, 0)
    };
    let names = |timeline: &Timeline| {
        timeline.select("read_ops", &[]).map(|series| series.labels["disk"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(names(&run(&[all(1), all(2)], &DiskstatsOptions::default())), ["md127", "nvme0n1", "sda"]);
    let disks = BTreeMap::from([("sda1".to_owned(), "data".to_owned())]);
    assert_eq!(names(&run(&[all(1), all(2)], &DiskstatsOptions { disks, ..DiskstatsOptions::default() })), ["data"]);
}

#[test]
fn a_sleep_of_the_machine_is_one_long_point() {
    let texts = [1, 2, 3].map(|reads| line("8 0", "sda", reads, 0));
    let mut ground = Script { late: 25, ..script(&texts) };
    let timeline =
        record(&mut ground, SampleSchedule { every: Nanos::secs(10), span: None }, &DiskstatsOptions::default())
            .unwrap();
    assert_eq!(points(&timeline, "read_ops", "sda"), [(0, 35, 1.0), (35, 65, 1.0)]);
}

#[test]
fn a_schedule_ends_in_time() {
    let texts: Vec<String> = (0..9).map(|reads| line("8 0", "sda", reads + 1, 0)).collect();
    let schedule = SampleSchedule { every: Nanos::secs(10), span: Some(Nanos::secs(30)) };
    let timeline = record(&mut script(&texts), schedule, &DiskstatsOptions::default()).unwrap();
    assert_eq!(points(&timeline, "read_ops", "sda").len(), 3);
}

#[test]
fn a_clock_that_was_set_is_told() {
    struct Set(Script);
    impl SampleSource for Set {
        fn read(&mut self) -> io::Result<String> {
            self.0.wall += 60;
            self.0.read()
        }
        fn now(&mut self) -> Nanos {
            self.0.now()
        }
        fn wall(&mut self) -> Timestamp {
            self.0.wall()
        }
        fn wait_until(&mut self, at: Nanos) -> bool {
            self.0.wait_until(at)
        }
    }
    let texts = [1, 2].map(|reads| line("8 0", "sda", reads, 0));
    let schedule = SampleSchedule { every: Nanos::secs(10), span: None };
    let timeline = record(&mut Set(script(&texts)), schedule, &DiskstatsOptions::default()).unwrap();
    assert_eq!(timeline.about.notes["clock"], "the time of day was set by +120.0 s meanwhile");
}

#[test]
fn what_is_no_device_is_told_with_its_line() {
    let error = DiskstatsSample::parse("8 0 sda 1 2 3\n", Nanos(0)).unwrap_err().to_string();
    assert!(error.starts_with("/proc/diskstats, line 1: `8 0 sda 1 2 3` is no device; expected"), "{error}");
}

#[test]
fn this_machine_has_disks_that_read_twice() {
    let mut machine = LocalMachine::new(|| true);
    let text = machine.read().unwrap();
    let sample = DiskstatsSample::parse(&text, machine.now()).unwrap();
    assert_eq!(sample.devices.len(), text.lines().count());
}

proptest! {
    #[test]
    fn a_line_reads_back(fields in proptest::collection::vec(any::<u64>(), 11..20), major: u32, minor: u32) {
        let words: Vec<String> = fields.iter().map(u64::to_string).collect();
        let sample = DiskstatsSample::parse(&format!("  {major}  {minor} nvme0n1 {}\n", words.join(" ")), Nanos(0)).unwrap();
        let DeviceLine { number, counters } = sample.devices["nvme0n1"];
        prop_assert_eq!(number, (major, minor));
        prop_assert_eq!([counters.read, counters.write].concat(), &fields[..8]);
        prop_assert_eq!(vec![counters.in_flight, counters.busy, counters.queued], fields[8..11].to_vec());
        prop_assert_eq!(counters.discard.is_some(), fields.len() >= 15);
        prop_assert_eq!(counters.flush.map(|flush| flush[1]), fields.get(16).copied());
    }

    #[test]
    fn any_text_is_read_or_refused(text in "[0-9a-z \n]{0,200}") {
        let _ = DiskstatsSample::parse(&text, Nanos(0));
    }
}

fn dumps(files: &[String], options: &crate::ReadOptions) -> Result<Timeline, String> {
    let files: Vec<crate::InputFile> =
        files.iter().map(|text| crate::InputFile::new("node.txt", text.as_str())).collect();
    crate::InputFormat::read(&DiskstatsDumps, &files, options).map_err(|error| error.to_string())
}

#[test]
fn a_record_notes_what_lies_under_which_device() {
    let texts = [0, 100].map(|reads| line("8 0", "sda", reads, 0));
    assert_eq!(run(&texts, &DiskstatsOptions::default()).about.notes["stack of dm-0"], "sda1 sdb");
}

#[test]
fn saved_dumps_are_read_with_times_between_them_or_an_interval() {
    let dump = |reads: u64| line("8 0", "sda", reads, 0) + &line("8 1", "sda1", reads, 0);
    let minute = crate::ReadOptions { interval: Some(Nanos::secs(60)), ..crate::ReadOptions::default() };
    let (one, two) = (dump(100), dump(700));
    for files in
        [vec![one.clone(), two.clone()], vec![one.clone() + &two], vec![format!("$ cat /proc/diskstats\n{one}\n{two}")]]
    {
        let timeline = dumps(&files, &minute).unwrap();
        assert_eq!(points(&timeline, "read_ops", "sda"), [(0, 60, 600.0)]);
        assert_eq!(points(&timeline, "read_ops", "sda1"), [(0, 60, 600.0)], "layers are folded by who asks");
    }
    let timed = format!("2026-11-21T19:40:00+00:00\n{one}Sat Nov 21 19:42:00 UTC 2026\n{two}");
    let timeline = dumps(&[timed], &crate::ReadOptions::default()).unwrap();
    assert_eq!(points(&timeline, "read_ops", "sda"), [(0, 120, 600.0)]);
    assert_eq!(timeline.about.start.unwrap().to_string(), "2026-11-21T19:40:00Z");
    assert!(dumps(&[one.clone() + &two], &crate::ReadOptions::default()).unwrap_err().contains("no time stamps"));
}

#[test]
fn one_dump_tells_that_it_takes_two_and_a_line_that_is_none_is_pointed_at() {
    let timeline = dumps(&[line("8 0", "sda", 5, 5)], &crate::ReadOptions::default()).unwrap();
    assert!(points(&timeline, "read_ops", "sda").is_empty());
    assert!(timeline.about.notes["left out counters"].contains("two tell what happened"));
    let error = dumps(&[line("8 0", "sda", 5, 5) + "8 1 sda1 1 2 many\n"], &crate::ReadOptions::default()).unwrap_err();
    assert!(error.starts_with("node.txt:2:1: `8 1 sda1 1 2 many` is no device"), "{error}");
}

proptest! {
    #[test]
    fn dumps_as_the_kernel_writes_them_read_back(growth in proptest::collection::vec(0u64..1 << 30, 1..6)) {
        let mut reads = 7;
        let mut text = line("259 0", "nvme0n1", reads, 1);
        for grown in &growth {
            reads += grown;
            text += &line("259 0", "nvme0n1", reads, 1);
        }
        let minute = crate::ReadOptions { interval: Some(Nanos::secs(60)), ..crate::ReadOptions::default() };
        let timeline = dumps(&[text], &minute).unwrap();
        let read: Vec<f64> = points(&timeline, "read_ops", "nvme0n1").into_iter().map(|(_, _, value)| value).collect();
        prop_assert_eq!(read, growth.into_iter().map(|grown| grown as f64).collect::<Vec<_>>());
    }
}
