//! Whether the rows that a workload needs are there.

use tpcc::{CUSTOMERS, DISTRICTS, DatabaseScale, ITEMS, SqlSession};

use crate::connection::Connection;
use crate::work::JobKind;
use crate::{SqlError, SqlJob, SysbenchTest};

/// Questions for a number that the last key alone answers, or few of them, with the number that is expected; what is added to a
/// table later counts as well where `at_least`.
struct Question {
    sql: String,
    expected: u64,
    at_least: bool,
    of: String,
}

impl SqlJob {
    fn questions(&self) -> Vec<Question> {
        match self.kind {
            JobKind::Tpcc(scale) => of_tpcc(scale),
            JobKind::Sysbench(oltp) => of_sysbench(oltp),
            JobKind::Inserts { before, .. } => {
                let sql = format!("SELECT COUNT(*) FROM (SELECT 1 FROM {} LIMIT 1) t", crate::inserts::TABLE);
                let of = format!("rows of {}", crate::inserts::TABLE);
                vec![Question { sql, expected: before.min(1), at_least: true, of }]
            }
        }
    }
}

fn of_tpcc(scale: DatabaseScale) -> Vec<Question> {
    let last = scale.warehouses;
    let ask = |of: &str, sql: String, expected: i64| {
        let of = of.to_owned();
        Question { sql, expected: expected.unsigned_abs(), at_least: false, of }
    };
    vec![
        ask("warehouses", "SELECT COUNT(*) FROM warehouse".to_owned(), last),
        ask("districts", "SELECT COUNT(*) FROM district".to_owned(), last * DISTRICTS),
        ask("items", "SELECT COUNT(*) FROM item".to_owned(), ITEMS),
        ask(&format!("stocks of warehouse {last}"), format!("SELECT COUNT(*) FROM stock WHERE s_w_id = {last}"), ITEMS),
        ask(
            &format!("customers of warehouse {last}"),
            format!("SELECT COUNT(*) FROM customer WHERE c_w_id = {last}"),
            DISTRICTS * CUSTOMERS,
        ),
    ]
}

/// sysbench numbers its rows from 1 and deletes none but to add it again.
fn of_sysbench(oltp: SysbenchTest) -> Vec<Question> {
    let ask = |table: String| {
        let sql = format!("SELECT COALESCE(MAX(id), 0) FROM {table}");
        Question { sql, expected: oltp.rows, at_least: true, of: format!("rows of {table}") }
    };
    oltp.names().map(ask).collect()
}

/// What is there in another number than the job needs, for people; `None` where all is as it should be.
pub(crate) async fn missing(connection: &mut Connection, job: &SqlJob) -> Result<Option<String>, SqlError> {
    for question in job.questions() {
        let rows = connection.text(&question.sql).await;
        let rows = rows.map_err(|error| SqlError::said("counting what is loaded", &error))?;
        let there = rows.first().and_then(|row| row.first()?.int()).unwrap_or(0).unsigned_abs();
        if there != question.expected && !(question.at_least && there > question.expected) {
            return Ok(Some(format!("{there} {}, and {} are expected", question.of, question.expected)));
        }
    }
    Ok(None)
}
