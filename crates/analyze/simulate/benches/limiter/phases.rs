//! An hour of phases in ten minutes: idle, steady, burst and scan, in random order.

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

impl Phase {
    /// So many times the operations of the steady phase, and then so many times the reads, scans and writes of each.
    fn asks(&self) -> (f64, [f64; 3]) {
        let factors = [self.reads, self.scans, self.writes];
        let load: f64 = MIX.iter().zip(factors).map(|(share, factor)| share * factor).sum();
        (load, factors.map(|factor| factor / load))
    }
}

/// The phases of a sequence of so many seconds, each with the second that it begins at; none follows itself.
pub(crate) fn sequence(seed: u64, seconds: f64) -> Vec<(f64, Phase)> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let (mut at, mut phases, mut last) = (0.0, Vec::new(), usize::MAX);
    while at < seconds {
        let mut next = random.random_range(0..PHASES.len());
        while next == last {
            next = random.random_range(0..PHASES.len());
        }
        last = next;
        phases.push((at, PHASES[next]));
        at += random.random_range(SHORTEST..LONGEST).round();
    }
    phases
}

/// A sequence as a file of events.
pub(crate) fn events(sequence: &[(f64, Phase)]) -> String {
    let mut text = String::new();
    for (at, phase) in sequence {
        let (load, [reads, scans, writes]) = phase.asks();
        let _ = write!(
            text,
            "# {}\n[[events]]\nat = \"{at:.0}s\"\nload = {load:.4}\n[[events]]\nat = \"{at:.0}s\"\n\
             mix = \"reads {reads:.4}x, scans {scans:.4}x, writes {writes:.4}x\"\n",
            phase.name
        );
    }
    text
}
