//! No remedy that its own prediction refutes, whatever is brought.

use proptest::prelude::*;

use crate::testing::{Made, view};
use crate::{FindingKind, KnownFacts, diagnose};

/// A cloud's disks and instances, by what they are called.
const CLOUDS: [(&[&str], &[&str], &str); 3] = [
    (
        &[
            "gp2:300GiB",
            "gp3:500GiB",
            "gp3:500GiB,6000iops,400MiB/s",
            "io1:300GiB,4000iops",
            "io2:200GiB,9000iops",
            "st1:1000GiB",
        ],
        &["m5.large", "r5.large", "m5.2xlarge", "r6i.4xlarge", "c5.9xlarge"],
        "us-west-2",
    ),
    (
        &["pd-ssd:500GiB", "pd-balanced:300GiB", "hyperdisk-balanced:500GiB"],
        &["n2-standard-4", "n2-standard-16", "n2-standard-32"],
        "us-central1",
    ),
    (&["premium-v2:500GiB", "premium-ssd:512GiB"], &["Standard_D4s_v5", "Standard_D16s_v5"], "eastus"),
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(160))]

    #[test]
    fn every_remedy_that_predicts_predicts_more_than_there_was(
        cloud in 0..3usize,
        disks in prop::collection::vec(0..64usize, 1..4),
        instance in prop::option::of(0..64usize),
        iops in 100.0..30_000.0f64,
        kib in 4.0..256.0f64,
        reads in 0.0..=1.0f64,
        ms in 0.3..60.0f64,
        priced: bool,
        step in prop::sample::select(vec![1u64, 60, 600]),
    ) {
        let (kinds, instances, region) = CLOUDS[cloud];
        let mut known = KnownFacts::nothing(view());
        known.region = priced.then(|| region.to_owned());
        let instance = instance.map(|at| instances[at % instances.len()]).filter(|name| known.view.instance(name).is_ok());
        known.instance = instance.map(str::to_owned);
        let mut made = Made::intervals(20, step);
        for (number, at) in disks.iter().enumerate() {
            let label = format!("d{number}");
            let Ok(disk) = kinds[at % kinds.len()].parse::<disk::Disk>() else { continue };
            if disk.limits(&known.view, None).is_ok() {
                known.disks.insert(label.clone(), disk);
            }
            made = made.disk(&label, iops / (1.0 + number as f64), kib, reads, ms);
        }
        for verdict in diagnose(&made.timeline, &known) {
            let of_limit = verdict.kind.limit().is_some()
                || matches!(verdict.kind, FindingKind::BurstExhausted | FindingKind::BurstEnding | FindingKind::InstanceBurstSpent);
            if let Some(effect) = verdict.predicted.filter(|_| of_limit) {
                prop_assert!(effect.after > effect.before, "{:?} {effect:?}", verdict.remedy);
                prop_assert!(effect.used_after.is_none_or(|used| used > 0.0 && used <= 1.0), "{effect:?}");
            } else if of_limit {
                let buys = verdict.remedy.as_ref().is_some_and(|remedy| remedy.to.is_some() && remedy.what != "setting");
                prop_assert!(!buys, "what is bought has an effect: {:?}", verdict.remedy);
            }
            let caps = known.instance.as_ref().and_then(|name| known.view.instance(name).ok()?.caps);
            let bought = verdict.remedy.filter(|remedy| remedy.what == "disk" && verdict.kind == FindingKind::VolumeIops);
            if let (Some(caps), Some(remedy)) = (caps, bought) {
                let to: Option<disk::Disk> = remedy.to.as_ref().map(|to| to.parse().unwrap());
                let asked = to.filter(|to| to.volume.throughput.is_none()).and_then(|to| to.volume.iops.map(|iops| (to.stripe, iops)));
                // Rates are sold in hundreds: what is rounded up to the next is not bought in vain.
                if let Some((stripe, iops)) = asked {
                    prop_assert!(iops.0 * f64::from(stripe) <= caps.iops.0 + 100.0, "{remedy:?} behind {caps:?}");
                }
            }
        }
    }
}
