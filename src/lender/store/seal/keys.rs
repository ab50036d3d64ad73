//! Keys from a file, or from what a program prints: one `number:key` per line, and one `lookup:key`. A key is 64
//! hexadecimal digits, as `openssl rand -hex 32` prints. Shows no key.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use zeroize::Zeroizing;

use super::{KEY, KeyRing};
use crate::base::digest::decode_hex_digest;
use crate::base::secret::Secret;
use crate::lender::store::error::StoreError;
use crate::lender::store::require_private_secret;
use crate::provider::client::program::{ProgramFault, run_program};

/// The longest file that is read.
const BYTES_MAX: usize = 64 * 1024;

/// Reads keys from a file that only its owner can read.
pub(crate) fn from_file(path: &Path) -> Result<KeyRing, StoreError> {
    let mut file = File::open(path).map_err(StoreError::file(path))?;
    require_private_secret(&file, path)?;
    // Room for all of it, so that no copy is left behind by growing.
    let mut text = Zeroizing::new(String::with_capacity(2 * BYTES_MAX));
    file.by_ref().take(BYTES_MAX as u64 + 1).read_to_string(&mut text).map_err(StoreError::file(path))?;
    if text.len() > BYTES_MAX {
        let what = format!("`{}` has more than 64 KiB; keys take less, so this is another file", path.display());
        return Err(StoreError::Unsuitable(what));
    }
    parse_key_lines(&text, &path.display().to_string())
}

/// Reads keys from what a program prints.
pub(crate) fn from_command(command: &[String]) -> Result<KeyRing, StoreError> {
    let Some((program, arguments)) = command.split_first() else {
        return Err(StoreError::Unsuitable("the command for the keys names no program".to_string()));
    };
    let printed = run_keys_command(program, arguments)
        .map_err(|fault| StoreError::Unsuitable(format!("the keys' command `{program}` {fault}")))?;
    parse_key_lines(printed.expose(), program)
}

/// Waits for what the program prints, in a thread of its own: the caller's may belong to a runtime, in which another
/// one cannot wait.
fn run_keys_command(program: &str, arguments: &[String]) -> Result<Secret, ProgramFault> {
    let run = || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(run_program(program, arguments))
    };
    std::thread::scope(|scope| scope.spawn(run).join()).unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// Messages have lines' numbers, and never their text.
fn parse_key_lines(text: &str, source: &str) -> Result<KeyRing, StoreError> {
    let mut keys = BTreeMap::new();
    let mut lookup = None;
    for (line, text) in (1..).zip(text.lines().map(str::trim)) {
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

fn decode_hex_key(digits: &str) -> Option<Zeroizing<[u8; KEY]>> {
    decode_hex_digest(digits).map(Zeroizing::new)
}
