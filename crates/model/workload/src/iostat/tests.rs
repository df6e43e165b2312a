use super::*;

fn parse(content: &str) -> Result<Vec<DeviceRates>, String> {
    parse_iostat(&Text::new("io.txt", content)).map_err(|error| error.to_string())
}

#[test]
fn the_published_lines_are_read_with_binary_kilobytes() {
    let devices = parse(include_str!("../../../../../examples/tikv-node-iostat.txt")).unwrap();
    let [sdb, sdd] = &devices[..] else { panic!("two devices, not {devices:?}") };
    assert_eq!((sdb.rates.reads, sdb.rates.flushes, sdb.queue), (1649.0, 13.33, Some(5.09)));
    assert_eq!(sdb.rates.read_bytes, 209_030.67 * 1024.0);
    assert_eq!((sdd.rates.write_bytes, sdd.busy), (31_685.33 * 1024.0, Some(1.0)));
}

#[test]
fn a_whole_report_with_processor_lines_is_read() {
    let report = "Linux 5.10 (host) \t11/21/26 \t_x86_64_\t(8 CPU)\n\navg-cpu:  %user %idle\n  5.0 95.0\n\n\
                  Device: r/s rMB/s w/s wMB/s avgqu-sz %util\nsda 1 2 3 4 0.5 50\n\n\
                  Device: r/s rMB/s w/s wMB/s avgqu-sz %util\nsda 5 6 7 8 0.5 50\n";
    let devices = parse(report).unwrap();
    assert_eq!(devices.len(), 2);
    assert_eq!(devices[1].rates.read_bytes, 6.0 * 1048576.0);
}

#[test]
fn json_is_read() {
    let json = r#"{"sysstat": {"hosts": [{"statistics": [{"disk": [
        {"disk_device": "nvme1n1", "r/s": 10.0, "w/s": 20.0, "f/s": 1.5, "rkB/s": 1.0, "wkB/s": 2.0, "util": 40.0}
    ]}]}]}}"#;
    let devices = parse(json).unwrap();
    assert_eq!((devices[0].device.as_str(), devices[0].rates.write_bytes), ("nvme1n1", 2048.0));
    assert_eq!(devices[0].busy, Some(0.4));
}

#[test]
fn a_bad_number_is_pointed_at() {
    assert_eq!(
        parse("Device r/s rkB/s w/s wkB/s\nsda 1 2 3,5,1 4\n").unwrap_err(),
        "io.txt:2:9: `3,5,1` is not a rate; expected a number such as 12.50"
    );
    assert_eq!(
        parse("Device r/s rkB/s w/s wkB/s\nsda 1 2 3\n").unwrap_err(),
        "io.txt:2:1: has 4 columns; expected the 5 of the header"
    );
}

#[test]
fn a_missing_column_or_report_is_named() {
    assert_eq!(
        parse("Device r/s w/s\nsda 1 2\n").unwrap_err(),
        "io.txt:2:1: the report lacks the column `rkB/s`; expected the output of `iostat -x`"
    );
    assert!(parse("hello\n").unwrap_err().contains("has no iostat report"));
    assert!(parse("{\n x").unwrap_err().starts_with("io.txt:2:2: is not JSON"));
}

fn reports(content: &str) -> Vec<IostatReport> {
    iostat_reports(&Text::new("io.txt", content)).unwrap()
}

#[test]
fn a_comma_before_decimals_is_read() {
    let devices = parse("Device r/s rkB/s w/s wkB/s %util\nsda 1,50 2,00 3 4 99,90\n").unwrap();
    assert_eq!((devices[0].rates.reads, devices[0].busy), (1.5, Some(99.9 * 0.01)));
}

#[test]
fn the_columns_of_old_and_new_layouts_are_read() {
    let old = "Device:         rrqm/s   wrqm/s     r/s     w/s    rkB/s    wkB/s avgrq-sz avgqu-sz   await  svctm  %util\n\
               xvda              0.00     1.00    2.00    3.00     8.00    12.00     8.00     0.01    1.50   0.40   0.20\n";
    let waits = parse(old).unwrap()[0].waits;
    assert_eq!((waits.any, waits.read), (Some(1.5 * 1e-3), None));
    let new = "Device r/s rkB/s rrqm/s %rrqm r_await rareq-sz w/s wkB/s wrqm/s %wrqm w_await wareq-sz d/s dkB/s drqm/s \
               %drqm d_await dareq-sz f/s f_await aqu-sz %util\n\
               nvme0n1 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22\n";
    let device = &parse(new).unwrap()[0];
    assert_eq!(device.waits.flush, Some(20.0 * 1e-3));
    assert_eq!((device.discards, device.merged), (Some((13.0, 14.0 * 1024.0)), Some((3.0, 9.0))));
}

#[test]
fn a_report_in_several_tables_with_units_is_one() {
    let text = "     r/s     rkB/s Device\n    2.00     14.5M sda\n    1.00      9.9k sdb\n\n\
                     w/s     wkB/s Device\n    3.00      1.0k sda\n    4.00      2.0k sdb\n\n\
                     f/s  %util Device\n    7.80  15.9% sda\n    0.00   7.5% sdb\n\n";
    let reports = reports(text);
    let [sda, sdb] = &reports[0].devices[..] else { panic!("two devices, not {reports:?}") };
    assert_eq!((sda.rates.read_bytes, sda.rates.writes, sda.busy), (14.5 * 1048576.0, 3.0, Some(15.9 * 0.01)));
    assert_eq!((sdb.rates.read_bytes, sdb.rates.flushes), (9.9 * 1024.0, 0.0));
}

#[test]
fn stamps_and_the_first_report_of_a_run_are_told() {
    let run = "Linux 6.1 (host) \t11/21/26 \t_x86_64_\t(2 CPU)\n\n11/21/26 19:40:35\navg-cpu: %user %idle\n 1 99\n\n\
               Device r/s rkB/s w/s wkB/s\nsda 1 2 3 4\n\n\n11/21/26 19:40:36\navg-cpu: %user %idle\n 1 99\n\n\
               Device r/s rkB/s w/s wkB/s\nsda 5 6 7 8\n\n";
    let reports = reports(&format!("{run}{run}"));
    let told: Vec<_> = reports.iter().map(|report| (report.stamp.as_deref().unwrap(), report.first)).collect();
    let one = [("11/21/26 19:40:35", true), ("11/21/26 19:40:36", false)];
    assert_eq!(told, [one, one].concat());
}

#[test]
fn lines_of_one_device_alone_are_a_report_each() {
    let reports = reports("Device r/s rkB/s w/s wkB/s\nsda 1 2 3 4\nsda 5 6 7 8\nsda 9 6 7 8\n");
    assert_eq!(reports.iter().map(|report| report.devices[0].rates.reads).collect::<Vec<_>>(), [1.0, 5.0, 9.0]);
}

#[test]
fn a_last_line_that_is_half_written_is_left_out() {
    let whole = "Device r/s rkB/s w/s wkB/s\nsda 1 2 3 4\nsdb 5 6 7 8\n";
    let cut = &whole[..whole.len() - 4];
    assert_eq!(parse(cut).unwrap(), parse(whole).unwrap()[..1]);
    assert_eq!(parse(whole.trim_end()).unwrap(), parse(whole).unwrap());
}

#[test]
fn json_that_is_cut_off_keeps_what_is_whole() {
    let disk = |name: &str| format!(r#"{{"disk_device": "{name}", "r/s": 1, "w/s": 2, "rkB/s": 3, "wkB/s": 4}}"#);
    let (sda, sdb) = (disk("sda"), disk(r#"sd\"}b"#));
    let whole = format!(
        r#"{{"sysstat": {{"hosts": [{{"statistics": [
            {{"timestamp": "11/21/26 19:40:35", "disk": [{sda}, {sdb}]}}, {{"disk": [{sda}, {sdb}]}}]}}]}}}}"#
    );
    let full = parse(&whole).unwrap();
    assert_eq!(full.len(), 4);
    let first = whole.find(&sdb).unwrap() + sdb.len();
    for end in first..whole.len() {
        let Ok(read) = parse(&whole[..end]) else { continue };
        assert_eq!(read, full[..read.len()], "cut at {end}");
        assert!(read.len() >= 2, "cut at {end}");
    }
    assert!(parse(&whole[..first]).is_ok());
}

#[test]
fn a_comma_before_the_first_report_is_passed_over() {
    let disk = r#"{"disk_device": "sd,[,c", "r/s": 1, "w/s": 2, "rkB/s": 3, "wkB/s": 4}"#;
    let devices =
        parse(&format!(r#"{{"sysstat": {{"hosts": [{{"statistics": [ , {{"disk": [{disk},]}}]}}]}}}}"#)).unwrap();
    assert_eq!((devices.len(), devices[0].device.as_str()), (1, "sd,[,c"));
}

#[test]
fn a_row_that_lacks_a_field_once_is_left_out_and_named() {
    let whole = r#"{"disk_device": "sda", "r/s": 1, "w/s": 2, "rkB/s": 3, "wkB/s": 4}"#;
    let lacking = r#"{"disk_device": "sdb", "r/s": 1}"#;
    let of = |disks: &str| format!(r#"{{"sysstat": {{"hosts": [{{"statistics": [{{"disk": [{disks}]}}]}}]}}}}"#);
    let read = reports(&of(&format!("{whole}, {lacking}")));
    assert_eq!(read[0].devices.len(), 1);
    let [IncompleteRow { device, column, .. }] = &read[0].incomplete[..] else { panic!("one row, not {read:?}") };
    assert_eq!((device.as_str(), *column), ("sdb", "rkB/s"));
    let error = parse(&of(lacking)).unwrap_err().to_string();
    assert!(error.contains("lacks the column `rkB/s`"), "{error}");
}

#[test]
fn a_name_on_a_line_of_its_own_belongs_to_the_numbers_below() {
    let text = "Device:         rrqm/s   wrqm/s     r/s     w/s    rkB/s    wkB/s avgrq-sz avgqu-sz   await  svctm  %util\n\
                nvme0n1\n                  0.00     1.00    2.00    3.00     8.00    12.00     8.00     0.01    1.50   0.40   0.20\n\
                dm-0\n                  0.00     0.00    4.00    5.00     8.00    12.00     8.00     0.01    1.50   0.40   0.20\n";
    let read: Vec<_> = parse(text).unwrap().into_iter().map(|device| (device.device, device.rates.reads)).collect();
    assert_eq!(read, [("nvme0n1".to_owned(), 2.0), ("dm-0".to_owned(), 4.0)]);
}

#[test]
fn columns_that_contradict_each_other_are_refused() {
    let of = |kib: f64| format!("Device r/s rkB/s rareq-sz w/s wkB/s\nsda 100 {kib} 16 3 4\n");
    assert_eq!(parse(&of(1600.0)).unwrap()[0].rates.read_bytes, 1600.0 * 1024.0);
    let error = parse(&of(8000.0)).unwrap_err().to_string();
    assert!(error.contains("contradict each other") && error.contains("1600 KiB/s"), "{error}");
}

#[test]
fn bytes_that_are_printed_as_twice_what_the_requests_carry_are_halved() {
    let json = r#"{"sysstat": {"hosts": [{"statistics": [{"disk": [{"disk_device": "sdc", "r/s": 282.50, "w/s": 4.50,
        "rkB/s": 70208.00, "wkB/s": 2720.00, "rareq-sz": 124.26, "wareq-sz": 302.22, "d/s": 2, "dkB/s": 8}]}]}]}}"#;
    let device = &parse(json).unwrap()[0];
    assert!(device.doubled);
    assert_eq!((device.rates.read_bytes, device.rates.write_bytes), (35_104.0 * 1024.0, 1_360.0 * 1024.0));
    assert_eq!(device.discards, Some((2.0, 4096.0)));
    let half_right = json.replace("2720.00", "1360.00").replace("4.50", "14.50").replace("302.22", "93.79");
    assert!(parse(&half_right).unwrap_err().contains("contradict each other"));
}

#[test]
fn a_report_with_a_stray_comma_that_was_cut_off_is_read() {
    let disk = r#"{"disk_device": "sdc", "r/s": 1, "w/s": 2, "rkB/s": 3, "wkB/s": 4}"#;
    let whole =
        format!(r#"{{"sysstat": {{"hosts": [{{"statistics": [ , {{"disk": [{disk}]}}, {{"disk": [{disk}]}}, {{"di"#);
    assert_eq!(parse(&whole).unwrap().len(), 2);
}
