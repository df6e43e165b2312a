//! How often a range loses its quorum, what brings it back and when, and how durable stripes and replicas are.
//!
//! Nodes, volumes and zones fail and return as a continuous-time Markov chain, solved exactly; every rate stands in
//! `tables/rates.csv` with its source. Not covered: failures of whole regions, of software, and by people.

#![forbid(unsafe_code)]

mod assess;
mod chain;
mod process;
mod rates;
mod scenario;

pub use assess::{AvailabilityAssessment, QuorumExposure, RecoveryPath, ZoneAndNode, assess};
pub use rates::{FailureRate, FailureRates, RateBasis, annual_failures, facts};
pub use scenario::{ClusterShape, NodeStorage, ScenarioError};

use units::Ratio;

/// Share of stripes alive after a year when each of its `volumes` has `durability`: a stripe lives as long as all do,
/// `durability ^ volumes`.
pub fn stripe_durability(durability: Ratio, volumes: u32) -> Ratio {
    Ratio(durability.0.powf(f64::from(volumes)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_stripe_of_one_is_its_volume() {
        assert_eq!(stripe_durability(Ratio(0.998), 1), Ratio(0.998));
    }

    proptest! {
        #[test]
        fn a_wider_stripe_is_never_more_durable(durability in 0.0..=1.0_f64, volumes in 1..16_u32) {
            let narrow = stripe_durability(Ratio(durability), volumes);
            prop_assert!(stripe_durability(Ratio(durability), volumes + 1) <= narrow);
        }

        #[test]
        fn failures_of_a_stripe_add_up(durability in 0.5..1.0_f64, volumes in 1..16_u32) {
            let stripe = annual_failures(stripe_durability(Ratio(durability), volumes));
            let sum = annual_failures(Ratio(durability)) * f64::from(volumes);
            prop_assert!((stripe - sum).abs() < 1e-9);
        }
    }
}
