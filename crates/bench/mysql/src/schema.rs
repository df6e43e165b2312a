//! The schema that a target names, entered, and made where that is asked for.

use tpcc::SqlSession;

use crate::connection::Connection;
use crate::{SqlError, SqlTarget};

/// Goes into the schema. One that is not there is made only with `create`.
pub(crate) async fn enter(connection: &mut Connection, target: &SqlTarget, create: bool) -> Result<(), SqlError> {
    /// `ER_BAD_DB_ERROR`.
    const UNKNOWN: u16 = 1049;
    let schema = &target.schema;
    let into = format!("USE `{schema}`");
    let refused = match connection.run(&into).await {
        Ok(()) => return Ok(()),
        Err(refused) => refused,
    };
    if create {
        let created = connection.run(&format!("CREATE DATABASE IF NOT EXISTS `{schema}`")).await;
        created.map_err(|error| SqlError::said("creating the schema", &error))?;
        return connection.run(&into).await.map_err(|error| SqlError::said("the schema", &error));
    }
    match &refused {
        mysql_async::Error::Server(error) if error.code == UNKNOWN => {
            let there = connection.text("SHOW DATABASES").await.unwrap_or_default();
            let there: Vec<_> = there.iter().filter_map(|row| Some(row.first()?.text())).collect();
            let (server, others) = (target.server_title(), others(&there));
            Err(SqlError::NoSchema { server, schema: schema.to_string(), others })
        }
        _ => Err(SqlError::said("the schema", &refused)),
    }
}

/// The schemas that a server has beside its own, for people.
fn others(there: &[&str]) -> String {
    const OWN: [&str; 5] = ["information_schema", "performance_schema", "mysql", "sys", "metrics_schema"];
    const MOST: usize = 8;
    let theirs: Vec<_> = there.iter().copied().filter(|name| !OWN.contains(&name.to_lowercase().as_str())).collect();
    match theirs.len() {
        0 => String::new(),
        count if count > MOST => format!(", but {} and {} more", theirs[..MOST].join(", "), count - MOST),
        _ => format!(", but {}", theirs.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemas_that_are_there_are_named_without_the_servers_own_and_only_some_of_many() {
        assert_eq!(others(&["mysql", "INFORMATION_SCHEMA", "tpcc"]), ", but tpcc");
        assert_eq!(others(&["mysql"]), "");
        assert_eq!(others(&["a"; 10]), format!(", but {} and 2 more", ["a"; 8].join(", ")));
    }
}
