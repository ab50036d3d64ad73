//! Tests of `src/api`: decisions over HTTP, through a real socket.

mod answers;
mod batches;
mod exported;
mod guide;
mod hostile;
mod kept;
mod keys;
mod limits;
mod openapi;
mod pulled;
mod refusals;
mod shadows;
mod sources;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::fixtures::desk::Desk;

/// `lendwright api`, ended with the test.
pub struct ApiService {
    child: Child,
    pub address: SocketAddr,
}

/// An answer.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Reply {
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("no JSON: {}", self.text()))
    }

    /// The code of a problem, after its form was checked.
    #[track_caller]
    pub fn code(&self) -> String {
        let problem = self.json();
        assert_eq!(self.header("content-type"), Some("application/problem+json"), "{}", self.text());
        assert_eq!(problem["status"], self.status);
        assert_eq!(problem["request_id"], self.header("x-request-id").unwrap());
        problem["code"].as_str().unwrap().to_owned()
    }
}

impl ApiService {
    /// Starts the service in a folder, on a port that is free.
    pub fn start(folder: &Path, args: &[&str]) -> ApiService {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lendwright"));
        command.arg("api").args(args).args(["--listen", "127.0.0.1:0"]).current_dir(folder);
        let log = std::fs::OpenOptions::new().create(true).append(true).open(folder.join("api.log")).unwrap();
        let mut child = command.stdout(Stdio::piped()).stderr(log).spawn().unwrap();
        let mut first = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
        let address = first.split("http://").nth(1).and_then(|rest| rest.split('/').next());
        let log = || std::fs::read_to_string(folder.join("api.log")).unwrap();
        let address = address.unwrap_or_else(|| panic!("it does not start: {}", log()));
        ApiService { address: address.parse().unwrap(), child }
    }

    /// Sends a request and reads the whole answer.
    pub fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Reply {
        let mut stream = self.begin(method, path, headers, body.len());
        // A service that refuses early may not read all of it.
        let _ = stream.write_all(body);
        read_reply(&mut stream)
    }

    /// Sends the headers of a request.
    pub fn begin(&self, method: &str, path: &str, headers: &[(&str, &str)], length: usize) -> TcpStream {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let mut head = format!("{method} {path} HTTP/1.1\r\nconnection: close\r\n");
        if !headers.iter().any(|(name, _)| *name == "host") {
            head.push_str("host: 127.0.0.1\r\n");
        }
        if method == "POST" && !headers.iter().any(|(name, _)| *name == "transfer-encoding") {
            head.push_str(&format!("content-length: {length}\r\n"));
        }
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        stream.write_all(format!("{head}\r\n").as_bytes()).unwrap();
        stream
    }

    pub fn post_json(&self, path: &str, body: &str) -> Reply {
        self.ask("POST", path, &[("content-type", "application/json")], body.as_bytes())
    }

    pub fn get(&self, path: &str) -> Reply {
        self.ask("GET", path, &[], b"")
    }

    /// Asks it to stop, and returns its exit status.
    pub fn stop(self) -> Option<i32> {
        self.terminate();
        self.stop_ended()
    }

    /// The exit status of a service that was told to stop.
    pub fn stop_ended(mut self) -> Option<i32> {
        let from = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            assert!(from.elapsed() < Duration::from_secs(60), "the service does not end");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    pub fn terminate(&self) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    }
}

impl Drop for ApiService {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads an answer to its end.
pub fn read_reply(stream: &mut TcpStream) -> Reply {
    let mut all = Vec::new();
    let mut piece = [0; 65_536];
    // A reset after the answer takes nothing away from it.
    while let Ok(read @ 1..) = stream.read(&mut piece) {
        all.extend_from_slice(&piece[..read]);
    }
    let end = all.windows(4).position(|four| four == b"\r\n\r\n").expect("an answer has a head");
    let head = String::from_utf8(all[..end].to_vec()).unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let mut body = all.split_off(end + 4);
    if head.to_ascii_lowercase().contains("transfer-encoding: chunked") {
        body = join_chunks(&body);
    }
    Reply { status, head, body }
}

fn join_chunks(mut rest: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    while let Some(end) = rest.windows(2).position(|two| two == b"\r\n") {
        let length = usize::from_str_radix(std::str::from_utf8(&rest[..end]).unwrap(), 16).unwrap();
        if length == 0 {
            break;
        }
        body.extend_from_slice(&rest[end + 2..end + 2 + length]);
        rest = &rest[end + 2 + length + 2..];
    }
    body
}

/// An application with the statement of a file, inline.
pub fn application(desk: &Desk, file: &str) -> String {
    let statement = desk.read(file);
    format!("{{\"statement\": {statement}, \"as_of\": \"2026-10-31\", \"reference\": \"{file}\"}}")
}

pub const STATEMENT: &str = "in/statement-000001.json";

/// A service with the policy of a desk.
pub fn start(desk: &Desk) -> ApiService {
    ApiService::start(desk.path(), &["--policy", "rules/small.toml"])
}
