//! An editor, as far as a language server can tell: starts the program and speaks the protocol with it.

use std::collections::{BTreeMap, VecDeque};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

pub(crate) struct Client {
    server: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
    requests: i64,
    versions: BTreeMap<String, i64>,
    /// Notifications that arrived while waiting for an answer.
    told: VecDeque<Value>,
    pub folder: TempDir,
}

impl Client {
    /// An initialized server, and a folder with copies of the shipped rule files.
    pub fn new() -> Client {
        Client::with(false)
    }

    /// The same, with the folder as its workspace.
    pub fn in_workspace() -> Client {
        Client::with(true)
    }

    fn with(workspace: bool) -> Client {
        let folder = tempfile::tempdir().unwrap();
        for path in super::toml_files("rules") {
            std::fs::copy(&path, folder.path().join(path.file_name().unwrap())).unwrap();
        }
        let mut server = Command::new(env!("CARGO_BIN_EXE_lendwright"))
            .arg("lsp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (to, from) = (server.stdin.take(), BufReader::new(server.stdout.take().unwrap()));
        let (requests, versions, told) = (0, BTreeMap::new(), VecDeque::new());
        let mut client = Client { server, to, from, requests, versions, told, folder };
        let root = workspace.then(|| format!("file://{}", client.folder.path().display()));
        let said = client.ask("initialize", json!({"processId": null, "rootUri": root, "capabilities": {}}));
        assert_eq!(said["capabilities"]["hoverProvider"], true);
        client.note("initialized", json!({}));
        client
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn uri(&self, name: &str) -> String {
        format!("file://{}", self.path(name).display())
    }

    fn send(&mut self, message: &Value) {
        let body = message.to_string();
        let to = self.to.as_mut().unwrap();
        write!(to, "Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
        to.flush().unwrap();
    }

    fn receive(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert!(self.from.read_line(&mut line).unwrap() > 0, "the server is gone");
            match line.trim_end().split_once(": ") {
                Some(("Content-Length", number)) => length = number.parse().unwrap(),
                Some(_) => {}
                None => break,
            }
        }
        let mut body = vec![0; length];
        self.from.read_exact(&mut body).unwrap();
        serde_json::from_slice(&body).unwrap()
    }

    pub fn note(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Asks and waits for the answer, an error included.
    pub fn try_ask(&mut self, method: &str, params: Value) -> Result<Value, String> {
        self.requests += 1;
        let id = self.requests;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let message = self.receive();
            if message["id"] == id {
                return match message.get("error") {
                    Some(error) => Err(error["message"].as_str().unwrap().to_owned()),
                    None => Ok(message["result"].clone()),
                };
            }
            self.told.push_back(message);
        }
    }

    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        self.try_ask(method, params).unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    /// Writes a file into the folder, creating the folders in its name.
    pub fn write(&self, name: &str, text: &str) {
        std::fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        std::fs::write(self.path(name), text).unwrap();
    }

    /// Opens a file with its text in the folder.
    pub fn open(&mut self, name: &str) -> String {
        let text = std::fs::read_to_string(self.path(name)).unwrap();
        self.open_as(name, &text);
        text
    }

    pub fn open_as(&mut self, name: &str, text: &str) {
        self.versions.insert(name.to_owned(), 1);
        let document = json!({"uri": self.uri(name), "languageId": "toml", "version": 1, "text": text});
        self.note("textDocument/didOpen", json!({"textDocument": document}));
    }

    fn next_version(&mut self, name: &str) -> i64 {
        let version = self.versions.get_mut(name).unwrap();
        *version += 1;
        *version
    }

    /// Replaces the whole text.
    pub fn replace(&mut self, name: &str, text: &str) -> i64 {
        self.change(name, json!({"text": text}))
    }

    /// One change, of a range or of the whole; returns the version of the text.
    pub fn change(&mut self, name: &str, change: Value) -> i64 {
        let version = self.next_version(name);
        let document = json!({"uri": self.uri(name), "version": version});
        self.note("textDocument/didChange", json!({"textDocument": document, "contentChanges": [change]}));
        version
    }

    /// The next diagnostics of a file.
    pub fn mistakes(&mut self, name: &str) -> Value {
        let uri = self.uri(name);
        let is_wanted = |message: &Value| {
            message["method"] == "textDocument/publishDiagnostics" && message["params"]["uri"] == uri.as_str()
        };
        if let Some(at) = self.told.iter().position(is_wanted) {
            return self.told.remove(at).unwrap()["params"].clone();
        }
        loop {
            let message = self.receive();
            if is_wanted(&message) {
                return message["params"].clone();
            }
            self.told.push_back(message);
        }
    }

    /// The diagnostics of one version of a file, skipping those of older ones.
    pub fn mistakes_of(&mut self, name: &str, version: i64) -> Value {
        loop {
            let told = self.mistakes(name);
            if told["version"] == version {
                return told["diagnostics"].clone();
            }
        }
    }

    /// The codes of the next diagnostics of a file.
    pub fn codes(&mut self, name: &str) -> Vec<String> {
        let told = self.mistakes(name);
        let codes = told["diagnostics"].as_array().unwrap().iter();
        codes.map(|diagnostic| diagnostic["code"].as_str().unwrap().to_owned()).collect()
    }

    /// Asks about the position of `|` in a line of the file, which does not contain the `|`.
    pub fn ask_at(&mut self, method: &str, name: &str, text: &str, marked: &str) -> Result<Value, String> {
        self.try_ask(method, json!({"textDocument": {"uri": self.uri(name)}, "position": position(text, marked)}))
    }

    /// Shuts down; returns the exit status.
    pub fn goodbye(mut self) -> i32 {
        assert_eq!(self.ask("shutdown", Value::Null), Value::Null);
        self.note("exit", Value::Null);
        drop(self.to.take());
        self.server.wait().unwrap().code().unwrap()
    }

    /// Leaves without a shutdown; returns the exit status.
    pub fn leave(mut self) -> i32 {
        drop(self.to.take());
        self.server.wait().unwrap().code().unwrap()
    }
}

/// The position of `|` at the first place where the text reads like `marked` without it. In UTF-16 units, computed
/// independently.
pub(crate) fn position(text: &str, marked: &str) -> Value {
    let within = marked.find('|').unwrap();
    let at = text.find(&marked.replacen('|', "", 1)).unwrap_or_else(|| panic!("{marked}")) + within;
    position_of(text, at)
}

pub(crate) fn position_of(text: &str, byte: usize) -> Value {
    let before = &text[..byte];
    let line = before.matches('\n').count();
    let units: usize = before.rsplit('\n').next().unwrap().chars().map(char::len_utf16).sum();
    json!({"line": line, "character": units})
}

/// The byte of a position.
pub(crate) fn byte_of(text: &str, position: &Value) -> usize {
    let line = position["line"].as_u64().unwrap() as usize;
    let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
    let mut units = position["character"].as_u64().unwrap() as usize;
    let mut at = start;
    for letter in text[start..].chars() {
        if units == 0 {
            break;
        }
        units -= letter.len_utf16();
        at += letter.len_utf8();
    }
    at
}

/// What stands in a range.
pub(crate) fn slice<'a>(text: &'a str, range: &Value) -> &'a str {
    &text[byte_of(text, &range["start"])..byte_of(text, &range["end"])]
}

/// The text after the edits of an answer.
pub(crate) fn apply(text: &str, edits: &Value) -> String {
    let mut edits: Vec<&Value> = edits.as_array().unwrap().iter().collect();
    edits.sort_by_key(|edit| std::cmp::Reverse(byte_of(text, &edit["range"]["start"])));
    edits.into_iter().fold(text.to_owned(), |text, edit| {
        let range = byte_of(&text, &edit["range"]["start"])..byte_of(&text, &edit["range"]["end"]);
        let mut text = text;
        text.replace_range(range, edit["newText"].as_str().unwrap());
        text
    })
}

/// The name of a file in an address.
pub(crate) fn file_name(uri: &str) -> String {
    Path::new(uri).file_name().unwrap().to_string_lossy().into_owned()
}
