//! What counters grew by between two samples: through wraps of 32 bits, and from zero where a device was attached anew.

use super::KernelCounters;

/// Bytes of a sector, whatever the device's own are.
const SECTOR: f64 = 512.0;

/// Requests of one kind.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Done {
    pub(super) count: f64,
    pub(super) merges: f64,
    pub(super) bytes: f64,
    pub(super) seconds: f64,
}

/// What happened between two samples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Growth {
    pub(super) read: Done,
    pub(super) write: Done,
    pub(super) discard: Option<Done>,
    pub(super) flush: Option<(f64, f64)>,
    pub(super) busy: f64,
    pub(super) queued: f64,
    /// At the end.
    pub(super) in_flight: f64,
}

impl Growth {
    pub(super) fn between(was: &KernelCounters, now: &KernelCounters) -> Self {
        let anew = is_anew(was, now);
        let grown = |was: u64, now: u64| if anew { now } else { growth(was, now) } as f64;
        let done = |was: [u64; 4], now: [u64; 4]| Done {
            count: grown(was[0], now[0]),
            merges: grown(was[1], now[1]),
            bytes: grown(was[2], now[2]) * SECTOR,
            seconds: grown(was[3], now[3]) / 1e3,
        };
        Self {
            read: done(was.read, now.read),
            write: done(was.write, now.write),
            discard: was.discard.zip(now.discard).map(|(was, now)| done(was, now)),
            flush: was.flush.zip(now.flush).map(|(was, now)| (grown(was[0], now[0]), grown(was[1], now[1]) / 1e3)),
            busy: grown(was.busy, now.busy) / 1e3,
            queued: grown(was.queued, now.queued) / 1e3,
            in_flight: now.in_flight as f64,
        }
    }
}

/// The growth of one counter. Times are 32 bits wide in every kernel (the documentation calls them `unsigned int`), all
/// counters are on machines of 32 bits.
fn growth(was: u64, now: u64) -> u64 {
    if now >= was { now - was } else { (now + (1 << 32)).saturating_sub(was) }
}

/// Whether the device was attached anew between the samples: a counter fell by which no wrap can be. A wrap comes from the
/// upper half of the 32 bits and goes less than half way round; counters that begin anew fall from anywhere, and several do.
fn is_anew(was: &KernelCounters, now: &KernelCounters) -> bool {
    let fields = |c: &KernelCounters| {
        let (discard, flush) = (c.discard.unwrap_or_default(), c.flush.unwrap_or_default());
        [&c.read[..], &c.write, &[c.busy, c.queued], &discard, &flush].concat()
    };
    let fell = |was: u64, now: u64| now < was && (was >= 1 << 32 || growth(was, now) >= 1 << 31);
    fields(was).into_iter().zip(fields(now)).any(|(was, now)| fell(was, now))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_time_that_wraps_goes_on() {
        let was = KernelCounters { read: [10, 0, 80, (1 << 32) - 500], ..KernelCounters::default() };
        let now = KernelCounters { read: [20, 0, 160, 1_500], ..KernelCounters::default() };
        let grown = Growth::between(&was, &now);
        assert_eq!((grown.read.count, grown.read.bytes, grown.read.seconds), (10.0, 80.0 * 512.0, 2.0));
    }

    #[test]
    fn a_device_that_was_attached_anew_counts_from_zero() {
        let was = KernelCounters { read: [1_000, 0, 8_000, 700], busy: 600, ..KernelCounters::default() };
        let now = KernelCounters { read: [7, 0, 9_000, 3], busy: 2, ..KernelCounters::default() };
        let grown = Growth::between(&was, &now);
        // The sectors alone did not fall: the device read much in few requests since.
        assert_eq!((grown.read.count, grown.read.bytes, grown.busy), (7.0, 9_000.0 * 512.0, 0.002));
    }

    #[test]
    fn kernels_that_do_not_count_flushes_tell_none() {
        let grown = Growth::between(&KernelCounters::default(), &KernelCounters::default());
        assert_eq!((grown.flush, grown.discard), (None, None));
    }

    proptest! {
        #[test]
        fn growth_is_what_was_added_wherever_the_counter_stands(was: u32, added in 0u64..1 << 31) {
            let now = (u64::from(was) + added) & 0xFFFF_FFFF;
            let counters = |busy| KernelCounters { busy, ..KernelCounters::default() };
            let grown = Growth::between(&counters(was.into()), &counters(now));
            prop_assert_eq!(grown.busy, added as f64 / 1e3);
        }

        #[test]
        fn nothing_grows_by_more_than_was_counted(was in any::<[u64; 4]>(), now in any::<[u64; 4]>()) {
            let counters = |read| KernelCounters { read, ..KernelCounters::default() };
            let grown = Growth::between(&counters(was), &counters(now)).read;
            prop_assert!(grown.count >= 0.0 && grown.bytes >= 0.0 && grown.seconds >= 0.0);
            prop_assert!(grown.count <= now[0].max(1 << 31) as f64);
        }
    }
}
