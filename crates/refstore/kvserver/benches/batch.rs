//! What a get and a put cost the server's processor, through the stream of batches, with a state in memory. The client is in the
//! process too: its threads are not counted. Run it with `cargo bench -p diskwright-kvserver --profile dev`.

#[path = "../tests/integration/common/mod.rs"]
mod common;

use std::time::{Duration, Instant};

use common::{Store, of};
use kvserver::KvServerSettings;
use proto::kvrpcpb::*;
use proto::tikvpb::BatchCommandsRequest;
use proto::tikvpb::batch_commands_request::Request as Asked;
use proto::tikvpb::batch_commands_request::request::Cmd as Ask;
use proto::tikvpb::batch_commands_response::response::Cmd as Answer;
use tokio_stream::wrappers::ReceiverStream;

const KEYS: u64 = 10_000;
const VALUE: usize = 1024;
const RUN: Duration = Duration::from_secs(4);
/// Batches that a client has on the way.
const DEPTH: usize = 8;

/// Processor time of the server's threads, seconds; linux/Documentation/filesystems/proc.rst, `schedstat`.
fn server_cpu() -> f64 {
    let tasks = std::fs::read_dir("/proc/self/task").expect("there is /proc").flatten();
    let nanos = tasks.filter_map(|task| {
        let name = std::fs::read_to_string(task.path().join("comm")).ok()?;
        let servers = ["grpc-server", "unified-read", "sched-worker", "flow-checker"];
        servers.iter().any(|server| name.starts_with(server)).then_some(())?;
        let spent = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
        spent.split_whitespace().next()?.parse::<u64>().ok()
    });
    nanos.sum::<u64>() as f64 / 1e9
}

fn batch(size: u64, from: u64, ask: impl Fn(u64) -> Ask) -> BatchCommandsRequest {
    let request_ids: Vec<u64> = (from..from + size).collect();
    let requests = request_ids.iter().map(|id| Asked { cmd: Some(ask(id % KEYS)) }).collect();
    BatchCommandsRequest { requests, request_ids }
}

/// What is measured has to be what was asked for: a refusal is cheaper.
fn check(answer: Option<&Answer>) {
    match answer {
        Some(Answer::RawGet(found)) => assert_eq!(found.value.len(), VALUE, "{found:?}"),
        Some(Answer::RawPut(put)) => assert_eq!(*put, RawPutResponse::default()),
        other => panic!("an answer of another kind: {other:?}"),
    }
}

fn measure(store: &Store, what: &str, size: u64, ask: impl Fn(u64) -> Ask) {
    let (sender, requests) = tokio::sync::mpsc::channel(DEPTH);
    let mut client = store.client();
    let done = store.clients.block_on(async {
        let mut answers = client.batch_commands(ReceiverStream::new(requests)).await.expect("it answers").into_inner();
        let (mut sent, mut done) = (0, 0);
        let (began, cpu) = (Instant::now(), server_cpu());
        while began.elapsed() < RUN {
            while sent - done < size * DEPTH as u64 {
                sender.send(batch(size, sent, &ask)).await.expect("it takes them");
                sent += size;
            }
            let message = answers.message().await.expect("no error").expect("not the end");
            message.responses.iter().for_each(|response| check(response.cmd.as_ref()));
            done += message.request_ids.len() as u64;
        }
        (done as f64, began.elapsed().as_secs_f64(), server_cpu() - cpu)
    });
    let (count, seconds, cpu) = done;
    println!(
        "{what}, batches of {size}: {:.0} a second, {:.2} µs of the server's CPU each",
        count / seconds,
        cpu / count * 1e6
    );
}

fn main() {
    let store =
        Store::start(KvServerSettings { grpc_concurrency: 2, read_pool_size: 2, ..KvServerSettings::default() });
    let key = |number: u64| format!("key{number:09}").into();
    let value = bytes::Bytes::from(vec![7; VALUE]);
    let put = |number| {
        Ask::RawPut(RawPutRequest { context: of(1), key: key(number), value: value.clone(), ..Default::default() })
    };
    let get = |number| Ask::RawGet(RawGetRequest { context: of(1), key: key(number), ..Default::default() });
    for size in [1, 8, 32, 128] {
        measure(&store, "puts of 1 KiB", size, put);
        measure(&store, "gets of 1 KiB", size, get);
    }
}
