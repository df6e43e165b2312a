//! A schema made ready: empty, to be loaded on, or left as it is.

use std::collections::BTreeSet;

use bench::ExistingRows;
use tpcc::{SqlDialect, SqlSession};

use crate::connection::Connection;
use crate::note::Note;
use crate::schema::enter;
use crate::work::JobKind;
use crate::{SqlError, SqlJob, SqlTarget, inserts};

/// What is there of a load: its seed, and the pieces that need not be loaded any more.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Ready {
    /// With which the rows were made.
    pub(crate) seed: u64,
    /// By number.
    pub(crate) loaded: BTreeSet<i64>,
}

impl SqlJob {
    /// Its tables.
    fn tables(&self) -> Vec<String> {
        let loaded = tpcc::Table::Loaded.key().to_owned();
        match self.kind {
            JobKind::Inserts { .. } => vec![inserts::TABLE.to_owned(), loaded],
            JobKind::Tpcc(_) => tpcc::Table::ALL.iter().map(|table| table.key().to_owned()).collect(),
            JobKind::Sysbench(oltp) => oltp.names().chain([loaded]).collect(),
        }
    }

    /// Tables and the statements that create them; `loaded` comes first, so that a load that is cut off has said what it is.
    fn schema(&self) -> Vec<(&'static str, &'static str)> {
        let all = SqlDialect::mysql().schema().chain([inserts::SCHEMA]);
        let named = all.filter_map(|sql| Some((sql.strip_prefix("CREATE TABLE ")?.split_once(' ')?.0, sql)));
        let tables = self.tables();
        let mut mine: Vec<_> = named.filter(|(name, _)| tables.iter().any(|table| table == name)).collect();
        mine.sort_by_key(|(name, _)| *name != tpcc::Table::Loaded.key());
        mine
    }

    /// What is loaded, as `loaded` tells it.
    fn size(&self) -> String {
        match self.kind {
            JobKind::Inserts { before, .. } => format!("{before} rows"),
            JobKind::Tpcc(scale) => format!("{} warehouses", scale.warehouses),
            JobKind::Sysbench(oltp) => format!("{} tables of {} rows", oltp.tables, oltp.rows),
        }
    }
}

/// Makes the schema ready: creates its tables, or finds how far a load had come. A schema that is not there is made only with
/// `create`.
pub(crate) async fn prepare(
    target: &SqlTarget,
    job: &SqlJob,
    (rows, create): (ExistingRows, bool),
    seed: u64,
) -> Result<Ready, SqlError> {
    let said = |doing: &'static str| move |error: mysql_async::Error| SqlError::said(doing, &error);
    let mut connection = Connection::open(target, false).await.map_err(said("the database"))?;
    enter(&mut connection, target, create).await?;
    let there = connection.text("SHOW TABLES").await.map_err(said("the schema's tables"))?;
    let there: BTreeSet<&str> = there.iter().filter_map(|row| Some(row.first()?.text())).collect();
    let mine: Vec<_> = job.tables().into_iter().filter(|table| there.contains(table.as_str())).collect();
    let ready = match rows {
        ExistingRows::Keep if mine.len() < job.tables().len() => Err(SqlError::Tables {
            target: target.title(),
            found: "no loaded tables of this workload".to_owned(),
            remedy: "leave --no-load away".to_owned(),
        }),
        ExistingRows::Keep => keep(&mut connection, target, job).await,
        ExistingRows::Load if !mine.is_empty() => go_on(&mut connection, target, job, mine, seed).await,
        ExistingRows::Load | ExistingRows::Drop => anew(&mut connection, job, &mine, seed).await,
    };
    connection.close().await;
    ready
}

/// Tables are there that nobody said to drop: a load that was not ended goes on, everything else is left alone.
async fn go_on(
    connection: &mut Connection,
    target: &SqlTarget,
    job: &SqlJob,
    mine: Vec<String>,
    seed: u64,
) -> Result<Ready, SqlError> {
    let refused = |why: &str| SqlError::Tables {
        target: target.title(),
        found: format!("{} already{why}", mine.join(", ")),
        remedy: "run on what is there with --no-load, or load it anew with --drop, which deletes it".to_owned(),
    };
    let loaded = tpcc::Table::Loaded.key();
    if !mine.iter().any(|table| table == loaded) {
        return Err(refused(", which no load of ours made"));
    }
    let note = Note::read(connection).await?;
    let Some(size) = &note.size else {
        // A try before ended as soon as it had begun.
        let nothing = mine == [loaded] && note.pieces.is_empty();
        return if nothing { anew(connection, job, &mine, seed).await } else { Err(refused("")) };
    };
    if *size != job.size() {
        return Err(refused(&format!(", with {size}")));
    }
    if let JobKind::Sysbench(_) = job.kind {
        // What sysbench began it cannot go on with.
        return if note.open { anew(connection, job, &mine, seed).await } else { Err(refused(", loaded to the end")) };
    }
    if note.pieces.len() as i64 >= crate::load::pieces(job) {
        return Err(refused(", loaded to the end"));
    }
    if mine.len() < job.tables().len() {
        if !note.pieces.is_empty() {
            return Err(refused(&format!(", but not all of {}", job.tables().join(", "))));
        }
        create(connection, job, &mine, None).await?;
    }
    Ok(Ready { seed: note.seed, loaded: note.pieces })
}

/// What is there is used as it is, if it is what the job asks for.
async fn keep(connection: &mut Connection, target: &SqlTarget, job: &SqlJob) -> Result<Ready, SqlError> {
    let refused = |has: &str, then: &str| SqlError::Tables {
        target: target.title(),
        found: format!("{has}, and --no-load is asked to run on {}", job.size()),
        remedy: then.to_owned(),
    };
    let note = Note::read(connection).await?;
    let pieces = crate::load::pieces(job);
    match &note.size {
        None => {
            return Err(refused("no note of what is loaded", "load it anew with --drop, which deletes what is there"));
        }
        Some(size) if *size != job.size() => {
            let then = "give --records as it was loaded, or load it anew with --drop, which deletes what is there";
            return Err(refused(&format!("{size} loaded"), then));
        }
        Some(_) if note.open || (note.pieces.len() as i64) < pieces => {
            let (done, of) = (note.pieces.len(), pieces.max(1));
            let then = "leave --no-load away, and the load goes on";
            return Err(refused(&format!("a load that was not ended ({done} of {of} pieces)"), then));
        }
        Some(_) => {}
    }
    match crate::counts::missing(connection, job).await? {
        Some(there) => Err(refused(&there, "load it anew with --drop, which deletes what is there")),
        None => Ok(Ready { seed: note.seed, loaded: note.pieces }),
    }
}

/// Drops the tables `mine` and creates all of the job's, with a note of what they are to hold.
async fn anew(connection: &mut Connection, job: &SqlJob, mine: &[String], seed: u64) -> Result<Ready, SqlError> {
    for table in mine {
        let dropped = connection.run(&format!("DROP TABLE {table}")).await;
        dropped.map_err(|error| SqlError::said("dropping a table", &error))?;
    }
    create(connection, job, &[], Some(seed)).await?;
    Ok(Ready { seed, loaded: BTreeSet::new() })
}

/// Creates the tables that are not among `there`, and notes a load that begins with `seed`. If that fails, what was created is
/// dropped again, or named where that fails too.
async fn create(
    connection: &mut Connection,
    job: &SqlJob,
    there: &[String],
    seed: Option<u64>,
) -> Result<(), SqlError> {
    let open = matches!(job.kind, JobKind::Sysbench(_));
    let note = seed.map(|seed| Note::begin(seed, &job.size(), open));
    let mut made = Vec::new();
    let mut fault = None;
    for (name, sql) in job.schema() {
        if there.iter().any(|table| table == name) {
            continue;
        }
        fault = connection.run(sql).await.err();
        if fault.is_some() {
            break;
        }
        made.push(name.to_owned());
        if let Some(note) = note.as_ref().filter(|_| name == tpcc::Table::Loaded.key()) {
            fault = connection.run(note).await.err();
            if fault.is_some() {
                break;
            }
        }
    }
    match fault {
        None => Ok(()),
        Some(error) => {
            let left = drop_all(connection, &made).await;
            Err(SqlError::said("creating the tables", &error).with(&left))
        }
    }
}

/// Drops tables; says what is left of them.
async fn drop_all(connection: &mut Connection, tables: &[String]) -> String {
    let mut left = Vec::new();
    for table in tables.iter().rev() {
        if connection.run(&format!("DROP TABLE IF EXISTS {table}")).await.is_err() {
            left.push(table.as_str());
        }
    }
    match left.as_slice() {
        [] => "no table of it is left".to_owned(),
        left => format!("these tables of it are left, which --drop deletes: {}", left.join(", ")),
    }
}

/// Drops what another program left of its load; says what is left of it.
pub(crate) async fn clear(target: &SqlTarget, job: &SqlJob) -> String {
    match Connection::open(target, true).await {
        Ok(mut connection) => {
            let left = drop_all(&mut connection, &job.tables()).await;
            connection.close().await;
            left
        }
        Err(_) => "its tables are left, which the next try drops".to_owned(),
    }
}

/// Notes that another program has filled the tables.
pub(crate) async fn done(target: &SqlTarget) -> Result<(), mysql_async::Error> {
    let mut connection = Connection::open(target, true).await?;
    connection.run(&Note::done()).await?;
    connection.close().await;
    Ok(())
}

#[cfg(test)]
mod tests {
    use tpcc::DatabaseScale;
    use units::{Bytes, Nanos};
    use workload::{OltpTest, SysbenchDistribution};

    use super::*;
    use crate::SysbenchTest;

    /// The workloads with the largest numbers that they can have.
    fn largest() -> [SqlJob; 3] {
        let oltp = SysbenchTest {
            test: OltpTest::ReadWrite,
            tables: u64::MAX,
            rows: u64::MAX,
            distribution: SysbenchDistribution::Uniform,
            theta: 0.8,
        };
        [
            JobKind::Inserts { before: u64::MAX, adds: 0, rows: 1, row: Bytes(1) },
            JobKind::Tpcc(DatabaseScale { warehouses: i64::MAX }),
            JobKind::Sysbench(oltp),
        ]
        .map(|kind| SqlJob { kind, clients: None, think: Nanos(0) })
    }

    #[test]
    fn the_longest_note_fits_its_column() {
        let loaded = SqlDialect::mysql().schema().find(|sql| sql.starts_with("CREATE TABLE loaded ")).unwrap();
        let (_, rest) = loaded.split_once("seed varchar(").unwrap();
        let most: usize = rest.split_once(')').unwrap().0.parse().unwrap();
        for job in largest() {
            assert!(job.size().len() <= most, "`{}` is longer than {most}", job.size());
        }
        assert!(u64::MAX.to_string().len() <= most);
    }

    #[test]
    fn every_table_is_created_after_the_one_that_says_what_is_loaded() {
        for job in &largest()[..2] {
            let names: Vec<_> = job.schema().into_iter().map(|(name, _)| name).collect();
            assert_eq!(names[0], "loaded");
            let tables: BTreeSet<_> = job.tables().into_iter().collect();
            assert_eq!(names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>(), tables);
            assert_eq!(names.len(), tables.len());
        }
    }
}
