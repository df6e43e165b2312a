//! The reference store reads what is rendered for TiKV, and does what it says. Needs `diskwright-store` and `diskwright-pd`
//! beside the program or named by `DISKWRIGHT_STORE` and `DISKWRIGHT_PD`: `make store` builds them.

use crate::common;

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use cluster::ClusterPrograms;
use common::{deployment, rendered};
use deployment::{BlockCompression, Deployment};
use render::{FileFormat, TikvVersion};
use serde_json::Value;
use units::{Bytes, BytesPerSec};

/// A store's settings of a deployment with the raft log in a folder of the test.
fn tikv(deployment: &Deployment, version: TikvVersion, folder: &Path) -> String {
    let files = rendered(deployment, version);
    let file = files.into_iter().find(|file| file.format == FileFormat::Tikv).unwrap();
    file.content.replace("/var/lib/diskwright", &folder.display().to_string())
}

/// Everything that the deployment can say of TiKV but for transactions' locks, of which a store of raw keys knows nothing; small
/// enough for a test's machine.
fn outspoken() -> Deployment {
    let mut deployment = deployment("raft-dedicated.toml");
    let settings = &mut deployment.settings;
    settings.block_cache = Some(Bytes::mib(64));
    settings.block_size = Some(Bytes::kib(8));
    settings.compression = Some(BlockCompression::Zstd);
    settings.value_separation = Some(Bytes::kib(1));
    settings.rate_limit = Some(BytesPerSec::mib(48.0));
    settings.grpc_compression = Some(true);
    deployment
}

#[test]
fn no_key_of_the_newest_version_is_strange_to_the_store() {
    let store = ClusterPrograms::find().unwrap().store;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tikv.toml");
    std::fs::write(&path, tikv(&outspoken(), TikvVersion::V8_5, folder.path())).unwrap();
    common::passes(Command::new(store).arg("--config").arg(&path).arg("--config-check"));
}

/// A program that prints a line of JSON once it serves; killed when dropped.
struct Program(Child, Value);

impl Program {
    fn start(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert!(!line.is_empty(), "the program ended before it served: its errors are above");
        Self(child, serde_json::from_str(&line).unwrap())
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What the two values mean, whichever way a size is written.
fn same(ours: &toml::Value, theirs: &Value) -> bool {
    match (ours, theirs) {
        (toml::Value::Array(ours), Value::Array(theirs)) => {
            ours.len() == theirs.len() && ours.iter().zip(theirs).all(|(ours, theirs)| same(ours, theirs))
        }
        (toml::Value::Table(ours), _) => ours.iter().all(|(key, ours)| same(ours, &theirs[key])),
        (toml::Value::String(ours), Value::String(theirs)) => {
            let size = |text: &str| text.parse::<Bytes>().ok();
            ours == theirs || (size(ours).is_some() && size(ours) == size(theirs))
        }
        (toml::Value::Boolean(ours), _) => theirs.as_bool() == Some(*ours),
        (toml::Value::Integer(ours), _) => theirs.as_i64() == Some(*ours),
        _ => false,
    }
}

#[test]
fn the_store_runs_with_every_value_that_was_written() {
    let programs = ClusterPrograms::find().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("tikv.toml");
    let text = tikv(&outspoken(), TikvVersion::V8_5, folder.path());
    // The reserves of a data disk are larger than a test's folder may be.
    std::fs::write(&config, format!("{text}\n[storage]\nreserve-space = '1MB'\nreserve-raft-space = '1MB'\n")).unwrap();
    let pd = Program::start(Command::new(programs.pd).arg("--data-dir").arg(folder.path().join("pd")).args([
        "--client-urls",
        "http://127.0.0.1:0",
        "--stores",
        "1",
        "--replicas",
        "1",
    ]));
    let store = Program::start(
        Command::new(programs.store)
            .arg("--config")
            .arg(&config)
            .arg("--data-dir")
            .arg(folder.path().join("data"))
            .args(["--pd-endpoints", pd.1["addr"].as_str().unwrap()])
            .args(["--addr", "127.0.0.1:0", "--status-addr", "127.0.0.1:0"]),
    );
    let url = format!("http://{}/config", store.1["status_addr"].as_str().unwrap());
    let shown: Value =
        serde_json::from_str(&ureq::get(&url).call().unwrap().body_mut().read_to_string().unwrap()).unwrap();
    let written: toml::Table = toml::from_str(&text).unwrap();
    for (section, ours) in &written {
        assert!(same(ours, &shown[section]), "[{section}]: {ours} was written, {} holds", shown[section]);
    }
    assert!(folder.path().join("raft/raft-engine").is_dir(), "the raft log is where it was sent");
}
