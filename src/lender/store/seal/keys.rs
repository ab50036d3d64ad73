//! Keys from a file, or from what a program prints: one `number:key` per line, and one `lookup:key`. A key is 64
//! hexadecimal digits, as `openssl rand -hex 32` prints. Shows no key.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use super::{KEY, KeyRing};
use crate::base::digest::decode_hex_digest;
use crate::base::secret::Secret;
use crate::lender::store::error::StoreError;
use crate::lender::store::require_private_secret;

/// How long a program may run.
const ALLOWED: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(5);
const BYTES_MAX: u64 = 64 * 1024;

/// Reads keys from a file that only its owner can read.
pub(crate) fn from_file(path: &Path) -> Result<KeyRing, StoreError> {
    let mut file = File::open(path).map_err(StoreError::file(path))?;
    require_private_secret(&file, path)?;
    let mut text = String::new();
    file.by_ref().take(BYTES_MAX).read_to_string(&mut text).map_err(StoreError::file(path))?;
    parse_key_lines(&Secret::new(text), &path.display().to_string())
}

/// Reads keys from what a program prints. It runs without a shell; its standard error is discarded, because it may hold
/// secrets.
pub(crate) fn from_command(command: &[String]) -> Result<KeyRing, StoreError> {
    let Some((program, arguments)) = command.split_first() else {
        return Err(StoreError::Unsuitable("the command for the keys names no program".to_string()));
    };
    parse_key_lines(&run_keys_command(program, arguments)?, program)
}

fn run_keys_command(program: &str, arguments: &[String]) -> Result<Secret, StoreError> {
    let failed = |why: &str| StoreError::Unsuitable(format!("the keys' command `{program}` {why}"));
    let mut child = std::process::Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| failed(&format!("cannot be run: {error}")))?;
    let deadline = Instant::now() + ALLOWED;
    let (sender, receiver) = mpsc::channel();
    if let Some(out) = child.stdout.take() {
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let read = out.take(BYTES_MAX).read_to_end(&mut bytes);
            // The receiver is gone after the deadline.
            let _ = sender.send(read.map(|_| bytes));
        });
    }
    let printed = receiver.recv_timeout(ALLOWED);
    let is_good = wait_until_deadline(&mut child, deadline);
    let printed = printed.ok().and_then(Result::ok).filter(|_| is_good);
    let text = printed.ok_or_else(|| failed(&format!("failed or took more than {} s", ALLOWED.as_secs())))?;
    String::from_utf8(text).map(Secret::new).map_err(|_| failed("printed what is not text"))
}

/// Whether a program ends well before the deadline. It is killed otherwise.
fn wait_until_deadline(child: &mut Child, deadline: Instant) -> bool {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) if Instant::now() < deadline => std::thread::sleep(PAUSE),
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                return false;
            }
        }
    }
}

/// Messages have lines' numbers, and never their text.
fn parse_key_lines(text: &Secret, source: &str) -> Result<KeyRing, StoreError> {
    let mut keys = BTreeMap::new();
    let mut lookup = None;
    for (line, text) in (1..).zip(text.expose().lines().map(str::trim)) {
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let wrong = |what: &str| StoreError::Unsuitable(format!("`{source}`:{line}: {what}"));
        let (name, digits) = text.split_once(':').ok_or_else(|| wrong("a line is `number:key` or `lookup:key`"))?;
        let key = decode_hex_key(digits.trim()).ok_or_else(|| wrong("a key has 64 hexadecimal digits"))?;
        if keys.values().chain(&lookup).any(|other| *other == key) {
            return Err(wrong("this key stands in the list before: each is used once"));
        }
        let previous = match name.trim() {
            "lookup" => lookup.replace(key),
            number => {
                let number: u32 = number.parse().map_err(|_| wrong("a line is `number:key` or `lookup:key`"))?;
                keys.insert(number, key)
            }
        };
        if previous.is_some() {
            return Err(wrong("this number stands in the list before"));
        }
    }
    let lookup = lookup.ok_or_else(|| StoreError::Unsuitable(format!("`{source}` has no line `lookup:key`")))?;
    if keys.is_empty() {
        return Err(StoreError::Unsuitable(format!("`{source}` has no line `number:key`")));
    }
    KeyRing::new(&keys, &lookup)
}

fn decode_hex_key(digits: &str) -> Option<[u8; KEY]> {
    decode_hex_digest(digits)
}
