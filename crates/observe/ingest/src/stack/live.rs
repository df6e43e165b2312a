//! What lies on what on this machine: `/sys/block/*/slaves` (Documentation/ABI/testing/sysfs-block in the kernel).

use std::collections::BTreeMap;
use std::path::Path;

/// The devices under each layer, by name.
pub type MachineStack = BTreeMap<String, Vec<String>>;

/// Reads the layers of a machine from its `/sys/block`; none where it cannot be read.
pub fn machine_stack(sys_block: &Path) -> MachineStack {
    let names = |folder: &Path| -> Vec<String> {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort();
        names
    };
    let under = names(sys_block).into_iter().map(|device| {
        let slaves = names(&sys_block.join(&device).join("slaves"));
        (device, slaves)
    });
    under.filter(|(_, slaves)| !slaves.is_empty()).collect()
}
