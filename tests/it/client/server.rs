//! A small server that does exactly what a test tells it, byte for byte.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// A server on a free loopback port; it lives as long as the test process.
pub struct Server {
    pub base_url: String,
    heads: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Answers each connection by `answer`, which gets the number of the request (from 0) and the socket after the
    /// request has been read. Returning closes the connection.
    pub fn start(answer: impl Fn(usize, &mut TcpStream) + Send + Sync + 'static) -> Server {
        Server::accept(move |heads, mut stream| {
            let head = read_head(&mut stream);
            let number = {
                let mut heads = heads.lock().unwrap();
                heads.push(head);
                heads.len() - 1
            };
            answer(number, &mut stream);
        })
    }

    /// Always the same bytes.
    pub fn fixed(response: impl Into<Vec<u8>>) -> Server {
        let response = response.into();
        Server::start(move |_, stream| {
            let _ = stream.write_all(&response);
        })
    }

    /// These bytes in turn; the last again and again.
    pub fn sequence(responses: Vec<Vec<u8>>) -> Server {
        Server::start(move |number, stream| {
            let _ = stream.write_all(&responses[number.min(responses.len() - 1)]);
        })
    }

    /// Closes each connection with the request unread, which makes a reset.
    pub fn resetting() -> Server {
        Server::accept(|heads, stream| {
            let _ = stream.peek(&mut [0]);
            heads.lock().unwrap().push(String::new());
        })
    }

    /// Leaves a part of each request unread, so that the end of the connection is a reset once `answer` returns.
    pub fn resetting_after(answer: impl Fn(&mut TcpStream) + Send + Sync + 'static) -> Server {
        Server::accept(move |heads, mut stream| {
            if matches!(stream.read(&mut [0]), Ok(1)) {
                heads.lock().unwrap().push(String::new());
                answer(&mut stream);
            }
        })
    }

    /// Answers each request by its head.
    pub fn guarded(answer: impl Fn(&str) -> Vec<u8> + Send + Sync + 'static) -> Server {
        Server::accept(move |heads, mut stream| {
            let head = read_head(&mut stream);
            let response = answer(&head);
            heads.lock().unwrap().push(head);
            let _ = stream.write_all(&response);
        })
    }

    /// Hands each connection over, unread.
    pub fn accepting(handle: impl Fn(TcpStream) + Send + Sync + 'static) -> Server {
        Server::accept(move |_, stream| handle(stream))
    }

    fn accept(handle: impl Fn(&Mutex<Vec<String>>, TcpStream) + Send + Sync + 'static) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base_url = format!("http://{}", listener.local_addr().unwrap());
        let heads = Arc::new(Mutex::new(Vec::new()));
        let (shared, handle) = (heads.clone(), Arc::new(handle));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (heads, handle) = (shared.clone(), handle.clone());
                std::thread::spawn(move || handle(&heads, stream));
            }
        });
        Server { base_url, heads }
    }

    /// The heads of all requests so far.
    pub fn heads(&self) -> Vec<String> {
        self.heads.lock().unwrap().clone()
    }

    /// How many requests came.
    pub fn count(&self) -> usize {
        self.heads.lock().unwrap().len()
    }
}

fn read_head(stream: &mut TcpStream) -> String {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read(&mut byte) {
            Ok(1) => head.push(byte[0]),
            _ => break,
        }
    }
    String::from_utf8_lossy(&head).into_owned()
}

/// A whole answer.
pub fn answer(status: &str, headers: &[(&str, &str)], body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let mut bytes: String = format!("HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {}\r\n", body.len());
    for (name, value) in headers {
        bytes.push_str(&format!("{name}: {value}\r\n"));
    }
    bytes.push_str("\r\n");
    [bytes.as_bytes(), body].concat()
}

/// A whole answer of JSON under status 200.
pub fn json(body: impl AsRef<[u8]>) -> Vec<u8> {
    answer("200 OK", &[("content-type", "application/json")], body)
}

/// An answer of JSON that announces more bytes than it has.
pub fn short(body: &str, announced: usize) -> Vec<u8> {
    format!(
        "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: {announced}\r\n\
        \r\n{body}"
    )
    .into_bytes()
}

/// An address without a listener while the socket is kept: bound, so that no one else gets the port, but not listening.
pub fn nobody() -> (tokio::net::TcpSocket, String) {
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let base_url = format!("http://{}", socket.local_addr().unwrap());
    (socket, base_url)
}
