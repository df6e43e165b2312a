//! The servers behind a TiDB, as it tells them itself: TiDBs and TiKVs with their status ports.

use cluster::{ServerProgram, StatusPort};
use tpcc::{SqlRow, SqlSession};

use crate::class::words;
use crate::connection::Connection;
use crate::{SqlError, SqlTarget};

/// TiDB's manual, CLUSTER_INFO: the table wants the privilege PROCESS.
const SERVERS: &str = "SELECT TYPE, STATUS_ADDRESS FROM information_schema.CLUSTER_INFO WHERE TYPE IN ('tidb', 'tikv')";

/// The status ports of a TiDB cluster, none where the server is no TiDB; and for people, why some are not watched.
pub(crate) async fn status_ports(target: &SqlTarget) -> Result<(Vec<StatusPort>, Vec<String>), SqlError> {
    let said = |error: mysql_async::Error| SqlError::said("its version", &error);
    let mut connection = Connection::open(target, true).await.map_err(said)?;
    let version = connection.text("SELECT VERSION()").await.map_err(said)?;
    let found = if is_tidb(&version) {
        connection.text(SERVERS).await.map(|rows| StatusPort::that_answer(ports(&rows)))
    } else {
        Ok(Default::default())
    };
    connection.close().await;
    // The run does not hang on it.
    Ok(found.unwrap_or_else(|error| (Vec::new(), vec![format!("TiDB and TiKV are not watched: {}", words(&error))])))
}

/// `8.0.11-TiDB-v8.5.1`.
fn is_tidb(version: &[SqlRow]) -> bool {
    version.iter().flatten().any(|version| version.text().contains("-TiDB-"))
}

fn ports(rows: &[SqlRow]) -> Vec<StatusPort> {
    let port = |row: &SqlRow| {
        let server = match row.first()?.text() {
            "tidb" => ServerProgram::TiDb,
            "tikv" => ServerProgram::TiKv,
            _ => return None,
        };
        let address = row.get(1).map(|address| address.text().to_owned()).filter(|address| address.contains(':'))?;
        Some(StatusPort { server, address })
    };
    rows.iter().filter_map(port).collect()
}

#[cfg(test)]
mod tests {
    use tpcc::SqlValue;

    use super::*;

    fn row(values: &[&str]) -> SqlRow {
        values.iter().map(|value| SqlValue::Text((*value).to_owned())).collect()
    }

    #[test]
    fn tidbs_and_tikvs_with_a_status_port_are_watched() {
        let told = [
            row(&["tidb", "10.0.0.5:10080"]),
            row(&["tikv", "10.0.0.6:20180"]),
            row(&["pd", "10.0.0.7:2379"]),
            row(&["tikv", ""]),
        ];
        let expected = [(ServerProgram::TiDb, "10.0.0.5:10080"), (ServerProgram::TiKv, "10.0.0.6:20180")];
        assert_eq!(ports(&told), expected.map(|(server, address)| StatusPort { server, address: address.to_owned() }));
    }

    #[test]
    fn a_tidb_is_known_by_its_version() {
        assert!(is_tidb(&[row(&["8.0.11-TiDB-v8.5.1"])]) && is_tidb(&[row(&["5.7.25-TiDB-v6.5.0"])]));
        assert!(!is_tidb(&[row(&["10.11.6-MariaDB-0+deb12u1-log"])]) && !is_tidb(&[]));
    }
}
