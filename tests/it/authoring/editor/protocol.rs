//! The server's behaviour with messages that no good editor sends, and with editors that leave.

use std::io::Write;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

/// The server's output for these bytes, followed by the end of input.
fn said_to(bytes: &[u8]) -> Output {
    let mut server = Command::new(env!("CARGO_BIN_EXE_lendwright"))
        .arg("lsp")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut to = server.stdin.take().unwrap();
    // A server that refuses may end before all is written.
    let _ = to.write_all(bytes);
    drop(to);
    server.wait_with_output().unwrap()
}

fn framed(message: &Value) -> Vec<u8> {
    let body = message.to_string();
    format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

/// The greeting, and what follows it.
fn greeted(messages: &[Value]) -> Vec<u8> {
    let greeting = [
        json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"capabilities": {}}}),
        json!({"jsonrpc": "2.0", "method": "initialized", "params": {}}),
    ];
    greeting.iter().chain(messages).flat_map(framed).collect()
}

/// The answers, by their frames.
fn answers(out: &[u8]) -> Vec<Value> {
    let text = std::str::from_utf8(out).unwrap();
    let bodies = text.split("Content-Length: ").skip(1).map(|frame| frame.split_once("\r\n\r\n").unwrap().1);
    bodies.map(|body| serde_json::from_str(body).unwrap()).collect()
}

fn refusal(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let said = String::from_utf8(output.stderr.clone()).unwrap();
    assert!(said.starts_with("error: ") && said.lines().count() == 1, "{said}");
    said
}

#[test]
fn a_message_beyond_reason_is_refused_before_it_is_read() {
    for length in ["99999999999", "99999999999999999999999999", "67108865"] {
        let frame = format!("Content-Length: {length}\r\n\r\n{{}}");
        for bytes in [frame.clone().into_bytes(), [greeted(&[]), frame.into_bytes()].concat()] {
            let said = refusal(&said_to(&bytes));
            assert!(said.contains(length) && said.contains("at most 67108864"), "{said}");
        }
    }
    // A message that claims a great length takes no more memory than it has bytes.
    assert!(refusal(&said_to(b"Content-Length: 60000000\r\n\r\n{}")).contains("ends within"));
}

#[test]
fn what_is_no_message_is_refused_with_a_word() {
    for (bytes, word) in [
        ("Content-Length: 2\r\n\r\n[]", "does not follow the protocol"),
        ("Content-Length: x\r\n\r\n{}", "`x` is not a length"),
        ("Content-Type: a\r\n\r\n{}", "without `Content-Length`"),
        ("hello\n", "`hello` is not a header"),
        (&"x".repeat(100_000), "is not a header"),
    ] {
        let said = refusal(&said_to(bytes.as_bytes()));
        assert!(said.contains(word) && said.len() < 300, "{word}: {said}");
    }
}

#[test]
fn after_its_shutdown_the_server_answers_nothing_more() {
    let shutdown = json!({"jsonrpc": "2.0", "id": 1, "method": "shutdown"});
    let hover = json!({"jsonrpc": "2.0", "id": 2, "method": "textDocument/hover", "params": {}});
    let open = json!({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {}});
    let exit = json!({"jsonrpc": "2.0", "method": "exit"});
    let output = said_to(&greeted(&[shutdown.clone(), open, hover, shutdown.clone(), exit.clone()]));
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let told = answers(&output.stdout);
    let codes: Vec<&Value> = told.iter().map(|answer| &answer["error"]["code"]).collect();
    assert_eq!(codes, [&Value::Null, &Value::Null, &json!(-32600), &json!(-32600)], "{told:?}");
    // Leaving without a shutdown, at any time, is an error.
    for messages in [&[][..], &[shutdown], &[exit]] {
        assert!(refusal(&said_to(&greeted(messages))).contains("the editor left"), "{messages:?}");
    }
    assert!(refusal(&said_to(b"")).contains("the editor left"));
}
