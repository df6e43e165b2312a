//! The log page itself: little-endian, a magic number, a version, eleven counters, then histograms (AWS, Amazon EBS detailed
//! performance statistics; nvme-cli plugins/amzn/amzn-nvme.c).

use std::collections::BTreeMap;

use textfile::InputError;

use super::disk_of;
use crate::input::InputFile;
use crate::volume::{PAGE, VolumeSample};

/// Magic number of an EBS volume's page.
const EBS: u32 = 0x3C23_B510;
/// Magic number of an instance store's page.
const INSTANCE_STORE: u32 = 0xEC2C_0D7E;
/// Bytes up to the end of the counters: the magic number, four bytes, and the counters.
const COUNTERS: usize = 8 + PAGE.len() * 8;
/// Lengths of a page, which follow each other where several were written to one file: an EBS volume's is 4 KiB, an instance store's 8.
const LENGTHS: [(u32, usize); 2] = [(EBS, 4096), (INSTANCE_STORE, 8192)];

/// The length of the page that begins so.
fn length(bytes: &[u8]) -> Option<usize> {
    let magic = u32::from_le_bytes(*bytes.first_chunk::<4>()?);
    LENGTHS.iter().find(|(known, _)| *known == magic).map(|(_, length)| *length)
}

/// Whether a file begins with a page.
pub(super) fn is_page(bytes: &[u8]) -> bool {
    length(bytes).is_some()
}

/// Reads the pages of a file.
pub(super) fn read(file: &InputFile) -> Result<Vec<VolumeSample>, InputError> {
    let (mut left, mut samples) = (file.bytes(), Vec::new());
    while let Some(length) = length(left) {
        let Some(counters) = left.get(8..COUNTERS) else {
            let message = format!("ends within page {}: expected {COUNTERS} bytes or more", samples.len() + 1);
            return Err(InputError::new(file.path(), message)
                .help("save the whole page: `nvme get-log /dev/nvme1n1 --log-id=0xd0 --log-len=4096 -b`"));
        };
        let mut values = BTreeMap::new();
        for ((counter, _), bytes) in PAGE.iter().zip(counters.as_chunks::<8>().0) {
            let value = u64::from_le_bytes(*bytes) as f64;
            values.insert(*counter, if counter.is_time() { value / 1e6 } else { value });
        }
        samples.push(VolumeSample { disk: disk_of(file), at: None, values });
        // A page may have been saved shorter than it is, when it is alone.
        left = left.get(length..).unwrap_or_default();
    }
    if !left.is_empty() {
        let message = format!("has {} bytes after its last page that are no page", left.len());
        return Err(InputError::new(file.path(), message));
    }
    Ok(samples)
}
