use std::path::Path;

use catalog::Catalog;
use disk::Disk;

use super::*;

fn gp3(text: &str) -> ModelledDisk {
    let view = Catalog::embedded().at(None);
    let disk: Disk = text.parse().unwrap();
    ModelledDisk {
        name: text.to_owned(),
        kind: disk.volume.kind.clone(),
        spec: disk.spec(&view, None).unwrap(),
        caps: None,
        credits_full: true,
        seed: 1,
    }
}

fn read(text: &str) -> Result<PublishedMeasurement, AgainstError> {
    PublishedMeasurement::read(Path::new("some.csv"), text)
}

fn matrix(rows: &str) -> PublishedMeasurement {
    read(&format!("read_iops_target,write_MBps_target,read_p50_ms,read_p95_ms,reached\n{rows}")).unwrap()
}

fn compared(rows: &str) -> MatrixComparison {
    match compare(&matrix(rows), &gp3("gp3:1000GiB"), &MatrixSetup::default(), &mut |_, _| ()).unwrap() {
        Comparison::Matrix(comparison) => comparison,
        Comparison::Runs(_) => panic!("a matrix was read as runs"),
    }
}

#[test]
fn a_cell_within_the_limits_is_delivered_and_one_beyond_is_not() {
    let came = compared("1500,0,0.44,0.72,yes\n6000,0,,,no\n");
    let [below, beyond] = came.cells.as_slice() else { panic!("{came:?}") };
    assert_eq!((below.region(), below.delivered, below.delivery_is_right()), (LoadRegion::Below, true, Some(true)));
    assert_eq!(
        (beyond.region(), beyond.delivered, beyond.delivery_is_right()),
        (LoadRegion::Beyond, false, Some(true))
    );
    assert_eq!(beyond.errors, [None, None], "nothing was measured of it");
    assert_eq!(came.total().delivery, (2, 2));
}

#[test]
fn the_error_is_relative_to_what_was_measured() {
    let came = compared("1500,0,0.22,0.72,yes\n");
    let expected = came.cells[0].p50.as_millis_f64() / 0.22 - 1.0;
    assert!((came.cells[0].errors[0].unwrap() - expected).abs() < 1e-6 && expected > 0.5, "{came:?}");
}

#[test]
fn a_latency_at_the_top_of_the_scale_means_at_least() {
    let rows = "1500,0,0.44,0.72,unknown\n6000,0,5,5,unknown\n6500,0,5,5,unknown\n";
    assert!(matches!(matrix(rows), PublishedMeasurement::Matrix(m) if m.ceiling == Some(units::Nanos::millis(5))));
    let came = compared(rows);
    assert_eq!(came.cells[1].errors, [Some(0.0), Some(0.0)], "queueing without end is at least 5 ms: {came:?}");
}

#[test]
fn a_cliff_that_the_model_puts_elsewhere_is_told_by_its_cells() {
    let row = |p50: [f64; 4]| {
        let writes = [0, 40, 80, 400];
        writes.iter().zip(p50).map(|(w, ms)| format!("1500,{w},{ms},{ms},unknown\n")).collect::<String>()
    };
    // 125 MiB/s are let through: the model queues at 400 MB/s alone.
    assert_eq!(compared(&row([0.4, 0.4, 0.4, 5.0])).cliffs[0].shift(), 0);
    assert_eq!(compared(&row([0.4, 5.0, 5.0, 5.0])).cliffs[0].shift(), 2);
    assert_eq!(compared(&row([0.4, 0.4, 0.4, 0.4])).cliffs[0].shift(), -1);
}

#[test]
fn a_fault_in_a_matrix_is_told_with_its_line() {
    let head = "read_iops_target,write_MBps_target,read_p50_ms,read_p95_ms,reached\n";
    for (row, what) in [
        ("-1,0,1,1,yes", "read_iops_target: -1 is no rate"),
        ("1,0,0,1,yes", "read_p50_ms: 0 is no latency"),
        ("1,0,1,1,perhaps", "expected yes, no or unknown"),
        ("1,0,much,1,yes", "some.csv:3"),
    ] {
        let error = read(&format!("{head}1,0,1,1,yes\n{row}\n")).unwrap_err();
        assert!(error.to_string().contains(what) && error.line == Some(3), "{error}");
    }
    assert!(read(head).unwrap_err().to_string().contains("no cells"));
    assert!(read("time,value\n1,2\n").unwrap_err().to_string().contains("neither a matrix"));
}

const TABLE: &str = "volume,provisioned_iops,rw,block_KiB,depth_total,runtime_s,iops,clat_mean_ms\n\
    gp3,3000,randwrite,4,64,3,3000,21.3\ngp3,4000,randwrite,4,64,3,4000,16\ngp3 RAID-0 x2,2x3000,randwrite,4,64,3,6000,10\n";

#[test]
fn of_a_table_of_runs_those_of_the_disk_are_done_and_the_rest_is_counted() {
    let came = compare(&read(TABLE).unwrap(), &gp3("gp3:1000GiB"), &MatrixSetup::default(), &mut |_, _| ()).unwrap();
    let Comparison::Runs(runs) = came else { panic!("runs were read as a matrix") };
    assert_eq!((runs.runs.len(), runs.left_out), (1, 2));
    assert!(runs.runs[0].writes && runs.rate().unwrap().worst < 0.1, "{runs:?}");
    assert!(runs.latency_errors_of_mean() < 0.1, "{runs:?}");
}

impl RunsComparison {
    fn latency_errors_of_mean(&self) -> f64 {
        self.latencies()[0].unwrap().worst
    }
}

#[test]
fn a_table_without_a_run_of_the_disk_says_which_there_are() {
    let error = compare(&read(TABLE).unwrap(), &gp3("gp3:1000GiB,5000iops"), &MatrixSetup::default(), &mut |_, _| ());
    assert!(error.unwrap_err().to_string().contains("gp3 4000 randwrite"));
}

#[test]
fn what_fio_prints_as_json_is_read_with_its_groups_and_threads() {
    let side = |ios: u64| {
        format!(
            r#"{{"total_ios":{ios},"iops":{ios},"runtime":1000,"clat_ns":{{"mean":1e6,"percentile":{{"50.000000":9e5}}}}}}"#
        )
    };
    let entry = |name: &str, group: u32, options: &str, reads: u64, writes: u64| {
        format!(
            r#"{{"jobname":"{name}","groupid":{group},"job options":{options},"read":{},"write":{}}}"#,
            side(reads),
            side(writes)
        )
    };
    let jobs = [
        entry("a", 0, r#"{"rw":"randread","bs":"4k","iodepth":"32","numjobs":"2"}"#, 1000, 0),
        entry("a", 0, r#"{"rw":"randread","bs":"4k","iodepth":"32","numjobs":"2"}"#, 2000, 0),
        entry("b", 1, r#"{"rw":"write","bs":"1M","iodepth":"4","numjobs":"3"}"#, 0, 500),
    ];
    let text = format!(r#"{{"global options":{{"ioengine":"libaio"}},"jobs":[{}]}}"#, jobs.join(","));
    let PublishedMeasurement::Runs(results) = read(&text).unwrap() else { panic!("a matrix?") };
    let [reads, writes] = results.runs.as_slice() else { panic!("{results:?}") };
    assert_eq!((reads.jobs.len(), reads.jobs[0].depth, reads.measured[0].unwrap().iops.0), (2, 32, 3000.0));
    assert_eq!((writes.jobs[0].depth, writes.jobs[0].block.0), (12, 1 << 20));
    assert_eq!(writes.measured[1].unwrap().latencies[1], Some(units::Nanos::micros(900)));
    let synchronous = text.replace("libaio", "psync");
    let PublishedMeasurement::Runs(results) = read(&synchronous).unwrap() else { panic!("a matrix?") };
    assert_eq!(results.runs[0].jobs[0].depth, 1, "psync has one request in flight whatever iodepth says");
}

proptest::proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,200}") {
        _ = read(&text);
        _ = read(&format!("read_iops_target,write_MBps_target,read_p50_ms,read_p95_ms\n{text}"));
        _ = read(&format!("rw,block_KiB,iops\n{text}"));
        _ = read(&format!("{{{text}"));
    }
}
