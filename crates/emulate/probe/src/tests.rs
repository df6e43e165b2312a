//! Probes of modelled disks, through fio's twin in virtual time: what comes out is what went in.

use catalog::{BurstBucket as Bursts, Catalog, CatalogView};
use disk::{Disk, DiskLimits};
use proptest::prelude::*;
use units::{Bytes, Iops, Nanos};

use super::*;
use crate::fio::{FioError, FioReport};
use crate::twin::Twin;

const RANGE: Bytes = Bytes::gib(1);

fn view() -> CatalogView {
    Catalog::embedded().at(None)
}

fn limits(text: &str) -> DiskLimits {
    let disk: Disk = text.parse().unwrap();
    let view = view();
    let instance = disk.volume.is_local().then(|| view.instance("m5d.2xlarge").unwrap());
    disk.limits(&view, instance).unwrap()
}

fn probe_with(limits: &DiskLimits, spent: bool, options: &ProbeOptions, seed: u64) -> Probe {
    let twin = Twin::new(limits.clone(), RANGE, seed);
    let mut twin = if spent { twin.spent() } else { twin };
    let mut template = FioJob::new("/dev/twin", AccessPattern::RandRead, Bytes::kib(4));
    template.size = Some(RANGE);
    let place = Place { target: "twin".into(), disk: Some(limits.size), range: RANGE };
    probe(&mut twin, &place, template, (true, false), options, &mut |_| {}).unwrap()
}

/// Steps long enough for some thousand I/Os, and no longer: the rest is the machine's time.
fn options(limits: &DiskLimits) -> ProbeOptions {
    let step = Nanos::from_secs_f64((4000.0 / limits.iops.0).clamp(0.6, 6.0));
    ProbeOptions { step, ..ProbeOptions::default() }
}

/// The limits that anybody can see from outside.
fn visible(limits: &DiskLimits, spent: bool) -> (f64, f64) {
    let (iops, bytes) = match limits.burst {
        Some(Bursts::IoCredits { iops, .. }) if !spent => (iops.max(limits.iops).0, limits.burst_throughput.0),
        _ => (limits.iops.0, limits.throughput.0),
    };
    (iops, bytes.min(iops * limits.io_unit.as_f64()))
}

/// Whether what bursts does so far above what it sustains: an empty disk that does not bursts on what it earns between two steps,
/// see steps.rs.
fn bursts_far(limits: &DiskLimits) -> bool {
    let (full, empty) = (visible(limits, false), visible(limits, true));
    [full.0 / empty.0, full.1 / empty.1].into_iter().all(|ratio| ratio <= 1.0 || ratio >= 1.5)
}

#[track_caller]
fn assert_near(what: &str, found: f64, right: f64, within: f64) {
    assert!((found / right - 1.0).abs() <= within, "{what}: found {found}, right is {right}");
}

fn assert_is(probe: &Probe, limits: &DiskLimits, spent: bool) {
    let (iops, bytes) = visible(limits, spent);
    let (found, right) = (probe.fitted.service, limits.service);
    assert_near("iops", probe.fitted.iops.value.0, iops, 0.02);
    assert_near("throughput", probe.fitted.throughput.value.0, bytes, 0.02);
    assert_near("read", found.read.0 as f64, right.read.0 as f64, 0.05);
    assert_near("write", found.write.0 as f64, right.write.0 as f64, 0.05);
    assert_near("write_iops_cost", probe.fitted.write_iops_cost, limits.write_iops_cost, 0.03);
    assert_near("write_bytes_cost", probe.fitted.write_bytes_cost, limits.write_bytes_cost, 0.03);
    assert!((found.sigma - right.sigma).abs() < 0.05, "sigma {}", found.sigma);
}

fn specification() -> impl Strategy<Value = (String, bool)> {
    let gp3 = (30u64..=160, 5u64..=40).prop_map(|(iops, mib)| {
        // An I/O a second buys 256 KiB a second, and no more.
        let (iops, mib) = (iops * 100, (mib * 25).min(iops * 25));
        (format!("gp3:500GiB,{iops}iops,{mib}MiB/s"), false)
    });
    let gp2 = (100u64..6000, any::<bool>()).prop_map(|(gib, spent)| (format!("gp2:{gib}GiB"), spent));
    let io2 = (10u64..=640).prop_map(|iops| (format!("io2:1000GiB,{}iops", iops * 100), false));
    let nvme = (10u64..=200).prop_map(|gib| (format!("nvme:{gib}GiB"), false));
    prop_oneof![3 => gp3, 3 => gp2, 2 => io2, 1 => nvme]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    #[test]
    fn a_probed_disk_is_the_disk_that_it_was((text, spent) in specification(), seed in 1u64..1000) {
        let limits = limits(&text);
        let spent = spent && bursts_far(&limits);
        assert_is(&probe_with(&limits, spent, &options(&limits), seed), &limits, spent);
    }
}

#[test]
fn the_nearest_disk_is_the_one_that_was_probed() {
    let cases = [
        "gp3:100GiB,6000iops,250MiB/s",
        "gp3:100GiB",
        "gp2:400GiB",
        "gp2:5334GiB",
        "io2:1000GiB,20000iops",
        "nvme:200GiB",
    ];
    for text in cases {
        let limits = limits(text);
        let nearest = probe_with(&limits, false, &options(&limits), 7).nearest.unwrap();
        assert_eq!(nearest.disk.to_string(), text, "{nearest:?}");
    }
}

#[test]
fn residuals_of_a_modelled_disk_are_small() {
    let limits = limits("gp3:100GiB,6000iops,250MiB/s");
    let probe = probe_with(&limits, false, &ProbeOptions::default(), 3);
    assert!(probe.residuals.len() > 20);
    for residual in &probe.residuals {
        // The 95th percentile of some hundred samples strays most.
        assert!(residual.error().abs() < 0.08, "{residual:?}");
    }
}

#[test]
fn a_quick_probe_is_nearly_as_good() {
    let limits = limits("gp3:100GiB,6000iops,250MiB/s");
    let probe = probe_with(&limits, false, &ProbeOptions::quick(), 3);
    assert_is(&probe, &limits, false);
    assert!(probe.measurements.len() <= steps::count(true, true));
}

#[test]
fn reads_and_writes_share_the_rate_and_the_two_limits_are_independent() {
    let limits = limits("gp3:100GiB,6000iops,250MiB/s");
    let fitted = probe_with(&limits, false, &options(&limits), 3).fitted;
    assert_eq!(fitted.reads_and_writes_share, Some(true));
    assert!(fitted.limits_used_at_once.unwrap() > 1.6, "{fitted:?}");
    assert!(fitted.merge >= Bytes::kib(32), "{fitted:?}");
    assert_eq!(fitted.service.flush, Nanos(0));
    assert!(fitted.iops.reached && fitted.throughput.reached);
}

#[test]
fn a_long_run_finds_the_burst_credits() {
    let mut limits = limits("gp2:400GiB");
    limits.burst = Some(Bursts::IoCredits { iops: Iops(3000.0), capacity: 300_000.0 });
    let options = ProbeOptions { long: Some(Nanos::secs(600)), ..ProbeOptions::default() };
    let burst = probe_with(&limits, false, &options, 3).fitted.burst.unwrap();
    assert_near("burst", burst.burst.0, 3000.0, 0.02);
    assert_near("sustained", burst.sustained.0, 1200.0, 0.02);
    assert_near("credits", burst.credits, 300_000.0, 0.1);
}

#[test]
fn a_disk_without_credits_has_none_after_a_long_run() {
    let limits = limits("gp3:100GiB");
    let options = ProbeOptions { long: Some(Nanos::secs(60)), ..options(&limits) };
    assert_eq!(probe_with(&limits, false, &options, 3).fitted.burst, None);
}

#[test]
fn a_throughput_that_depends_on_the_size_is_no_limit() {
    /// As of a machine whose processors are busy: what is left of the throughput falls with small requests.
    struct Busy(Twin);
    impl JobRunner for Busy {
        fn run(&mut self, jobs: &[FioJob]) -> Result<FioReport, FioError> {
            let mut report = self.0.run(jobs)?;
            for (job, report) in jobs.iter().zip(&mut report.jobs) {
                if job.block == Bytes::kib(256) {
                    report.read.throughput = report.read.throughput * 0.9;
                    report.write.throughput = report.write.throughput * 0.7;
                }
            }
            Ok(report)
        }
    }
    let limits = limits("gp3:100GiB,16000iops,1000MiB/s");
    let mut template = FioJob::new("/dev/twin", AccessPattern::RandRead, Bytes::kib(4));
    template.size = Some(RANGE);
    let place = Place { target: "busy".into(), disk: None, range: RANGE };
    let mut busy = Busy(Twin::new(limits.clone(), RANGE, 3));
    let probe = probe(&mut busy, &place, template, (true, false), &options(&limits), &mut |_| {}).unwrap();
    assert!(!probe.fitted.throughput.reached && probe.fitted.iops.reached);
    assert_eq!(probe.fitted.write_bytes_cost, 1.0);
}

#[test]
fn a_depth_that_saturates_nothing_is_not_mistaken_for_a_limit() {
    // So fast that even 256 requests at once do not saturate it.
    let mut limits = limits("gp3:100GiB");
    (limits.iops, limits.throughput) = (Iops(5e6), units::BytesPerSec(1e12));
    let options = ProbeOptions { step: Nanos::millis(50), ramp: Nanos::millis(20), ..ProbeOptions::default() };
    let fitted = probe_with(&limits, false, &options, 3).fitted;
    assert!(!fitted.iops.reached && fitted.reads_and_writes_share.is_none(), "{fitted:?}");
}

#[test]
fn text_and_json_tell_the_fitted_disk_and_the_nearest() {
    let limits = limits("gp3:100GiB,6000iops,250MiB/s");
    let probe = probe_with(&limits, false, &options(&limits), 3);
    let (text, json) = (probe.to_string(), probe.json());
    assert!(text.contains("Nearest disk sold: gp3:100GiB,6000iops,250MiB/s"), "{text}");
    assert_eq!(json["nearest"]["disk"], "gp3:100GiB,6000iops,250MiB/s");
    assert_near("iops", json["fitted"]["iops"].as_f64().unwrap(), 6000.0, 0.02);
    assert_eq!(json["measurements"].as_array().unwrap().len(), probe.measurements.len());
    assert!(text.lines().all(|line| line.len() <= 100), "{text}");
}

#[test]
fn what_fails_in_a_step_ends_the_probe() {
    struct Broken;
    impl JobRunner for Broken {
        fn run(&mut self, _: &[FioJob]) -> Result<FioReport, FioError> {
            Err(FioError::Failed { message: "Input/output error".into() })
        }
    }
    let place = Place { target: "broken".into(), disk: None, range: RANGE };
    let template = FioJob::new("/dev/broken", AccessPattern::RandRead, Bytes::kib(4));
    let mut steps = 0;
    let error = probe(&mut Broken, &place, template, (true, true), &ProbeOptions::quick(), &mut |at| steps = at.step);
    assert_eq!(error.unwrap_err().to_string(), "fio failed: Input/output error");
    assert_eq!(steps, 1);
}
