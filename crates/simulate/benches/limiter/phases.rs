//! An hour of phases in ten minutes: idle, steady, burst and scan, in random order, as a file of events.

use std::fmt::Write as _;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// What a phase asks for, as multiples of the steady rates: point reads, scans and writes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Phase {
    pub(crate) name: &'static str,
    pub(crate) reads: f64,
    pub(crate) scans: f64,
    pub(crate) writes: f64,
}

/// The phases. A burst is writes that the disk carries for a minute or two and not for good; a scan leaves compactions half of
/// what the writes need.
const PHASES: [Phase; 4] = [
    Phase { name: "idle", reads: 0.1, scans: 0.1, writes: 0.05 },
    Phase { name: "steady", reads: 1.0, scans: 1.0, writes: 1.0 },
    Phase { name: "burst", reads: 1.2, scans: 1.0, writes: 2.0 },
    Phase { name: "scan", reads: 1.0, scans: 30.0, writes: 0.8 },
];

/// Seconds of a phase.
const SHORTEST: f64 = 30.0;
const LONGEST: f64 = 120.0;

/// Shares of operations in the steady phase: point reads, scans and writes.
pub(crate) const MIX: [f64; 3] = [0.35, 0.05, 0.60];

/// The events of a sequence of so many seconds; no phase follows itself.
pub(crate) fn events(seed: u64, seconds: f64) -> String {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let (mut at, mut text, mut last) = (0.0, String::new(), usize::MAX);
    while at < seconds {
        let mut next = random.random_range(0..PHASES.len());
        while next == last {
            next = random.random_range(0..PHASES.len());
        }
        last = next;
        let Phase { name, reads, scans, writes } = PHASES[next];
        // The rate of all operations, and then what each of them is.
        let load: f64 = MIX.iter().zip([reads, scans, writes]).map(|(share, factor)| share * factor).sum();
        let [reads, scans, writes] = [reads, scans, writes].map(|factor| factor / load);
        let _ = write!(
            text,
            "# {name}\n[[events]]\nat = \"{at:.0}s\"\nload = {load:.4}\n[[events]]\nat = \"{at:.0}s\"\n\
             mix = \"reads {reads:.4}x, scans {scans:.4}x, writes {writes:.4}x\"\n"
        );
        at += random.random_range(SHORTEST..LONGEST).round();
    }
    text
}
