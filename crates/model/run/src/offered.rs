//! Offered load, and whether it was served.

use crate::RunRung;

/// The load of an open loop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OfferedLoad {
    /// Operations that arrived, a second.
    pub operations_per_s: f64,
}

impl OfferedLoad {
    /// Whether so many served operations a second are this load. Below [`RunRung::least_served`] of it the run is saturated: what
    /// waits grows without end, and latencies have no meaning.
    pub fn is_served(self, rung: RunRung, operations_per_s: f64) -> bool {
        operations_per_s >= rung.least_served() * self.operations_per_s
    }
}

impl RunRung {
    /// The least share of the offered load that is served in a run that is not saturated.
    ///
    /// A simulation counts what arrived, and misses only what is under way at its ends. A measurement is compared with the rate that
    /// was asked for, of which arrivals by chance differ by a per cent in a minute.
    pub fn least_served(self) -> f64 {
        match self {
            Self::Model | Self::Simulation => 0.98,
            Self::Measurement => 0.97,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_measurement_may_miss_more_of_its_arrivals_than_a_simulation() {
        let offered = OfferedLoad { operations_per_s: 1000.0 };
        assert!(offered.is_served(RunRung::Measurement, 975.0));
        assert!(!offered.is_served(RunRung::Simulation, 975.0));
        assert!(!offered.is_served(RunRung::Measurement, 969.0));
    }
}
