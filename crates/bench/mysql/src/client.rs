//! One client: does one piece of work after the other, again where that helps, on a connection that it opens anew when it is
//! lost.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bench::{OperationAnswer, OperationFailure};
use mysql_async::Error;
use tpcc::{SqlSession, TransactionFault, transact};

use crate::class::words;
use crate::connection::Connection;
use crate::{ErrorClass, RetryBudget, SqlTarget, SqlWork, inserts};

/// One client of the database.
pub(crate) struct Client {
    target: Arc<SqlTarget>,
    retries: Arc<RetryBudget>,
    connection: Option<Connection>,
    patience: Duration,
}

/// A transaction is given up after so many tries.
const TRIES: u32 = 10;

/// Between two tries of a transaction, and of a connection to a server that is there.
const PAUSE: Duration = Duration::from_millis(2);

/// Between two tries to reach a server that is gone.
const GONE: Duration = Duration::from_millis(100);

impl Client {
    /// Not connected yet; a lost server is waited for so long.
    pub(crate) fn new(target: Arc<SqlTarget>, retries: Arc<RetryBudget>, patience: Duration) -> Self {
        Self { target, retries, connection: None, patience }
    }

    /// Opens the connection.
    pub(crate) async fn connect(&mut self) -> Result<(), Error> {
        self.connection = Some(Connection::open(&self.target, true).await?);
        Ok(())
    }

    pub(crate) async fn close(self) {
        if let Some(connection) = self.connection {
            connection.close().await;
        }
    }

    /// The connection, opened anew if it was lost.
    async fn connection(&mut self) -> Result<&mut Connection, OperationFailure> {
        let from = Instant::now();
        while self.connection.is_none() {
            if self.retries.stopped() {
                return Err(OperationFailure::Refused("the run was ended while the server was gone".to_owned()));
            }
            match self.connect().await {
                Ok(()) => {}
                Err(error) => {
                    let class = ErrorClass::of(&error);
                    let reason = format!("no connection: {}", words(&error));
                    if class.ends_run() {
                        self.retries.end(class, reason.clone());
                    } else if from.elapsed() < self.patience {
                        tokio::time::sleep(GONE).await;
                        continue;
                    }
                    return Err(OperationFailure::Refused(reason));
                }
            }
        }
        self.connection.as_mut().ok_or_else(|| OperationFailure::Refused("no connection".to_owned()))
    }

    /// Does it, again where that helps.
    pub(crate) async fn perform(&mut self, work: &SqlWork) -> Result<OperationAnswer, OperationFailure> {
        let mut tries = 0;
        loop {
            tries += 1;
            let connection = self.connection().await?;
            let fault = match work {
                // An autocommitted statement is its own commit.
                SqlWork::Insert { rows, .. } => {
                    connection.execute(&inserts::statement(*rows)).await.map_err(TransactionFault::Commit).map(drop)
                }
                SqlWork::Tpcc(input) => transact(connection, input, &now()).await.map(drop),
            };
            let (error, committing) = match fault {
                Ok(()) => return Ok(OperationAnswer::default()),
                Err(TransactionFault::Before(error)) => (error, false),
                Err(TransactionFault::Commit(error)) => (error, true),
                Err(missing @ TransactionFault::Missing(_)) => {
                    let _ = connection.rollback().await;
                    return Err(OperationFailure::Refused(missing.to_string()));
                }
            };
            let class = ErrorClass::of(&error);
            if class == ErrorClass::Lost {
                self.retries.count(class);
                self.connection = None;
                if committing {
                    return Err(OperationFailure::Unknown(format!("the connection was lost: {}", words(&error))));
                }
                continue;
            }
            if connection.rollback().await.is_err() {
                self.connection = None;
            }
            if class.ends_run() {
                self.retries.end(class, words(&error));
            }
            if !ErrorClass::AGAIN.contains(&class) || tries >= TRIES || self.retries.stopped() {
                return Err(OperationFailure::Refused(words(&error)));
            }
            self.retries.count(class);
            tokio::time::sleep(PAUSE * tries).await;
        }
    }
}

/// Now in UTC, as SQL writes it.
pub(crate) fn now() -> String {
    let now = jiff::Timestamp::now().to_string();
    now[..19].replace('T', " ")
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_time_is_written_as_sql_reads_it() {
        let now = super::now();
        assert!(now.len() == 19 && now.as_bytes()[10] == b' ' && now.starts_with("20"), "{now}");
    }
}
