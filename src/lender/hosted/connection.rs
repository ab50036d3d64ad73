//! A connection that closes if it is silent for too long, or if the headers of a request come too slowly. Knows nothing
//! of HTTP but that.

use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep};

/// The other end of a connection, as handlers see it.
#[derive(Debug, Clone)]
pub struct Peer {
    address: IpAddr,
    is_handled: Arc<AtomicBool>,
}

impl Peer {
    /// A peer at an address.
    pub fn new(address: IpAddr) -> Self {
        Peer { address, is_handled: Arc::default() }
    }

    /// Its address.
    pub fn address(&self) -> IpAddr {
        self.address
    }

    /// The headers of a request have arrived: from here on the handler bounds the time.
    pub(crate) fn headers_arrived(&self) {
        self.is_handled.store(true, Ordering::Release);
    }
}

/// How long a connection may be silent, and how long headers may take.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patience {
    pub idle: Duration,
    pub headers: Duration,
}

/// A connection under [`Patience`].
pub(super) struct Connection<S> {
    stream: S,
    peer: Peer,
    patience: Patience,
    /// Whether the first byte of a request has come.
    has_begun: bool,
    timer: Pin<Box<Sleep>>,
    /// Runs while the peer takes nothing of an answer.
    stalled: Option<Pin<Box<Sleep>>>,
}

impl<S> Connection<S> {
    pub(super) fn new(stream: S, peer: Peer, patience: Patience) -> Self {
        let timer = Box::pin(tokio::time::sleep(patience.idle));
        Connection { stream, peer, patience, has_begun: false, timer, stalled: None }
    }

    fn allow(&mut self, time: Duration) {
        self.timer.as_mut().reset(Instant::now() + time);
    }

    /// Ends a write that has made no progress for as long as a connection may be silent.
    fn bounded<T>(&mut self, polled: Poll<io::Result<T>>, context: &mut Context<'_>) -> Poll<io::Result<T>> {
        if polled.is_ready() {
            self.stalled = None;
            return polled;
        }
        let idle = self.patience.idle;
        let timer = self.stalled.get_or_insert_with(|| Box::pin(tokio::time::sleep(idle)));
        match timer.as_mut().poll(context).is_ready() {
            true => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            false => Poll::Pending,
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Connection<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let is_handled = self.peer.is_handled.load(Ordering::Acquire);
        // Checked first: a sender of one byte at a time always has something to read.
        if !is_handled && self.timer.as_mut().poll(context).is_ready() {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        let polled = Pin::new(&mut self.stream).poll_read(context, buffer);
        if polled.is_ready() && buffer.filled().len() > before && !is_handled && !self.has_begun {
            self.has_begun = true;
            let allowed = self.patience.headers;
            self.allow(allowed);
        }
        polled
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Connection<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        // An answer: the next byte to arrive begins another request.
        if self.peer.is_handled.swap(false, Ordering::AcqRel) {
            self.has_begun = false;
            let allowed = self.patience.idle;
            self.allow(allowed);
        }
        let polled = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.bounded(polled, context)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
