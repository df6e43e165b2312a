//! The pilot's way to EBS with the real SDK against moto: the shape of its calls, for moto has no states, no waits and no limits.

#![cfg(feature = "cloud")]

#[path = "../../../../observe/aws/tests/integration/moto/server.rs"]
#[allow(dead_code, reason = "it has more than these tests ask of it")]
mod server;

use std::slice;
use std::sync::Arc;

use disk::Disk;
use pilot::SystemClock;
use pilot::volumes::{EbsFleet, VolumeFleet};
use server::moto;
use units::Nanos;
use volume_control::{CloudError, ManagedVolume, VolumeCloud};

fn ebs(user: &str, volume: &str) -> EbsFleet {
    EbsFleet::new(moto().session(user), Arc::new(SystemClock::new()), vec![volume.to_owned()])
}

fn described(ebs: &mut EbsFleet, volume: &String) -> ManagedVolume {
    ebs.describe(slice::from_ref(volume)).unwrap().remove(0)
}

#[test]
fn a_volume_becomes_faster_and_what_it_was_again() {
    let spare = &moto().account.spare;
    let mut ours = ebs("modifier", spare);
    let before = described(&mut ours, spare);
    let to: Disk = "gp3:100GiB,6000iops,250MiB/s".parse().unwrap();
    for (to, changes) in [(to, 1), (before.disk, 2)] {
        ours.modify(spare, &to).unwrap();
        let now = described(&mut ours, spare);
        assert_eq!((&now.disk, now.changes.len()), (&to, changes));
        assert_eq!(now.changes.last().map(|change| &change.to), Some(&to));
    }
}

#[test]
fn who_may_not_and_what_is_not_there_are_told_apart() {
    let spare = &moto().account.spare;
    let to: Disk = "gp3:100GiB,6000iops,250MiB/s".parse().unwrap();
    let denied = ebs("reader", spare).modify(spare, &to).unwrap_err();
    assert!(matches!(&denied, CloudError::Denied { action } if action == "ec2:ModifyVolume"), "{denied}");
    let nobodys = "vol-0123456789abcdef0".to_owned();
    for error in [
        ebs("modifier", &nobodys).modify(&nobodys, &to).unwrap_err(),
        ebs("reader", &nobodys).describe(slice::from_ref(&nobodys)).unwrap_err(),
    ] {
        assert!(matches!(&error, CloudError::NotFound { volume } if *volume == nobodys), "{error}");
    }
}

#[test]
fn use_comes_from_cloudwatch_counted_from_1970() {
    let moto = moto();
    let since = Nanos(u64::try_from(moto.start.as_nanosecond()).unwrap());
    let used = ebs("reader", &moto.account.busy).used(since).unwrap();
    let reads = used.select("VolumeReadOps", &[]).next().unwrap();
    assert_eq!(reads.points().first().map(|point| point.from), Some(since));
    // It is attached to nothing.
    assert!(ebs("reader", &moto.account.unused).used(since).unwrap().series.is_empty());
}
