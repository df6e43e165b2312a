//! iostat reports: whatever is read has rates that are numbers.

use textfile::Text;
use workload::parse_iostat;

/// Reads the bytes as a report.
pub(crate) fn iostat(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match parse_iostat(&Text::new("iostat.txt", text)) {
        Ok(devices) => {
            for device in devices {
                let rates = device.rates;
                let all = [rates.reads, rates.read_bytes, rates.writes, rates.write_bytes, rates.flushes];
                assert!(all.iter().all(|rate| *rate >= 0.0), "{device:?}");
            }
        }
        Err(error) => assert_eq!(error.to_string().lines().count(), 1),
    }
}
