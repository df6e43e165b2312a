//! Real fio on small files.

use units::{Bytes, BytesPerSec, Iops, Nanos};

use super::*;

fn job(folder: &tempfile::TempDir, pattern: AccessPattern) -> FioJob {
    let mut job = FioJob::new(folder.path().join("with:colon"), pattern, Bytes::kib(4));
    job.size = Some(Bytes::mib(8));
    job.runtime = Some(Nanos::millis(300));
    job.ramp = Nanos::millis(50);
    job
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").unwrap()
}

#[test]
fn counts_rates_and_latencies_of_each_direction_agree() {
    let folder = folder();
    let mut mixed = job(&folder, AccessPattern::RandRw(0.7));
    (mixed.depth, mixed.numjobs) = (4, 2);
    let report = run(&[mixed]).unwrap().total();
    for side in [&report.read, &report.write] {
        let latency = side.latency.as_ref().unwrap();
        assert_eq!(latency.count, side.ios);
        // fio's counters of bytes and of latencies are not set to zero at quite the same moment when the ramp ends.
        assert!((side.bytes / 4096).abs_diff(side.ios) <= 4 * 2);
        assert!(latency.min <= latency.p50 && latency.p50 <= latency.p95 && latency.p999 <= latency.max);
        assert!(latency.min > Nanos(0) && latency.mean < latency.max);
        assert!((side.iops.0 * 4096.0 / side.throughput.0 - 1.0).abs() < 0.01);
    }
    let share = report.read.ios as f64 / (report.read.ios + report.write.ios) as f64;
    assert!((share - 0.7).abs() < 0.03, "{share}");
    assert!(report.cpu > Nanos(0) && report.cpu.0 <= 2 * report.runtime.0 * 11 / 10, "{report:?}");
    assert!(report.sync.is_none());
}

#[test]
fn syncs_are_counted_and_timed_with_every_engine() {
    let folder = folder();
    for engine in [FioEngine::IoUring, FioEngine::Libaio, FioEngine::Psync] {
        let mut write = job(&folder, AccessPattern::RandWrite);
        (write.engine, write.sync) = (engine, Some(SyncCall::Fdatasync(4)));
        let report = run(&[write]).unwrap().total();
        let share = report.sync.as_ref().unwrap().count as f64 / report.write.ios as f64;
        assert!((share - 0.25).abs() < 0.01, "{engine:?} {share}");
    }
}

#[test]
fn rates_are_those_asked_for_over_all_threads_and_directions() {
    let folder = folder();
    let mut paced = job(&folder, AccessPattern::RandRw(0.75));
    (paced.rate_iops, paced.numjobs) = (Some(Iops(4000.0)), 2);
    paced.runtime = Some(Nanos::secs(1));
    let mut bytes = job(&folder, AccessPattern::Read);
    (bytes.rate, bytes.runtime) = (Some(BytesPerSec::mib(16.0)), Some(Nanos::secs(1)));
    let report = run(&[paced, bytes]).unwrap();
    assert!((report.jobs[0].iops().0 / 4000.0 - 1.0).abs() < 0.05, "{:?}", report.jobs[0].iops());
    assert!((report.jobs[0].read.iops.0 / 3000.0 - 1.0).abs() < 0.05);
    assert!((report.jobs[1].throughput().as_mib() / 16.0 - 1.0).abs() < 0.05);
}

#[test]
fn a_job_without_a_runtime_does_its_size_once() {
    let folder = folder();
    let mut fill = job(&folder, AccessPattern::Write);
    (fill.runtime, fill.ramp, fill.block) = (None, Nanos(0), Bytes::mib(1));
    assert_eq!(run(&[fill]).unwrap().total().write.bytes, 8 << 20);
}

#[test]
fn what_fio_says_when_it_fails_is_passed_on() {
    let folder = folder();
    let mut nowhere = job(&folder, AccessPattern::RandRead);
    // fio makes the folders that lead to a file before it refuses the file.
    nowhere.target = folder.path().join("no/such/folder/file");
    nowhere.extra = vec!["allow_file_create=0".into()];
    let failed = run(&[nowhere.clone()]).unwrap_err();
    assert!(failed.to_string().contains("file creation disallowed"), "{failed}");
    nowhere.extra = vec!["no_such_option=1".into()];
    let failed = run(&[nowhere]).unwrap_err();
    assert!(failed.to_string().contains("no_such_option"), "{failed}");
}

#[test]
fn a_missing_fio_tells_how_to_get_it() {
    let missing = FioProgram::at("/nonexistent/fio").run(&[]).unwrap_err();
    assert!(matches!(missing, FioError::Missing));
    assert!(missing.to_string().contains("apt-get install fio"));
}
