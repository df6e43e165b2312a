//! What the placement driver's model reckons with.

use std::sync::LazyLock;

use engine::constants;

const TABLE: &str = include_str!("../../tables/pd.toml");

constants! {
    /// Constants of the placement driver, each with unit, meaning and source in `simulate/tables/pd.toml`.
    #[allow(missing_docs, reason = "the table says what each is")]
    pub PdConstants {
        cpu_request, cpu_heartbeat, heartbeat_interval, timestamps_per_step, client_overhead, round_trip, local_round_trip,
    }
}

impl PdConstants {
    /// Those that ship with the program.
    pub fn embedded() -> &'static Self {
        static EMBEDDED: LazyLock<PdConstants> =
            LazyLock::new(|| PdConstants::from_table(TABLE).expect("tested: the table is complete"));
        &EMBEDDED
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_holds_all_that_is_read_and_nothing_else() {
        PdConstants::from_table(TABLE).unwrap();
    }
}
