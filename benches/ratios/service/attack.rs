//! Callers without a password who want to be in the way: some never finish their headers, others send bodies beyond
//! every bound. Each begins anew when it is thrown out.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

const SLOW: usize = 200;
const OVERSIZED: usize = 20;

/// Ends with [`Attackers::end`].
pub struct Attackers(JoinSet<()>);

impl Attackers {
    pub fn end(mut self) {
        self.0.abort_all();
    }
}

/// Starts all of them, and waits until they are under way.
pub async fn begin(address: SocketAddr) -> Attackers {
    let mut all = JoinSet::new();
    for _ in 0..SLOW {
        all.spawn(async move {
            loop {
                // Refused or thrown out: it comes again.
                let _ = slow(address).await;
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        });
    }
    for _ in 0..OVERSIZED {
        all.spawn(async move {
            loop {
                let _ = oversized(address).await;
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        });
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    Attackers(all)
}

/// A byte of a header every 100 ms.
async fn slow(address: SocketAddr) -> std::io::Result<()> {
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(b"GET /loan-status/1 HTTP/1.1\r\nx-slow: ").await?;
    loop {
        stream.write_all(b"x").await?;
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// Announces a body of a gigabyte, and sends the first megabyte unless it is cut off.
async fn oversized(address: SocketAddr) -> std::io::Result<()> {
    let mut stream = TcpStream::connect(address).await?;
    let head = b"POST /offers/1/accept HTTP/1.1\r\nhost: lender\r\ncontent-type: application/json\r\n\
                 content-length: 1000000000\r\n\r\n";
    stream.write_all(head).await?;
    let part = [b'x'; 16_384];
    for _ in 0..64 {
        stream.write_all(&part).await?;
    }
    stream.read(&mut [0; 64]).await.map(drop)
}
