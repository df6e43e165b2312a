//! What is asked of a SQL database, and where it comes from.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bench::{OperationSource, SentOperation};
use tpcc::{CardDeck, DatabaseScale, NurandConstants, TerminalInput, TpccRandom, TransactionKind};
use units::{Bytes, Nanos};
use workload::Workload;
use workload::operations::PlannedOperation;

use crate::{SqlError, SysbenchTest};

/// What is asked of a database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SqlWork {
    /// Rows added by one statement that is a transaction.
    Insert {
        /// How many.
        rows: u32,
        /// Their bytes, keys included, indexes not.
        bytes: u64,
    },
    /// A transaction of TPC-C.
    Tpcc(TerminalInput),
}

impl SentOperation for SqlWork {
    fn written(&self) -> u64 {
        match self {
            Self::Insert { bytes, .. } => *bytes,
            Self::Tpcc(_) => 0,
        }
    }
}

/// A workload as far as SQL databases run it, every number fixed.
#[derive(Debug, Clone, PartialEq)]
pub struct SqlJob {
    /// What is done.
    pub kind: JobKind,
    /// Clients of a closed loop; `None` where the workload does not say.
    pub clients: Option<u32>,
    /// Mean think time of a client.
    pub think: Nanos,
}

/// sysbench's `rand-zipfian-exp`.
const ZIPF: f64 = 0.8;

/// What a job does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum JobKind {
    /// Rows into the table of [`crate::inserts`].
    Inserts {
        /// Rows that are there before.
        before: u64,
        /// Rows that are added at most.
        adds: u64,
        /// Rows of a statement.
        rows: u32,
        /// A row's size.
        row: Bytes,
    },
    /// TPC-C.
    Tpcc(DatabaseScale),
    /// sysbench's OLTP tests, which its own program runs.
    Sysbench(SysbenchTest),
}

impl SqlJob {
    /// What a workload comes to at the middle of its intervals; `records` are rows that are there before, rows of a
    /// table of sysbench, or warehouses.
    ///
    /// # Errors
    /// When it is none of `[inserts]`, `[tpcc]` and `[sysbench]`, or is too large.
    pub fn new(workload: &Workload, records: Option<u64>) -> Result<Self, SqlError> {
        let task = workload.middle()?;
        let clients = task.clients.map(|clients| clients.round() as u32);
        let kind = match &workload.kind {
            workload::WorkloadKind::Inserts(inserts) => JobKind::Inserts {
                before: records.unwrap_or(inserts.rows_before.map_or(0.0, |rows| rows.middle()) as u64),
                adds: inserts.rows_added.middle() as u64,
                rows: inserts.rows_per_statement.map_or(1.0, |rows| rows.middle()).round() as u32,
                row: task.profile.row,
            },
            workload::WorkloadKind::Tpcc(tpcc) => {
                let warehouses = records.map_or(tpcc.warehouses.middle(), |all| all as f64).round();
                if !(1.0..=tpcc::MOST_WAREHOUSES as f64).contains(&warehouses) {
                    let most = tpcc::MOST_WAREHOUSES;
                    let (given, expected) = (format!("{warehouses} warehouses"), format!("1 to {most}"));
                    return Err(SqlError::OutOfRange { given, expected });
                }
                JobKind::Tpcc(DatabaseScale { warehouses: warehouses as i64 })
            }
            workload::WorkloadKind::Sysbench(test) => JobKind::Sysbench(SysbenchTest {
                test: test.test,
                tables: test.tables.middle().round() as u64,
                rows: records.unwrap_or(test.rows.middle().round() as u64),
                distribution: test.distribution,
                theta: test.theta.map_or(ZIPF, |theta| theta.middle()),
            }),
            other => {
                let why = "is not run on SQL databases; expected [tpcc], [inserts] or [sysbench]";
                return Err(SqlError::WorkloadKind { kind: other.name(), why });
            }
        };
        Ok(Self { kind, clients, think: task.profile.think })
    }

    /// The names of its kinds of operation.
    pub fn kinds(&self) -> Vec<String> {
        match self.kind {
            JobKind::Inserts { .. } => vec!["insert".to_owned()],
            JobKind::Tpcc(_) => TransactionKind::ALL.iter().map(|kind| kind.name().to_owned()).collect(),
            JobKind::Sysbench(_) => vec![crate::sysbench::KIND.to_owned()],
        }
    }

    /// Rows that are loaded before it runs.
    pub fn loaded(&self) -> u64 {
        match self.kind {
            JobKind::Inserts { before, .. } => before,
            JobKind::Tpcc(scale) => scale.rows().unsigned_abs(),
            JobKind::Sysbench(oltp) => oltp.tables * oltp.rows,
        }
    }

    /// Draws its work; each thread takes a stream of its own, and all threads of a run share `added`. `load` is the seed with
    /// which the database was loaded.
    pub fn works(&self, load: u64, seed: u64, thread: u32, added: &Arc<AtomicU64>) -> SqlWorkSource {
        let constants = NurandConstants::of_load(load).of_run(seed);
        let random = TpccRandom::new(seed, 1 << 40 | u64::from(thread));
        SqlWorkSource { kind: self.kind, constants, deck: CardDeck::default(), random, added: added.clone() }
    }
}

/// Draws work, piece by piece.
#[derive(Debug)]
pub struct SqlWorkSource {
    kind: JobKind,
    constants: NurandConstants,
    deck: CardDeck,
    random: TpccRandom,
    added: Arc<AtomicU64>,
}

impl OperationSource for SqlWorkSource {
    type Operation = SqlWork;

    fn draw(&mut self) -> Option<PlannedOperation<SqlWork>> {
        match self.kind {
            JobKind::Inserts { adds, rows, row, .. } => {
                let from = self.added.fetch_add(rows.into(), Ordering::Relaxed);
                let until = (from + u64::from(rows)).min(adds);
                let count = u32::try_from(until.checked_sub(from).filter(|left| *left > 0)?).unwrap_or(rows);
                let operation = SqlWork::Insert { rows: count, bytes: row.0 * u64::from(count) };
                Some(PlannedOperation { kind: 0, adds: from..until, operation })
            }
            JobKind::Tpcc(scale) => {
                let kind = self.deck.draw(&mut self.random);
                let input = TerminalInput::draw(kind, scale, self.constants, &mut self.random);
                let place = TransactionKind::ALL.iter().position(|each| *each == kind).unwrap_or_default();
                Some(PlannedOperation { kind: place, adds: 0..0, operation: SqlWork::Tpcc(input) })
            }
            // Its own program draws.
            JobKind::Sysbench(_) => None,
        }
    }

    fn finished(&mut self, _: Range<u64>) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(table: &str) -> Result<SqlJob, SqlError> {
        let targets = "[targets]\nthroughput = 100";
        let text = format!("engine = \"innodb\"\nregion = \"us-west-2\"\n{table}\n{targets}");
        let workload = Workload::from_text(&textfile::Text::new("w.toml", text), &mut |_| panic!()).unwrap();
        SqlJob::new(&workload, None)
    }

    #[test]
    fn all_threads_together_add_the_rows_that_were_asked_for() {
        let job = job("[inserts]\nrow = \"100B\"\nrows-added = 25\nrows-per-statement = 4").unwrap();
        let added = Arc::default();
        let mut works: Vec<_> = (0..3).map(|thread| job.works(1, 1, thread, &added)).collect();
        let mut rows = 0;
        for turn in 0..20 {
            rows += works[turn % 3].draw().map_or(0, |planned| planned.adds.end - planned.adds.start);
        }
        assert_eq!(rows, 25);
    }

    #[test]
    fn threads_draw_different_transactions_and_a_seed_the_same() {
        let job = job("[tpcc]\nwarehouses = 3").unwrap();
        let draw = |seed, thread| {
            let mut works = job.works(1, seed, thread, &Arc::default());
            (0..50).map(|_| works.draw().unwrap().operation).collect::<Vec<_>>()
        };
        assert_eq!(draw(1, 0), draw(1, 0));
        assert_ne!(draw(1, 0), draw(1, 1));
        assert_ne!(draw(1, 0), draw(2, 0));
    }

    #[test]
    fn other_workloads_are_refused() {
        let error = job("[ycsb]\nworkload = \"A\"\nrecords = 5").unwrap_err().to_string();
        assert!(error.contains("expected [tpcc], [inserts] or [sysbench]"), "{error}");
    }
}
