//! Fills a database before the runs: in parallel, piece by piece, each a transaction that also says that it is loaded, so
//! that a load which was cut off goes on where it ended.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bench::LoadProgress;
use tokio::runtime::Builder;
use tpcc::{LoadPieces, SqlDialect, SqlSession};
use units::Nanos;

use crate::client::now;
use crate::connection::Connection;
use crate::work::JobKind;
use crate::{ErrorClass, SqlError, SqlJob, SqlTarget, inserts};

/// How rows are loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SqlLoad {
    /// Connections, each with a thread.
    pub threads: u32,
    /// How often a piece is sent before the load gives up.
    pub tries: u32,
    /// The same seed gives the same rows, but for what the server makes up.
    pub seed: u64,
}

/// Between two tries of a piece.
const PAUSE: Duration = Duration::from_millis(200);

/// Between two calls of `tell`.
const TELL: Duration = Duration::from_millis(200);

/// Rows of a piece of inserts, and of one of its statements.
const PIECE: u64 = 5000;
const STATEMENT: u64 = 500;

/// How many pieces there are.
pub(crate) fn pieces(job: &SqlJob) -> i64 {
    match job.kind {
        JobKind::Inserts { before, .. } => before.div_ceil(PIECE) as i64,
        JobKind::Tpcc(scale) => LoadPieces::new(scale, 0, "").count(),
        // Its own program loads.
        JobKind::Sysbench(_) => 0,
    }
}

/// What the threads of a load share.
struct Shared<'s> {
    next: AtomicI64,
    rows: AtomicU64,
    bytes: AtomicU64,
    running: AtomicU64,
    stop: &'s AtomicBool,
    over: AtomicBool,
    fault: Mutex<Option<SqlError>>,
}

/// Loads all pieces but those of `loaded`. With `stop` it ends early: the result then has fewer rows than all.
///
/// # Errors
/// When a piece fails for good.
pub fn load(
    target: &SqlTarget,
    job: &SqlJob,
    how: &SqlLoad,
    loaded: &BTreeSet<i64>,
    tell: &mut dyn FnMut(&LoadProgress),
    stop: &AtomicBool,
) -> Result<LoadProgress, SqlError> {
    let count = pieces(job);
    let left = count - loaded.len() as i64;
    let done = (job.loaded() as f64 * loaded.len() as f64 / count.max(1) as f64) as u64;
    let shared = Shared {
        next: AtomicI64::new(0),
        rows: AtomicU64::new(done),
        bytes: AtomicU64::new(0),
        running: AtomicU64::new(u64::from(how.threads.max(1))),
        stop,
        over: AtomicBool::new(left <= 0),
        fault: Mutex::new(None),
    };
    let made = match job.kind {
        JobKind::Tpcc(scale) => Some(Arc::new(LoadPieces::new(scale, how.seed, &now()))),
        JobKind::Inserts { .. } | JobKind::Sysbench(_) => None,
    };
    let start = Instant::now();
    let told = || {
        let (rows, all) = (shared.rows.load(Ordering::Relaxed), job.loaded());
        let passed = Nanos(start.elapsed().as_nanos() as u64);
        let fresh = rows.saturating_sub(done);
        let left = |_| Nanos((passed.0 as f64 * all.saturating_sub(rows) as f64 / fresh as f64) as u64);
        let left = (fresh > 0).then_some(()).map(left);
        LoadProgress { rows: rows.min(all), all, bytes: shared.bytes.load(Ordering::Relaxed), passed, left }
    };
    std::thread::scope(|scope| {
        for _ in 0..how.threads.max(1) {
            let (shared, made) = (&shared, made.clone());
            scope.spawn(move || {
                // Counted down also when it panics.
                let _running = Running(shared);
                if let Err(error) = fill(target, job, how, (shared, loaded, count), made.as_deref()) {
                    shared.over.store(true, Ordering::Relaxed);
                    shared.fault.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                }
            });
        }
        while shared.running.load(Ordering::Relaxed) > 0 {
            std::thread::park_timeout(TELL.min(start.elapsed().max(Duration::from_millis(1))));
            tell(&told());
        }
    });
    let done = told();
    match shared.fault.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error),
        None => Ok(done),
    }
}

struct Running<'s, 'r>(&'r Shared<'s>);

impl Drop for Running<'_, '_> {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::Relaxed);
    }
}

/// One thread: takes pieces until there are no more.
fn fill(
    target: &SqlTarget,
    job: &SqlJob,
    how: &SqlLoad,
    (shared, loaded, count): (&Shared<'_>, &BTreeSet<i64>, i64),
    made: Option<&LoadPieces>,
) -> Result<(), SqlError> {
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(SqlError::system("a runtime"))?;
    let mut connection = None;
    loop {
        let number = shared.next.fetch_add(1, Ordering::Relaxed);
        let ended = shared.over.load(Ordering::Relaxed) || shared.stop.load(Ordering::Relaxed);
        if number >= count || ended {
            break;
        }
        if loaded.contains(&number) {
            continue;
        }
        let (statements, rows) = statements(job, made, number);
        let mut tries = 0;
        while let Err(error) = runtime.block_on(send(&mut connection, target, number, &statements)) {
            tries += 1;
            let class = ErrorClass::of(&error);
            if class == ErrorClass::Lost || runtime.block_on(rolled_back(&mut connection)).is_err() {
                connection = None;
            }
            if !ErrorClass::AGAIN.contains(&class) || tries >= how.tries || shared.stop.load(Ordering::Relaxed) {
                let (rows, all) = (shared.rows.load(Ordering::Relaxed), job.loaded());
                return Err(SqlError::said(&format!("the load stopped after {rows} of {all} rows"), &error));
            }
            std::thread::sleep(PAUSE * tries);
        }
        shared.rows.fetch_add(rows, Ordering::Relaxed);
        shared.bytes.fetch_add(statements.iter().map(|sql| sql.len() as u64).sum(), Ordering::Relaxed);
    }
    if let Some(connection) = connection {
        runtime.block_on(connection.close());
    }
    Ok(())
}

/// What a piece sends, and how many rows that are.
fn statements(job: &SqlJob, made: Option<&LoadPieces>, number: i64) -> (Vec<String>, u64) {
    match (made, job.kind) {
        (Some(pieces), _) => {
            let batches = pieces.batches(number);
            let rows = batches.iter().map(|batch| batch.rows.len() as u64).sum();
            (batches.iter().map(|batch| SqlDialect::mysql().insert(batch.table, &batch.rows)).collect(), rows)
        }
        (None, JobKind::Inserts { before, .. }) => {
            let rows = PIECE.min(before.saturating_sub(number.unsigned_abs() * PIECE));
            let statement = |part: u64| inserts::statement(STATEMENT.min(rows - part * STATEMENT) as u32);
            ((0..rows.div_ceil(STATEMENT)).map(statement).collect(), rows)
        }
        (None, JobKind::Tpcc(_) | JobKind::Sysbench(_)) => (Vec::new(), 0),
    }
}

/// Sends a piece, unless it is loaded.
async fn send(
    connection: &mut Option<Connection>,
    target: &SqlTarget,
    number: i64,
    statements: &[String],
) -> Result<(), mysql_async::Error> {
    /// `ER_DUP_ENTRY`.
    const DUPLICATE: u16 = 1062;
    let open = match connection {
        Some(open) => open,
        None => connection.insert(Connection::open(target, true).await?),
    };
    open.begin().await?;
    match open.run(&format!("INSERT INTO loaded VALUES ({number}, '')")).await {
        // A try before had been done, though its commit was not heard of.
        Err(mysql_async::Error::Server(error)) if error.code == DUPLICATE => return open.rollback().await,
        done => done?,
    }
    for sql in statements {
        open.run(sql).await?;
    }
    open.commit().await
}

async fn rolled_back(connection: &mut Option<Connection>) -> Result<(), mysql_async::Error> {
    match connection {
        Some(open) => open.rollback().await,
        None => Ok(()),
    }
}
