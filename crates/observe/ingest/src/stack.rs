//! Device stacks: partitions, LVM, dm-crypt and md are views of volumes, not volumes. A Timeline in which the kernel counted one
//! request once for each layer comes out with one disk for each volume that a cloud sells, or for each stripe of them.
//!
//! What lies on what is known from a device's name (`nvme1n1p1`), from `/sys/block/*/slaves` where it was noted, and else from the
//! bytes: a layer moves what the devices under it move.

mod device;
mod flow;
mod live;
mod members;
mod names;
mod stripe;

use std::collections::{BTreeMap, BTreeSet};

use timeline::Timeline;

use device::DeviceKind;
use flow::{DeviceFlow, flows};
pub use live::{MachineStack, machine_stack};
use members::Width;
pub use names::{name_only_busy, rename};

/// The prefix of a Timeline's notes that tell what lies under a device: `stack of md127` = `nvme1n1 nvme2n1`.
pub const NOTE: &str = "stack of ";
/// The note in which [`fold`] tells which devices it took for parts of others.
pub const FOLDED: &str = "left out layers";

/// What is said of devices on the command line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StackOptions {
    /// Devices that were named with a disk, by device or `node/device`, and of how many volumes that disk is made.
    pub claimed: BTreeMap<String, u32>,
    /// How many volumes the disk is made of that holds for every device without a name of its own; `None` without one.
    pub others: Option<u32>,
    /// If any are named, only these disks are kept; a part or a layer stands for its volume.
    pub only: BTreeSet<String>,
    /// These disks are left out.
    pub ignore: BTreeSet<String>,
    /// Whether names of the device mapper (`vg0-data`, as `iostat -N` and `sar -p` print them) may be among the disks.
    pub mapper_names: bool,
}

/// What became of a Timeline's devices.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FoldedDevices {
    /// The disk that stands for a device which was folded into it, by node and device.
    pub stands_for: BTreeMap<(String, String), String>,
    /// Stripes that were kept in place of their members, by node and device, each with its members.
    pub stripes: BTreeMap<(String, String), Vec<String>>,
}

/// A disk name that fits none of a Timeline's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("--{option} {name}: there is no such disk; the disks are {}", .known.join(", "))]
pub struct UnknownDevice {
    /// The option.
    pub option: &'static str,
    /// As it was given.
    pub name: String,
    known: Vec<String>,
}

/// Leaves one disk for each volume or stripe, and tells in the Timeline's notes what was folded.
///
/// # Errors
/// When `only` or `ignore` names a disk that is not there.
pub fn fold(timeline: &mut Timeline, options: &StackOptions) -> Result<FoldedDevices, UnknownDevice> {
    let mut folded = FoldedDevices::default();
    let mut gone: BTreeSet<(String, String)> = BTreeSet::new();
    let all = flows(timeline);
    for (node, devices) in &all {
        let stack = NodeStack { node, devices, noted: noted(timeline, node), options };
        gone.extend(stack.fold(&mut folded).into_iter().map(|device| (node.clone(), device)));
    }
    for ((node, device), members) in &folded.stripes {
        stripe::complete(timeline, node, device, members);
    }
    choose(&all, options, &folded, &mut gone)?;
    if !gone.is_empty() {
        timeline.series.retain(|series| {
            let label = |key: &str| series.labels.get(key).cloned().unwrap_or_default();
            !series.labels.contains_key("disk") || !gone.contains(&(label("node"), label("disk")))
        });
    }
    tell(timeline, &folded);
    Ok(folded)
}

/// What lies under the devices of a node, as its Timeline notes it: `stack of dm-0`, or `stack of n1/dm-0`.
fn noted(timeline: &Timeline, node: &str) -> BTreeMap<String, Vec<String>> {
    let under = timeline.about.notes.iter().filter_map(|(key, under)| {
        let device = key.strip_prefix(NOTE)?;
        let device = match device.split_once('/') {
            Some((of, device)) if of == node => device,
            Some(_) => return None,
            None => device,
        };
        Some((device.to_owned(), under.split_whitespace().map(str::to_owned).collect()))
    });
    under.collect()
}

/// Leaves out what `only` does not name and what `ignore` names.
fn choose(
    all: &BTreeMap<String, BTreeMap<String, DeviceFlow>>,
    options: &StackOptions,
    folded: &FoldedDevices,
    gone: &mut BTreeSet<(String, String)>,
) -> Result<(), UnknownDevice> {
    let disks = || all.iter().flat_map(|(node, devices)| devices.keys().map(move |device| (node, device)));
    // A member of a stripe and a partition stand for the disk that they are part of.
    let stands_for = |node: &String, device: &String| {
        let own = (node.clone(), device.clone());
        folded.stands_for.get(&own).cloned().unwrap_or_else(|| device.clone())
    };
    let named = |name: &str, node: &str, device: &str| {
        name == device
            || name.strip_prefix("/dev/").is_some_and(|name| name == device || name == format!("mapper/{device}"))
            || name.split_once('/').is_some_and(|(of, name)| of == node && name == device)
    };
    let chosen = |option: &'static str, names: &BTreeSet<String>| {
        let mut chosen = BTreeSet::new();
        for name in names {
            let found: Vec<_> = disks().filter(|(node, device)| named(name, node, device)).collect();
            if found.is_empty() {
                let known: BTreeSet<String> = disks().map(|(_, device)| device.clone()).collect();
                return Err(UnknownDevice { option, name: name.clone(), known: known.into_iter().take(20).collect() });
            }
            chosen.extend(found.into_iter().map(|(node, device)| (node.clone(), stands_for(node, device))));
        }
        Ok(chosen)
    };
    let (only, ignored) = (chosen("only", &options.only)?, chosen("ignore", &options.ignore)?);
    for (node, device) in disks() {
        let own = (node.clone(), device.clone());
        if ignored.contains(&own) || !only.is_empty() && !only.contains(&own) {
            gone.insert(own);
        }
    }
    Ok(())
}

/// Notes which devices were taken for parts of others.
fn tell(timeline: &mut Timeline, folded: &FoldedDevices) {
    let shown = |node: &str, device: &str| {
        if node.is_empty() { device.to_owned() } else { format!("{node}/{device}") }
    };
    let mut parts: Vec<String> = Vec::new();
    for ((node, device), members) in &folded.stripes {
        parts.push(format!("{} is a stripe of {}", shown(node, device), members.join(", ")));
    }
    let mut layers: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    for ((node, device), disk) in &folded.stands_for {
        let is_member = folded.stripes.get(&(node.clone(), disk.clone())).is_some_and(|all| all.contains(device));
        if !is_member {
            layers.entry((node, disk)).or_default().push(device);
        }
    }
    for ((node, disk), devices) in layers {
        parts.push(format!("{} counts what passes through {}, too", shown(node, disk), devices.join(", ")));
    }
    if !parts.is_empty() {
        let told: String = parts.join("; ").chars().take(2_000).collect();
        timeline.about.notes.insert(FOLDED.to_owned(), told);
    }
}

/// The devices of one node.
struct NodeStack<'a> {
    node: &'a str,
    devices: &'a BTreeMap<String, DeviceFlow>,
    noted: BTreeMap<String, Vec<String>>,
    options: &'a StackOptions,
}

impl NodeStack<'_> {
    /// Folds; returns the devices that are no disks.
    fn fold(&self, folded: &mut FoldedDevices) -> BTreeSet<String> {
        let mut gone = BTreeSet::new();
        let kind = |name: &str| device::kind(name, self.options.mapper_names);
        for name in self.devices.keys() {
            if let Some(whole) = device::whole(name, |whole| self.devices.contains_key(whole)) {
                self.stand(folded, name, whole);
                gone.insert(name.clone());
            }
        }
        let left = |gone: &BTreeSet<String>, of: DeviceKind| -> Vec<&String> {
            self.devices.keys().filter(|name| !gone.contains(*name) && kind(name) == of).collect()
        };
        let mut volumes: Vec<&String> = left(&gone, DeviceKind::Volume);
        for name in left(&gone, DeviceKind::Transient) {
            let idle = self.devices[name].is_idle();
            if self.claim(name).is_none() && (idle || kind(name) == DeviceKind::Transient && device::is_memory(name)) {
                gone.insert(name.clone());
            }
        }
        // Without a volume among them, a layer is all that is known of one.
        if volumes.is_empty() {
            return gone;
        }
        let mut layers = left(&gone, DeviceKind::Layer);
        // Claimed layers first, then md before what lies on it.
        layers.sort_by_key(|name| (self.claim(name).is_none(), !device::is_md(name), device::number(name)));
        for layer in layers {
            let members = self.members(layer, &volumes);
            match members.as_slice() {
                [] => {
                    // A layer over a stripe that was kept moves what that stripe moves.
                    let stripe = folded.stripes.keys().find(|(node, stripe)| {
                        node == self.node && self.devices[layer].moves_as_much_as(&self.devices[stripe])
                    });
                    match stripe.map(|(_, stripe)| stripe.clone()) {
                        Some(stripe) => self.stand(folded, layer, &stripe),
                        None if self.is_unexplained(layer, &volumes) => continue,
                        None => {}
                    }
                }
                [one] => {
                    let one = one.clone();
                    self.stand(folded, layer, &one);
                }
                several => {
                    folded.stripes.insert((self.node.to_owned(), layer.clone()), several.to_vec());
                    for member in several {
                        gone.insert(member.clone());
                        self.restack(folded, member, layer);
                    }
                    volumes.retain(|volume| !several.contains(volume));
                    continue;
                }
            }
            gone.insert(layer.clone());
        }
        gone
    }

    /// The devices under a layer: as noted, else as their bytes say.
    fn members(&self, layer: &str, volumes: &[&String]) -> Vec<String> {
        let under = self.under(layer, 0);
        let known: Vec<String> = under.into_iter().filter(|name| volumes.contains(&name)).collect();
        if !known.is_empty() {
            return known;
        }
        let candidates: Vec<(&str, &DeviceFlow)> =
            volumes.iter().map(|name| (name.as_str(), &self.devices[name.as_str()])).collect();
        let width = match (self.claim(layer), self.options.others) {
            (Some(width), _) => Width::Said(width),
            (None, Some(width)) if width > 1 => Width::OfAnyStripe(width),
            (None, _) => Width::Unknown,
        };
        members::members(&self.devices[layer], &candidates, width, device::is_md(layer))
    }

    /// The whole devices at the bottom of what is noted to lie under one.
    fn under(&self, layer: &str, depth: u32) -> Vec<String> {
        let mut bottom = Vec::new();
        for name in self.noted.get(layer).into_iter().flatten() {
            let name = device::whole(name, |whole| self.devices.contains_key(whole)).unwrap_or(name);
            if self.noted.contains_key(name) && depth < 8 {
                bottom.extend(self.under(name, depth + 1));
            } else {
                bottom.push(name.to_owned());
            }
        }
        bottom.sort();
        bottom.dedup();
        bottom
    }

    /// Of how many volumes the disk is made that was named for a device.
    fn claim(&self, name: &str) -> Option<u32> {
        let claimed = &self.options.claimed;
        claimed.get(&format!("{}/{name}", self.node)).or_else(|| claimed.get(name)).copied()
    }

    /// Whether a layer of which nothing tells what lies under it is a disk of its own: it was named, its name is no kernel's, or it
    /// moves more than all volumes that were counted.
    fn is_unexplained(&self, layer: &str, volumes: &[&String]) -> bool {
        let all = || DeviceFlow::of_all(volumes.iter().map(|volume| &self.devices[volume.as_str()]));
        self.claim(layer).is_some() || !device::is_kernel_name(layer) || !self.devices[layer].fits_into(&all())
    }

    fn stand(&self, folded: &mut FoldedDevices, part: &str, disk: &str) {
        folded.stands_for.insert((self.node.to_owned(), part.to_owned()), disk.to_owned());
    }

    /// A volume that became a member: whatever stood on it stands on the stripe.
    fn restack(&self, folded: &mut FoldedDevices, member: &str, stripe: &str) {
        for ((node, _), disk) in &mut folded.stands_for {
            if node == self.node && disk == member {
                stripe.clone_into(disk);
            }
        }
        self.stand(folded, member, stripe);
    }
}

#[cfg(test)]
#[path = "stack/tests.rs"]
mod tests;
