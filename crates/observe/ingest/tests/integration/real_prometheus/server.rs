//! A real Prometheus on loopback, ended with the test, and disks for it to know of.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use metrics::{CreditGauge, DiskSample, LimitTimes, NodeSample, RequestCounters};
use testkit::server;
use units::{Bytes, BytesPerSec, Iops, Nanos};

/// The longest that a server may take to start, or to have scraped what a test needs.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// A running server.
pub(crate) struct Prometheus {
    child: Child,
    pub(crate) port: u16,
}

impl Prometheus {
    /// Starts one in a folder that holds its data, with more arguments.
    pub(crate) fn start(folder: &Path, config: &str, more: &[String]) -> Self {
        std::fs::write(folder.join("prometheus.yml"), config).unwrap();
        let port = free_port();
        let log = std::fs::File::create(folder.join("log")).unwrap();
        let child = server("prometheus", folder)
            .unwrap()
            .args(["--config.file=prometheus.yml", "--storage.tsdb.path=data"])
            .arg("--storage.tsdb.retention.time=100y")
            .arg(format!("--web.listen-address=127.0.0.1:{port}"))
            .args(more)
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .expect("`make tools` puts prometheus in place");
        let mut server = Self { child, port };
        let begin = Instant::now();
        let log = || std::fs::read_to_string(folder.join("log")).unwrap_or_default();
        // It listens before it has opened its blocks, and answers 503 until then.
        while !log().contains("Server is ready to receive web requests") {
            let ended = server.child.try_wait().unwrap();
            if ended.is_some() || begin.elapsed() > PATIENCE {
                let log = log();
                panic!("prometheus did not start ({ended:?}):\n{log}");
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        server
    }
}

impl Drop for Prometheus {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A port that nobody listens on, a moment ago.
fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Answers every request with what `text` says, until the test ends; gives the port.
pub(crate) fn serve(text: impl Fn() -> String + Send + 'static) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { continue };
            let _ = stream.set_read_timeout(Some(Duration::from_secs(5)));
            let mut asked = [0; 4096];
            if stream.read(&mut asked).is_err() {
                continue;
            }
            let body = text();
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: {}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
                metrics::CONTENT_TYPE,
                body.len()
            );
            let _ = stream.write_all((head + &body).as_bytes());
        }
    });
    port
}

/// A gp2 under load: so many seconds of 100 reads of 16 KiB and 50 writes of 4 KiB each second, held up by its IOPS a
/// quarter of the time.
pub(crate) fn loaded(seconds: u64) -> NodeSample {
    let done = |rate: u64, kib: u64, millis: u64| RequestCounters {
        count: rate * seconds,
        bytes: Bytes::kib(kib * rate * seconds),
        time: Nanos::millis(millis * rate * seconds),
    };
    let disk = DiskSample {
        device: Some("loop7".to_owned()),
        iops_limit: Some(Iops(300.0)),
        throughput_limit: Some(BytesPerSec::mib(128.0)),
        read: done(100, 16, 2),
        write: done(50, 4, 3),
        flush: done(20, 0, 1),
        counted: 150.0 * seconds as f64,
        in_flight: 2,
        busy: Nanos::millis(500 * seconds),
        queued: Nanos::millis(350 * seconds),
        bound: LimitTimes { volume_iops: Nanos::millis(250 * seconds), ..LimitTimes::default() },
        ios: Some(CreditGauge { now: 5.4e6 - 100.0 * seconds as f64, capacity: 5.4e6, accrual: 300.0 }),
        ..DiskSample::idle("data", &"gp2:100GiB".parse().unwrap())
    };
    NodeSample { at: Nanos::secs(seconds), instance: None, instance_ios: None, instance_bytes: None, disks: vec![disk] }
}
