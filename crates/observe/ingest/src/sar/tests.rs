use proptest::prelude::*;

use super::*;

fn read(content: &str, options: &ReadOptions) -> Result<Timeline, String> {
    SarReport.read(&[InputFile::new("sar.txt", content)], options).map_err(|error| error.to_string())
}

const TEXT: &str = "Linux 5.10.0 (db-1) \t11/21/2026 \t_x86_64_\t(8 CPU)\n\n\
11:50:01 PM       DEV       tps     rkB/s     wkB/s     dkB/s   areq-sz    aqu-sz     await     %util\n\
12:00:01 AM   nvme1n1    400.00   3000.00   1000.00      0.00     10.00      0.80      2.00     40.00\n\
12:10:01 AM   nvme1n1    200.00      0.00   1000.00      0.00      5.00      0.20      1.00     20.00\n\
Average:      nvme1n1    300.00   1500.00   1000.00      0.00      7.50      0.50      1.50     30.00\n";

#[test]
fn reports_follow_each_other_over_midnight_and_the_average_is_none() {
    let timeline = read(TEXT, &ReadOptions::default()).unwrap();
    let of =
        |name: &str| timeline.select(name, &[("disk", "nvme1n1"), ("node", "db-1")]).next().unwrap().points().to_vec();
    let ops = of("read_ops");
    assert_eq!(ops.len(), 2);
    // Three quarters of the bytes were read.
    assert_eq!((ops[0].value, of("write_ops")[0].value), (400.0 * 600.0 * 0.75, 400.0 * 600.0 * 0.25));
    assert_eq!((of("write_ops")[1].value, of("busy_time")[1].value), (120_000.0, 120.0));
    // The banner's date is that of the first report, before midnight.
    assert_eq!(timeline.about.start.unwrap().to_string(), "2026-11-20T23:50:01Z");
    assert!(timeline.about.notes.contains_key(SPLIT));
}

#[test]
fn old_columns_are_sectors_and_devices_have_numbers() {
    let text = "12:00:01          DEV       tps  rd_sec/s  wr_sec/s  avgrq-sz  avgqu-sz     await     svctm     %util\n\
                12:10:01       dev8-0     10,00      0,00     80,00      8,00      0,05      5,00      1,00      1,00\n";
    let ten = ReadOptions { interval: Some(Nanos::secs(600)), ..ReadOptions::default() };
    let timeline = read(text, &ten).unwrap();
    assert_eq!(
        timeline.select("write_bytes", &[("disk", "dev8-0")]).next().unwrap().points()[0].value,
        80.0 * 512.0 * 600.0
    );
    assert!(read(text, &ReadOptions::default()).unwrap_err().contains("have no time stamps"));
}

#[test]
fn what_sadf_prints_is_read_and_cut_off_too() {
    let json = r#"{"sysstat": {"hosts": [{"nodename": "db-1", "statistics": [
        {"timestamp": {"date": "2026-11-21", "time": "10:10:01", "utc": 1, "interval": 600},
         "disk": [{"disk-device": "nvme1n1", "tps": 10.0, "rd_sec": 0.0, "wr_sec": 80.0, "rkB": 0.0, "wkB": 40.0, "await": 2.0, "aqu-sz": 0.02, "util-percent": 1.0}]},
        {"timestamp": {"date": "2026-11-21", "time": "10:20:01", "utc": 1, "interval": 600}, "disk": [{"disk-dev"#;
    let timeline = read(json, &ReadOptions::default()).unwrap();
    let bytes = timeline.select("write_bytes", &[("disk", "nvme1n1"), ("node", "db-1")]).next().unwrap().points();
    assert_eq!((bytes.len(), bytes[0].value), (1, 40.0 * 1024.0 * 600.0));
    let wrong = json.replace("80.0", "\"many\"");
    assert!(read(&wrong, &ReadOptions::default()).unwrap_err().contains("`wr_sec` of `nvme1n1` is \"many\""));
}

#[test]
fn a_line_that_is_no_row_is_pointed_at() {
    let error = read(&TEXT.replace("400.00", "4x0.00"), &ReadOptions::default()).unwrap_err();
    assert!(error.starts_with("sar.txt:4:1: `4x0.00` in column `tps` is no rate"), "{error}");
    let error = read(&TEXT.replace("   3000.00", ""), &ReadOptions::default()).unwrap_err();
    assert!(error.starts_with("sar.txt:4:1: has 10 columns"), "{error}");
    assert!(read("hello", &ReadOptions::default()).unwrap_err().contains("has no report of disks"));
}

proptest! {
    #[test]
    fn tables_as_sar_prints_them_read_back(rows in proptest::collection::vec((0u32..1_000_000, 0u32..1_000_000, 0u32..1_000_000), 1..20)) {
        let mut text = "Linux 6.1.0 (h) \t2026-11-21 \t_x86_64_\t(2 CPU)\n\n00:00:00  DEV  tps  rkB/s  wkB/s  await  %util\n".to_owned();
        for (index, (tps, read, written)) in rows.iter().enumerate() {
            text += &format!("00:{:02}:00  sda  {tps}.00  {read}.50  {written}.25  1.00  2.00\n", index + 1);
        }
        let minute = ReadOptions { interval: Some(Nanos::secs(60)), ..ReadOptions::default() };
        let timeline = super::tests::read(&text, &minute).unwrap();
        let points = |name: &str| timeline.select(name, &[]).next().unwrap().points().to_vec();
        let (reads, writes, bytes) = (points("read_ops"), points("write_ops"), points("read_bytes"));
        prop_assert_eq!(bytes.len(), rows.len());
        for (index, (tps, read, _)) in rows.iter().enumerate() {
            let ops = reads[index].value + writes[index].value;
            prop_assert!((ops - f64::from(*tps) * 60.0).abs() < 1e-3);
            prop_assert!((bytes[index].value - (f64::from(*read) + 0.5) * 1024.0 * 60.0).abs() < 1e-3);
        }
    }
}
