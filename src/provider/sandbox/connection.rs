//! Connections that a handler can reset, and that close if a request does not arrive in time. Server libraries hide
//! both. Knows nothing of HTTP.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::Sleep;

/// Accepts connections that can be reset. From its first byte on, a request has `request_timeout` to arrive.
pub(crate) struct Door {
    pub(crate) listener: TcpListener,
    pub(crate) request_timeout: Duration,
}

/// The other end of a connection, as handlers see it.
#[derive(Debug, Clone)]
pub(crate) struct Peer(Arc<Shared>);

/// Signals between a connection and its handler.
#[derive(Debug, Default)]
struct Shared {
    reset: AtomicBool,
    /// The whole request has arrived.
    has_arrived: AtomicBool,
}

impl Peer {
    /// Resets the connection at the next write.
    pub(crate) fn reset(&self) {
        self.0.reset.store(true, Ordering::Release);
    }

    /// The whole request has arrived: the timeout no longer applies.
    pub(crate) fn has_arrived(&self) {
        self.0.has_arrived.store(true, Ordering::Release);
    }
}

impl Listener for Door {
    type Io = Connection;
    type Addr = Peer;

    async fn accept(&mut self) -> (Connection, Peer) {
        let (stream, _) = Listener::accept(&mut self.listener).await;
        let shared = Arc::new(Shared::default());
        (Connection { stream, shared: shared.clone(), allowed: self.request_timeout, limit: None }, Peer(shared))
    }

    fn local_addr(&self) -> io::Result<Peer> {
        self.listener.local_addr().map(|_: SocketAddr| Peer(Arc::default()))
    }
}

impl Connected<IncomingStream<'_, Door>> for Peer {
    fn connect_info(stream: IncomingStream<'_, Door>) -> Self {
        stream.remote_addr().clone()
    }
}

/// A TCP connection that resets once its flag is set, and closes if a request starts and does not arrive in time.
pub(crate) struct Connection {
    stream: TcpStream,
    shared: Arc<Shared>,
    allowed: Duration,
    /// Runs from the first byte of a request to its last.
    limit: Option<Pin<Box<Sleep>>>,
}

impl Connection {
    fn check(&self) -> io::Result<()> {
        if !self.shared.reset.load(Ordering::Acquire) {
            return Ok(());
        }
        // With a linger time of zero, closing sends a reset.
        self.stream.set_zero_linger()?;
        Err(io::ErrorKind::ConnectionReset.into())
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        if Pin::new(&mut self.stream).poll_read(context, buffer)?.is_ready() {
            if buffer.filled().len() > before && self.limit.is_none() {
                self.limit = Some(Box::pin(tokio::time::sleep(self.allowed)));
            }
            return Poll::Ready(Ok(()));
        }
        if self.shared.has_arrived.load(Ordering::Acquire) {
            return Poll::Pending;
        }
        match self.limit.as_mut().map(|limit| limit.as_mut().poll(context)) {
            Some(Poll::Ready(())) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            _ => Poll::Pending,
        }
    }
}

impl AsyncWrite for Connection {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        // This is an answer, not `100 Continue`: the next byte to arrive begins another request.
        if self.shared.has_arrived.swap(false, Ordering::AcqRel) {
            self.limit = None;
        }
        match self.check() {
            Ok(()) => Pin::new(&mut self.stream).poll_write(context, bytes),
            Err(error) => Poll::Ready(Err(error)),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.check() {
            Ok(()) => Pin::new(&mut self.stream).poll_shutdown(context),
            Err(error) => Poll::Ready(Err(error)),
        }
    }
}
