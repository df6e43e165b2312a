//! What disks are called of those that are left.

use std::collections::{BTreeMap, BTreeSet};

use timeline::Timeline;

use super::device::{self, DeviceKind};
use super::flow::{DeviceFlow, flows};
use super::{FoldedDevices, UnknownDevice};

/// Gives disks the names that were said: `data` for the device `nvme1n1`, or what it was folded into; `n1/data` on one node alone.
///
/// # Errors
/// When there is no such device.
pub fn rename(
    timeline: &mut Timeline,
    names: &BTreeMap<String, String>,
    folded: &FoldedDevices,
) -> Result<(), UnknownDevice> {
    for (name, device) in names {
        let (of, name) = name.rsplit_once('/').map_or((None, name.as_str()), |(of, name)| (Some(of), name));
        let device = device.strip_prefix("/dev/").unwrap_or(device);
        let mut found = false;
        for series in &mut timeline.series {
            let node = series.labels.get("node").cloned().unwrap_or_default();
            let own = (node.clone(), device.to_owned());
            let target = folded.stands_for.get(&own).map_or(device, String::as_str);
            if of.is_none_or(|of| of == node) && series.labels.get("disk").is_some_and(|disk| disk == target) {
                series.labels.insert("disk".to_owned(), name.to_owned());
                found = true;
            }
        }
        if !found {
            let known: BTreeSet<String> =
                timeline.series.iter().filter_map(|series| series.labels.get("disk").cloned()).collect();
            let known = known.into_iter().take(20).collect();
            return Err(UnknownDevice { option: "device", name: device.to_owned(), known });
        }
    }
    Ok(())
}

/// Names the only disk of each node that did anything to speak of, where its name is the kernel's; what the others moved is less than
/// a hundredth of it.
pub fn name_only_busy(timeline: &mut Timeline, name: &str) {
    let mut chosen: BTreeMap<String, String> = BTreeMap::new();
    for (node, devices) in flows(timeline) {
        let most = devices.values().map(DeviceFlow::total).fold(0.0, f64::max);
        let mut busy = devices.iter().filter(|(_, flow)| flow.total() > most / 100.0);
        if let (Some((device, _)), None) = (busy.next(), busy.next())
            && device::kind(device, true) != DeviceKind::Named
        {
            chosen.insert(node, device.clone());
        }
    }
    for series in &mut timeline.series {
        let node = series.labels.get("node").map_or("", String::as_str);
        if let (Some(device), Some(disk)) = (chosen.get(node), series.labels.get("disk"))
            && device == disk
        {
            series.labels.insert("disk".to_owned(), name.to_owned());
        }
    }
}
