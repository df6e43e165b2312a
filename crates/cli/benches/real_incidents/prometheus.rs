//! A real Prometheus that scrapes an incident's disks and its engine each second.

use std::collections::BTreeMap;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use ingest::prometheus::{ClientAccess, PrometheusOptions, PrometheusServer, QueryRange, gather};
use jiff::Timestamp;
use mount::MountedNode;
use timeline::Timeline;
use units::Nanos;

use super::Trouble;

/// The longest that it may take to start.
const PATIENCE: Duration = Duration::from_secs(30);
/// Points of five scrapes each.
const STEP: Nanos = Nanos::secs(5);

/// A running server; ended when dropped.
pub(crate) struct Prometheus {
    child: Child,
    port: u16,
    targets: Vec<SocketAddr>,
}

impl Prometheus {
    /// Starts one in a folder of the scratch folder.
    pub(crate) fn start(scratch: &Path, disks: SocketAddr, engine: Option<SocketAddr>) -> Result<Self, Trouble> {
        let folder = scratch.join("prometheus");
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder)?;
        let targets: Vec<SocketAddr> = std::iter::once(disks).chain(engine).collect();
        let named: Vec<String> = targets.iter().map(|target| format!("'{target}'")).collect();
        let config = format!(
            "global: {{scrape_interval: 1s}}\nscrape_configs:\n- job_name: tikv\n  static_configs:\n  - targets: [{}]\n",
            named.join(", ")
        );
        std::fs::write(folder.join("prometheus.yml"), config)?;
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let child = testkit::server("prometheus", &folder)?
            .args(["--config.file=prometheus.yml", "--storage.tsdb.path=data"])
            .arg(format!("--web.listen-address=127.0.0.1:{port}"))
            .stdout(Stdio::null())
            .stderr(std::fs::File::create(folder.join("log"))?)
            .spawn()?;
        let server = Self { child, port, targets };
        let began = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            if began.elapsed() > PATIENCE {
                return Err(format!("prometheus does not start: see {}", folder.join("log").display()).into());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(server)
    }

    /// What it knows of a stretch of time, nodes and disks called as clusters call theirs.
    pub(crate) fn gathered(
        &self,
        node: &MountedNode,
        (from, until): (Timestamp, Timestamp),
    ) -> Result<Timeline, Trouble> {
        let device = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let disks = node.disks.iter().map(|disk| (device(&disk.device), disk.name.clone()));
        let nodes: BTreeMap<String, String> =
            self.targets.iter().map(|target| (target.to_string(), "n1".to_owned())).collect();
        let options = PrometheusOptions { nodes, disks: disks.collect(), ..PrometheusOptions::default() };
        let server = PrometheusServer::new(&format!("http://127.0.0.1:{}/", self.port), ClientAccess::default())?;
        Ok(gather(&server, &QueryRange { from, until, step: Some(STEP) }, &options)?)
    }
}

impl Drop for Prometheus {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
