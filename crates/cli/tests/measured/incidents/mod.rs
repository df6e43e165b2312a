//! One incident of each kind of load that `benches/real_incidents` makes, made and named here, so that the bench keeps working.
//! Needs root, fio, Prometheus, MariaDB, and `diskwright-store` and `diskwright-pd` as `proved` does.

#[path = "../../../benches/real_incidents/kept.rs"]
mod kept;
#[path = "../../../benches/real_incidents/machine.rs"]
mod machine;
#[path = "../../../benches/real_incidents/make.rs"]
mod make;
#[path = "../../../benches/real_incidents/prometheus.rs"]
mod prometheus;
#[path = "../../../benches/real_incidents/row.rs"]
mod row;
#[path = "../../../benches/real_incidents/watch.rs"]
mod watch;

use std::path::Path;
use std::sync::Arc;

use cluster::{ClusterPrograms, TestBed};
use diagnose::diagnose;
use mount::MountHome;
use timeline::Timeline;

use crate::incidents::kept::Telling;
use crate::incidents::row::Row;

/// Any of the many things that can go wrong in a laboratory.
pub(crate) type Trouble = Box<dyn std::error::Error + Send + Sync>;

/// Makes an incident, and gives who did not name its cause first though it could be known, of recordings that were written and read.
fn who_misses(name: &str) -> Result<Vec<Telling>, Trouble> {
    let _alone = crate::the_machine();
    let parent = if Path::new("/dev/shm").is_dir() { "/dev/shm" } else { "/tmp" };
    let root = tempfile::Builder::new().prefix("incidents-").tempdir_in(parent)?;
    let scratch = root.path().join("scratch");
    private_dir::open(&scratch, private_dir::FolderPurpose::SCRATCH)?;
    let home = MountHome::open(root.path().join("run"), env!("CARGO_BIN_EXE_diskwright"))?;
    let lab = TestBed { home, scratch, programs: ClusterPrograms::find()? };
    let row = Row::all().into_iter().find(|row| row.name == name).ok_or("the table has no such row")?;
    let recordings = root.path().join("recordings");
    kept::write(&recordings, &row, make::undisturbed(&row, &lab, &Arc::default())?)?;
    let told = kept::read(&recordings, &row).ok_or("not all of it was kept")?;
    let misses = |(telling, timeline): &(Telling, Timeline)| {
        let visible = row.visible(*telling);
        !visible.is_empty() && !visible.contains(&diagnose(timeline, &row.known())[0].kind)
    };
    Ok(told.iter().filter(|told| misses(told)).map(|(telling, _)| *telling).collect())
}

#[test]
fn a_volume_at_its_limit_under_fio_is_named_by_counters_a_prometheus_and_cloudwatch() {
    assert_eq!(who_misses("volume-iops-1").unwrap(), []);
}

#[test]
fn a_disk_that_stalls_under_the_store_is_named() {
    assert_eq!(who_misses("store-disk-stalled-1").unwrap(), []);
}

#[test]
fn a_volume_at_its_limit_under_mariadb_is_named() {
    assert_eq!(who_misses("mariadb-volume-iops-1").unwrap(), []);
}
