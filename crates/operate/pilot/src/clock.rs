//! What time it is, twice: deadlines are counted on the clock that never jumps, people are told the one on the wall.

use std::time::Instant;

use jiff::Timestamp;
use units::Nanos;

/// An instant, by both clocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockReading {
    /// As people have it. It may jump.
    pub wall: Timestamp,
    /// Since this program began. It only grows.
    pub mono: Nanos,
}

impl ClockReading {
    /// How long ago an instant of this program was.
    pub fn since(self, mono: Nanos) -> Nanos {
        self.mono - mono
    }

    /// How long ago an instant on the wall was; nothing if the wall says that it is yet to come.
    pub fn since_wall(self, wall: Timestamp) -> Nanos {
        let passed = self.wall.as_nanosecond() - wall.as_nanosecond();
        Nanos(u64::try_from(passed.max(0)).unwrap_or(u64::MAX))
    }
}

/// Tells the time.
pub trait WallClock {
    /// Now.
    fn now(&self) -> ClockReading;
}

/// The machine's.
#[derive(Debug, Clone, Copy)]
pub struct SystemClock(Instant);

impl SystemClock {
    /// Its program's time begins now.
    pub fn new() -> Self {
        Self(Instant::now())
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        Self::new()
    }
}

impl WallClock for SystemClock {
    fn now(&self) -> ClockReading {
        let mono = Nanos(u64::try_from(self.0.elapsed().as_nanos()).unwrap_or(u64::MAX));
        ClockReading { wall: Timestamp::now(), mono }
    }
}
