//! Drills on real parts: the metadata server's emulator and Kubernetes' twin on sockets, the reference placement driver and
//! three reference stores as processes, the journal on a disk. Needs `diskwright-pd` and `diskwright-store` beside the
//! test's folder, or named by `DISKWRIGHT_PD` and `DISKWRIGHT_STORE`.

mod programs;
mod site;

use std::time::Duration;

use jiff::Timestamp;
use maintenance::MachineCloud;
use maintenance::emulator::AnnouncedEvent;

use crate::real_drills::programs::Cluster;
use crate::real_drills::site::{LIMIT, Site};

/// How long anything may take before the test gives up; nothing is judged by it.
const PATIENCE: Duration = Duration::from_secs(60);

/// An event with its cloud's own notice, which is over when the test says so.
fn announced(cloud: MachineCloud, word: &str, lead: Option<Duration>) -> AnnouncedEvent {
    AnnouncedEvent::usual(cloud, word, Timestamp::now(), lead, Duration::from_secs(3600)).unwrap()
}

#[test]
fn leaders_leave_a_real_store_before_each_clouds_deadline_and_come_back() {
    const REGIONS: u32 = 60;
    let cluster = Cluster::start(REGIONS);
    for (cloud, word) in [
        (MachineCloud::Gcp, "MIGRATE_ON_HOST_MAINTENANCE"),
        (MachineCloud::Aws, "terminate"),
        (MachineCloud::Azure, "Preempt"),
    ] {
        let planned = announced(cloud, word, None);
        let mut site = Site::new(&cluster, cloud, &planned);
        let before = site.settings();
        let gone = site.until(PATIENCE, |site| site.leaders() == 0);
        assert!(gone < planned.starts, "{word}: leaders at zero at {gone}, the event at {}", planned.starts);
        assert_eq!(site.evicted(), [site.store]);
        site.until(PATIENCE, Site::is_ready);
        site.finish();
        site.until(PATIENCE, |site| site.is_restored(&before));
        let took = (gone - planned.announced).total(jiff::Unit::Second).unwrap();
        println!("{word}: {} leaders of {REGIONS} regions gone {took:.1} s after the notice", site.led);
        site.balance(PATIENCE, REGIONS);
    }
}

/// So many that a short notice asks for a higher limit: more than forty on each store, ten seconds for four at once.
const MANY: u32 = 150;

#[test]
fn a_pilot_that_is_killed_between_lines_goes_on_and_restores_all() {
    let cluster = Cluster::start(MANY);
    let (mut kills, mut raised) = (0, false);
    // Every line is killed at in virtual time (tests/drills/kills.rs); here every fifth, for each takes seconds.
    for line in (2..).step_by(5) {
        let planned = announced(MachineCloud::Aws, "terminate", Some(Duration::from_secs(15)));
        let mut site = Site::new(&cluster, MachineCloud::Aws, &planned);
        let before = site.settings();
        site.kill_after(line);
        site.until(PATIENCE, Site::is_ready);
        site.finish();
        site.until(PATIENCE, |site| site.is_restored(&before));
        raised |= site.journal().contains(LIMIT);
        if !site.was_killed() {
            break;
        }
        kills += 1;
        site.balance(PATIENCE, MANY);
    }
    assert!(kills >= 4 && raised, "{kills} kills, limit raised: {raised}");
}
