//! How many I/Os the cloud counts for a request.

use units::Bytes;

use crate::{DiskLimits, IoDirection};

/// Streams told apart in each direction.
const STREAMS: usize = 4;

/// Counts requests in units, large ones by their parts, and small adjacent ones that are in flight together as one.
#[derive(Debug, Clone)]
pub(crate) struct Account {
    unit: u64,
    merge: u64,
    streams: [Streams; 2],
}

#[derive(Debug, Clone)]
struct Streams {
    runs: [Run; STREAMS],
    /// Replaced next.
    oldest: usize,
}

/// Requests that follow each other on the disk.
#[derive(Debug, Clone, Copy)]
struct Run {
    /// First byte after it.
    end: u64,
    bytes: u64,
    /// Until when its last request is in flight: later ones are not merged with it.
    until: f64,
}

/// Which run a request belongs to, to tell later how long it is in flight.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RunId(Option<(usize, usize)>);

impl Account {
    pub(crate) fn new(limits: &DiskLimits) -> Self {
        let Bytes(unit) = limits.io_unit;
        let none = Run { end: u64::MAX, bytes: 0, until: f64::NEG_INFINITY };
        let streams = Streams { runs: [none; STREAMS], oldest: 0 };
        Self { unit: unit.max(1), merge: limits.merge.0, streams: [streams.clone(), streams] }
    }

    /// The I/Os counted for a request that arrives at `at`: one for each whole unit, and one for a rest, unless the rest
    /// joins a run that still has room.
    pub(crate) fn count(&mut self, direction: IoDirection, offset: u64, bytes: u64, at: f64) -> (u64, RunId) {
        let side = direction as usize;
        let streams = &mut self.streams[side];
        if bytes < self.unit && self.merge > 0 {
            let joined = streams.runs.iter().position(|run| run.end == offset && at <= run.until);
            if let Some(i) = joined {
                let run = &mut streams.runs[i];
                let counted = run.bytes.div_ceil(self.merge);
                run.bytes += bytes;
                run.end += bytes;
                return (run.bytes.div_ceil(self.merge) - counted, RunId(Some((side, i))));
            }
        }
        // Most are less than a unit, and a division takes as long as all the rest.
        let (whole, rest) = if bytes < self.unit { (0, bytes) } else { (bytes / self.unit, bytes % self.unit) };
        if rest == 0 || self.merge == 0 {
            return ((whole + u64::from(rest > 0)).max(1), RunId(None));
        }
        let i = streams.oldest;
        streams.oldest = (i + 1) % STREAMS;
        streams.runs[i] = Run { end: offset.wrapping_add(bytes), bytes: rest, until: at };
        (whole + 1, RunId(Some((side, i))))
    }

    /// Tells until when the request is in flight.
    pub(crate) fn in_flight(&mut self, run: RunId, until: f64) {
        if let RunId(Some((side, i))) = run {
            self.streams[side].runs[i].until = until;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{gp2, gp3, limits};
    use proptest::prelude::*;

    fn count(account: &mut Account, offset: u64, kib: u64) -> u64 {
        account.count(IoDirection::Write, offset, kib << 10, 0.0).0
    }

    #[test]
    fn small_adjacent_writes_in_flight_count_as_one_up_to_the_merge_size() {
        let mut account = Account::new(&limits(&gp2(), "gp2:1000GiB"));
        let counted: Vec<u64> = (0..16).map(|i| count(&mut account, (i * 32) << 10, 32)).collect();
        assert_eq!(counted.iter().sum::<u64>(), 2, "16 × 32 KiB are two units: {counted:?}");
    }

    #[test]
    fn a_write_after_the_last_one_completed_is_not_merged() {
        let mut account = Account::new(&limits(&gp2(), "gp2:1000GiB"));
        let (_, run) = account.count(IoDirection::Write, 0, 4096, 0.0);
        account.in_flight(run, 500.0);
        assert_eq!(account.count(IoDirection::Write, 4096, 4096, 501.0).0, 1);
    }

    #[test]
    fn random_and_opposite_requests_count_each() {
        let mut account = Account::new(&limits(&gp2(), "gp2:1000GiB"));
        assert_eq!(count(&mut account, 0, 4), 1);
        assert_eq!(account.count(IoDirection::Read, 4096, 4096, 0.0).0, 1);
        assert_eq!(count(&mut account, 1 << 30, 4), 1);
    }

    proptest! {
        #[test]
        fn a_request_larger_than_the_unit_costs_what_its_parts_cost(offset in 0u64..1 << 40, bytes in 1u64..1 << 31) {
            let limits = limits(&gp3(), "gp3:1000GiB");
            let unit = limits.io_unit.0;
            let whole = Account::new(&limits).count(IoDirection::Read, offset, bytes, 0.0).0;
            let mut account = Account::new(&limits);
            let parts: u64 = (0..bytes.div_ceil(unit))
                .map(|i| account.count(IoDirection::Read, offset + i * unit, unit.min(bytes - i * unit), 0.0).0)
                .sum();
            prop_assert_eq!(whole, parts);
        }
    }
}
