//! What InnoDB's simulation reckons with: constants that the analytic form has too, and the simulation's own.

use std::sync::LazyLock;

use engine::constants;

/// The engine's table.
const SHARED: &str = include_str!("../../../engine/tables/innodb.toml");
/// The simulation's own.
const OWN: &str = include_str!("../../tables/innodb.toml");
/// Where the private MariaDB on one machine differs.
const PRIVATE_SERVER: &str = include_str!("../../tables/mariadb.toml");

constants! {
    /// Constants of InnoDB's simulation, each with unit, meaning and source in its table: `engine/tables/innodb.toml` for
    /// those that the analytic form shares, `simulate/tables/innodb.toml` for the others.
    #[allow(missing_docs, reason = "the tables say what each is")]
    pub InnodbConstants {
        page, fill, row_overhead, buffer_pool_share, log_block, cpu_statement, cpu_row, cpu_page, statement,
        // The simulation's own.
        entry_header, ordered_fill, inner_pages, doublewrite_batch, largest_request, checkpoint_margin, async_share,
        adaptive_divisor, average_loops, free_part, free_most, lru_also, scan_factor, sweep_dispersion, redo_record, binlog_row, journal_writes, redo_journal_writes,
        journal_block, undo_pages, sync_overhead, cpu_commit, cpu_sync, cpu_client, cpu_io, local_statement,
    }
}

impl InnodbConstants {
    /// Those that ship with the program.
    pub fn embedded() -> &'static Self {
        static EMBEDDED: LazyLock<InnodbConstants> =
            LazyLock::new(|| InnodbConstants::among(&[SHARED, OWN]).expect("tested: the tables are complete"));
        &EMBEDDED
    }

    /// Those of the private MariaDB on one machine, as far as they differ: `simulate/tables/mariadb.toml`.
    pub fn private_server() -> &'static Self {
        static PRIVATE: LazyLock<InnodbConstants> = LazyLock::new(|| {
            InnodbConstants::embedded().over(PRIVATE_SERVER).expect("tested: the table is one of constants")
        });
        &PRIVATE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_hold_all_that_is_read_and_the_own_one_nothing_else() {
        InnodbConstants::among(&[SHARED, OWN]).unwrap();
        let unread =
            engine::values(&[OWN]).unwrap().into_keys().find(|name| !InnodbConstants::NAMES.contains(&name.as_str()));
        assert_eq!(unread, None);
    }

    #[test]
    fn the_private_server_differs_in_what_its_table_says_and_in_nothing_else() {
        let table = engine::values(&[PRIVATE_SERVER]).unwrap();
        for name in InnodbConstants::NAMES {
            let expected = table.get(*name).copied().or(InnodbConstants::embedded().get(name));
            assert_eq!(InnodbConstants::private_server().get(name), expected, "{name}");
        }
    }
}
