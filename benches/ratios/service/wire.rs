//! HTTP as little as a load needs, so that the generator takes few of the cores it shares: a connection that sends
//! ready requests one after the other, and a provider that answers every call at once.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// The headers of a caller with the right password.
const HEADERS: &str = "host: lender\r\nusername: provider\r\npassword: a-password\r\naccept: application/json\r\n";

pub fn get(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\n{HEADERS}\r\n")
}

pub fn post(path: &str, body: &str) -> String {
    let length = body.len();
    format!("POST {path} HTTP/1.1\r\n{HEADERS}content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}")
}

/// One connection, kept open.
pub struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Connection {
    pub async fn open(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, buffer: Vec::with_capacity(4_096) })
    }

    /// Sends a request and waits for the whole answer: its status and its body.
    pub async fn call(&mut self, request: &[u8]) -> io::Result<(u16, &[u8])> {
        self.stream.write_all(request).await?;
        self.buffer.clear();
        let (head, body) = message(&mut self.stream, &mut self.buffer).await?;
        let status = self.buffer[..head].get(9..12).and_then(|digits| std::str::from_utf8(digits).ok());
        let status = status.and_then(|digits| digits.parse().ok()).ok_or(io::ErrorKind::InvalidData)?;
        Ok((status, &self.buffer[head..head + body]))
    }
}

/// Reads a message with a length. Returns how long its head and its body are.
async fn message(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> io::Result<(usize, usize)> {
    let mut length = None;
    loop {
        if length.is_none() {
            length = head_of(buffer).map(|head| (head, content_length(&buffer[..head])));
        }
        if let Some((head, body)) = length
            && buffer.len() >= head + body
        {
            return Ok((head, body));
        }
        if stream.read_buf(buffer).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
}

fn head_of(bytes: &[u8]) -> Option<usize> {
    bytes.windows(4).position(|four| four == b"\r\n\r\n").map(|at| at + 4)
}

fn content_length(head: &[u8]) -> usize {
    let head = String::from_utf8_lossy(head).to_ascii_lowercase();
    let value = head.lines().find_map(|line| line.strip_prefix("content-length:"));
    value.and_then(|value| value.trim().parse().ok()).unwrap_or(0)
}

/// A provider that answers the lender's calls at once, with success. `statement` is the body of E2.
pub async fn serve(listener: TcpListener, statement: Vec<u8>) {
    let statement = Arc::new(statement);
    while let Ok((mut stream, _)) = listener.accept().await {
        let statement = Arc::clone(&statement);
        tokio::spawn(async move {
            // Answers are small, and nothing follows that they could wait for.
            let _ = stream.set_nodelay(true);
            let mut buffer = Vec::with_capacity(4_096);
            while let Ok((head, body)) = message(&mut stream, &mut buffer).await {
                let answer = answer(&buffer[..head], &buffer[head..head + body], &statement);
                let answer = [
                    format!(
                        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
                        answer.len()
                    )
                    .into_bytes(),
                    answer,
                ]
                .concat();
                buffer.clear();
                if stream.write_all(&answer).await.is_err() {
                    return;
                }
            }
        });
    }
}

fn answer(head: &[u8], body: &[u8], statement: &[u8]) -> Vec<u8> {
    let line = String::from_utf8_lossy(head).lines().next().unwrap_or_default().to_owned();
    if line.contains("customer-details") {
        return statement.to_vec();
    }
    let body: serde_json::Value = serde_json::from_slice(body).unwrap_or_default();
    let mut answer = serde_json::json!({ "responseCode": "00", "responseMessage": "Successful" });
    if let Some(id) = body.get("transactionId") {
        answer["transactionId"] = id.clone();
        answer["transactionRef"] = id.clone();
    }
    answer["accountName"] = "ADA OBI".into();
    answer.to_string().into_bytes()
}
