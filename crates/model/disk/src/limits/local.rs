//! The limits of the instance's own flash.

use catalog::{CatalogError, InstanceType};
use units::{Bytes, BytesPerSec, Iops};

use crate::{DiskError, DiskLimits, Volume, VolumeCalibration};

/// The limits of each of `stripe` local volumes. A volume takes whole devices or a part of one; a part has all the rate of its
/// device. `taken` is what other volumes hold.
pub(super) fn limits(
    instance: &InstanceType,
    volume: &Volume,
    stripe: u32,
    taken: Bytes,
) -> Result<DiskLimits, DiskError> {
    let refuse = |what: String| Err(DiskError::out_of_range(volume, what));
    let Some(store) = instance.local else {
        return refuse(format!("{} has no local flash; choose a type that has, such as m5d or i3", instance.name));
    };
    if volume.iops.is_some() || volume.throughput.is_some() {
        return refuse(format!("local flash takes no rates: {} sets them; leave them out", instance.name));
    }
    let needed = Bytes(volume.size.0.saturating_mul(stripe.into()).saturating_add(taken.0));
    if needed > store.size {
        return refuse(format!("{} has {} of local flash, not {needed}", instance.name, store.size));
    }
    let device = Bytes(store.size.0 / u64::from(store.count.max(1)));
    let devices = volume.size.0.div_ceil(device.0.max(1)).max(1);
    if stripe > 1 && devices * u64::from(stripe) > u64::from(store.count) {
        return refuse(format!("{} has {} local devices, too few for {stripe} volumes", instance.name, store.count));
    }
    let missing = |fact| CatalogError::Missing { fact, subject: instance.name.clone(), when: String::new() };
    let share = devices as f64 / f64::from(store.count.max(1));
    let read = store.read_iops.ok_or_else(|| missing("local flash read IOPS"))?;
    let write = store.write_iops.ok_or_else(|| missing("local flash write IOPS"))?;
    let read_bytes = store.read_throughput.ok_or_else(|| missing("local flash read throughput"))?;
    let write_bytes = store.write_throughput.ok_or_else(|| missing("local flash write throughput"))?;
    let calibration = VolumeCalibration::of(Volume::LOCAL)?;
    Ok(DiskLimits {
        size: volume.size,
        iops: Iops(read.0 * share),
        throughput: BytesPerSec(read_bytes.0 * share),
        burst: None,
        burst_throughput: BytesPerSec(read_bytes.0 * share),
        // A local device counts requests as they come: only bytes make a large one dearer.
        io_unit: Bytes(u64::from(u32::MAX)),
        merge: calibration.merge,
        write_iops_cost: read / write,
        write_bytes_cost: read_bytes / write_bytes,
        shares_instance_caps: false,
        consistency: None,
        service: calibration.service,
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::{instance, with_flash};
    use crate::{Disk, DiskError};
    use catalog::CatalogView;
    use units::Iops;

    fn limits(text: &str, flash: u32) -> Result<crate::DiskLimits, DiskError> {
        let disk: Disk = text.parse().unwrap();
        disk.limits(&CatalogView::default(), Some(&with_flash(instance("m5d.2xlarge"), flash)))
    }

    #[test]
    fn local_flash_has_the_instances_rates_and_no_caps() {
        let limits = limits("nvme:200GiB", 1).unwrap();
        assert_eq!(limits.iops, Iops(117_000.0));
        assert!((limits.write_iops_cost - 117_000.0 / 56_800.0).abs() < 1e-12);
        assert!(!limits.shares_instance_caps);
    }

    #[test]
    fn a_volume_on_one_of_two_devices_has_half_the_rate_and_a_stripe_of_both_all() {
        assert_eq!(limits("nvme:100GiB", 2).unwrap().iops, Iops(58_500.0));
        assert_eq!(limits("2x(nvme:100GiB)", 2).unwrap().iops, Iops(117_000.0));
        assert!(limits("3x(nvme:50GiB)", 2).unwrap_err().to_string().contains("2 local devices"));
    }

    #[test]
    fn what_the_instance_lacks_is_named() {
        let local: Disk = "nvme:200GiB".parse().unwrap();
        let view = CatalogView::default();
        assert!(matches!(local.limits(&view, None), Err(DiskError::NeedsInstance { .. })));
        let bare = local.limits(&view, Some(&instance("m5.2xlarge"))).unwrap_err();
        assert!(bare.to_string().contains("m5.2xlarge has no local flash"), "{bare}");
        let mut unpublished = with_flash(instance("m7gd.large"), 1);
        unpublished.local.as_mut().unwrap().read_iops = None;
        let missing = local.limits(&view, Some(&unpublished)).unwrap_err();
        assert!(missing.to_string().contains("local flash read IOPS for m7gd.large"), "{missing}");
        let large = limits("nvme:2000GiB", 1).unwrap_err();
        assert!(large.to_string().contains("of local flash, not 2000GiB"), "{large}");
        assert!(limits("nvme:200GiB,6000iops", 1).unwrap_err().to_string().contains("takes no rates"));
    }

    #[test]
    fn a_cache_and_a_volume_share_the_flash() {
        assert!(limits("nvme:200GiB+cache(nvme:200GiB)", 1).is_err());
        assert!(limits("nvme:100GiB+cache(nvme:100GiB)", 1).is_ok());
    }
}
