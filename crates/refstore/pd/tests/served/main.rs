//! A real placement driver on a loopback port, spoken to over gRPC, HTTP and as a program.

mod nodes;
mod placed;
mod program;
mod refusals;
mod restart;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::time::{Duration, Instant};

use pd::{PdArguments, PlacementServer};
use proto::pdpb::pd_client::PdClient;

/// A placement driver for three nodes whose state is in a folder.
fn serve(folder: &Path, port: u16, regions: u32) -> PlacementServer {
    let arguments = PdArguments {
        name: "pd1".to_owned(),
        client_urls: format!("http://127.0.0.1:{port}"),
        data_dir: folder.to_owned(),
        stores: 3,
        replicas: 3,
        regions,
        split_keys: None,
        // So few leaders would not be spread otherwise.
        tolerant_size_ratio: Some(0.5),
        allow_remote: false,
    };
    PlacementServer::start(&arguments).unwrap()
}

/// Status, head and body of an answer.
fn http(addr: SocketAddr, method: &str, path: &str, body: &str) -> (u16, String, String) {
    let mut stream = TcpStream::connect(addr).unwrap();
    let length = body.len();
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nhost: pd\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}"
    )
    .unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, head.to_lowercase(), body.to_owned())
}

/// Runs requests of a gRPC client.
fn grpc<F: Future>(addr: SocketAddr, act: impl FnOnce(PdClient<tonic::transport::Channel>) -> F) -> F::Output {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async { act(PdClient::connect(format!("http://{addr}")).await.unwrap()).await })
}

/// Waits until it is so; much longer than it takes, for machines are busy.
fn until(what: &str, so: impl Fn() -> bool) {
    let began = Instant::now();
    while !so() {
        assert!(began.elapsed() < Duration::from_secs(60), "not within a minute: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}
