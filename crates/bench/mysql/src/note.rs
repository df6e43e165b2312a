//! The table `loaded`: what is loaded, with which seed, and which pieces of it are there.

use std::collections::BTreeSet;

use tpcc::SqlSession;

use crate::SqlError;
use crate::connection::Connection;

/// Rows of `loaded` below 0 are notes on the load: its seed, its size, and that another program still fills the tables.
const SEED: i64 = -1;
const SIZE: i64 = -2;
const OPEN: i64 = -3;

/// What `loaded` tells of a load.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Note {
    /// With which the rows were made.
    pub(crate) seed: u64,
    /// How much there is when it is done, as `Job::size` tells; `None` where nothing was noted.
    pub(crate) size: Option<String>,
    /// Whether the program that fills the tables was begun and has not ended well.
    pub(crate) open: bool,
    /// Pieces that are there, by number.
    pub(crate) pieces: BTreeSet<i64>,
}

impl Note {
    /// Reads it.
    pub(crate) async fn read(connection: &mut Connection) -> Result<Self, SqlError> {
        let rows = connection.text("SELECT piece, seed FROM loaded").await;
        let rows = rows.map_err(|error| SqlError::said("the table `loaded`", &error))?;
        let mut note = Self::default();
        for row in rows {
            match (row.first().and_then(tpcc::SqlValue::int), row.get(1)) {
                (Some(SEED), Some(seed)) => note.seed = seed.digits().parse().unwrap_or_default(),
                (Some(SIZE), Some(size)) => note.size = Some(size.text().to_owned()),
                (Some(OPEN), _) => note.open = true,
                (Some(piece), _) => drop(note.pieces.insert(piece)),
                _ => {}
            }
        }
        Ok(note)
    }

    /// The statement that notes a load that begins; `open` where another program fills the tables.
    pub(crate) fn begin(seed: u64, size: &str, open: bool) -> String {
        let open = if open { format!(", ({OPEN}, '')") } else { String::new() };
        format!("INSERT INTO loaded VALUES ({SEED}, '{seed}'), ({SIZE}, '{size}'){open}")
    }

    /// The statement that notes that the program that filled the tables has ended well.
    pub(crate) fn done() -> String {
        format!("DELETE FROM loaded WHERE piece = {OPEN}")
    }
}
