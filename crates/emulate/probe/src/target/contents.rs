//! What a device holds.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::process::Command;

use crate::ProbeError;

/// So many bytes at the start must be zero: room for every common label, and for a file system's first structures.
const START: u64 = 1 << 20;

/// What is on a device, if anything: a file system, a partition table, a RAID member, or just bytes.
pub(super) fn found(device: &Path) -> Result<Option<String>, ProbeError> {
    // blkid also knows labels at the end of a device. Where it is missing, what is below finds all but those.
    let output = Command::new("blkid").args(["-p", "-o", "export"]).arg(device).output();
    if let Ok(output) = output
        && output.status.success()
    {
        let text = String::from_utf8_lossy(&output.stdout);
        let value =
            |key: &str| text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('=').map(str::to_owned));
        let kinds = [
            value("TYPE").map(|t| format!("it holds {t}")),
            value("PTTYPE").map(|t| format!("it has a partition table ({t})")),
        ];
        let kinds: Vec<_> = kinds.into_iter().flatten().collect();
        if !kinds.is_empty() {
            return Ok(Some(kinds.join(" and ")));
        }
    }
    let system = |source| ProbeError::System { path: device.to_owned(), what: "read its start", source };
    let mut start = Vec::new();
    File::open(device).map_err(system)?.take(START).read_to_end(&mut start).map_err(system)?;
    Ok(start.iter().position(|byte| *byte != 0).map(|at| format!("its byte {at} is not zero")))
}
