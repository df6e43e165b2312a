//! Numbers as Go programs print them.

use std::time::Duration;

/// A size with four digits at most: `1.5TiB`.
pub(super) fn size(bytes: u64) -> String {
    const UNITS: [&str; 7] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let (mut value, mut unit) = (bytes as f64, 0);
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        (value, unit) = (value / 1024.0, unit + 1);
    }
    let whole = if value >= 1000.0 {
        4
    } else if value >= 100.0 {
        3
    } else if value >= 10.0 {
        2
    } else {
        1
    };
    let text = format!("{value:.*}", 4 - whole);
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text}{}", UNITS[unit])
}

/// A duration of hours, minutes and seconds: `1h2m3.5s`.
pub(super) fn duration(duration: Duration) -> String {
    let (seconds, nanos) = (duration.as_secs(), duration.subsec_nanos());
    if seconds == 0 && nanos > 0 {
        let (unit, name) = match nanos {
            1_000_000.. => (1_000_000.0, "ms"),
            1_000.. => (1_000.0, "µs"),
            _ => (1.0, "ns"),
        };
        return format!("{}{name}", f64::from(nanos) / unit);
    }
    let fraction = format!("{nanos:09}");
    let fraction = fraction.trim_end_matches('0');
    let point = if fraction.is_empty() { "" } else { "." };
    let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match (hours, minutes) {
        (0, 0) => format!("{rest}{point}{fraction}s"),
        (0, _) => format!("{minutes}m{rest}{point}{fraction}s"),
        _ => format!("{hours}h{minutes}m{rest}{point}{fraction}s"),
    }
}

/// An instant since the epoch: `2026-11-21T03:39:57Z`.
pub(super) fn instant(since: Duration) -> String {
    let since = jiff::SignedDuration::try_from(since).unwrap_or_default();
    jiff::Timestamp::from_duration(since).unwrap_or(jiff::Timestamp::UNIX_EPOCH).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_four_digits() {
        let sizes = [0, 1023, 1 << 40, 3 << 39, 1_234_567_890, (1 << 30) - 1].map(size);
        assert_eq!(sizes, ["0B", "1023B", "1TiB", "1.5TiB", "1.15GiB", "1024MiB"]);
    }

    #[test]
    fn durations_leave_out_leading_units() {
        let texts = [46_378_979_452, 3_723_000_000_000, 60_000_000_000, 0, 1_500_000, 250].map(Duration::from_nanos);
        assert_eq!(texts.map(duration), ["46.378979452s", "1h2m3s", "1m0s", "0s", "1.5ms", "250ns"]);
    }

    #[test]
    fn instants_are_in_utc() {
        assert_eq!(instant(Duration::from_secs(1_795_232_397)), "2026-11-21T03:39:57Z");
        assert_eq!(instant(Duration::new(1_795_232_443, 378_979_452)), "2026-11-21T03:40:43.378979452Z");
    }
}
