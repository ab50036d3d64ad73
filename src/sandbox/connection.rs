//! Connections that can be reset from inside a handler: what a server library hides. Knows nothing of HTTP.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};

/// Accepts connections that can be reset.
pub(crate) struct Door(pub TcpListener);

/// The other end of a connection, as handlers see it.
#[derive(Debug, Clone)]
pub(crate) struct Peer(Arc<AtomicBool>);

impl Peer {
    /// Resets the connection at the next byte that would be written.
    pub(crate) fn reset(&self) {
        self.0.store(true, Ordering::Release);
    }
}

impl Listener for Door {
    type Io = Connection;
    type Addr = Peer;

    async fn accept(&mut self) -> (Connection, Peer) {
        let (stream, _) = Listener::accept(&mut self.0).await;
        let flag = Arc::new(AtomicBool::new(false));
        (Connection { stream, reset: flag.clone() }, Peer(flag))
    }

    fn local_addr(&self) -> io::Result<Peer> {
        self.0.local_addr().map(|_: SocketAddr| Peer(Arc::default()))
    }
}

impl Connected<IncomingStream<'_, Door>> for Peer {
    fn connect_info(stream: IncomingStream<'_, Door>) -> Self {
        stream.remote_addr().clone()
    }
}

/// A TCP connection that turns into a reset when its flag is up.
pub(crate) struct Connection {
    stream: TcpStream,
    reset: Arc<AtomicBool>,
}

impl Connection {
    fn check(&self) -> io::Result<()> {
        if !self.reset.load(Ordering::Acquire) {
            return Ok(());
        }
        // With no time to linger, closing sends a reset in place of an orderly end.
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
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
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
