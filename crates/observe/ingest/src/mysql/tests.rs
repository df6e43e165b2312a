use proptest::prelude::*;

use super::*;

fn read(files: &[&str], options: &ReadOptions) -> Result<Timeline, String> {
    let files: Vec<InputFile> = files.iter().map(|text| InputFile::new("status.txt", *text)).collect();
    ServerStatusFile.read(&files, options).map_err(|error| error.to_string())
}

fn answer(uptime: u64, reads: u64) -> String {
    format!(
        "Variable_name\tValue\nInnodb_data_reads\t{reads}\nInnodb_data_read\t{}\nThreads_running\t3\nUptime\t{uptime}\n",
        reads * 16384
    )
}

#[test]
fn two_answers_tell_what_happened_between_them_in_every_client_s_form() {
    let framed = |text: &str| {
        let rows: String = text.lines().map(|line| format!("| {} |\n", line.replace('\t', " | "))).collect();
        format!("+----+\n{rows}+----+\n")
    };
    let vertical = |text: &str| {
        let pairs = text.lines().skip(1).filter_map(|line| line.split_once('\t'));
        pairs
            .map(|(name, value)| format!("*** row ***\nVariable_name: {name}\n        Value: {value}\n"))
            .collect::<String>()
    };
    let (was, now) = (answer(1_000, 50), answer(1_060, 650));
    for form in [was.clone() + &now, framed(&was) + &framed(&now), vertical(&was) + &vertical(&now)] {
        let timeline = read(&[&form], &ReadOptions::default()).unwrap();
        let reads = timeline.select("innodb_reads", &[]).next().unwrap().points()[0];
        assert_eq!((reads.value, reads.until), (600.0, Nanos::secs(60)), "{form}");
        assert_eq!(timeline.select("read_ops", &[("disk", "data")]).next().unwrap().points()[0].value, 600.0);
        assert_eq!(timeline.about.start, None);
    }
    let timeline = read(&[&was, &now], &ReadOptions::default()).unwrap();
    assert_eq!(timeline.select("read_bytes", &[]).next().unwrap().points()[0].value, 600.0 * 16384.0);
}

#[test]
fn one_answer_tells_that_it_takes_two_and_other_text_is_refused() {
    let timeline = read(&[&answer(10, 1)], &ReadOptions::default()).unwrap();
    assert!(timeline.series.is_empty() && timeline.about.notes[ONE_SAMPLE].contains("two tell what happened"));
    assert!(read(&["hello\tworld\n"], &ReadOptions::default()).unwrap_err().contains("has neither InnoDB's report"));
}

const MONITOR: &str = "=====================================\n\
2026-11-21 19:40:35 140123 INNODB MONITOR OUTPUT\n\
=====================================\n\
Per second averages calculated from the last 20 seconds\n\
FILE I/O\n\
Pending normal aio reads: [0, 0] , aio writes: [0, 0] ,\n\
12.50 reads/s, 16384 avg bytes/read, 300.10 writes/s, 80.20 fsyncs/s\n\
LOG\nLog sequence number 12345\n\
BUFFER POOL AND MEMORY\nModified db pages  100\n\
0.50 reads/s, 0.00 creates/s, 200.00 writes/s\n\
TRANSACTIONS\nHistory list length 42\n\
END OF INNODB MONITOR OUTPUT\n";

#[test]
fn innodb_s_report_has_rates_of_the_seconds_that_it_names() {
    assert!(ServerStatusFile.is_of(&InputFile::new("x", MONITOR).glimpse()));
    let timeline = read(&[MONITOR], &ReadOptions::default()).unwrap();
    let of = |name: &str| timeline.select(name, &[]).next().unwrap().points()[0];
    assert_eq!((of("innodb_reads").value, of("innodb_reads").until), (250.0, Nanos::secs(20)));
    assert_eq!((of("read_bytes").value, of("flush_ops").value), (250.0 * 16384.0, 80.2 * 20.0));
    assert_eq!(
        (of("pages_written").value, of("history_list").value, of("dirty_bytes").value),
        (4000.0, 42.0, 100.0 * 16384.0)
    );
    assert_eq!(timeline.about.start.unwrap().to_string(), "2026-11-21T19:40:15Z");
}

proptest! {
    #[test]
    fn answers_read_back(was in 0u64..1 << 50, grown in 0u64..1 << 40, seconds in 1u64..100_000) {
        let text = format!("Uptime\t5\nInnodb_os_log_written\t{was}\nUptime\t{}\nInnodb_os_log_written\t{}\n", 5 + seconds, was + grown);
        let timeline = read(&[&text], &ReadOptions::default()).unwrap();
        let point = timeline.select("redo_bytes", &[]).next().unwrap().points()[0];
        prop_assert_eq!((point.value, point.until), (grown as f64, Nanos::secs(seconds)));
    }
}
