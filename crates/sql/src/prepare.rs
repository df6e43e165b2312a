//! A schema made ready: empty, to be loaded on, or left as it is.

use std::collections::BTreeSet;

use tpcc::{Dialect, Session};

use crate::connection::Connection;
use crate::work::JobKind;
use crate::{Job, SqlError, Table, Target, inserts};

/// What is there of a load: its seed, and the pieces that need not be loaded any more.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Ready {
    /// With which the rows were made.
    pub(crate) seed: u64,
    /// By number.
    pub(crate) loaded: BTreeSet<i64>,
}

/// Rows of `loaded` below 0 say what is loaded: with which seed, and how much.
const SEED: i64 = -1;
const SIZE: i64 = -2;

impl Job {
    /// Its tables.
    fn tables(&self) -> Vec<String> {
        let loaded = tpcc::Table::Loaded.key().to_owned();
        match self.kind {
            JobKind::Inserts { .. } => vec![inserts::TABLE.to_owned(), loaded],
            JobKind::Tpcc(_) => tpcc::Table::ALL.iter().map(|table| table.key().to_owned()).collect(),
            JobKind::Sysbench(oltp) => oltp.names().chain([loaded]).collect(),
        }
    }

    /// Statements that create them.
    fn schema(&self) -> Vec<&'static str> {
        let all = Dialect::mysql().schema();
        let is_loaded = |sql: &&str| sql.contains(&format!("TABLE {} ", tpcc::Table::Loaded.key()));
        match self.kind {
            JobKind::Inserts { .. } => std::iter::once(inserts::SCHEMA).chain(all.filter(is_loaded)).collect(),
            JobKind::Tpcc(_) => all.collect(),
            // Its own program creates the others.
            JobKind::Sysbench(_) => all.filter(is_loaded).collect(),
        }
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

/// Makes the schema ready: creates it and its tables, or finds how far a load had come.
pub(crate) async fn prepare(target: &Target, job: &Job, table: Table, seed: u64) -> Result<Ready, SqlError> {
    let said = |doing: &'static str| move |error: mysql_async::Error| SqlError::said(doing, &error);
    let mut connection = Connection::open(target, false).await.map_err(said("the database"))?;
    let schema = &target.schema;
    let create = format!("CREATE DATABASE IF NOT EXISTS `{schema}`");
    // Who may not create schemas may still have one.
    let created = connection.run(&create).await;
    connection.run(&format!("USE `{schema}`")).await.map_err(|error| match created {
        Err(why) => SqlError::said("creating the schema", &why),
        Ok(()) => SqlError::said("the schema", &error),
    })?;
    let there = connection.text("SHOW TABLES").await.map_err(said("the schema's tables"))?;
    let there: BTreeSet<&str> = there.iter().filter_map(|row| Some(row.first()?.text())).collect();
    let mine: Vec<_> = job.tables().into_iter().filter(|table| there.contains(table.as_str())).collect();
    let ready = match table {
        Table::Keep if mine.len() < job.tables().len() => Err(SqlError::Input(format!(
            "{} has no loaded tables of this workload: leave --no-load away",
            target.title()
        ))),
        Table::Keep => found(&mut connection).await.map(|(ready, _)| ready),
        Table::Load if !mine.is_empty() => go_on(&mut connection, target, job, &mine).await,
        Table::Load | Table::Drop => {
            for table in mine {
                connection.run(&format!("DROP TABLE {table}")).await.map_err(said("dropping a table"))?;
            }
            for sql in job.schema() {
                connection.run(sql).await.map_err(said("creating a table"))?;
            }
            let rows = format!("INSERT INTO loaded VALUES ({SEED}, '{seed}'), ({SIZE}, '{}')", job.size());
            connection.run(&rows).await.map_err(said("creating a table"))?;
            Ok(Ready { seed, loaded: BTreeSet::new() })
        }
    };
    connection.close().await;
    ready
}

/// Tables are there that nobody said to drop: a load that was not ended goes on, everything else is left alone.
async fn go_on(connection: &mut Connection, target: &Target, job: &Job, mine: &[String]) -> Result<Ready, SqlError> {
    let refused = |why: &str| {
        SqlError::Input(format!(
            "{} has {} already{why}: run on what is there with --no-load, or load it anew with --drop, which deletes it",
            target.title(),
            mine.join(", ")
        ))
    };
    if mine.len() < job.tables().len() || matches!(job.kind, JobKind::Sysbench(_)) {
        return Err(refused(""));
    }
    let (ready, size) = found(connection).await?;
    if size != job.size() {
        return Err(refused(&format!(", with {size}")));
    }
    if ready.loaded.len() as i64 >= crate::load::pieces(job) {
        return Err(refused(", loaded to the end"));
    }
    Ok(ready)
}

/// What `loaded` tells.
async fn found(connection: &mut Connection) -> Result<(Ready, String), SqlError> {
    let rows = connection.text("SELECT piece, seed FROM loaded").await;
    let rows = rows.map_err(|error| SqlError::said("the table `loaded`", &error))?;
    let (mut ready, mut size) = (Ready::default(), String::new());
    for row in rows {
        match (row.first().and_then(tpcc::Value::int), row.get(1)) {
            (Some(SEED), Some(seed)) => ready.seed = seed.digits().parse().unwrap_or_default(),
            (Some(SIZE), Some(told)) => size = told.text().to_owned(),
            (Some(piece), _) => drop(ready.loaded.insert(piece)),
            _ => {}
        }
    }
    Ok((ready, size))
}
