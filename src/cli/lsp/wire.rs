//! The protocol's frames on standard input and output. Knows how long a message may be, but not what it means.

use std::io::{self, BufRead, Read};
use std::thread;

use lsp_server::{Connection, Message};

/// The longest message, in bytes. A rule file has at most 4 MB, so no message about one is longer.
const MESSAGE_MAX: u64 = 64 << 20;

/// The longest header line, in bytes. Real headers are short.
const HEADER_MAX: u64 = 4_096;

/// The thread that reads messages. Its result says why it ended.
pub(super) type ReaderThread = thread::JoinHandle<Result<(), String>>;

/// The thread that writes messages. It ends when the last one is written.
pub(super) type Writing = thread::JoinHandle<io::Result<()>>;

/// The server's side of a connection over standard input and output, with a thread for each.
pub(super) fn connect_over_stdio() -> (Connection, ReaderThread, Writing) {
    let (own, Connection { sender, receiver }) = Connection::memory();
    let reading = thread::spawn(move || {
        let mut input = io::stdin().lock();
        while let Some(message) = read_next_message(&mut input)? {
            let is_exit = matches!(&message, Message::Notification(note) if note.method == "exit");
            if sender.send(message).is_err() || is_exit {
                break;
            }
        }
        Ok(())
    });
    let writing = thread::spawn(move || {
        let mut output = io::stdout().lock();
        receiver.into_iter().try_for_each(|message| message.write(&mut output))
    });
    (own, reading, writing)
}

/// Reads the next message. `None` at the end of the input.
fn read_next_message(input: &mut impl BufRead) -> Result<Option<Message>, String> {
    let Some(length) = read_message_length(input)? else { return Ok(None) };
    // Memory is allocated as bytes arrive, so a large length alone costs nothing.
    let mut body = Vec::new();
    let read = input.take(length).read_to_end(&mut body).map_err(|error| error.to_string())?;
    if (read as u64) < length {
        return Err(format!("the input ends within a message of {length} bytes"));
    }
    let message = serde_json::from_slice(&body);
    message.map(Some).map_err(|error| format!("a message does not follow the protocol: {error}"))
}

/// Reads the headers of a message. Returns its length, or `None` at the end of the input.
fn read_message_length(input: &mut impl BufRead) -> Result<Option<u64>, String> {
    let mut length = None;
    loop {
        let mut line = Vec::new();
        let read = input.by_ref().take(HEADER_MAX).read_until(b'\n', &mut line).map_err(|error| error.to_string())?;
        if read == 0 {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end_matches(['\r', '\n']);
        if line.is_empty() {
            break;
        }
        let Some((name, value)) = line.split_once(':') else {
            return Err(format!("`{}` is not a header of a message", line.chars().take(40).collect::<String>()));
        };
        if name.eq_ignore_ascii_case("content-length") {
            length = Some(parse_message_length(value.trim())?);
        }
    }
    length.map(Some).ok_or("a message without `Content-Length`".to_owned())
}

fn parse_message_length(text: &str) -> Result<u64, String> {
    let shown: String = text.chars().take(40).collect();
    if text.is_empty() || !text.bytes().all(|c| c.is_ascii_digit()) {
        return Err(format!("`{shown}` is not a length of a message"));
    }
    // A number that does not fit into 64 bits is too long as well.
    let length = text.parse().ok().filter(|length| *length <= MESSAGE_MAX);
    length.ok_or(format!("a message of {shown} bytes; at most {MESSAGE_MAX} are read"))
}
