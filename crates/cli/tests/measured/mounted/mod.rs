//! Disks mounted through the binary, measured from outside by fio: the short form of the experiments. They need root, FUSE,
//! loop devices and fio, and fail without them. They run one after another, for they measure the whole machine.

mod lab;

use lab::{EXPERIMENTS, Figure, Length};

#[track_caller]
fn hold(name: &str) {
    let _alone = crate::the_machine();
    let (_, experiment) = EXPERIMENTS.iter().find(|(known, _)| *known == name).expect("an experiment of the list");
    let figures = experiment(Length::Short).unwrap_or_else(|e| panic!("{name}: {e}"));
    figures.iter().for_each(|figure| println!("{figure}"));
    assert!(figures.iter().any(Figure::is_promised), "{name}: nothing is held against anything");
    let broken: Vec<String> = figures.iter().filter(|figure| !figure.holds()).map(ToString::to_string).collect();
    assert!(broken.is_empty(), "{name}:\n{}", broken.join("\n"));
}

#[test]
fn a_disk_delivers_its_iops_and_requests_queue_without_slices() {
    hold("IOPS limits, and how requests queue at them");
}

#[test]
fn a_disk_delivers_its_throughput_or_its_instances() {
    hold("Throughput limits, by volume and by instance");
}

#[test]
fn latencies_below_the_limits_are_the_models() {
    hold("Latency below the limits");
}

#[test]
fn credits_run_out_when_they_should_and_the_balance_tells_them() {
    hold("Burst credits");
}

#[test]
fn two_disks_share_their_instances_cap() {
    hold("Two disks under one instance's cap");
}

#[test]
fn a_stripe_of_two_doubles_both_limits() {
    hold("A stripe of two");
}

#[test]
fn twelve_disks_at_once_deliver_their_iops_each() {
    hold("Twelve disks at once");
}

#[test]
fn a_read_cache_hits_as_often_as_a_reference_lru_and_at_the_flashs_latency() {
    hold("Read cache");
}

#[test]
fn a_disk_without_limits_is_as_fast_as_memory_lets_it() {
    hold("Without limits");
}
