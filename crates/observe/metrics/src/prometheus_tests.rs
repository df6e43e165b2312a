use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use units::{Bytes, Nanos};

use super::prometheus;
use crate::testing::{disk, done, gp2_credit, node};
use crate::{CacheCounters, CreditGauge, NodeSample};

fn busy() -> NodeSample {
    let mut data = disk("data", "gp2:100GiB+cache(nvme:10GiB)");
    data.device = Some("loop3".to_owned());
    data.read = done(1000, 4, Nanos::micros(500));
    data.bound.volume_iops = Nanos::millis(1500);
    data.ios = Some(gp2_credit(2.7e6, 300.0));
    data.cache = Some(CacheCounters { hits: 7, misses: 993, hit_bytes: Bytes::kib(28), hit_time: Nanos(7) });
    data.in_flight = 3;
    let raft = disk("raft", "gp3:20GiB");
    let instance_ios = Some(CreditGauge { now: 1.0, capacity: 2.0, accrual: 1.0 });
    NodeSample { instance_ios, ..node(60, vec![data, raft]) }
}

#[test]
fn a_counter_has_the_name_and_label_of_node_exporter() {
    let text = prometheus(&busy());
    for line in [
        "# TYPE node_disk_reads_completed_total counter",
        "node_disk_reads_completed_total{device=\"loop3\"} 1000",
        "node_disk_read_bytes_total{device=\"loop3\"} 4096000",
        "node_disk_read_time_seconds_total{device=\"loop3\"} 0.5",
        "node_disk_reads_completed_total{device=\"raft\"} 0",
        "# TYPE node_disk_io_now gauge",
        "node_disk_io_now{device=\"loop3\"} 3",
        "diskwright_disk_bound_seconds_total{device=\"loop3\",limit=\"volume_iops\"} 1.5",
        "diskwright_disk_credits{device=\"loop3\",unit=\"ios\"} 2700000.0",
        "diskwright_instance_credits{unit=\"ios\"} 1.0",
        "diskwright_disk_cache_reads_total{device=\"loop3\",result=\"hit\"} 7",
        "diskwright_disk_info{device=\"raft\",name=\"raft\",disk=\"gp3:20GiB\",kind=\"gp3\"} 1",
    ] {
        assert!(text.lines().any(|found| found == line), "no line {line} in\n{text}");
    }
}

#[test]
fn what_a_disk_has_not_is_left_out() {
    let text = prometheus(&node(0, vec![disk("raft", "gp3:20GiB")]));
    for name in ["credits", "cache"] {
        assert!(!text.contains(name), "{name} in\n{text}");
    }
    assert_eq!(prometheus(&node(0, Vec::new())), "");
}

#[test]
fn every_family_has_help_and_type_once_and_counters_end_in_total() {
    let text = prometheus(&busy());
    let mut types = BTreeMap::new();
    for line in text.lines().filter_map(|line| line.strip_prefix("# TYPE ")) {
        let (name, kind) = line.split_once(' ').unwrap();
        assert!(types.insert(name, kind).is_none(), "{name} twice");
        assert_eq!(kind == "counter", name.ends_with("_total"), "{name}");
        assert!(text.contains(&format!("# HELP {name} ")), "{name}");
    }
    let samples: BTreeSet<&str> =
        text.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split('{').next()).collect();
    assert_eq!(samples, types.keys().copied().collect());
}

proptest! {
    #[test]
    fn any_name_keeps_to_its_line_and_its_quotes(name: String, device: String) {
        let mut odd = disk(&name, "gp3:20GiB");
        odd.device = Some(device);
        let text = prometheus(&node(0, vec![odd]));
        // Split by hand: only a newline ends a line in this format.
        for line in text.split('\n').filter(|line| !line.is_empty() && !line.starts_with('#')) {
            prop_assert!(line.starts_with("node_disk_") || line.starts_with("diskwright_"), "{line:?}");
            let unescaped = line.replace("\\\\", "").replace("\\\"", "");
            prop_assert_eq!(unescaped.matches('"').count() % 2, 0, "{}", line);
        }
    }
}
