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

/// The bytes of a page as `nvme get-log` prints them without `-b`: `0000: 10 b5 23 3c … "..#<…"`, one page after the other.
pub(super) fn of_hex(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    for line in text.lines() {
        let Some((offset, rest)) = line.trim().split_once(": ") else { continue };
        let is_offset = offset.len() >= 4 && offset.bytes().all(|byte| byte.is_ascii_hexdigit());
        if is_offset {
            let words = rest.split('"').next().unwrap_or_default().split_whitespace();
            let read = words.take(16).map(|word| u8::from_str_radix(word, 16).ok().filter(|_| word.len() == 2));
            bytes.extend(read.collect::<Option<Vec<u8>>>()?);
        }
    }
    is_page(&bytes).then_some(bytes)
}

/// Reads the pages of a file, whose bytes may have been printed.
pub(super) fn read(file: &InputFile) -> Result<Vec<VolumeSample>, InputError> {
    let printed = if is_page(file.bytes()) { None } else { file.text().ok().and_then(|text| of_hex(text.content())) };
    let (mut left, mut samples) = (printed.as_deref().unwrap_or(file.bytes()), Vec::new());
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
