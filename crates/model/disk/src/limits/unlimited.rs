//! The limits of a disk without any.

use units::{Bytes, BytesPerSec, Iops, Nanos};

use crate::{DiskError, DiskLimits, ServiceTime, Volume};

/// Infinite rates and no time of its own: every request is done when it arrives.
pub(super) fn limits(volume: &Volume) -> Result<DiskLimits, DiskError> {
    if volume.iops.is_some() || volume.throughput.is_some() {
        return Err(DiskError::out_of_range(volume, "it has no limits to set; leave the rates out".to_owned()));
    }
    let at_once = Nanos(0);
    let endless = BytesPerSec(f64::INFINITY);
    Ok(DiskLimits {
        size: volume.size,
        iops: Iops(f64::INFINITY),
        throughput: endless,
        burst: None,
        burst_throughput: endless,
        io_unit: Bytes(u64::from(u32::MAX)),
        merge: Bytes(0),
        write_iops_cost: 1.0,
        write_bytes_cost: 1.0,
        shares_instance_caps: false,
        consistency: None,
        service: ServiceTime {
            read: at_once,
            write: at_once,
            sigma: 0.0,
            link: endless,
            softness: 0.0,
            flush: at_once,
            program: at_once,
        },
    })
}

#[cfg(test)]
mod tests {
    use catalog::CatalogView;
    use units::Nanos;

    use crate::{Device, Disk, InstanceLink, IoOperation, IoRequest};

    #[test]
    fn every_request_is_done_when_it_arrives() {
        let disk: Disk = "2x(unlimited:10GiB)".parse().unwrap();
        let mut device = Device::new(disk.spec(&CatalogView::default(), None).unwrap(), 1);
        for (i, op) in
            [IoOperation::Read, IoOperation::Write, IoOperation::Flush].into_iter().cycle().take(30_000).enumerate()
        {
            let at = Nanos(i as u64 / 7);
            let done = device.submit(
                &mut InstanceLink::new(None),
                at,
                IoRequest { op, offset: (i as u64) << 12, bytes: 1 << 20 },
            );
            assert_eq!((done.started, done.at), (at, at));
        }
    }

    #[test]
    fn rates_are_refused() {
        let disk: Disk = "unlimited:10GiB,3000iops".parse().unwrap();
        let refused = disk.limits(&CatalogView::default(), None).unwrap_err().to_string();
        assert!(refused.contains("leave the rates out"), "{refused}");
    }
}
