//! One incident of each kind of load that `benches/real_incidents` makes, made and named here, so that the bench keeps working.
//! Needs root, fio, Prometheus, MariaDB, and `diskwright-store` and `diskwright-pd` as `proved` does.

#[path = "../../benches/real_incidents/kept.rs"]
mod kept;
#[path = "../../benches/real_incidents/machine.rs"]
mod machine;
#[path = "../../benches/real_incidents/make.rs"]
mod make;
#[path = "../../benches/real_incidents/prometheus.rs"]
mod prometheus;
#[path = "../../benches/real_incidents/row.rs"]
mod row;
#[path = "../../benches/real_incidents/watch.rs"]
mod watch;

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use cluster::{Lab, Programs};
use diagnose::diagnose;
use mount::Home;

use crate::kept::Telling;
use crate::row::Row;

/// Any of the many things that can go wrong in a laboratory.
pub(crate) type Trouble = Box<dyn std::error::Error + Send + Sync>;

/// One at a time: each has the processors for itself.
static ALONE: Mutex<()> = Mutex::new(());

/// Makes an incident, and says who named its cause first, of recordings that were written and read.
fn named(name: &str) -> Result<Vec<(Telling, bool)>, Trouble> {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let parent = if Path::new("/dev/shm").is_dir() { "/dev/shm" } else { "/tmp" };
    let root = tempfile::Builder::new().prefix("incidents-").tempdir_in(parent)?;
    let scratch = root.path().join("scratch");
    std::fs::create_dir(&scratch)?;
    let home = Home::open(root.path().join("run"), env!("CARGO_BIN_EXE_diskwright"))?;
    let lab = Lab { home, scratch, programs: Programs::find()? };
    let row = Row::all().into_iter().find(|row| row.name == name).ok_or("the table has no such row")?;
    let recordings = root.path().join("recordings");
    kept::write(&recordings, &row, make::undisturbed(&row, &lab, &Arc::default())?)?;
    let told = kept::read(&recordings, &row).ok_or("not all of it was kept")?;
    let is_right = |(telling, timeline)| (telling, row.truth.contains(&diagnose(&timeline, &row.known())[0].kind));
    Ok(told.into_iter().map(is_right).collect())
}

/// All but CloudWatch, where it cannot know.
fn rightly(named: &[(Telling, bool)], cloud: bool) -> bool {
    named.len() == Telling::ALL.len()
        && named.iter().all(|(telling, right)| *right || (*telling == Telling::CloudWatch && !cloud))
}

#[test]
fn a_volume_at_its_limit_under_fio_is_named_by_counters_a_prometheus_and_cloudwatch() {
    let named = named("volume-iops-1").unwrap();
    assert!(rightly(&named, true), "{named:?}");
}

#[test]
fn a_disk_that_stalls_under_the_store_is_named() {
    let named = named("store-disk-stalled-1").unwrap();
    assert!(rightly(&named, false), "{named:?}");
}

#[test]
fn a_volume_at_its_limit_under_mariadb_is_named() {
    let named = named("mariadb-volume-iops-1").unwrap();
    assert!(rightly(&named, true), "{named:?}");
}
