//! A connection on this machine that wakes nobody when the other end reads.

use std::io::{self, IoSlice, Read, Write};
use std::net::Shutdown;
use std::os::unix::net;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::unix::AsyncFd;
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::net::UnixStream;

/// A Unix socket that waits for room to write only while there is none. Tokio's waits for it always, and of a Unix socket the kernel
/// tells it each time that the other end has read something (`unix_write_space`; TCP tells it only to who met a full socket): each
/// message woke its sender once more, and each answer the store.
#[derive(Debug)]
pub struct LocalStream {
    stream: AsyncFd<net::UnixStream>,
    /// The same socket, while it is full.
    full: Option<AsyncFd<net::UnixStream>>,
}

impl LocalStream {
    /// # Errors
    /// When the runtime lets go of the socket or takes it up again in vain.
    pub fn new(stream: UnixStream) -> io::Result<Self> {
        Ok(Self { stream: register(stream.into_std()?, Interest::READABLE)?, full: None })
    }

    /// Writes when there is room.
    fn write(
        &mut self,
        context: &mut Context<'_>,
        write: impl Fn(&mut &net::UnixStream) -> io::Result<usize>,
    ) -> Poll<io::Result<usize>> {
        loop {
            if let Some(full) = &self.full {
                ready!(full.poll_write_ready(context))?.retain_ready();
                self.full = None;
            }
            match write(&mut self.stream.get_ref()) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.full = Some(register(self.stream.get_ref().try_clone()?, Interest::WRITABLE)?);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                done => return Poll::Ready(done),
            }
        }
    }
}

fn register(stream: net::UnixStream, interest: Interest) -> io::Result<AsyncFd<net::UnixStream>> {
    #[expect(deprecated, reason = "it is unsound for types that do not keep their descriptor; a socket does")]
    AsyncFd::with_interest(stream, interest)
}

impl AsyncRead for LocalStream {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        loop {
            let mut readable = ready!(self.stream.poll_read_ready(context))?;
            let room = into.initialize_unfilled();
            let asked = room.len();
            if let Ok(read) = readable.try_io(|stream| stream.get_ref().read(room)) {
                let read = read?;
                // What is less than was asked for is all there is: to ask once more would only be told so.
                if 0 < read && read < asked {
                    readable.clear_ready();
                }
                into.advance(read);
                return Poll::Ready(Ok(()));
            }
        }
    }
}

impl AsyncWrite for LocalStream {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.write(context, |stream| stream.write(bytes))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.write(context, |stream| stream.write_vectored(bytes))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(self.stream.get_ref().shutdown(Shutdown::Write))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::time::timeout;

    use super::*;

    async fn pair() -> (LocalStream, UnixStream) {
        let (one, other) = UnixStream::pair().unwrap();
        (LocalStream::new(one).unwrap(), other)
    }

    #[tokio::test]
    async fn what_is_written_at_one_end_is_read_at_the_other_until_it_is_closed() {
        let (mut one, mut other) = pair().await;
        one.write_all(b"asked").await.unwrap();
        let mut read = [0; 5];
        other.read_exact(&mut read).await.unwrap();
        assert_eq!(&read, b"asked");
        other.write_all(b"told").await.unwrap();
        drop(other);
        let mut all = Vec::new();
        one.read_to_end(&mut all).await.unwrap();
        assert_eq!(all, b"told");
        let refused = one.write_all(b"more").await.unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::BrokenPipe);
    }

    #[tokio::test]
    async fn more_than_a_socket_holds_passes_once_it_is_read() {
        let (mut one, mut other) = pair().await;
        let bytes: Vec<u8> = (0..8_000_000u32).map(|number| (number % 251) as u8).collect();
        let sent = bytes.clone();
        let sender = tokio::spawn(async move {
            one.write_all(&sent).await.unwrap();
            one.shutdown().await.unwrap();
            one
        });
        let mut all = Vec::new();
        other.read_to_end(&mut all).await.unwrap();
        assert!(all == bytes);
        assert!(sender.await.unwrap().full.is_none());
    }

    #[tokio::test]
    async fn an_end_that_reads_does_not_wake_the_other() {
        let (one, mut other) = pair().await;
        one.stream.get_ref().write_all(b"asked").unwrap();
        other.read_exact(&mut [0; 5]).await.unwrap();
        let woken = timeout(Duration::from_millis(50), one.stream.ready(Interest::READABLE | Interest::WRITABLE)).await;
        assert!(woken.is_err(), "{woken:?}");
    }
}
