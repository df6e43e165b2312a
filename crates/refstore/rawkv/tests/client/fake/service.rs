//! A gRPC service on a thread of its own, which can be killed with all its connections.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::mpsc;
use std::thread::JoinHandle;

use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio_stream::StreamExt;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::transport::server::Router;

use super::counted::{Bill, Counted};

/// A running service.
pub(crate) struct Service {
    pub(crate) address: String,
    pub(crate) bill: Arc<Bill>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Service {
    /// Serves on a port, or one that is free if it is 0.
    pub(crate) fn start(router: Router, port: u16) -> Self {
        let (stop, stopped) = oneshot::channel();
        let (sender, address) = mpsc::channel();
        let bill = Arc::new(Bill::default());
        let counts = bill.clone();
        // A thread takes the name of the one that begins it: what this one does must not be told as that one's work.
        let thread = std::thread::Builder::new().name("fake".into()).spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async move {
                let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], port))).await.expect("a free port");
                sender.send(listener.local_addr().expect("an address")).expect("somebody waits");
                let incoming = TcpListenerStream::new(listener)
                    .map(move |stream| stream.map(|stream| Counted::new(stream, counts.clone())));
                let serving = tokio::spawn(router.serve_with_incoming(incoming));
                let _ = stopped.await;
                serving.abort();
            });
            // With the runtime all connections end.
        });
        let thread = thread.expect("a thread");
        let address = address.recv().expect("the service starts").to_string();
        Self { address, bill, stop: Some(stop), thread: Some(thread) }
    }

    /// Ends it with all its connections.
    pub(crate) fn kill(&mut self) {
        self.stop.take();
        if let Some(thread) = self.thread.take() {
            thread.join().expect("the service ends in peace");
        }
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.kill();
    }
}
