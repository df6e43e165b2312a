//! Servers of a TiDB cluster that is there, watched at their status ports.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use timeline::Timeline;

use crate::http::Http;
use crate::looks::{Looks, locked};
use crate::rows::{Row, TIDB, TIKV};
use crate::{ClusterError, EngineCounters, NodeActivity, pd, series};

/// A server that does not answer so long is not seen this time.
const PATIENCE: Duration = Duration::from_secs(4);

/// It is looked at with every so many rounds: TiKV renews what it tells of its engine every ten seconds.
const EVERY: usize = 5;

/// Which program a server is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerProgram {
    /// TiDB; its status port is 10080 unless told otherwise.
    TiDb,
    /// TiKV; its status port is 20180 unless told otherwise.
    TiKv,
}

impl ServerProgram {
    fn rows(self) -> &'static [Row] {
        match self {
            Self::TiDb => &TIDB,
            Self::TiKv => &TIKV,
        }
    }
}

/// Where a server tells how it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusPort {
    /// Which program it is.
    pub server: ServerProgram,
    /// `host:port`, spoken to without TLS.
    pub address: String,
}

impl StatusPort {
    /// Those of the TiKVs that a placement driver knows. `pd` names one or several, as [`rawkv::addresses`] reads them; they are
    /// asked in turn until one answers.
    ///
    /// # Errors
    /// When `pd` cannot be read, or none answers with JSON: what the last one did is told.
    pub fn of_pd(pd: &str) -> Result<Vec<Self>, ClusterError> {
        let addresses = rawkv::addresses(pd)?;
        let mut found = Err(ClusterError::NoPlacementDriver);
        for address in &addresses {
            found = Self::of_member(address);
            if found.is_ok() {
                break;
            }
        }
        found
    }

    /// Those that the placement driver at `host:port` knows.
    fn of_member(address: &str) -> Result<Vec<Self>, ClusterError> {
        let stores = pd::client(address, PATIENCE)?.stores()?;
        let addresses = stores.into_values().map(|store| store.status_address).filter(|address| !address.is_empty());
        Ok(addresses.map(|address| Self { server: ServerProgram::TiKv, address }).collect())
    }

    /// Those that answer; and for people, why the others are not watched.
    pub fn that_answer(ports: Vec<Self>) -> (Vec<Self>, Vec<String>) {
        let http = Http::new(PATIENCE);
        let (mut there, mut notes) = (Vec::new(), Vec::new());
        for port in ports {
            match port.ask(&http) {
                Ok(_) => there.push(port),
                Err(error) => notes.push(format!("not watched: {error}")),
            }
        }
        (there, notes)
    }

    fn ask(&self, http: &Http) -> Result<EngineCounters, ClusterError> {
        http.engine(&self.address, self.server.rows())
    }
}

/// Looks at servers every five seconds.
#[derive(Debug)]
pub struct ServerWatcher(Looks<StatusPort, Vec<EngineCounters>>);

impl ServerWatcher {
    /// Begins, with a look at once.
    ///
    /// # Errors
    /// When no thread can be started.
    pub fn start(ports: &[StatusPort]) -> Result<Self, ClusterError> {
        let http = Http::new(PATIENCE);
        let ports = ports.iter().cloned().map(Arc::new);
        let looks = Looks::start(
            ports,
            |_| "watcher".to_owned(),
            move |port: &StatusPort, seen: &Mutex<Vec<EngineCounters>>, round| {
                if round.is_last || round.number.is_multiple_of(EVERY) {
                    let counted = port.ask(&http);
                    locked(seen).extend(counted);
                }
            },
        );
        looks.map(Self)
    }

    /// What each server did in the last interval, under its address.
    pub fn latest(&self) -> Vec<NodeActivity> {
        self.0.map(|port, seen| {
            let engine = seen.last_chunk().map(|[before, after]| (before.clone(), after.clone()));
            NodeActivity { node: port.address.clone(), disks: None, engine }
        })
    }

    /// Looks once more and ends: all that was seen, as series labelled `node`, the server's address.
    ///
    /// # Errors
    /// When the samples make no valid Timeline: a clock that went backwards.
    pub fn finish(self) -> Result<Timeline, ClusterError> {
        self.0.finish(|port, seen| {
            let mut timeline = series::engine(seen);
            series::label(&mut timeline, &port.address, None);
            [timeline]
        })
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader, Write};
    use std::net::TcpListener;

    use jiff::Timestamp;
    use metrics::MetricsExposition;

    use super::*;

    #[test]
    fn of_a_tidb_its_statements_and_waits_are_counted_and_no_engine() {
        let counted = |second, statements, waits| {
            let text = format!(
                "# HELP tidb_server_handle_query_duration_seconds Bucketed histogram\n\
                 tidb_server_handle_query_duration_seconds_count{{db=\"tpcc\",sql_type=\"Select\"}} {statements}\n\
                 tidb_server_handle_query_duration_seconds_count{{db=\"tpcc\",sql_type=\"Update\"}} 5\n\
                 pd_client_cmd_handle_cmds_duration_seconds_count{{type=\"wait\"}} {waits}\n\
                 pd_client_cmd_handle_cmds_duration_seconds_count{{type=\"tso_async_wait\"}} 1000\n\
                 process_resident_memory_bytes 1.5e+08"
            );
            let at = Timestamp::from_second(second).unwrap();
            EngineCounters::read(at, ServerProgram::TiDb.rows(), &MetricsExposition::parse(&text).unwrap())
        };
        let timeline = series::engine(&[counted(0, 10, 7), counted(5, 30, 17)]);
        let names: Vec<_> =
            timeline.series.iter().map(|series| (series.name.as_str(), series.points().len())).collect();
        assert_eq!(names, [("resident_bytes", 1), ("statements", 1), ("tso_waits", 1)]);
        let value = |name: &str| timeline.find(name, &[]).unwrap().points()[0].value;
        assert_eq!((value("statements"), value("tso_waits"), value("resident_bytes")), (20.0, 10.0, 1.5e8));
    }

    /// An address at which nobody listens.
    fn nobodys() -> String {
        TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string()
    }

    /// A placement driver that answers once, with one store; where it is.
    fn driver() -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut head = BufReader::new(stream.try_clone().unwrap()).lines().map(Result::unwrap);
            let asked = head.next().unwrap();
            head.find(String::is_empty).unwrap();
            assert!(asked.starts_with("GET /pd/api/v1/stores "), "{asked}");
            let body = r#"{"count": 1, "stores": [{"store": {"id": 1, "address": "10.0.0.1:20160", "status_address": "10.0.0.1:20180", "state_name": "Up"}, "status": {"leader_count": 1, "region_count": 1}}]}"#;
            let size = body.len();
            write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {size}\r\nConnection: close\r\n\r\n{body}").unwrap();
        });
        address
    }

    #[test]
    fn stores_are_found_by_the_url_of_a_driver_and_by_a_list_whose_first_does_not_answer() {
        let expected = [StatusPort { server: ServerProgram::TiKv, address: "10.0.0.1:20180".to_owned() }];
        assert_eq!(StatusPort::of_pd(&driver()).unwrap(), expected);
        assert_eq!(StatusPort::of_pd(&format!("tikv://{}", driver())).unwrap(), expected);
        assert_eq!(StatusPort::of_pd(&format!("tikv://{},{}", nobodys(), driver())).unwrap(), expected);
    }

    #[test]
    fn of_drivers_none_of_which_answers_the_last_is_told() {
        let (first, last) = (nobodys(), nobodys());
        let error = StatusPort::of_pd(&format!("tikv://{first},{last}")).unwrap_err().to_string();
        assert!(error.contains(&format!("http://{last}")) && !error.contains("tikv://"), "{error}");
        assert_eq!(StatusPort::of_pd("mysql://h:1").unwrap_err().exit_code(), 2);
    }

    #[test]
    fn a_server_that_does_not_answer_is_left_out_and_told_with_its_address() {
        let free = nobodys();
        let (there, notes) =
            StatusPort::that_answer(vec![StatusPort { server: ServerProgram::TiKv, address: free.clone() }]);
        assert!(there.is_empty() && notes.len() == 1 && notes[0].contains(&free), "{notes:?}");
    }
}
