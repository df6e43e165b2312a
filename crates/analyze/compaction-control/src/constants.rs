//! The limiter's constants, each with its reason, from `tables/limiter.toml`.

use std::sync::LazyLock;

use engine::constants;
use units::Nanos;

constants! {
    /// The limiter's constants. The table `tables/limiter.toml` says of each what it means, in which unit, and why it is so.
    #[allow(missing_docs, reason = "the table says what each is")]
    pub Constants {
        look, polite, crowded, gathered, settled, own, calm, glance, clear, credit_horizon, background_io, memory, prior_flush,
        prior_amplification, margin, flush_floor, horizon, press, ease, alarm, pending_ease, pending_alarm, down_band, up_band, up_every, up_step,
        changes, changes_at_once,
    }
}

impl Constants {
    /// Those that ship with the program.
    pub fn embedded() -> &'static Self {
        static EMBEDDED: LazyLock<Constants> = LazyLock::new(|| {
            Constants::from_table(include_str!("../tables/limiter.toml")).expect("tested: the table is complete")
        });
        &EMBEDDED
    }

    /// From one look at the disks to the next.
    pub fn look(&self) -> Nanos {
        Nanos::from_secs_f64(self.look)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_holds_exactly_the_constants_that_are_used() {
        Constants::from_table(include_str!("../tables/limiter.toml")).unwrap();
    }
}
